"""Gaps: differences of two subset means of one model, raw and controlled for a facet.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1: modality, geo-cultural and reasoning gap.
    [2] KMMMU (2026), section 5 and appendix H.2, table 17: discipline-standardised gap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.draws import ItemDesign, design_items, resampled_sums
from exambench.stats.intervals import Interval
from exambench.stats.matrix import (
    BoolArray,
    FloatArray,
    IntArray,
    item_labels,
    item_mask,
    mean_scores,
    ratio,
    score_matrix,
    scored_counts,
)
from exambench.stats.resampling import METHOD, Bootstrap, Bounds, model_passes, percentile_bounds, resampled_means

FEW: Final = 10


@dataclass(frozen=True, slots=True)
class GapTable:
    """Gaps of models, with percentile intervals from one joint resample.

    Every array is models × gaps. A gap that does not exist for a model is NaN, and one of its two n is 0; a gap with
    a side of a single item has an estimate but no interval.

    Attributes:
        names: The gaps.
        estimate: Mean of the first side less mean of the second, in the unit of the scores.
        low: Lower bound.
        high: Upper bound.
        standard_error: Standard deviation of the replicates.
        p_value: Two-sided, of no gap: the estimate over its bootstrap standard error as a standard normal variable;
            NaN where the resamples don't vary, as with sides that are all right and all wrong.
        n_first: Number of scores on the first side.
        n_second: Number of scores on the second side.
        undefined: Resamples in which a side is empty; they are left out of the percentiles.
        bootstrap: How it was drawn.
        method: How the intervals were made.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    p_value: FloatArray
    n_first: IntArray
    n_second: IntArray
    undefined: IntArray
    bootstrap: Bootstrap
    method: str = METHOD

    @property
    def few(self) -> BoolArray:
        """Where a side has fewer than ten scores: to be marked, and read as a description only."""
        flags: BoolArray = np.minimum(self.n_first, self.n_second) < FEW
        return flags


@dataclass(frozen=True, slots=True)
class ControlledGaps:
    """A gap between a subset and the rest, raw, controlled for groups of items, and within each group.

    Attributes:
        overall: Models × ("raw", "controlled"). The n of the controlled gap count the groups that have both sides.
        within: Models × groups: the gap inside each group.
        weights: Models × groups: weight of the group in the controlled gap; 0 where a side is missing, NaN where no
            group has both.
    """

    overall: GapTable
    within: GapTable
    weights: FloatArray


