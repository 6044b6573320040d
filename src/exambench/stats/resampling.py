"""Means of many models on many axes at once, with percentile intervals over item resamples.

All models and all axes of one item set see the same resample (:mod:`exambench.stats.draws` says how it is drawn); a
difference of two axes therefore keeps their covariance, even where they share items. In each resample a mean is a
ratio of two sums: the drawn scores, and how many of the drawn items have a score.

**Memory.** What is kept of a draw are replicates, B × axes × models; where these would exceed
:data:`REPLICATE_BYTES`, models are taken in several passes, and each pass draws the same counts again from the seed.

References:
    [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), sections 8.3 and 13.3.
    [2] S. Kim et al., "K-MetBench" (2026), appendix H.1 (B = 1000, seed 42, 95 %).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.draws import ItemDesign, design_items, resampled_sums
from exambench.stats.intervals import Interval, check_level
from exambench.stats.matrix import FloatArray, IntArray, mean_scores, ratio, scored_counts

QUANTILE_VALUES: Final = 2**16
REPLICATE_BYTES: Final = 96 * 2**20
METHOD: Final = "percentile bootstrap over items"

Bounds: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, IntArray]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How often to draw, from which seed, and the level of the intervals.

    Attributes:
        resamples: B, at least 2.
        seed: Seed of the draw, not negative; the same seed gives the same numbers.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: One of them lies outside its range.
    """

    resamples: int
    seed: int
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 2:  # noqa: PLR2004  # a percentile interval of one resample is a point
            raise ValueError(f"a bootstrap needs at least 2 resamples; found {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"a seed is not negative; found {self.seed}")
        check_level(self.level)


@dataclass(frozen=True, slots=True)
class MeanTable:
    """Mean scores of models on axes, with percentile intervals.

    Every array is models × axes. A model without any score on an axis has n = 0 and NaN for the rest.

    Attributes:
        names: The axes.
        estimate: Mean over the scored items, in the unit of the scores.
        low: Lower bound.
        high: Upper bound.
        standard_error: Standard deviation of the replicates.
        n: Number of scores.
        undefined: Resamples without a single scored item; they are left out of the percentiles.
        bootstrap: How it was drawn.
        method: How the intervals were made.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    n: IntArray
    undefined: IntArray
    bootstrap: Bootstrap
    method: str = METHOD

    def interval(self, model: int, name: str) -> Interval:
        """Return one cell.

        Raises:
            ValueError: There is no axis of that name.
            IndexError: There is no such model.
        """
        cell = (model, self.names.index(name))
        return Interval(
            estimate=float(self.estimate[cell]),
            low=float(self.low[cell]),
            high=float(self.high[cell]),
            n=int(self.n[cell]),
            level=self.bootstrap.level,
            method=self.method,
            standard_error=float(self.standard_error[cell]),
            resamples=self.bootstrap.resamples,
            seed=self.bootstrap.seed,
            undefined_resamples=int(self.undefined[cell]),
        )


def resampled_means(design: ItemDesign, bootstrap: Bootstrap) -> FloatArray:
    """Return the mean of every model on every axis in every resample.

    Args:
        design: Axes in the canonical order.
        bootstrap: How often to draw, and the seed.

    Returns:
        Models × axes × B; NaN where a resample holds no scored item. The whole array is built: a caller with many
        models and many resamples takes the models in :func:`model_passes`.
    """
    replicates = np.empty((design.n_models, len(design.axes), bootstrap.resamples))
    first = 0
    for sums, scored in resampled_sums(design, bootstrap.resamples, bootstrap.seed):
        last = first + sums.shape[1]
        replicates[:, :, first:last] = ratio(sums, scored).transpose(2, 0, 1)
        first = last
    return replicates


def model_passes(design: ItemDesign, kept_per_model: int, resamples: int) -> Iterator[ItemDesign]:
    """Split the models so that the replicates of one pass stay within :data:`REPLICATE_BYTES`.

    Args:
        design: Axes in the canonical order.
        kept_per_model: Replicates that the caller keeps of each model in each resample.
        resamples: Number of resamples, B.

    Yields:
        The design cut to the next models. The items, and so the draw, are those of the whole.
    """
    step = max(1, REPLICATE_BYTES // (8 * kept_per_model * resamples))
    for first in range(0, design.n_models, step):
        yield ItemDesign(tuple(axis[first : first + step] for axis in design.axes), design.stratum_sizes)


def percentile_bounds(replicates: FloatArray, level: float) -> Bounds:
    """Summarise replicates along the last axis.

    Args:
        replicates: … × B; NaN where the quantity does not exist in a resample.
        level: Confidence level.

    Returns:
        Lower and upper percentile bound, standard deviation of the replicates (n − 1), and the number of undefined
        resamples, each without the last axis. All but the last are NaN where fewer than two resamples are defined.
    """
    tail = (1.0 - level) / 2.0
    rows = replicates.reshape(-1, replicates.shape[-1])
    undefined = np.isnan(rows).sum(axis=1, dtype=np.int64)
    low, high, error = np.full((3, len(rows)), np.nan)
    # A few rows at a time: they are copied to be sorted.
    step = max(1, QUANTILE_VALUES // rows.shape[1])
    for some in np.split(np.flatnonzero(undefined == 0), range(step, len(rows), step)):
        ordered = rows[some]
        ordered.sort(axis=1)
        low[some], high[some] = _sorted_quantile(ordered, tail), _sorted_quantile(ordered, 1.0 - tail)
        error[some] = ordered.std(axis=1, ddof=1)
    for row in np.flatnonzero((undefined > 0) & (undefined < rows.shape[1] - 1)):
        ordered = np.sort(rows[row][~np.isnan(rows[row])])
        low[row], high[row] = _sorted_quantile(ordered, tail), _sorted_quantile(ordered, 1.0 - tail)
        error[row] = ordered.std(ddof=1)
    shape = replicates.shape[:-1]
    return low.reshape(shape), high.reshape(shape), error.reshape(shape), undefined.reshape(shape)


def _sorted_quantile(ordered: FloatArray, share: float) -> FloatArray:
    """Return the quantile of values that are sorted along the last axis, by the interpolation of numpy.quantile."""
    place = share * (ordered.shape[-1] - 1)
    below = math.floor(place)
    low, high = ordered[..., below], ordered[..., math.ceil(place)]
    quantile: FloatArray = low + (high - low) * (place - below)
    return quantile


def bootstrap_means(
    axes: Mapping[str, ArrayLike],
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> MeanTable:
    """Return the mean of every model on every axis with its percentile interval [1, 2].

    Args:
        axes: Name → models × items, in the unit of the scores; NaN outside the axis and where there is no score
            (:func:`exambench.stats.matrix.axes_of` makes them from one matrix and masks).
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Returns:
        A table, models × axes; a model without a score on an axis has n = 0 and NaN there.

    Raises:
        ValueError: The axes, strata or ids break their format, or no item has a score.
    """
    design = design_items(list(axes.values()), strata, item_ids)
    bounds = [
        percentile_bounds(resampled_means(part, bootstrap), bootstrap.level)
        for part in model_passes(design, len(axes), bootstrap.resamples)
    ]
    return mean_table(tuple(axes), design, bounds, bootstrap)


def mean_table(names: tuple[str, ...], design: ItemDesign, bounds: Sequence[Bounds], bootstrap: Bootstrap) -> MeanTable:
    """Put together a table of means.

    Args:
        names: The axes.
        design: Their matrices.
        bounds: What :func:`percentile_bounds` says of the replicates (models × axes × B), one per pass of models.
        bootstrap: How they were drawn.
    """
    low, high, error, undefined = (np.concatenate(parts) for parts in zip(*bounds, strict=True))
    return MeanTable(
        names=names,
        estimate=np.stack([mean_scores(axis) for axis in design.axes], axis=1),
        low=low,
        high=high,
        standard_error=error,
        n=np.stack([scored_counts(axis) for axis in design.axes], axis=1),
        undefined=undefined,
        bootstrap=bootstrap,
    )
