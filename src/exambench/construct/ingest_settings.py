"""Settings of the stage ``ingest``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from exambench.construct.signs import AUTO, BY_NAME
from exambench.construct.stage import Settings

HEADING = (
    r"[<〈\[【■●]?\s*(?:(?=제?\s*\d{1,2}\s*(?:과\s*목|부|교\s*시|영\s*역))|(?=(?i:part|section)\s+(?:\d{1,2}|[IVX]{1,4}|[A-H])\b))"
    r"(?:제|(?i:part|section))?\s*(?P<part>\d{1,2}|[IVX]{1,4}|[A-H])"
)
"""제1과목, 2부, 3교시, Part 2, SECTION II and their like."""


MOST: Final = 999
"""Numbers of items have three digits."""


class IngestSettings(Settings):
    """Settings of ``ingest``.

    Attributes:
        paper: The paper, relative to the project's folder: PDF, HTML, CSV or XLSX.
        keys: A file of right answers: PDF, CSV or XLSX; otherwise they are in the paper.
        prefix: What comes before an item's number in its identifier.
        choices: How many options an item has; ``auto`` when most items tell.
        marks: What options are marked with, by the first mark, such as ``A.`` or ``(가)``; ``auto`` when the paper
            tells.
        first: Number of the paper's first item.
        last: Number of its last one; without it, none after the last that was found is missing. Where numbers start
            anew in each part, both are of each part.
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
    choices: Annotated[int, Field(ge=2, le=9)] | Literal["auto"] = "auto"
    marks: str = AUTO
    first: Annotated[int, Field(ge=1, le=MOST)] = 1
    last: Annotated[int, Field(ge=1, le=MOST)] | None = None
    pages: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    columns: Literal[1, 2, 3, "auto"] = "auto"
    heading: str = HEADING
    part: int | None = None
    facets: dict[str, str | int | bool] = Field(default_factory=dict)
    fields: dict[str, str | list[str]] = Field(default_factory=dict)
    source: str = ""
    dpi: Annotated[int, Field(ge=200, le=1200)] = 200

    @property
    def count(self) -> int | None:
        """How many options an item has; ``None`` when the paper tells."""
        return None if self.choices == AUTO else self.choices

    @field_validator("prefix")
    @classmethod
    def _is_printable(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("has characters that cannot be printed; identifiers begin with it")
        return value

    @field_validator("marks")
    @classmethod
    def _is_a_kind(cls, value: str) -> str:
        if value != AUTO and value not in BY_NAME:
            raise ValueError(f"is no kind of option marks; allowed: {AUTO}, {', '.join(BY_NAME)}")
        return value

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
