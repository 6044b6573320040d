"""Settings of the stage ``ingest``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, field_validator

from exambench.construct.signs import AUTO, BY_NAME
from exambench.construct.stage import Settings

HEADING = (
    r"[<〈\[【■●]?\s*(?:(?=제?\s*\d{1,2}\s*(?:과\s*목|부|교\s*시|영\s*역))|(?=(?i:part|section)\s+(?:\d{1,2}|[IVX]{1,4}|[A-H])\b))"
    r"(?:제|(?i:part|section))?\s*(?P<part>\d{1,2}|[IVX]{1,4}|[A-H])"
)
"""제1과목, 2부, 3교시, Part 2, SECTION II and their like."""


MOST: Final = 999
"""Numbers of items have three digits."""


WIDEST: Final = 2**63
"""Integers of labels have 64 bits in a store."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


Printable = Annotated[str, Field(max_length=64), AfterValidator(_printable)]
"""Text that stands in identifiers, tables and on terminals."""


class Fields(Settings):
    """Columns of a table by the fields that they hold; what is not named has a usual name, or is not there."""

    number: str | None = None
    question: str | None = None
    choices: list[str] | None = None
    answer: str | None = None
    part: str | None = None
    rationale: str | None = None


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
        decisions: What people decided about what was read.
    """

    paper: Path
    keys: Path | None = None
    prefix: Printable = ""
    choices: Annotated[int, Field(ge=2, le=9)] | Literal["auto"] = "auto"
    marks: str = AUTO
    first: Annotated[int, Field(ge=1, le=MOST)] = 1
    last: Annotated[int, Field(ge=1, le=MOST)] | None = None
    pages: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    columns: Literal[1, 2, 3, "auto"] = "auto"
    heading: str = HEADING
    part: Annotated[int, Field(ge=-WIDEST, lt=WIDEST)] | None = None
    facets: dict[Printable, Printable | Annotated[int, Field(ge=-WIDEST, lt=WIDEST)] | bool] = Field(
        default_factory=dict
    )
    fields: Fields = Fields()
    source: str = ""
    dpi: Annotated[int, Field(ge=200, le=1200)] = 200
    decisions: Path | None = None

    @property
    def count(self) -> int | None:
        """How many options an item has; ``None`` when the paper tells."""
        return None if self.choices == AUTO else self.choices

    @field_validator("pages")
    @classmethod
    def _is_a_range(cls, value: tuple[int, int] | None) -> tuple[int, int] | None:
        if value is not None and value[0] > value[1]:
            raise ValueError("the last page is before the first")
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
