"""Scores of models on other benchmarks, from a CSV file: a row a model, a column a benchmark."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from exambench.errors import DataError, Finding, show
from exambench.stats.matrix import FloatArray

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, eq=False)
class OtherScores:
    """What models reach elsewhere.

    Attributes:
        file: The file, as it was given.
        columns: Names of the benchmarks.
        values: Model (in NFC) → one value a column, of columns in which lower is better with the sign turned; NaN =
            none.
        lower_is_better: Which columns these are.
    """

    file: str
    columns: tuple[str, ...]
    values: Mapping[str, tuple[float, ...]]
    lower_is_better: tuple[str, ...] = ()

    def of(self, models: Sequence[str]) -> FloatArray:
        """Return the values of models, models × columns; a model that the file does not have is a row of NaN."""
        nothing = (math.nan,) * len(self.columns)
        return np.array([self.values.get(_composed(model), nothing) for model in models], dtype=np.float64)

    def known(self, models: Sequence[str]) -> int:
        """Return how many of the file's models are among these."""
        return len(self.values.keys() & set(map(_composed, models)))


def read_other_scores(path: Path, lower_is_better: Sequence[str] = ()) -> OtherScores:
    """Read scores of models on other benchmarks. The first column holds the models' names; a blank cell is no value.

    Args:
        path: The file.
        lower_is_better: Columns in which a lower value is better, such as error rates and losses.

    Raises:
        DataError: It cannot be read, breaks the format, or lacks a column that is named. Every such place is a finding.
    """
    file = str(path)
    header, rows = _lines(path)
    columns = tuple(header[1:])
    findings = _findings_of_columns(file, columns, lower_is_better)
    values: dict[str, tuple[float, ...]] = {}
    signs = [-1.0 if column in lower_is_better else 1.0 for column in columns]
    for number, cells in rows:
        name = _composed(cells[0].strip())
        wrong = _findings_of_row(file, number, cells, columns)
        if not name or name in values:
            wrong.append(
                Finding(
                    problem="a model stands twice, or has no name", file=file, item=f"row {number}", value=show(name)
                )
            )
        findings += wrong
        if not wrong:
            values[name] = tuple(
                sign * float(cell) if cell.strip() else math.nan for sign, cell in zip(signs, cells[1:], strict=True)
            )
    if findings:
        raise DataError(*findings)
    return OtherScores(file, columns, values, tuple(lower_is_better))


def _lines(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        lines = [
            (number, line)
            for number, line in enumerate(csv.reader(io.StringIO(text, newline=""), strict=True), 1)
            if line
        ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            Finding(problem="cannot be read as CSV", file=str(path), value=show(str(error)), allowed="CSV in UTF-8")
        ) from error
    if len(lines) <= 1 or len(lines[0][1]) <= 1:
        raise DataError(
            Finding(
                problem="there is no table of models and benchmarks",
                file=str(path),
                allowed="a header, then a row a model; the first column names the model, the others hold scores",
            )
        )
    return [name.strip() for name in lines[0][1]], lines[1:]


def _findings_of_columns(file: str, columns: Sequence[str], named: Sequence[str]) -> list[Finding]:
    findings = [
        Finding(problem="a column stands twice, or has no name", file=file, field=name or "(blank)")
        for name, count in Counter(columns).items()
        if count > 1 or not name
    ]
    findings += [
        Finding(
            problem="there is no such column",
            file=file,
            field="--lower-is-better",
            value=show(name),
            allowed=", ".join(columns),
            remedy="Name one of these",
        )
        for name in named
        if name not in columns
    ]
    return findings


def _findings_of_row(file: str, number: int, cells: Sequence[str], columns: Sequence[str]) -> list[Finding]:
    if len(cells) != len(columns) + 1:
        return [
            Finding(
                problem="the number of cells is wrong",
                file=file,
                item=f"row {number}",
                value=str(len(cells)),
                allowed=str(len(columns) + 1),
            )
        ]
    return [
        Finding(
            problem="is no score",
            file=file,
            item=f"row {number} ({show(cells[0])})",
            field=column,
            value=show(cell),
            allowed="a finite number such as 0.61, or blank for none",
        )
        for column, cell in zip(columns, cells[1:], strict=True)
        if cell.strip() and not _is_number(cell)
    ]


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None and math.isfinite(float(cell))


def _composed(name: str) -> str:
    """Return a name in NFC: one system writes Hangul in syllables, another in letters."""
    return unicodedata.normalize("NFC", name)
