"""Ratings, units × raters, and what every coefficient of agreement states.

A unit is what is rated (an item, or the answer of one model to one item). NaN = no rating, never 0.
Confidence intervals are drawn over units, with all ratings of a unit kept together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.draws import resample_counts
from exambench.stats.matrix import MATRIX_DIMENSIONS, FloatArray, IntArray
from exambench.stats.resampling import Bootstrap, percentile_bounds


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement.

    Attributes:
        coefficient: Its name.
        estimate: At most 1; 0 is agreement by chance.
        n_units: Units that count towards it.
        n_raters: Raters with at least one rating on these units.
        n_ratings: Ratings on these units.
        low: Lower percentile bound; NaN where no interval was asked for.
        high: Upper percentile bound; NaN where no interval was asked for.
        bootstrap: How the interval was drawn over units; None where it was not.
        undefined_resamples: Resamples in which the coefficient does not exist; left out of the percentiles.
    """

    coefficient: str
    estimate: float
    n_units: int
    n_raters: int
    n_ratings: int
    low: float = math.nan
    high: float = math.nan
    bootstrap: Bootstrap | None = None
    undefined_resamples: int = 0


def rating_matrix(ratings: ArrayLike) -> FloatArray:
    """Return ratings as a checked matrix.

    Args:
        ratings: Units × raters, numbers; NaN = no rating. Categories without an order are numbered.

    Raises:
        ValueError: The array is not two-dimensional, has fewer than two raters or no unit, or holds an infinite value.
    """
    matrix = np.array(ratings, dtype=np.float64)
    if matrix.ndim != MATRIX_DIMENSIONS or matrix.shape[0] < 1 or matrix.shape[1] < 2:  # noqa: PLR2004  # two raters
        raise ValueError(f"ratings are units × raters, at least 1 × 2; found the shape {matrix.shape}")
    if np.isinf(matrix).any():
        raise ValueError("ratings are finite numbers, or NaN where there is none; found an infinite value")
    return matrix


def complete_units(ratings: ArrayLike, needed: int) -> FloatArray:
    """Return the units that every rater has rated.

    Args:
        ratings: Units × raters; NaN = no rating.
        needed: How many such units the caller cannot do without.

    Raises:
        ValueError: The ratings break their format.
        UndefinedStatisticError: There are fewer.
    """
    matrix = rating_matrix(ratings)
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    if len(complete) < needed:
        raise UndefinedStatisticError(
            f"needs at least {needed} units that all {matrix.shape[1]} raters rated; found {len(complete)}"
        )
    return complete


def summarise(
    coefficient: str,
    matrix: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    bootstrap: Bootstrap | None,
) -> Agreement:
    """Compute a coefficient on all units and, if asked, on resamples of them.

    Args:
        coefficient: Its name.
        matrix: The units that count, × raters; NaN = no rating.
        statistic: From resamples × units (how often each unit stands in each resample) to one value per resample,
            NaN where it does not exist.
        bootstrap: How to draw; None for no interval.

    Raises:
        UndefinedStatisticError: The coefficient does not exist on all units: the ratings leave nothing to expect.
    """
    estimate = float(statistic(np.ones((1, len(matrix))))[0])
    if math.isnan(estimate):
        raise UndefinedStatisticError(f"{coefficient} does not exist: the {len(matrix)} units have no variation")
    rated = ~np.isnan(matrix)
    sizes = (len(matrix), int(rated.any(axis=0).sum()), int(rated.sum()))
    if bootstrap is None:
        return Agreement(coefficient, estimate, *sizes)
    low, high, undefined = draw_units(len(matrix), statistic, bootstrap)
    return Agreement(coefficient, estimate, *sizes, float(low), float(high), bootstrap, int(undefined))


def draw_units(
    n_units: int, statistic: Callable[[FloatArray], FloatArray], bootstrap: Bootstrap
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return percentile bounds, and the number of undefined resamples, of a statistic under resampling of units.

    Args:
        n_units: Number of units.
        statistic: From resamples × units (counts) to resamples, or resamples × values.
        bootstrap: How to draw.

    Returns:
        Lower bound, upper bound, undefined resamples: scalars, or one per value. Every resample of a single unit is
        that unit, which is no interval: its bounds are NaN.
    """
    drawn = resample_counts([n_units], bootstrap.resamples, bootstrap.seed)
    replicates = np.concatenate([statistic(counts) for counts in drawn])
    low, high, _, undefined = percentile_bounds(np.moveaxis(replicates, 0, -1), bootstrap.level)
    if n_units == 1:
        low, high = np.full((2, *low.shape), np.nan)
    return low, high, undefined