def bootstrap_gaps(
    axes: Mapping[str, ArrayLike],
    gaps: Mapping[str, tuple[str, str]],
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> GapTable:
    """Return differences of axis means of every model [1].

    Both sides come from the same resample, that of :func:`exambench.stats.resampling.bootstrap_means` for the same
    axes and seed; they may share items. The axes may hold different scores of the same items, such as accuracy and
    a normalised reasoning score.

    Args:
        axes: Name → models × items, in one unit; NaN outside the axis and where there is no score.
        gaps: Name of the gap → names of its first and second side.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Raises:
        ValueError: A gap names an unknown axis, the axes, strata or ids break their format, or no item has a score.
    """
    first, second = gap_sides(list(axes), gaps)
    design = design_items(list(axes.values()), strata, item_ids)

    def replicates(part: ItemDesign) -> FloatArray:
        drawn = resampled_means(part, bootstrap)
        return drawn[:, first] - drawn[:, second]

    bounds = [
        percentile_bounds(replicates(part), bootstrap.level)
        for part in model_passes(design, len(axes) + len(gaps), bootstrap.resamples)
    ]
    means = np.stack([mean_scores(axis) for axis in design.axes], axis=1)
    n = np.stack([scored_counts(axis) for axis in design.axes], axis=1)
    estimate = means[:, first] - means[:, second]
    return gap_table(tuple(gaps), estimate, bounds, (n[:, first], n[:, second]), bootstrap)


def mean_gap(
    first: ArrayLike,
    second: ArrayLike,
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> Interval:
    """Return the mean over rows of the gap within a row: its mean on the first side less that on the second.

    What a row adds to all of its scores cancels within it. In each resample those rows count that have both sides.

    Args:
        first: Rows × items; NaN where there is no score. Each row has a score on both sides.
        second: The same shape.
        bootstrap: How often to draw items, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Returns:
        The mean; its n are the items with a score. Without bounds (NaN) where a side has a single item in all rows.

    Raises:
        ValueError: A row lacks a side, or an argument breaks its format.
    """
    design = design_items([first, second], strata, item_ids)
    sides = np.stack([mean_scores(side) for side in design.axes])
    if np.isnan(sides).any():
        raise ValueError("each row has a score on both sides")
    drawn = resampled_means(design, bootstrap)
    gaps = drawn[:, 0] - drawn[:, 1]
    there = ~np.isnan(gaps)
    means = ratio(np.where(there, gaps, 0.0).sum(axis=0), there.sum(axis=0))
    low, high, error, undefined = (float(bound[0]) for bound in percentile_bounds(means[None], bootstrap.level))
    single = min(int((~np.isnan(side)).any(axis=0).sum()) for side in design.axes) <= 1
    return Interval(
        estimate=float((sides[0] - sides[1]).mean()),
        low=math.nan if single else low,
        high=math.nan if single else high,
        n=design.axes[0].shape[1],
        level=bootstrap.level,
        method=METHOD,
        standard_error=math.nan if single else error,
        resamples=bootstrap.resamples,
        seed=bootstrap.seed,
        undefined_resamples=int(undefined),
    )


def gap_sides(names: Sequence[str], gaps: Mapping[str, tuple[str, str]]) -> tuple[IntArray, IntArray]:
    """Return the places of the first and of the second side of each gap among the axes.

    Args:
        names: The axes.
        gaps: Name of the gap → names of its first and second side.

    Raises:
        ValueError: A gap names an unknown axis.
    """
    unknown = {side for sides in gaps.values() for side in sides} - set(names)
    if unknown:
        raise ValueError(f"a gap lies between two of the axes {sorted(names)}; found {sorted(unknown)}")
    first, second = (np.array([names.index(sides[side]) for sides in gaps.values()], dtype=np.int64) for side in (0, 1))
    return first, second


def controlled_gaps(
    scores: ArrayLike,
    subset: ArrayLike,
    groups: ArrayLike,
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> ControlledGaps:
    """Return the gap between a subset and the rest, controlled for groups such as disciplines [2].

    The controlled gap is Σ_d w_d (mean of the subset in d − mean of the rest in d), where w_d is the share of group
    d among all scored items of the model, renormalised over the groups that have both sides. Items are resampled
    from the whole set, and the weights are formed anew in each resample.

    Args:
        scores: Models × items; NaN where there is no score.
        subset: One boolean per item.
        groups: One label per item.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum, the whole set.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Raises:
        ValueError: An argument breaks its format.
        UndefinedStatisticError: No model has scores on both sides.
    """
    matrix = score_matrix(scores)
    mask = item_mask(subset, matrix.shape[1])
    labels = item_labels(groups, matrix.shape[1])
    names = tuple(str(name) for name in np.unique(labels))
    cells = [
        np.where((labels == name) & side, matrix, np.nan) for side in (mask, ~mask) for name in names
    ]  # the groups of the subset, then those of the rest
    design = design_items(cells, strata, item_ids)
    sums = np.stack([np.nansum(axis, axis=1) for axis in design.axes])
    counts = np.stack([(~np.isnan(axis)).sum(axis=1) for axis in design.axes])
    n_first, n_second = counts[: len(names)].T, counts[len(names) :].T
    if not ((n_first.sum(axis=1) > 0) & (n_second.sum(axis=1) > 0)).any():
        raise UndefinedStatisticError("no model has scores both in the subset and in the rest")
    bounds = []
    for part in model_passes(design, len(names) + 2, bootstrap.resamples):
        replicates = np.empty((part.n_models, len(names) + 2, bootstrap.resamples))
        done = 0
        for block_sums, scored in resampled_sums(part, bootstrap.resamples, bootstrap.seed):
            block = slice(done, done + block_sums.shape[1])
            replicates[:, :, block] = _combine(block_sums, scored)[0].transpose(2, 0, 1)
            done = block.stop
        bounds.append(percentile_bounds(replicates, bootstrap.level))
    combined, weights = _combine(sums[:, None, :].astype(np.float64), counts[:, None, :].astype(np.float64))
    both = (n_first > 0) & (n_second > 0)
    sides = tuple(
        np.column_stack([side.sum(axis=1), (side * both).sum(axis=1), side]).astype(np.int64)
        for side in (n_first, n_second)
    )
    table = gap_table(("raw", "controlled", *names), combined[:, 0, :].T, bounds, (sides[0], sides[1]), bootstrap)
    return ControlledGaps(
        overall=_columns(table, slice(0, 2)), within=_columns(table, slice(2, None)), weights=weights[:, 0].T
    )


def _combine(sums: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the raw gap, the controlled gap and the gaps within groups, and the weights of the groups.

    Args:
        sums: (groups of the subset, groups of the rest) × resamples × models.
        counts: The same shape.

    Returns:
        (2 + groups) × resamples × models, and groups × resamples × models.
    """
    size = len(sums) // 2
    within = ratio(sums[:size], counts[:size]) - ratio(sums[size:], counts[size:])
    both = ~np.isnan(within)
    sizes = np.where(both, counts[:size] + counts[size:], 0.0)
    weights = ratio(sizes, sizes.sum(axis=0))
    controlled = np.where(both.any(axis=0), (weights * np.where(both, within, 0.0)).sum(axis=0), np.nan)
    raw = ratio(sums[:size].sum(axis=0), counts[:size].sum(axis=0)) - ratio(
        sums[size:].sum(axis=0), counts[size:].sum(axis=0)
    )
    return np.concatenate([raw[None], controlled[None], within]), weights


def gap_table(
    names: tuple[str, ...],
    estimate: FloatArray,
    bounds: Sequence[Bounds],
    sides: tuple[IntArray, IntArray],
    bootstrap: Bootstrap,
) -> GapTable:
    """Put together a table of gaps; a gap with a side of a single item gets no interval.

    Args:
        names: The gaps.
        estimate: Models × gaps.
        bounds: What :func:`exambench.stats.resampling.percentile_bounds` says of the replicates (models × gaps × B),
            one per pass of models.
        sides: Number of scores on the first and on the second side, each models × gaps.
        bootstrap: How they were drawn.
    """
    low, high, error, undefined = (np.concatenate(parts) for parts in zip(*bounds, strict=True))
    single = np.minimum(*sides) <= 1
    low, high, error = (np.where(single, np.nan, part) for part in (low, high, error))
    p_value = np.where(error > 0.0, _both_tails(ratio(estimate, error)), np.nan)
    return GapTable(names, estimate, low, high, error, p_value, *sides, undefined, bootstrap)


def _columns(table: GapTable, kept: slice) -> GapTable:
    return GapTable(
        names=table.names[kept],
        estimate=table.estimate[:, kept],
        low=table.low[:, kept],
        high=table.high[:, kept],
        standard_error=table.standard_error[:, kept],
        p_value=table.p_value[:, kept],
        n_first=table.n_first[:, kept],
        n_second=table.n_second[:, kept],
        undefined=table.undefined[:, kept],
        bootstrap=table.bootstrap,
        method=table.method,
    )


def _both_tails(z: FloatArray) -> FloatArray:
    """Return the probability under the standard normal of at least this distance from 0, whatever the shape."""
    tails = [math.erfc(abs(value) / math.sqrt(2.0)) for value in z.ravel()]
    return np.array(tails, dtype=np.float64).reshape(z.shape)
