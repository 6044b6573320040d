"""Where each file of figures comes from."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exambench.benchmarks.published.reader import read_text
from exambench.errors import DataError, Finding, show


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of one file.

    Attributes:
        paper: Key of the paper, which is also the folder.
        title: Title of the paper.
        reference: arXiv identifier, or what the text edition used says.
        file: Name of the file in the folder.
        label: The paper's name for the table.
        where: Section that holds it.
        caption: What it shows, in our words.
        units: Units of its numbers.
        notes: What the source leaves blank, and what was read into it.
    """

    paper: str
    title: str
    reference: str
    file: str
    label: str
    where: str
    caption: str
    units: str
    notes: str


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = Field(min_length=1)
    label: str = Field(min_length=1)
    where: str = Field(min_length=1)
    caption: str = Field(min_length=1)
    units: str
    notes: str


class _Paper(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str = Field(min_length=1)
    title: str = Field(min_length=1)
    reference: str = Field(min_length=1)


class _SourcesFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    paper: _Paper
    table: tuple[_Table, ...] = Field(min_length=1)


def read_sources(folder: Traversable) -> tuple[Source, ...]:
    """Read ``sources.toml`` of a folder of figures.

    Raises:
        DataError: The file is missing, is not TOML, or lacks or adds a field.
    """
    path = folder / "sources.toml"
    try:
        content = _SourcesFile.model_validate(tomllib.loads(read_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise DataError(Finding(problem="is not TOML", file=str(path), value=str(error))) from error
    except ValidationError as error:
        raise DataError(
            *(
                Finding(
                    problem=problem["msg"],
                    file=str(path),
                    field=".".join(str(part) for part in problem["loc"]),
                    value=show(problem["input"]),
                )
                for problem in error.errors()
            )
        ) from error
    return tuple(
        Source(
            paper=content.paper.key,
            title=content.paper.title,
            reference=content.paper.reference,
            **table.model_dump(),
        )
        for table in content.table
    )
