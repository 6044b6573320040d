"""Scoring sheets as CSV and XLSX files, out to people and back; no cell of theirs is ever a formula."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

from exambench.errors import ConfigError, DataError, Finding, MissingExtraError
from exambench.judging.rubric import Rubric
from exambench.judging.sheet_pictures import (
    BESIDE,
    NONE,
    Pictures,
    columns_of,
    picture_width,
    place_pictures,
    with_columns,
)
from exambench.judging.sheets import ScoringSheet

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

EXTRA: Final = "sheets"
LONGEST_CELL: Final = 32_000
"""A spreadsheet holds 32,767 characters in a cell and drops the rest without a word."""
LARGEST_FILE: Final = 64 * 2**20
MOST_ROWS: Final = 100_000
MOST_COLUMNS: Final = 200
WIDTHS: Final = (14, 45, 30, 8, 45, 12, 70)
SCORE_WIDTH: Final = 12

Value = str | int | float | bool | None

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_FORMULA: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A sheet as it came back.

    Attributes:
        file: Path of the file, as the person gave it.
        rows: Number of each row in the file, counted from 1, and its cells; the header first, blank rows left out.
    """

    file: str
    rows: tuple[tuple[int, tuple[Value, ...]], ...]


def check_room(folder: Path, raters: Sequence[str], *, xlsx: bool) -> list[Path]:
    """Return the paths that the sheets of these raters will have, the rubric's first.

    Raises:
        ConfigError: One of the files is there already, which may hold scores.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    if xlsx:
        _require_openpyxl()
    suffixes = (".csv", ".xlsx") if xlsx else (".csv",)
    paths = [folder / "rubric.txt", *(folder / f"scores-{rater}{suffix}" for rater in raters for suffix in suffixes)]
    there = [path for path in paths if path.exists()]
    if there:
        raise ConfigError(*(_cannot_write(path, "is there already, and may hold scores") for path in there))
    return paths


def write_sheets(
    folder: Path, sheets: Sequence[ScoringSheet], rubric: Rubric, *, xlsx: bool, pictures: Pictures = NONE
) -> list[Path]:
    """Write each rater's sheet, and the rubric for all of them, into a folder; return the paths.

    Args:
        folder: Made if it is not there.
        sheets: One a rater.
        rubric: What raters score by.
        xlsx: Whether to write XLSX files beside the CSV files.
        pictures: The pictures of the sheets, by path, for the XLSX files; the CSV files have the paths.

    Raises:
        ConfigError: One of the files is there already, or cannot be written; then none of them is left.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    paths = check_room(folder, [sheet.rater for sheet in sheets], xlsx=xlsx)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(f"{rubric.axes_text}\n", encoding="utf-8")
        for sheet in sheets:
            path = folder / f"scores-{sheet.rater}.csv"
            path.write_text(csv_of(sheet), encoding="utf-8-sig", newline="")
            if xlsx:
                _write_xlsx(path.with_name(f"scores-{sheet.rater}.xlsx"), with_columns(sheet), rubric, pictures)
    except OSError as error:
        for path in paths:
            path.unlink(missing_ok=True)
        raise ConfigError(_cannot_write(folder, f"cannot be written: {error}")) from error
    return paths


def csv_of(sheet: ScoringSheet) -> str:
    """Return a sheet as CSV; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in (sheet.header, *sheet.rows):
        padded = (*row, *[""] * (len(sheet.header) - len(row)))
        writer.writerow([_harmless(cell) for cell in padded])
    return buffer.getvalue()


def read_sheet(path: Path) -> SheetTable:
    """Read a sheet that came back, XLSX by its suffix and CSV otherwise (UTF-8, or CP949 as Korean spreadsheets save).

    Raises:
        DataError: The file cannot be read as what it claims to be, or is beyond the limits.
        MissingExtraError: It is XLSX, and what reads that is not installed.
    """
    is_xlsx = path.suffix.lower() == ".xlsx"
    if is_xlsx:
        _require_openpyxl()
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise DataError(_cannot_read(path, f"is larger than {LARGEST_FILE:,} bytes"))
        cells = _xlsx_rows(path) if is_xlsx else _csv_rows(path)
        rows = list(islice(enumerate(cells, start=1), MOST_ROWS + 1))
    except (
        OSError,
        csv.Error,
        BadZipFile,
        EOFError,
        zlib.error,
        KeyError,
        ValueError,
        TypeError,
        SyntaxError,
    ) as error:
        raise DataError(_cannot_read(path, f"cannot be read: {error}")) from error
    if len(rows) > MOST_ROWS:
        raise DataError(_cannot_read(path, f"has more than {MOST_ROWS:,} rows"))
    kept = tuple((number, row) for number, row in rows if any(cell not in {None, ""} for cell in row))
    if not kept:
        raise DataError(_cannot_read(path, "has no rows"))
    return SheetTable(str(path), kept)


def _csv_rows(path: Path) -> Iterator[tuple[Value, ...]]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp949")
    for row in csv.reader(io.StringIO(text, newline=""), strict=True):
        yield tuple(cell.strip() for cell in row)


def _xlsx_rows(path: Path) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of the first worksheet; what is no text and no number is taken as its text."""
    from openpyxl import load_workbook  # noqa: PLC0415 - an optional part

    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        for row in book.worksheets[0].iter_rows(max_col=MOST_COLUMNS, values_only=True):
            yield tuple(map(_value, row))
    finally:
        book.close()


