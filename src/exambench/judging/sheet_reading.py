"""From filled-in sheets to ratings: every fault is named, and with any fault there are no ratings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.errors import DataError, Finding, show
from exambench.judging.returned_sheets import SheetTable, Value
from exambench.judging.rubric import Rubric
from exambench.judging.sheets import headers_of, score_headers_of
from exambench.store import RatingRow, SheetPlace

ANSWER: Final = "answer id"

_WHOLE: Final = re.compile(r"(-?[0-9]{1,6})(?:\.0{1,6})?")


@dataclass(frozen=True)
class _Columns:
    """Where a file has its identifiers and the scores of each axis, and the rows below their header."""

    answer: int
    axes: Mapping[str, int]
    headers: Mapping[str, str]
    rows: Sequence[tuple[int, tuple[Value, ...]]]


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
    known = {place.answer_id: place for place in places}
    findings: list[Finding] = []
    ratings: list[RatingRow] = []
    seen: dict[str, str] = {}
    for table in tables:
        found = _read(table, known, rubrics, seen)
        for each in found:
            if isinstance(each, Finding):
                findings.append(each)
            else:
                ratings.append(each)
    if findings:
        raise DataError(*findings)
    return ratings


def _read(
    table: SheetTable, known: Mapping[str, SheetPlace], rubrics: Mapping[str, Rubric], seen: dict[str, str]
) -> Iterator[Finding | RatingRow]:
    sheet = _sheet_of(table, known)
    if sheet is None:
        yield _fault(
            table, None, "holds no answer id of this store", field=None, value=None, allowed="a sheet of this store"
        )
        return
    rubric = rubrics[sheet.study_id]
    columns = _columns(table, rubric)
    if not isinstance(columns, _Columns):
        yield from columns
        return
    for number, cells in columns.rows:
        answer_id = _text(_cell(cells, columns.answer))
        fault = _fault_of_id(answer_id, sheet, known, seen)
        if fault is not None:
            yield _fault(
                table, number, fault, field=ANSWER, value=answer_id, allowed="each answer id of one rater's sheet, once"
            )
            continue
        seen[answer_id] = f"{table.file}, row {number}"
        yield from _scores(table, number, answer_id, cells, columns=columns, rubric=rubric)
    mine = [id_ for id_, place in known.items() if (place.study_id, place.rater) == (sheet.study_id, sheet.rater)]
    for answer_id in mine:
        if answer_id not in seen:
            yield _fault(
                table, None, "this answer has no row", field=ANSWER, value=answer_id, allowed="a row for each answer"
            )


def _sheet_of(table: SheetTable, known: Mapping[str, SheetPlace]) -> SheetPlace | None:
    """Return a place of the sheet that most rows belong to; the first one among equals."""
    places = [known[text] for _, cells in table.rows for text in map(_text, cells) if text in known]
    counts: dict[tuple[str, str], int] = {}
    for place in places:
        counts[place.study_id, place.rater] = counts.get((place.study_id, place.rater), 0) + 1
    return max(places, key=lambda place: counts[place.study_id, place.rater], default=None)


def _columns(table: SheetTable, rubric: Rubric) -> _Columns | list[Finding]:
    """Return where the columns stand, or what is wrong with the header: the first row that names the identifiers."""
    names = {"": headers_of(rubric)[0], **score_headers_of(rubric)}
    headers = [[_header(cell) for cell in cells] for _, cells in table.rows]
    place = next((place for place, header in enumerate(headers) if _header(names[""]) in header), 0)
    number, header = table.rows[place][0], headers[place]
    faults = [
        _fault(
            table,
            number,
            "this column is missing" if _header(name) not in header else "this column stands more than once",
            field=name,
            value=None,
            allowed=", ".join(names.values()),
        )
        for name in names.values()
        if header.count(_header(name)) != 1
    ]
    if faults:
        return faults
    places = {key: header.index(_header(name)) for key, name in names.items()}
    return _Columns(places.pop(""), places, names, table.rows[place + 1 :])


def _fault_of_id(
    answer_id: str, sheet: SheetPlace, known: Mapping[str, SheetPlace], seen: Mapping[str, str]
) -> str | None:
    """Return what is wrong with an identifier."""
    place = known.get(answer_id)
    if place is None:
        return "there is no such answer"
    if (place.study_id, place.rater) != (sheet.study_id, sheet.rater):
        return "this answer stands on another sheet than the others in this file"
    if answer_id in seen:
        return f"this answer stands in {seen[answer_id]} already"
    return None


def _scores(
    table: SheetTable, number: int, answer_id: str, cells: Sequence[Value], *, columns: _Columns, rubric: Rubric
) -> Iterator[Finding | RatingRow]:
    allowed = f"an integer from {rubric.low} to {rubric.high}"
    for axis, place in columns.axes.items():
        found = _cell(cells, place)
        score = _integer(found)
        if score is not None and rubric.low <= score <= rubric.high:
            yield RatingRow(answer_id, axis, score)
            continue
        if found in {None, ""}:
            problem = "the score is missing"
        else:
            problem = "this is no integer" if score is None else "this is outside of the scale"
        value = None if found in {None, ""} else str(found)
        yield _fault(table, number, problem, field=columns.headers[axis], value=value, allowed=allowed)


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


def _cell(cells: Sequence[Value], place: int) -> Value:
    return cells[place] if place < len(cells) else None


def _text(value: Value) -> str:
    return "" if value is None else unicodedata.normalize("NFC", str(value))


def _header(value: Value) -> str:
    """Return a header by which columns are told apart: not by line breaks, nor the apostrophe before a formula."""
    return " ".join(_text(value).split()).removeprefix("'")


def _fault(
    table: SheetTable, row: int | None, problem: str, *, field: str | None, value: str | None, allowed: str
) -> Finding:
    return Finding(
        problem=problem,
        file=table.file,
        item=None if row is None else f"row {row}",
        field=field,
        value=None if value is None else show(value),
        allowed=allowed,
        remedy="Correct the sheet and import it again; nothing was stored",
    )
