"""Scoring sheets as CSV and XLSX files for people; no cell of theirs is ever a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exambench.errors import ConfigError, Finding, MissingExtraError
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
from exambench.text import as_cell, is_formula

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

EXTRA: Final = "sheets"
SCORES: Final = "scores"
"""Name of the worksheet that people fill in."""
LONGEST_CELL: Final = 32_000
"""A spreadsheet holds 32,767 characters in a cell and drops the rest without a word."""
WIDTHS: Final = (14, 45, 30, 8, 45, 12, 70)
SCORE_WIDTH: Final = 12

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def check_room(folder: Path, raters: Sequence[str], *, xlsx: bool) -> list[Path]:
    """Return the paths that the sheets of these raters will have, the rubric's first.

    Raises:
        ConfigError: One of the files is there already, which may hold scores.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    if xlsx:
        require_openpyxl()
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
    drafts = {path: path.with_name(f".{path.name}.part") for path in paths}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drafts[paths[0]].write_text(f"{rubric.axes_text}\n", encoding="utf-8")
        for sheet in sheets:
            drafts[folder / f"scores-{sheet.rater}.csv"].write_text(csv_of(sheet), encoding="utf-8-sig", newline="")
            if xlsx:
                _write_xlsx(drafts[folder / f"scores-{sheet.rater}.xlsx"], with_columns(sheet), rubric, pictures)
        for path, draft in drafts.items():
            draft.rename(path)
    except OSError as error:
        for path in (*paths, *drafts.values()):
            with suppress(OSError):  # what could not be written may not be there
                path.unlink()
        raise ConfigError(_cannot_write(folder, f"cannot be written: {error}")) from error
    return paths


def csv_of(sheet: ScoringSheet) -> str:
    """Return a sheet as CSV; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in (sheet.header, *sheet.rows):
        padded = (*row, *[""] * (len(sheet.header) - len(row)))
        writer.writerow([as_cell(_bounded(cell)) for cell in padded])
    return buffer.getvalue()


def _write_xlsx(path: Path, sheet: ScoringSheet, rubric: Rubric, pictures: Pictures) -> None:
    from openpyxl import Workbook  # noqa: PLC0415 - an optional part
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - the same
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415 - the same

    book = Workbook()
    table = book.worksheets[0]
    table.title = SCORES
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
        cell.quotePrefix = is_formula(text)
        cell.alignment = Alignment(wrap_text=True, vertical="top")


def _bounded(text: str) -> str:
    """Return text that a cell can hold, with a note where it was cut."""
    kept = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(kept) <= LONGEST_CELL:
        return kept
    return f"{kept[:LONGEST_CELL]} […+{len(kept) - LONGEST_CELL:,}]"


def require_openpyxl() -> None:
    """Check that XLSX can be written and read.

    Raises:
        MissingExtraError: It cannot.
    """
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
