"""The cells of tables as text: CSV, TSV and XLSX."""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from exambench.configuration import read_ordinary
from exambench.errors import DataError, Finding, MissingExtraError, show

_DELIMITERS: Final = (",", ";", "\t")
MOST_ROWS: Final = 100_000
LARGEST_BOOK: Final = 200_000_000
"""Bytes of a workbook when it is unpacked."""
TABLES: Final = frozenset({".csv", ".tsv", ".xlsx"})


def cells_of(path: Path) -> list[list[str]]:
    """Return the cells of a table as text.

    Raises:
        DataError: It cannot be read, or has too many rows.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    rows = _workbook(path) if path.suffix.lower() == ".xlsx" else _delimited(path)
    if len(rows) > MOST_ROWS:
        raise DataError(Finding(f"has more than {MOST_ROWS} rows", file=str(path), remedy="Split it"))
    return rows


def _delimited(path: Path) -> list[list[str]]:
    try:
        text = _decoded(read_ordinary(path))
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, path), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from None


def _decoded(data: bytes) -> str:
    """Return text in UTF-8, in UTF-16 with its mark, or else in EUC-KR, which takes few other texts for its own.

    Raises:
        UnicodeDecodeError: It is none of them.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            return data.decode("euc_kr")
        except UnicodeDecodeError:
            raise error from None


def _delimiter(text: str, path: Path) -> str:
    """Return what parts the columns: what stands most often in the first line."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    first = text.partition("\n")[0]
    return max(_DELIMITERS, key=first.count)


def _workbook(path: Path) -> list[list[str]]:
    try:
        import openpyxl  # noqa: PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError("sheets", "reading XLSX files") from error
    _check_unpacked(path)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            found = []
            for values in book.worksheets[0].iter_rows(values_only=True):
                found.append(["" if value is None else _plain(value) for value in values])
                if len(found) > MOST_ROWS:
                    break
            return found
        finally:
            book.close()
    except Exception as error:  # the library raises whatever a malformed part makes it stumble over
        raise _unreadable(path, error) from error


def _check_unpacked(path: Path) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(read_ordinary(path))) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (OSError, zipfile.BadZipFile) as error:
        raise _unreadable(path, error) from None
    if unpacked > LARGEST_BOOK:
        raise DataError(Finding(f"is larger than {LARGEST_BOOK:,} bytes when unpacked", file=str(path)))


def _plain(value: object) -> str:
    """Return a cell as text; numbers that are whole without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        Finding(
            f"cannot be read: {' '.join(str(error).split())[:200]}",
            file=str(path),
            allowed="CSV in UTF-8, UTF-16 or EUC-KR, or XLSX",
            remedy="Save it anew",
        )
    )


def check_once(header: Sequence[str], names: Sequence[str | None], path: Path) -> None:
    """See that no column that is read has the name of another one.

    Raises:
        DataError: One has.
    """
    twice = sorted({name for name in names if name is not None and header.count(name) > 1})
    if twice:
        raise DataError(
            *(
                Finding("several columns have this name", file=str(path), value=show(name), remedy="Rename all but one")
                for name in twice
            )
        )
