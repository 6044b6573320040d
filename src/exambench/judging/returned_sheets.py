"""Scoring sheets as they come back from people: CSV in any way that spreadsheets save it, or XLSX."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from zipfile import BadZipFile, ZipFile

from exambench.configuration import read_ordinary
from exambench.errors import DataError, Finding
from exambench.judging.sheet_writing import SCORES, require_openpyxl
from exambench.judging.sheets import ID_HEADERS

if TYPE_CHECKING:
    from openpyxl import Workbook

LARGEST_FILE: Final = 64 * 2**20
"""Bytes, of an XLSX file after unpacking too."""
MOST_ROWS: Final = 100_000
MOST_COLUMNS: Final = 200

Value = str | int | float | bool | None

_ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS: Final = ",;\t"
_ROWS_TO_TRY: Final = 20


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A sheet as it came back.

    Attributes:
        file: Path of the file, as the person gave it.
        rows: Number of each row in the file, counted from 1, and its cells; blank rows left out.
    """

    file: str
    rows: tuple[tuple[int, tuple[Value, ...]], ...]


def read_sheet(path: Path, identifiers: Collection[str] = ID_HEADERS) -> SheetTable:
    """Read a sheet that came back: XLSX, or CSV as spreadsheets save it.

    CSV is UTF-8, UTF-16 or CP949, its columns parted by commas, semicolons or tabs. XLSX is told by its content.

    Args:
        path: The file.
        identifiers: Headers by which the columns of a CSV file are known to be parted rightly.

    Raises:
        DataError: The file cannot be read as what it claims to be, or is beyond the limits.
        MissingExtraError: It is XLSX, and what reads that is not installed.
    """
    try:
        content = read_ordinary(path, LARGEST_FILE)
        beginning = content[: len(_ZIP)]
        if beginning == _OLE:
            raise DataError(_cannot_read(path, "is an old XLS file, or has a password"))
        is_xlsx = beginning == _ZIP or path.suffix.lower() == ".xlsx"
        cells = _xlsx_rows(path, io.BytesIO(content)) if is_xlsx else _csv_rows(content, identifiers)
        rows = list(islice(enumerate(cells, start=1), MOST_ROWS + 1))
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise DataError(_cannot_read(path, f"cannot be read: {error}")) from error
    if len(rows) > MOST_ROWS:
        raise DataError(_cannot_read(path, f"has more than {MOST_ROWS:,} rows"))
    kept = tuple((number, row) for number, row in rows if any(cell not in {None, ""} for cell in row))
    if not kept:
        raise DataError(_cannot_read(path, "has no rows"))
    return SheetTable(str(path), kept)


def _csv_rows(data: bytes, identifiers: Collection[str]) -> Iterator[tuple[Value, ...]]:
    text = _decoded(data)
    for row in csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(text, identifiers)):
        yield tuple(cell.strip() for cell in row)


def _decoded(data: bytes) -> str:
    """Return the text of a CSV file in UTF-8, in UTF-16 with its mark, or else in CP949.

    Raises:
        UnicodeDecodeError: It is none of them.
    """
    if data.startswith(_UTF_16):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp949")


def _delimiter(text: str, identifiers: Collection[str]) -> str:
    """Return what parts the columns: what leaves the header of the identifiers alone in a cell."""
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        if any(cell.strip() in identifiers for row in islice(rows, _ROWS_TO_TRY) for cell in row):
            return delimiter
    return _DELIMITERS[0]


def _xlsx_rows(path: Path, stream: BinaryIO) -> Sequence[tuple[Value, ...]]:
    """Return the rows of the worksheet with the scores, else of the first; what is no text and no number is its text.

    Raises:
        DataError: It is no workbook, or unpacks to more than is allowed.
    """
    require_openpyxl()
    try:
        with ZipFile(stream) as archive:
            # A member never yields more than the size that is declared for it.
            unpacked = sum(member.file_size for member in archive.infolist())
    except BadZipFile as error:
        raise DataError(_cannot_read(path, f"cannot be read: {error}")) from error
    if unpacked > LARGEST_FILE:
        raise DataError(_cannot_read(path, f"is larger than {LARGEST_FILE:,} bytes when unpacked"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of styles and extensions that do not matter here
            return _cells(stream)
    except Exception as error:  # the library raises whatever a malformed part makes it stumble over
        problem = f"cannot be read as a workbook: {type(error).__name__}: {error}"
        raise DataError(_cannot_read(path, problem)) from error


def _cells(stream: BinaryIO) -> list[tuple[Value, ...]]:
    from openpyxl import load_workbook  # noqa: PLC0415 - an optional part

    book: Workbook = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    try:
        table = next((each for each in book.worksheets if each.title == SCORES), book.worksheets[0])
        rows = table.iter_rows(max_col=MOST_COLUMNS, values_only=True)
        return [tuple(map(_value, row)) for row in islice(rows, MOST_ROWS + 1)]
    finally:
        book.close()


def _value(found: object) -> Value:
    if isinstance(found, str):
        return found.strip()
    return found if found is None or isinstance(found, bool | int | float) else str(found)


def _cannot_read(path: Path, problem: str) -> Finding:
    return Finding(
        problem=problem,
        file=str(path),
        allowed=f"a CSV or XLSX file of at most {LARGEST_FILE:,} bytes and {MOST_ROWS:,} rows",
        remedy="Name a sheet that exambench wrote, saved as CSV (UTF-8) or XLSX",
    )
