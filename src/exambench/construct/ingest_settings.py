"""Settings of the stage ``ingest``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from exambench.construct.stage import Settings

HEADING = r"[<〈\[【]?\s*제?\s*(?P<part>\d{1,2})\s*(?:과\s*목|부|교\s*시)"


class IngestSettings(Settings):
    """Settings of ``ingest``.

    Attributes:
        paper: The paper, relative to the project's folder: PDF, HTML, CSV or XLSX.
        keys: A file of right answers: PDF, CSV or XLSX; otherwise they are in the paper.
        prefix: What comes before an item's number in its identifier.
        choices: How many options an item has.
        first: Number of the paper's first item.
        last: Number of its last one; without it, none after the last that was found is missing.
        pages: First and last page to read.
        columns: How many columns a page has.
        heading: Pattern of a line that begins a part, with a group ``part``.
        part: The part of all items, where the paper has no headings.
        facets: Labels that all items get.
        fields: For a table, the column of each field: ``number``, ``question``, ``choices`` (a list), ``answer``,
            ``part``, ``rationale``.
        source: What items say of their origin; the paper's file name without it.
        dpi: Least resolution of figures that are cut out, in dots per inch.
    """

    paper: Path
    keys: Path | None = None
    prefix: Annotated[str, Field(max_length=64)] = ""
    choices: Annotated[int, Field(ge=2, le=9)] = 4
    first: Annotated[int, Field(ge=1)] = 1
    last: Annotated[int, Field(ge=1)] | None = None
    pages: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    columns: Literal[1, 2, "auto"] = "auto"
    heading: str = HEADING
    part: int | None = None
    facets: dict[str, str | int | bool] = Field(default_factory=dict)
    fields: dict[str, str | list[str]] = Field(default_factory=dict)
    source: str = ""
    dpi: Annotated[int, Field(ge=200, le=1200)] = 200

    @field_validator("heading")
    @classmethod
    def _names_a_part(cls, value: str) -> str:
        try:
            pattern = re.compile(value)
        except re.error as error:
            raise ValueError(f"is no pattern: {error}") from None
        if "part" not in pattern.groupindex:
            raise ValueError("has no group (?P<part>…)")
        return value
