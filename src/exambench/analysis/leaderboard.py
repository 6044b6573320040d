"""Who is best at what, and how sure that is. Numbers that don't compare are never in one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from exambench.analysis.scores import RunScores, comparable, on_same_items, scope_of, score_matrix_of, strata_of
from exambench.items import Axis, Item
from exambench.stats.matrix import axes_of, common_items
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means

RESAMPLES: Final = 1000
SEED: Final = 42


@dataclass(frozen=True, slots=True)
class Cell:
    """Accuracy of one model on one axis.

    Attributes:
        n: Number of items with a score.
        accuracy: Mean score in [0, 1]; ``None`` when n is 0.
        low: Lower bound of the 95 % interval.
        high: Upper bound.
    """

    n: int
    accuracy: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Row:
    """One run in a ranking.

    Attributes:
        run: The run.
        rank: Place by accuracy, ties sharing the mean; ``None`` for a run that is not complete.
        cells: Accuracy on each axis, by name.
        lenient: Accuracy on all items when the required format is not insisted on; ``None`` without scores.
        scored: Items with a score.
        expected: Items that a complete run has scores for.
    """

    run: RunScores
    rank: float | None
    cells: Mapping[str, Cell]
    lenient: float | None
    scored: int
    expected: int

    @property
    def complete(self) -> bool:
        """Whether every expected item has a score."""
        return self.scored == self.expected


@dataclass(frozen=True)
class Ranking:
    """Runs that may be compared: one benchmark content, one protocol, one condition, one set of items.

    Attributes:
        scope: What the items are, in words.
        items: The items that the ranking is about.
        axes: The columns.
        chance: For each axis, the accuracy of a blind guess, in [0, 1]; ``None`` for an empty axis.
        rows: The best first, incomplete runs last.
        bootstrap: How the intervals were drawn.
    """

    scope: str
    items: tuple[Item, ...]
    axes: tuple[Axis, ...]
    chance: Mapping[str, float | None]
    rows: tuple[Row, ...]
    bootstrap: Bootstrap


def rankings(
    runs: Sequence[RunScores],
    bootstrap: Bootstrap = Bootstrap(RESAMPLES, SEED),  # noqa: B008 - frozen
) -> tuple[Ranking, ...]:
    """Return one ranking for each set of runs that were asked the same items in the same way."""
    groups = [group for alike in comparable(runs) for group in on_same_items(alike)]
    found = [_ranking(group, group[0].expected, scope_of(group[0]), bootstrap) for group in groups]
    return tuple(sorted(found, key=lambda ranking: -len(ranking.items)))


def ranking_on_common_items(
    runs: Sequence[RunScores],
    bootstrap: Bootstrap = Bootstrap(RESAMPLES, SEED),  # noqa: B008 - frozen
) -> tuple[Ranking, ...]:
    """Return one ranking for each benchmark, protocol and condition, on the items that all its runs have scores for."""
    found = []
    for group in comparable(runs):
        candidates = group[0].expected
        shared = common_items(score_matrix_of(group, candidates))
        items = tuple(item for item, common in zip(candidates, shared, strict=True) if common)
        scope = f"the {len(items)} items that all {len(group)} runs have scores for"
        found.append(_ranking(group, items, scope, bootstrap))
    return tuple(found)


def _ranking(group: Sequence[RunScores], items: tuple[Item, ...], scope: str, bootstrap: Bootstrap) -> Ranking:
    axes = group[0].benchmark.axes
    table = _means(group, items, axes, bootstrap)
    rows = [_row(run, number, items, axes, table) for number, run in enumerate(group)]
    ranks = _ranks([row.cells[axes[0].name].accuracy if row.complete else None for row in rows])
    ranked = [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]
    ranked.sort(key=lambda row: (row.rank is None, row.rank or 0.0, row.run.record.model_name, row.run.run_id))
    chance = {axis.name: _chance([item for item in items if axis.selects(item)], group[0]) for axis in axes}
    return Ranking(scope, items, axes, chance, tuple(ranked), bootstrap)


def _means(
    group: Sequence[RunScores], items: Sequence[Item], axes: Sequence[Axis], bootstrap: Bootstrap
) -> MeanTable | None:
    """Return the table of means; ``None`` when no run has any score."""
    matrix = score_matrix_of(group, items)
    if np.isnan(matrix).all():
        return None
    subsets = {axis.name: np.array([axis.selects(item) for item in items]) for axis in axes}
    return bootstrap_means(
        axes_of(matrix, subsets),
        bootstrap,
        strata=strata_of(items),
        item_ids=[item.id for item in items],
    )


def _row(run: RunScores, number: int, items: Sequence[Item], axes: Sequence[Axis], table: MeanTable | None) -> Row:
    cells = {}
    for axis in axes:
        interval = None if table is None else table.interval(number, axis.name)
        if interval is None or interval.n == 0:
            cells[axis.name] = Cell(0, None, None, None)
        else:
            cells[axis.name] = Cell(interval.n, interval.estimate, interval.low, interval.high)
    lenient = [run.lenient[item.id] for item in items if item.id in run.lenient]
    return Row(
        run=run,
        rank=None,
        cells=cells,
        lenient=sum(lenient) / len(lenient) if lenient else None,
        scored=sum(item.id in run.scores for item in items),
        expected=len(items),
    )


def _ranks(accuracies: Sequence[float | None]) -> list[float | None]:
    """Return each place from the best, ties sharing the mean of their places."""
    known = [accuracy for accuracy in accuracies if accuracy is not None]
    return [
        None
        if accuracy is None
        else sum(other > accuracy for other in known) + (sum(other == accuracy for other in known) + 1) / 2
        for accuracy in accuracies
    ]


def _chance(items: Sequence[Item], run: RunScores) -> float | None:
    wording = str(run.record.condition["wording"])
    chances = [1 / len(item.wording(wording).choices) for item in items if item.wording(wording).choices]
    return sum(chances) / len(chances) if chances else None