def _value(found: object) -> Value:
    if isinstance(found, str):
        return found.strip()
    return found if found is None or isinstance(found, bool | int | float) else str(found)


def _write_xlsx(path: Path, sheet: ScoringSheet, rubric: Rubric, pictures: Pictures) -> None:
    from openpyxl import Workbook  # noqa: PLC0415 - an optional part
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - the same
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415 - the same

    book = Workbook()
    table = book.worksheets[0]
    table.title = "scores"
    for number, row in enumerate((sheet.header, *sheet.rows), start=1):
        _put(table, number, row)
    shown = [picture_width()] * columns_of(sheet)
    widths = (*WIDTHS[:BESIDE], *shown, *WIDTHS[BESIDE:], *[SCORE_WIDTH] * len(rubric.axes))
    for column, width in enumerate(widths, start=1):
        table.column_dimensions[get_column_letter(column)].width = width
    if shown:
        place_pictures(table, sheet, pictures, widths)
    table.freeze_panes = "B2"
    whole = DataValidation(
        type="whole", operator="between", formula1=str(sheet.low), formula2=str(sheet.high), allow_blank=True
    )
    whole.showErrorMessage = True
    first = table.cell(2, len(sheet.header) - len(rubric.axes) + 1)
    last = table.cell(len(sheet.rows) + 1, len(sheet.header))
    whole.add(f"{first.coordinate}:{last.coordinate}")
    table.add_data_validation(whole)
    explained = book.create_sheet("rubric")
    for number, line in enumerate(rubric.axes_text.splitlines(), start=1):
        _put(explained, number, [line])
    book.save(path)


def _put(table: Worksheet, number: int, row: Iterable[str]) -> None:
    """Write a row of text cells: a spreadsheet never takes them for formulas, not even when they are edited."""
    from openpyxl.styles import Alignment  # noqa: PLC0415 - an optional part

    for column, text in enumerate(row, start=1):
        cell = table.cell(number, column)
        cell.value = _bounded(text)
        cell.data_type = "s"
        cell.quotePrefix = _FORMULA.match(text) is not None
        cell.alignment = Alignment(wrap_text=True, vertical="top")


def _harmless(text: str) -> str:
    kept = _bounded(text)
    return f"'{kept}" if _FORMULA.match(kept) else kept


def _bounded(text: str) -> str:
    """Return text that a cell can hold, with a note where it was cut."""
    kept = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(kept) <= LONGEST_CELL:
        return kept
    return f"{kept[:LONGEST_CELL]} […+{len(kept) - LONGEST_CELL:,}]"


def _require_openpyxl() -> None:
    try:
        import openpyxl  # noqa: F401, PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError(EXTRA, "a scoring sheet in XLSX") from error


def _cannot_write(path: Path, problem: str) -> Finding:
    return Finding(
        problem=problem,
        file=str(path),
        allowed="a folder without these files",
        remedy="Name another folder, or move the file away",
    )


def _cannot_read(path: Path, problem: str) -> Finding:
    return Finding(
        problem=problem,
        file=str(path),
        allowed=f"a CSV or XLSX file of at most {LARGEST_FILE:,} bytes and {MOST_ROWS:,} rows",
        remedy="Name a sheet that exambench meta sample wrote, saved as CSV (UTF-8) or XLSX",
    )
