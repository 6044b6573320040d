"""Filled-in sheets of any form: every fault is named, and with any fault nothing is taken."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from exambench.errors import DataError, Finding, show
from exambench.judging.returned_sheets import SheetTable, Value
from exambench.text import from_cell, strange_in


class Place(Protocol):
    """What stands at one place of one person's sheet."""

    @property
    def answer_id(self) -> str:
        """What the sheet calls it; unique in the store."""
        ...

    @property
    def study_id(self) -> str:
        """The study that the sheet belongs to."""
        ...

    @property
    def rater(self) -> str:
        """Whose sheet."""
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a cell, as a clause."""

    problem: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column that people fill in.

    Attributes:
        header: Its name.
        allowed: What may stand in it, for messages.
        read: From a cell to a value that is kept as text, or a fault.
    """

    header: str
    allowed: str
    read: Callable[[Value], str | Fault]


@dataclass(frozen=True, slots=True)
class SheetForm:
    """The columns of a sheet that count when it comes back.

    Attributes:
        identifier: Header of the identifiers.
        columns: What people fill in, by keys.
    """

    identifier: str
    columns: Mapping[str, Column]

    @property
    def headers(self) -> Iterator[str]:
        """The names of the columns that must be there."""
        yield self.identifier
        yield from (column.header for column in self.columns.values())


@dataclass(frozen=True, slots=True)
class Entry:
    """What a person wrote into one cell.

    Attributes:
        answer_id: The place on the person's sheet.
        key: Key of the column.
        value: What was read.
    """

    answer_id: str
    key: str
    value: str


@dataclass(frozen=True)
class _Layout:
    """Where a file has its identifiers and its other columns, and the rows below their header."""

    identifier: int
    columns: Mapping[str, int]
    rows: Sequence[tuple[int, tuple[Value, ...]]]


def read_entries(tables: Sequence[SheetTable], places: Iterable[Place], forms: Mapping[str, SheetForm]) -> list[Entry]:
    """Return what filled-in sheets hold, every place of each sheet in every column.

    Args:
        tables: The files, one sheet each.
        places: The key of all sheets that may have come back.
        forms: The form of each study's sheets, by its identifier.

    Raises:
        DataError: An identifier is unknown, belongs to another sheet, stands twice or is missing; a column is missing;
            a cell cannot be read. Every such place is a finding.
    """
    known = {place.answer_id: place for place in places}
    findings: list[Finding] = []
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    for table in tables:
        for each in _read(table, known, forms, seen):
            if isinstance(each, Finding):
                findings.append(each)
            else:
                entries.append(each)
    if findings:
        raise DataError(*findings)
    return entries


def as_text(value: Value) -> str:
    """Return what stands in a cell as text in one form."""
    return "" if value is None else unicodedata.normalize("NFC", str(value))


def _read(
    table: SheetTable, known: Mapping[str, Place], forms: Mapping[str, SheetForm], seen: dict[str, str]
) -> Iterator[Finding | Entry]:
    sheet = _sheet_of(table, known)
    if sheet is None:
        names = ", ".join(dict.fromkeys(form.identifier for form in forms.values()))
        allowed = "a sheet that was written here"
        yield _fault(table, None, f"holds no {names} of any sheet", field=None, value=None, allowed=allowed)
        return
    form = forms[sheet.study_id]
    layout = _layout(table, form)
    if not isinstance(layout, _Layout):
        yield from layout
        return
    for number, cells in layout.rows:
        answer_id = from_cell(as_text(_cell(cells, layout.identifier)))
        fault = _fault_of_id(answer_id, sheet, known, seen)
        if fault is not None:
            allowed = f"each {form.identifier} of one sheet, once"
            yield _fault(table, number, fault, field=form.identifier, value=answer_id, allowed=allowed)
            continue
        seen[answer_id] = f"{table.file}, row {number}"
        yield from _entries(table, number, answer_id, cells, layout=layout, form=form)
    mine = [id_ for id_, place in known.items() if (place.study_id, place.rater) == (sheet.study_id, sheet.rater)]
    for answer_id in mine:
        if answer_id not in seen:
            allowed = f"a row for each {form.identifier}"
            yield _fault(table, None, "it has no row", field=form.identifier, value=answer_id, allowed=allowed)


