"""Rating sheets: who gave what score to which item on which dimension, read from a CSV file with every fault named."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.errors import DataError, Finding, show
from exambench.items import digest
from exambench.stats.matrix import FloatArray

NAME_COLUMNS: Final = ("item", "rater", "dimension")
COLUMNS: Final = (*NAME_COLUMNS, "score")
LARGEST_SCORE: Final = 1e6
LONGEST_NAME: Final = 1_000
MOST_CELLS: Final = 20_000_000

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


@dataclass(frozen=True)
class RatingSheet:
    """Ratings of items by raters on dimensions.

    Attributes:
        scores: (item, rater, dimension) → score; a rating that was left blank is not there.
        items: What was rated, sorted by code point.
        raters: Who rated, sorted by code point.
        dimensions: On what, in the order in which the file first names them.
        ignored_columns: Columns of the file that were not read.
    """

    scores: Mapping[tuple[str, str, str], float]
    items: tuple[str, ...]
    raters: tuple[str, ...]
    dimensions: tuple[str, ...]
    ignored_columns: tuple[str, ...] = ()

    @cached_property
    def content_hash(self) -> str:
        """Digest (64 hexadecimal digits) of all ratings, whatever the order of the rows."""
        return digest(sorted([*place, score] for place, score in self.scores.items()))

    def matrix(self, dimension: str) -> FloatArray:
        """Return the scores on one dimension, items × raters; NaN = no rating."""
        matrix = np.full((len(self.items), len(self.raters)), np.nan)
        row_of = {item: row for row, item in enumerate(self.items)}
        column_of = {rater: column for column, rater in enumerate(self.raters)}
        for (item, rater, rated), score in self.scores.items():
            if rated == dimension:
                matrix[row_of[item], column_of[rater]] = score
        return matrix


def read_ratings(path: Path) -> RatingSheet:
    """Read a rating sheet: CSV in UTF-8 with the columns ``item``, ``rater``, ``dimension`` and ``score``.

    A blank score is a missing rating. Names are composed to NFC, and blanks around them dropped.

    Raises:
        DataError: The file cannot be read, or breaks the format; every fault is a finding.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return _sheet(csv.reader(stream, strict=True), str(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            Finding(
                problem=f"cannot be read: {error}",
                file=str(path),
                allowed=f"a CSV file in UTF-8 with the columns {', '.join(COLUMNS)}",
                remedy="Name such a file, or save it again as CSV UTF-8",
            )
        ) from error


@dataclass(frozen=True, slots=True)
class _Row:
    place: tuple[str, str, str]
    score: float | None
    line: int


def _sheet(rows: Iterator[list[str]], file: str) -> RatingSheet:
    columns, ignored = _header(next(rows, []), file)
    width = len(columns) + len(ignored)
    findings: list[Finding] = []
    read: list[_Row] = []
    for line, fields in enumerate(rows, start=2):
        if not any(field.strip() for field in fields):
            continue
        faults = list(_faults(columns, fields, width))
        findings.extend(replace(fault, file=file, item=f"row {line}") for fault in faults)
        if not faults:
            read.append(_row(columns, fields, line))
    findings.extend(_repeated(read, file))
    if findings:
        raise DataError(*findings)
    return _collected(read, ignored, file)


def _header(fields: Sequence[str], file: str) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Return where each column of ours stands, and the names of the others."""
    names = [_composed(field) for field in fields]
    known = [name.lower() for name in names]
    missing = [column for column in COLUMNS if column not in known]
    twice = [column for column in COLUMNS if known.count(column) > 1]
    if missing or twice:
        raise DataError(
            *(
                Finding(
                    problem=f"the column {column!r} {problem}",
                    file=file,
                    item="row 1",
                    value=show(",".join(names)),
                    allowed=",".join(COLUMNS),
                    remedy="Give the columns these names, separated by commas",
                )
                for columns, problem in ((missing, "is missing"), (twice, "stands more than once"))
                for column in columns
            )
        )
    columns = MappingProxyType({column: known.index(column) for column in COLUMNS})
    return columns, tuple(name for name, lower in zip(names, known, strict=True) if lower not in COLUMNS)


def _faults(columns: Mapping[str, int], fields: Sequence[str], width: int) -> Iterator[Finding]:
    if len(fields) != width:
        yield Finding(
            problem="the row has another number of fields than the first row",
            value=str(len(fields)),
            allowed=str(width),
            remedy="Put names that contain a comma in quotes",
        )
        return
    for column in NAME_COLUMNS:
        name = fields[columns[column]].strip()
        if not name or len(name) > LONGEST_NAME or any(unicodedata.category(sign) == "Cc" for sign in name):
            yield Finding(
                problem="this is not a name",
                field=column,
                value=show(name),
                allowed=f"1 to {LONGEST_NAME} characters without control characters",
                remedy="Correct the value",
            )
    score = fields[columns["score"]].strip()
    if score and not _is_score(score):
        yield Finding(
            problem="this is not a score",
            field="score",
            value=show(score),
            allowed=f"a number from {-LARGEST_SCORE:,.0f} to {LARGEST_SCORE:,.0f}, or nothing for a missing rating",
            remedy="Correct the value, or leave it blank",
        )


def _is_score(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and abs(float(text)) <= LARGEST_SCORE


def _row(columns: Mapping[str, int], fields: Sequence[str], line: int) -> _Row:
    item, rater, dimension = (_composed(fields[columns[column]]) for column in NAME_COLUMNS)
    score = fields[columns["score"]].strip()
    return _Row((item, rater, dimension), float(score) if score else None, line)


def _repeated(rows: Iterable[_Row], file: str) -> Iterator[Finding]:
    first: dict[tuple[str, str, str], int] = {}
    for row in rows:
        if row.place in first:
            yield Finding(
                problem=f"this item, rater and dimension stand in row {first[row.place]} already",
                file=file,
                item=f"row {row.line}",
                value=show(",".join(row.place)),
                allowed="each item, rater and dimension once",
                remedy="Keep one of the two ratings",
            )
        first.setdefault(row.place, row.line)


def _collected(rows: Sequence[_Row], ignored: tuple[str, ...], file: str) -> RatingSheet:
    scores = {row.place: row.score for row in rows if row.score is not None}
    items, raters = (tuple(sorted({row.place[index] for row in rows})) for index in (0, 1))
    cells = len(items) * len(raters)
    if not scores or cells > MOST_CELLS:
        raise DataError(
            Finding(
                problem="holds no rating" if not scores else "holds too many items × raters",
                file=file,
                value=f"{len(rows)} rows, {len(items)} items, {len(raters)} raters",
                allowed=f"at least one rating, at most {MOST_CELLS:,} items × raters",
                remedy=f"Name a file with the columns {', '.join(COLUMNS)} and a row for each rating",
            )
        )
    dimensions = tuple(dict.fromkeys(row.place[2] for row in rows))
    return RatingSheet(MappingProxyType(scores), items, raters, dimensions, ignored)


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())
