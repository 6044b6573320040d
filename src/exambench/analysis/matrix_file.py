"""Score matrices that somebody else produced: a CSV file with a row for each item and a column for each model.

Cells are scores (0, 1, blank for none) or picks (letters or numbers of choices, blank for none) with a column that
holds the key. Blank is no score, never 0. What each column was taken for stands in the notes of the table.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from exambench.analysis.matrix_columns import Cells, Columns, Layout, columns_of, composed
from exambench.analysis.odd_picks import OddPicks
from exambench.analysis.score_table import Picks, ScoreTable
from exambench.errors import DataError, Finding, show
from exambench.stats.matrix import BoolArray, FloatArray

MOST_BYTES: Final = 256 * 2**20
MOST_CELLS: Final = 4_000_000
LONGEST_NAME: Final = 1_000
GZIP_MAGIC: Final = b"\x1f\x8b"
ALL: Final = "all"
REMEDY: Final = "Correct the value, or name the column with --facet if it is not a model"
REMEDY_FOR_PICKS: Final = f"{REMEDY}; --odd-picks wrong counts such picks as wrong, --odd-picks blank as no answer"


def read_matrix(path: Path, layout: Layout) -> ScoreTable:
    """Read a matrix: CSV in UTF-8, with or without a byte-order mark, plain or compressed by gzip.

    Raises:
        DataError: The file cannot be read, or breaks the format; every fault that was seen is a finding.
    """
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
        rows = _rows(csv.reader(io.StringIO(text, newline=""), strict=True), str(path))
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from error
    columns = columns_of(rows.header, rows.cells, layout, str(path))
    _check(rows, columns, layout, str(path))
    return _table(rows, columns, layout, path, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class _Rows:
    """The file as text: composed names of the columns, and fields without blanks around them, column by column."""

    header: tuple[str, ...]
    lines: tuple[int, ...]
    cells: tuple[tuple[str, ...], ...]


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            stream.seek(0)
            content = (gzip.GzipFile(fileobj=stream) if packed else stream).read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    if len(content) > MOST_BYTES:
        raise DataError(
            Finding(
                problem="is too large",
                file=str(path),
                allowed=f"at most {MOST_BYTES // 2**20} MiB of text",
                remedy="Leave out columns that are neither scores nor facets, or split the file",
            )
        )
    return content


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        Finding(
            problem=f"cannot be read: {error}",
            file=str(path),
            allowed="a CSV file in UTF-8, plain or compressed by gzip",
            remedy="Name such a file, or save it again as CSV UTF-8",
        )
    )


def _rows(reader: Iterator[list[str]], file: str) -> _Rows:
    header = tuple(composed(name) for name in next(reader, []))
    findings: list[Finding] = []
    lines: list[int] = []
    kept: list[list[str]] = []
    for line, fields in enumerate(reader, start=2):
        if not any(field.strip() for field in fields):
            continue
        if len(fields) != len(header):
            findings.append(
                Finding(
                    problem="the row has another number of fields than the first row",
                    file=file,
                    item=f"row {line}",
                    value=str(len(fields)),
                    allowed=str(len(header)),
                    remedy="Give every row all columns; put names that contain a comma in quotes",
                )
            )
            continue
        lines.append(line)
        kept.append([field.strip() for field in fields])
        if len(kept) * len(header) > MOST_CELLS:
            raise DataError(
                Finding(
                    problem="holds too many items × columns",
                    file=file,
                    allowed=f"at most {MOST_CELLS:,} cells",
                    remedy="Split the file",
                )
            )
    if findings:
        raise DataError(*findings)
    if not kept:
        raise DataError(
            Finding(
                problem="holds no items" if header else "is empty",
                file=file,
                allowed="a first row with the names of the columns, and a row for each item",
                remedy="Name a file that has them",
            )
        )
    return _Rows(header, tuple(lines), tuple(zip(*kept, strict=True)))


def _check(rows: _Rows, columns: Columns, layout: Layout, file: str) -> None:
    cells = Cells(layout.choices, columns.letters)
    findings = list(_names(rows, columns, file))
    if columns.key is not None:
        findings += _faulty_keys(rows, columns.key, cells, file)
    if columns.key is None or layout.odd_picks is OddPicks.REFUSE:
        findings += _faulty_cells(rows, columns.models, cells, file)
    if not findings and all(not field for model in columns.models for field in rows.cells[model]):
        findings.append(
            Finding(problem="holds no score at all", file=file, allowed="at least one cell that is not blank")
        )
    if findings:
        raise DataError(*findings)


def _names(rows: _Rows, columns: Columns, file: str) -> Iterator[Finding]:
    """Find items without a usable name, and items that stand twice."""
    field = rows.header[columns.item]
    first: dict[str, int] = {}
    for line, text in zip(rows.lines, rows.cells[columns.item], strict=True):
        name = composed(text)
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            yield Finding(
                problem="this is not a name of an item",
                file=file,
                item=f"row {line}",
                field=field,
                value=show(name),
                allowed=f"1 to {LONGEST_NAME} printable characters",
                remedy="Correct the value",
            )
        elif name in first:
            yield Finding(
                problem=f"this item stands in row {first[name]} already",
                file=file,
                item=f"row {line}",
                field=field,
                value=show(name),
                allowed="each item once",
                remedy="Keep one of the two rows",
            )
        first.setdefault(name, line)


def _faulty_cells(rows: _Rows, places: Sequence[int], allowed: Cells, file: str) -> Iterator[Finding]:
    """Find cells that are neither blank nor a score (or a choice)."""
    for place in places:
        bad = {text for text in set(rows.cells[place]) if not (allowed.holds(text) or allowed.is_blank(text))}
        for line, text in zip(rows.lines, rows.cells[place], strict=True) if bad else ():
            if text in bad:
                yield Finding(
                    problem="this is not a score" if allowed.choices is None else "this is not a choice",
                    file=file,
                    item=f"row {line}",
                    field=rows.header[place],
                    value=show(text),
                    allowed=f"{allowed.described}, or blank for none",
                    remedy=REMEDY if allowed.choices is None else REMEDY_FOR_PICKS,
                )


def _faulty_keys(rows: _Rows, place: int, allowed: Cells, file: str) -> Iterator[Finding]:
    for line, text in zip(rows.lines, rows.cells[place], strict=True):
        if not allowed.holds(text):
            yield Finding(
                problem="this is not a key",
                file=file,
                item=f"row {line}",
                field=rows.header[place],
                value=show(text),
                allowed=allowed.described,
                remedy="Correct the value, or say with --choices how many choices an item has",
            )


def _table(rows: _Rows, columns: Columns, layout: Layout, path: Path, sha256: str) -> ScoreTable:
    items = tuple(composed(text) for text in rows.cells[columns.item])
    cells = Cells(layout.choices, columns.letters)
    values = np.array([_values(rows.cells[model], cells) for model in columns.models])
    odd = _odd_picks(rows, columns, cells)
    picks = None
    scores: FloatArray = values
    if columns.key is not None and layout.choices is not None:
        key = np.array(_values(rows.cells[columns.key], cells)).astype(np.int64)
        n_choices = np.full(len(items), layout.choices, dtype=np.int64)
        picks = Picks(values, key, n_choices, cells.labels)
        wrong = odd if layout.odd_picks is OddPicks.WRONG else np.zeros_like(odd)
        scores = np.where(np.isnan(values) & ~wrong, np.nan, values == key)
    facets = {
        rows.header[place]: tuple(composed(text) or None for text in rows.cells[place]) for place in columns.facets
    }
    return ScoreTable(
        title=f"{path.name} · {len(columns.models)} models × {len(items)} items",
        models=tuple(rows.header[model] for model in columns.models),
        items=items,
        scores=scores,
        facets=facets,
        axes=_axes(facets, len(items)),
        compared_facets=tuple(facets),
        ranked=np.ones(len(columns.models), dtype=np.bool_),
        strata=("all",) * len(items),
        origin={"file": path.name, "sha256": sha256, **columns.taken_for(rows.header)},
        notes=(columns.described(rows.header), *_blanks(scores), *_oddities(odd, layout)),
        picks=picks,
    )


def _axes(facets: Mapping[str, tuple[str | None, ...]], size: int) -> dict[str, BoolArray]:
    axes: dict[str, BoolArray] = {ALL: np.ones(size, dtype=np.bool_)}
    for facet, values in facets.items():
        for value in sorted({value for value in values if value is not None}):
            axes[f"{facet}={value}"] = np.array([found == value for found in values], dtype=np.bool_)
    return axes


def _blanks(scores: FloatArray) -> tuple[str, ...]:
    blank = int(np.isnan(scores).sum())
    return (f"Blank cells: {blank:,} of {scores.size:,}; a blank is no score, never 0.",) if blank else ()


def _values(texts: Sequence[str], cells: Cells) -> list[float]:
    """Return the values of a column; each different text is looked at once."""
    known = {text: cells.value(text) for text in set(texts)}
    return [known[text] for text in texts]


def _odd_picks(rows: _Rows, columns: Columns, cells: Cells) -> BoolArray:
    """Return models × items: whether something stands in a cell that is no choice."""
    odd = np.zeros((len(columns.models), len(rows.lines)), dtype=np.bool_)
    for row, model in enumerate(columns.models):
        bad = {text for text in set(rows.cells[model]) if not (cells.holds(text) or cells.is_blank(text))}
        if bad:
            odd[row] = [text in bad for text in rows.cells[model]]
    return odd


def _oddities(odd: BoolArray, layout: Layout) -> tuple[str, ...]:
    count = int(odd.sum())
    taken = "wrong" if layout.odd_picks is OddPicks.WRONG else "no answer"
    return (f"Picks that are no choice: {count:,}, taken as {taken}.",) if count else ()