def _sheet_of(table: SheetTable, known: Mapping[str, Place]) -> Place | None:
    """Return a place of the sheet that most rows belong to; the first one among equals."""
    places = [known[text] for _, cells in table.rows for text in _identifiers(cells) if text in known]
    counts: dict[tuple[str, str], int] = {}
    for place in places:
        counts[place.study_id, place.rater] = counts.get((place.study_id, place.rater), 0) + 1
    return max(places, key=lambda place: counts[place.study_id, place.rater], default=None)


def _layout(table: SheetTable, form: SheetForm) -> _Layout | list[Finding]:
    """Return where the columns stand, or what is wrong with the header: the first row that names the identifiers."""
    headers = [[_header(cell) for cell in cells] for _, cells in table.rows]
    place = next((place for place, header in enumerate(headers) if _header(form.identifier) in header), 0)
    number, header = table.rows[place][0], headers[place]
    faults = [
        _fault(
            table,
            number,
            "this column is missing" if _header(name) not in header else "this column stands more than once",
            field=name,
            value=None,
            allowed=", ".join(form.headers),
        )
        for name in form.headers
        if header.count(_header(name)) != 1
    ]
    if faults:
        return faults
    columns = {key: header.index(_header(column.header)) for key, column in form.columns.items()}
    return _Layout(header.index(_header(form.identifier)), columns, table.rows[place + 1 :])


def _fault_of_id(answer_id: str, sheet: Place, known: Mapping[str, Place], seen: Mapping[str, str]) -> str | None:
    """Return what is wrong with an identifier."""
    place = known.get(answer_id)
    if place is None:
        return "there is none of that name"
    if (place.study_id, place.rater) != (sheet.study_id, sheet.rater):
        return "it stands on another sheet than the others in this file"
    if answer_id in seen:
        return f"it stands in {seen[answer_id]} already"
    return None


def _entries(
    table: SheetTable, number: int, answer_id: str, cells: Sequence[Value], *, layout: _Layout, form: SheetForm
) -> Iterator[Finding | Entry]:
    for key, column in form.columns.items():
        found = _cell(cells, layout.columns[key])
        read = column.read(found)
        if isinstance(read, Fault):
            value = None if found in {None, ""} else str(found)
            yield _fault(table, number, read.problem, field=column.header, value=value, allowed=column.allowed)
        else:
            yield Entry(answer_id, key, read)


def _cell(cells: Sequence[Value], place: int) -> Value:
    return cells[place] if place < len(cells) else None


def _header(value: Value) -> str:
    """Return a header by which columns are told apart: not by line breaks, nor the apostrophe before a formula."""
    return " ".join(as_text(value).split()).removeprefix("'")


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
        remedy="Correct the sheet and bring it back again; nothing was stored",
    )


def text_as_written(value: Value) -> str | Fault:
    """Read a text cell, without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    text = from_cell(as_text(value).strip())
    strange = strange_in(text)
    return Fault(f"it has characters that no text has, {strange!a}") if strange else text


def identifiers_of(table: SheetTable, header: str) -> set[str]:
    """Return what stands in the column of the identifiers, or everything where there is none."""
    for place, (_, cells) in enumerate(table.rows):
        names = list(map(as_text, cells))
        if header in names:
            column = names.index(header)
            return {from_cell(as_text(row[column])) for _, row in table.rows[place + 1 :] if column < len(row)}
    return {text for _, cells in table.rows for text in _identifiers(cells)}


def _identifiers(cells: Sequence[Value]) -> Iterator[str]:
    """Yield what may be an identifier in a row: one may look like a formula, as a number below 0 does."""
    return (from_cell(as_text(cell)) for cell in cells)
