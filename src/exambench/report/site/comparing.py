"""Any two models of a ranking side by side: what the page asks for, as files that scripts load when they need them.

A script that stands in a folder may load other scripts and nothing else, so the data are scripts that hand over JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from exambench.analysis.pair_differences import PairDifferences
from exambench.report.site.boards import Score, Sheet, short_titles
from exambench.report.site.material import Board, Material
from exambench.report.site.rendering import Page
from exambench.report.site.safe_text import json_for_script, safe_name
from exambench.stats.matrix import FloatArray
from exambench.stats.paired import MCNEMAR, SIGN_TEST

UNIT: Final = 100_000
"""Differences are whole numbers of this part: they are shown to 0.1 points."""
DIGITS: Final = 3
TEXTS: Final = (
    "axis",
    "difference",
    "interval",
    "points",
    "between",
    "all_items_of",
    "ahead",
    "tied",
    "tests",
    "flip",
    "no_flip",
    "no_interval",
    "compare_pick",
    "test_mcnemar",
    "test_sign",
)
TESTS: Final = {MCNEMAR: "test_mcnemar", SIGN_TEST: "test_sign"}
"""Test → its key in the catalogue."""


def compare_page(material: Material, sheets: Sequence[Sheet]) -> Page:
    """Return the page that compares two models of a ranking."""
    own = [(board, sheet) for board, sheet in zip(material.boards, sheets, strict=False) if board.pairs is not None]
    return Page(
        path="compare.html",
        template="compare.html",
        heading="compare",
        content={"boards": [sheet for _, sheet in own], "text_keys": TEXTS},
    )


def data_files(material: Material, sheets: Sequence[Sheet]) -> Iterator[tuple[str, bytes]]:
    """Yield, for each ranking of runs, a script with its scores, and one with the differences of its pairs."""
    for board, sheet in zip(material.boards, sheets, strict=False):
        yield _file(board.key, "scores", _scores(sheet))
        if board.pairs is not None:
            yield _file(board.key, "pairs", _pairs(board, board.pairs))


def _file(key: str, kind: str, value: dict[str, Any]) -> tuple[str, bytes]:
    call = f"window.exambench.take({json_for_script(f'{key}-{kind}')},{json_for_script(value)});\n"
    return f"assets/data/{key}-{kind}.js", call.encode()


def _scores(sheet: Sheet) -> dict[str, Any]:
    """Return the metrics of a ranking, and the scores of its models in its order."""
    return {
        "metrics": [
            {"key": metric.key, "titles": dict(metric.titles), "short": dict(short_titles(metric))}
            for metric in sheet.metrics
        ],
        "models": [
            {"key": line.key, "name": safe_name(line.name), "scores": [_values(score) for score in line.scores]}
            for line in sheet.lines
        ],
    }


def _values(score: Score | None) -> list[float | int | None] | None:
    """Return estimate, bounds and n; nothing where there is no score."""
    return None if score is None else [_rounded(score.estimate), _rounded(score.low), _rounded(score.high), score.n]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def _pairs(board: Board, found: PairDifferences) -> dict[str, Any]:
    """Return the differences of all pairs of ``models``, in the order (0, 1), (0, 2), … (1, 2), … of their places."""
    runs = board.ranking.group.runs
    pairs = found.pairs
    numbers = {method: number for number, method in enumerate(TESTS)}
    flips = pairs.minima.to_flip[pairs.first, pairs.second]
    return {
        "unit": UNIT,
        "models": [runs[row].run_id for row in found.models],
        "axes": list(found.axes),
        "n": found.n.tolist(),
        "estimate": _whole(found.estimate),
        "low": _whole(found.low),
        "high": _whole(found.high),
        "onlyFirst": pairs.only_first.tolist(),
        "onlySecond": pairs.only_second.tolist(),
        "p": [_significant(p) for p in pairs.p_value.tolist()],
        "pHolm": [_significant(p) for p in pairs.adjusted.adjusted.tolist()],
        "tests": list(TESTS.values()),
        "test": [numbers[method] for method in pairs.methods],
        "toFlip": [int(count) if math.isfinite(count) else None for count in flips.tolist()],
    }


def _whole(values: FloatArray) -> list[list[int | None]]:
    """Return pairs × axes as one list an axis, in whole units."""
    scaled = np.round(values.T * UNIT)
    return [[None if math.isnan(value) else int(value) for value in axis] for axis in scaled.tolist()]


def _significant(p: float) -> float | None:
    return None if math.isnan(p) else float(f"{p:.{DIGITS}g}")
