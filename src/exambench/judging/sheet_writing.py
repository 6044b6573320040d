"""Sheets for people to fill in, as CSV and XLSX files: written whole or not at all, and no cell is ever a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from exambench.errors import ConfigError, Finding, MissingExtraError
from exambench.text import as_cell, as_text_cell, is_formula

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

EXTRA: Final = "sheets"
SCORES: Final = "scores"
"""Name of the worksheet that people fill in."""
LONGEST_CELL: Final = 32_000
"""A spreadsheet holds 32,767 characters in a cell and drops the rest without a word."""
LONGEST_LIST: Final = 250
"""Characters of a list of choices in a cell; a spreadsheet takes 255."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Tabular(Protocol):
    """Anything with a header and rows."""

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""
        ...

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Cells; a row may end early."""
        ...


@dataclass(frozen=True, slots=True)
class WholeNumbers:
    """Columns that take whole numbers: the last ``columns`` of the sheet."""

    columns: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class OneOf:
    """A column, counted from 0, that takes one of some texts; any text where there are none."""

    column: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class SheetFile:
    """A sheet for one person.

    Attributes:
        stem: Name of its files without the suffix.
        header: Names of the columns.
        rows: Cells; a row may end before the columns that people fill in.
        widths: Of the columns of the spreadsheet, in characters.
        takes: What the spreadsheet lets people fill in.
        explained: Title and lines of a second worksheet.
        spreadsheet: Header and rows of the XLSX file, where they are others.
        finish: Puts the last touches to the XLSX file's worksheet.
    """

    stem: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]
    takes: WholeNumbers | OneOf
    explained: tuple[str, tuple[str, ...]]
    spreadsheet: Tabular | None = None
    finish: Callable[[Worksheet], None] | None = None


def wants_xlsx(path: Path) -> bool:
    """Tell from the name of a sheet whether it is to be written as XLSX too; the CSV file lies beside it.

    Raises:
        ConfigError: It is the name of neither.
    """
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".xlsx"}:
        raise ConfigError(
            Finding(
                problem="is no name of a sheet",
                file=str(path),
                allowed="a name that ends with .csv, or with .xlsx for both",
                remedy="Name the file so",
            )
        )
    return suffix == ".xlsx"


def free_paths(folder: Path, names: Sequence[str], stems: Sequence[str], *, xlsx: bool) -> list[Path]:
    """Return the paths of texts and sheets in a folder that has none of them yet.

    Args:
        folder: The folder.
        names: Names of the texts.
        stems: Names of the sheets without suffixes.
        xlsx: Whether there are XLSX files beside the CSV files.

    Raises:
        ConfigError: One of the files is there already, which may be filled in.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    if xlsx:
        require_openpyxl()
    suffixes = (".csv", ".xlsx") if xlsx else (".csv",)
    paths = [*(folder / name for name in names), *(folder / f"{stem}{suffix}" for stem in stems for suffix in suffixes)]
    there = [path for path in paths if path.exists()]
    if there:
        raise ConfigError(*(_cannot_write(path, "is there already, and may be filled in") for path in there))
    return paths


def write_sheet_files(folder: Path, texts: Mapping[str, str], sheets: Sequence[SheetFile], *, xlsx: bool) -> list[Path]:
    """Write texts and sheets into a folder, which is made if it is not there; return the paths.

    Raises:
        ConfigError: One of the files is there already, or cannot be written; then none of them is left.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    paths = free_paths(folder, list(texts), [sheet.stem for sheet in sheets], xlsx=xlsx)
    drafts = {path: path.with_name(f".{path.name}.part") for path in paths}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            drafts[folder / name].write_text(text, encoding="utf-8")
        for sheet in sheets:
            drafts[folder / f"{sheet.stem}.csv"].write_text(csv_of(sheet), encoding="utf-8-sig", newline="")
            if xlsx:
                _write_xlsx(drafts[folder / f"{sheet.stem}.xlsx"], sheet)
        for path, draft in drafts.items():
            draft.rename(path)
    except OSError as error:
        for path in (*paths, *drafts.values()):
            with suppress(OSError):  # what could not be written may not be there
                path.unlink()
        raise ConfigError(_cannot_write(folder, f"cannot be written: {error}")) from error
    return paths


def csv_of(sheet: Tabular) -> str:
    """Return a sheet as CSV; a cell that a spreadsheet would take for a formula begins with an apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in (sheet.header, *sheet.rows):
        padded = (*row, *[""] * (len(sheet.header) - len(row)))
        writer.writerow([as_cell(_bounded(cell)) for cell in padded])
    return buffer.getvalue()


def require_openpyxl() -> None:
    """Check that XLSX can be written and read.

    Raises:
        MissingExtraError: It cannot.
    """
    try:
        import openpyxl  # noqa: F401, PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError(EXTRA, "a scoring sheet in XLSX") from error


def _write_xlsx(path: Path, sheet: SheetFile) -> None:
    from openpyxl import Workbook  # noqa: PLC0415 - an optional part
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - the same

    book = Workbook()
    table = book.worksheets[0]
    table.title = SCORES
    shown = sheet.spreadsheet or sheet
    for number, row in enumerate((shown.header, *shown.rows), start=1):
        _put(table, number, row)
    for column, width in enumerate(sheet.widths, start=1):
        table.column_dimensions[get_column_letter(column)].width = width
    if sheet.finish is not None:
        sheet.finish(table)
    table.freeze_panes = "B2"
    _validate(table, shown, sheet.takes)
    title, lines = sheet.explained
    explained = book.create_sheet(title)
    for number, line in enumerate(lines, start=1):
        _put(explained, number, [line])
    book.save(path)


def _validate(table: Worksheet, sheet: Tabular, takes: WholeNumbers | OneOf) -> None:
    """Let the spreadsheet itself refuse what cannot be filled in."""
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415 - an optional part

    match takes:
        case WholeNumbers(columns, low, high):
            first, last = len(sheet.header) - columns + 1, len(sheet.header)
            rule = DataValidation(
                type="whole", operator="between", formula1=str(low), formula2=str(high), allow_blank=True
            )
        case OneOf(column, texts):
            listed = ",".join(texts)
            if not texts or len(listed) > LONGEST_LIST or any("," in text or '"' in text for text in texts):
                return
            first = last = column + 1
            rule = DataValidation(type="list", formula1=f'"{listed}"', allow_blank=True)
    rule.showErrorMessage = True
    rule.add(f"{table.cell(2, first).coordinate}:{table.cell(len(sheet.rows) + 1, last).coordinate}")
    table.add_data_validation(rule)


def _put(table: Worksheet, number: int, row: Iterable[str]) -> None:
    """Write a row of text cells: a spreadsheet never takes them for formulas, not even when they are edited."""
    from openpyxl.styles import Alignment  # noqa: PLC0415 - an optional part

    for column, text in enumerate(row, start=1):
        cell = table.cell(number, column)
        cell.value = as_text_cell(_bounded(text))
        cell.data_type = "s"
        cell.quotePrefix = is_formula(text)
        cell.alignment = Alignment(wrap_text=True, vertical="top")


def _bounded(text: str) -> str:
    """Return text that a cell can hold, with a note where it was cut."""
    kept = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(kept) <= LONGEST_CELL:
        return kept
    return f"{kept[:LONGEST_CELL]} […+{len(kept) - LONGEST_CELL:,}]"


def _cannot_write(path: Path, problem: str) -> Finding:
    return Finding(
        problem=problem,
        file=str(path),
        remedy="Name another place, or move the file away",
    )
