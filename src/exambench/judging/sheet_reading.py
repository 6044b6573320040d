"""From filled-in scoring sheets to ratings: every fault is named, and with any fault there are no ratings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from exambench.judging.returned_sheets import SheetTable, Value
from exambench.judging.rubric import Rubric
from exambench.judging.sheet_forms import Column, Fault, SheetForm, read_entries
from exambench.judging.sheets import headers_of, score_headers_of
from exambench.store import RatingRow, SheetPlace

_WHOLE: Final = re.compile(r"(-?[0-9]{1,6})(?:\.0{1,6})?")


def read_scores(
    tables: Sequence[SheetTable], places: Iterable[SheetPlace], rubrics: Mapping[str, Rubric]
) -> list[RatingRow]:
    """Return the ratings on filled-in sheets, every place of each sheet rated on every axis.

    Args:
        tables: The files, one sheet each.
        places: The key of all sheets that may have come back.
        rubrics: The rubric of each study, by its identifier.

    Raises:
        DataError: An identifier is unknown, belongs to another sheet, stands twice or is missing; a column is missing;
            a score is blank, no integer, or outside the scale. Every such place is a finding.
    """
    forms = {study_id: _form(rubric) for study_id, rubric in rubrics.items()}
    return [RatingRow(entry.answer_id, entry.key, int(entry.value)) for entry in read_entries(tables, places, forms)]


def _form(rubric: Rubric) -> SheetForm:
    def read(value: Value) -> str | Fault:
        score = _integer(value)
        if score is not None and rubric.low <= score <= rubric.high:
            return str(score)
        if value in {None, ""}:
            return Fault("the score is missing")
        return Fault("this is no integer" if score is None else "this is outside of the scale")

    allowed = f"an integer from {rubric.low} to {rubric.high}"
    return SheetForm(
        headers_of(rubric)[0],
        {key: Column(header, allowed, read) for key, header in score_headers_of(rubric).items()},
    )


def _integer(value: Value) -> int | None:
    """Return a whole number: a number of a spreadsheet, or one written with digits; a truth value is none."""
    match value:
        case bool() | None:
            return None
        case int():
            return value
        case float():
            return int(value) if value.is_integer() else None
        case str():
            number = _WHOLE.fullmatch(value)
            return int(number[1]) if number else None
