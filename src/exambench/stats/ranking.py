"""Ranks of models on common items, and how stable they are.

A rank compares models only on items that all of them have a score for; 1 is the highest mean score, and ties share
the mean of the ranks that they cover.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1: bootstrap rank intervals.
    [2] P. Hall, H. Miller, "Using the bootstrap to quantify the authority of an empirical ranking",
        Annals of Statistics 37 (2009), 3929-3959.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.draws import ItemDesign, design_items, resampled_sums
from exambench.stats.matrix import BoolArray, FloatArray, IntArray, common_items, mean_scores
from exambench.stats.resampling import Bootstrap

DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class RankTable:
    """Ranks of models on axes, with intervals over item resamples.

    Arrays are models × axes where not said otherwise. A model without any score on an axis takes no part in its
    ranking: it has NaN everywhere.

    Attributes:
        names: The axes.
        score: Mean on the common items of the axis, in the unit of the scores.
        rank: Rank by that mean; 1 is the highest, ties share the mean rank.
        low: Lower percentile of the rank over resamples (a better rank).
        high: Upper percentile of the rank over resamples.
        n: Number of common items, one per axis; 0 where no item is common, and then nothing is ranked.
        undefined: Resamples without a common item of the axis, one per axis; left out of the percentiles.
        bootstrap: How it was drawn.
        method: How the intervals were made.
    """

    names: tuple[str, ...]
    score: FloatArray
    rank: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    undefined: IntArray
    bootstrap: Bootstrap
    method: str = "percentiles of the rank over item resamples"


def ranks(values: ArrayLike) -> FloatArray:
    """Return descending ranks along the last axis; ties share the mean of the ranks that they cover.

    Args:
        values: … × models; NaN for a model that takes no part.

    Returns:
        The same shape; 1 for the highest value, NaN where there is none.
    """
    array = np.asarray(values, dtype=np.float64)
    rows = array.reshape(-1, array.shape[-1])
    order, doubled = _descending(rows)
    result = np.empty_like(rows)
    np.put_along_axis(result, order, doubled / 2.0, axis=1)
    result[result == 0.0] = np.nan
    return result.reshape(array.shape)


def _descending(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the models of each row from best to worst, and twice the rank of each: 0, and last, without a value."""
    order = np.argsort(-rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    starts = np.ones(rows.shape, dtype=np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.flatnonzero(starts)
    tied = np.diff(first, append=starts.size)
    # The places p to p + t − 1, counted from 0, share the rank p + (t + 1)/2.
    doubled = np.repeat(2 * (first % rows.shape[1]) + tied + 1, tied).reshape(rows.shape)
    doubled[np.isnan(ordered)] = 0
    return order, doubled


def rank_intervals(
    axes: Mapping[str, ArrayLike],
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> RankTable:
    """Rank the models on each axis, and again in each resample of the items [1, 2].

    The resamples are those of :func:`exambench.stats.resampling.bootstrap_means` for the same axes and seed. Ranks
    are counted as they are drawn, so that memory does not grow with the number of resamples.

    Args:
        axes: Name → models × items; NaN outside the axis and where there is no score.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Raises:
        ValueError: The axes, strata or ids break their format, or no item has a score.
    """
    design = design_items(list(axes.values()), strata, item_ids)
    ranking = Ranking(design)
    if ranking.n.any():
        for sums, scored in resampled_sums(ranking.design, bootstrap.resamples, bootstrap.seed):
            ranking.count(sums, scored)
    return ranking.table(tuple(axes), bootstrap)


class Ranking:
    """Counts ranks while resamples are drawn.

    Args:
        design: The axes in the canonical order of the draw.

    Attributes:
        design: The same items, with each axis cut to its common items; an axis that has no others is the same array.
        n: Number of common items, one per axis.
    """

    def __init__(self, design: ItemDesign) -> None:
        common = [common_items(axis) for axis in design.axes]
        self.design = replace(design, axes=tuple(map(_cut, design.axes, common)))
        self.n = np.array([np.count_nonzero(items) for items in common], dtype=np.int64)
        # Ranks are halves: rank r is counted in column 2r of its axis and model. Column 0 stays empty.
        self._seen = np.zeros((len(common), design.n_models, 2 * design.n_models + 1), dtype=np.int64)

    def count(self, sums: FloatArray, scored: FloatArray) -> None:
        """Rank the models in a block of resamples.

        Args:
            sums: Axes × rows × models: sum of the drawn scores on common items.
            scored: Axes × rows × models: number of drawn common items.
        """
        _, n_models, width = self._seen.shape
        for index, (axis_sums, axis_scored) in enumerate(zip(sums, scored, strict=True)):
            # On common items all models share the denominator; sums that differ by rounding alone are ties.
            order, doubled = _descending(np.where(axis_scored > 0.0, np.round(axis_sums, DECIMALS), np.nan))
            cells = order * width + doubled
            self._seen[index] += np.bincount(cells.ravel(), minlength=n_models * width).reshape(n_models, width)
        self._seen[:, :, 0] = 0

    def table(self, names: tuple[str, ...], bootstrap: Bootstrap) -> RankTable:
        """Return the ranks on all items, with the percentiles of the counted ones.

        Args:
            names: The axes.
            bootstrap: How it was drawn.
        """
        score = np.stack([mean_scores(axis) for axis in self.design.axes], axis=1)
        tail = (1.0 - bootstrap.level) / 2.0
        return RankTable(
            names=names,
            score=score,
            rank=ranks(np.round(score, DECIMALS).T).T,
            low=_quantile(self._seen, tail).T,
            high=_quantile(self._seen, 1.0 - tail).T,
            n=self.n,
            undefined=bootstrap.resamples - self._seen.sum(axis=2).max(axis=1),
            bootstrap=bootstrap,
        )


def _cut(axis: FloatArray, items: BoolArray) -> FloatArray:
    """Return the axis on some of its items alone; the very same array where these are all of them."""
    return axis if items[~np.isnan(axis).all(axis=0)].all() else np.where(items, axis, np.nan)


def _quantile(seen: IntArray, share: float) -> FloatArray:
    """Return the quantile of counted ranks, with the linear interpolation of numpy.quantile."""
    cumulative = seen.cumsum(axis=-1)
    total = cumulative[..., -1]
    place = share * np.maximum(total - 1, 0)
    below, above = ((cumulative <= order[..., None]).sum(axis=-1) / 2.0 for order in (np.floor(place), np.ceil(place)))
    quantile: FloatArray = np.where(total > 0, below + (above - below) * (place - np.floor(place)), np.nan)
    return quantile
