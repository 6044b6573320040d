"""The differences of all pairs of models of a table, each with the interval that comparing the two alone gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.comparison import Pairs, all_pairs
from exambench.analysis.score_table import ScoreTable
from exambench.errors import UndefinedStatisticError
from exambench.stats.draws import design_items
from exambench.stats.matrix import FloatArray, IntArray, axes_of
from exambench.stats.resampling import Bootstrap, percentile_bounds, resampled_means

MOST_ON_AXES: Final = 60
"""Most models for which the differences have intervals on every axis; of more, on all items alone."""
PAIRS_AT_ONCE: Final = 2048


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """Paired differences, first less second, of the models of a table that have a score for every item.

    Attributes:
        models: Rows of the table; ``pairs`` numbers them from 0.
        axes: Names of the axes that have intervals, that of all items first.
        pairs: Who beats whom on how many items, tests, and how few items turn an order; on all items.
        estimate: Pairs × axes.
        low: Lower bounds, likewise.
        high: Upper bounds, likewise.
        n: Number of items, one per axis.
        bootstrap: How the intervals were drawn.
    """

    models: tuple[int, ...]
    axes: tuple[str, ...]
    pairs: Pairs
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    bootstrap: Bootstrap


def pair_differences(table: ScoreTable, bootstrap: Bootstrap) -> PairDifferences:
    """Return the paired differences of all pairs of models that have a score for every item.

    All models see the same resample, and a mean of differences is the difference of the means, so that the intervals
    are those of :func:`exambench.analysis.comparison.compare`.

    Raises:
        UndefinedStatisticError: Fewer than two models have a score for every item.
    """
    models = np.flatnonzero(~np.isnan(table.scores).any(axis=1))
    if len(models) < 2:  # noqa: PLR2004 - a pair
        raise UndefinedStatisticError("fewer than two models have a score for every item")
    whole = table.of(models)
    names = tuple(whole.axes) if len(models) <= MOST_ON_AXES else (whole.overall,)
    axes = axes_of(whole.scores, {name: whole.axes[name] for name in names})
    pairs = all_pairs(whole)
    design = design_items(list(axes.values()), whole.strata, whole.items)
    replicates = resampled_means(design, bootstrap)
    means = np.stack([np.nanmean(axis, axis=1) for axis in axes.values()], axis=1)
    bounds = [
        percentile_bounds(
            replicates[pairs.first[some]] - replicates[pairs.second[some]],
            bootstrap.level,
        )[:2]
        for some in (
            slice(start, start + PAIRS_AT_ONCE // len(names))
            for start in range(0, len(pairs.n), PAIRS_AT_ONCE // len(names))
        )
    ]
    low, high = (np.concatenate(parts) for parts in zip(*bounds, strict=True))
    return PairDifferences(
        models=tuple(models.tolist()),
        axes=names,
        pairs=pairs,
        estimate=means[pairs.first] - means[pairs.second],
        low=low,
        high=high,
        n=np.array([np.count_nonzero(whole.axes[name]) for name in names], dtype=np.int64),
        bootstrap=bootstrap,
    )
