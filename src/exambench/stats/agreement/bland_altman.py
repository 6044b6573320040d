"""How far two raters differ, in the unit of the ratings.

References:
    [1] J. Bland, D. Altman, "Measuring agreement in method comparison studies",
        Statistical Methods in Medical Research 8 (1999), 135-160, section 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from exambench.stats.agreement.ratings import complete_units, draw_units
from exambench.stats.intervals import Interval, normal_quantile
from exambench.stats.matrix import FloatArray, score_vector
from exambench.stats.resampling import Bootstrap


@dataclass(frozen=True, slots=True)
class LimitsOfAgreement:
    """Between which differences the second rater lies from the first.

    Attributes:
        bias: Mean difference, first less second.
        sd: Standard deviation of the differences (n − 1).
        lower: bias − z·sd: the lower limit of agreement.
        upper: bias + z·sd: the upper limit of agreement.
        means: Mean of the two ratings of each unit, for the figure.
        differences: First less second of each unit.
    """

    bias: Interval
    sd: float
    lower: Interval
    upper: Interval
    means: FloatArray
    differences: FloatArray


def bland_altman(
    a: ArrayLike, b: ArrayLike, level: float = 0.95, bootstrap: Bootstrap | None = None
) -> LimitsOfAgreement:
    """Return bias and limits of agreement of two raters, each with an interval [1].

    Without a bootstrap the intervals are Bland and Altman's: t on n − 1 degrees of freedom, with the standard errors
    sd/√n of the bias and sd·√(1/n + z²/(2(n − 1))) of a limit.

    Args:
        a: Ratings of the first, one per unit; NaN = none. Units that either has not rated do not count.
        b: Ratings of the second, in the same unit of measurement.
        level: Share of the differences that the limits hold, and confidence level of the intervals.
        bootstrap: Draw percentile intervals over units instead, at the level of the bootstrap.

    Raises:
        ValueError: The lengths differ, a rating is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than two units have both ratings.
    """
    first, second = score_vector(a), score_vector(b)
    if len(first) != len(second):
        raise ValueError(f"both raters rate the same units; found {len(first)} and {len(second)}")
    matrix = complete_units(np.column_stack([first, second]), needed=2)
    differences: FloatArray = matrix[:, 0] - matrix[:, 1]
    n, z = len(differences), normal_quantile(level)
    bias, sd = float(differences.mean()), float(differences.std(ddof=1))
    estimates = [bias, bias - z * sd, bias + z * sd]
    if bootstrap is None:
        t = float(stdtrit(n - 1, 0.5 + level / 2.0))
        limit_error = sd * math.sqrt(1.0 / n + z**2 / (2.0 * (n - 1)))
        errors = [sd / math.sqrt(n), limit_error, limit_error]
        intervals = [
            Interval(estimate, estimate - t * error, estimate + t * error, n, level, "Student t", error)
            for estimate, error in zip(estimates, errors, strict=True)
        ]
    else:
        low, high, _ = draw_units(n, lambda counts: _limits(counts, differences, z), bootstrap)
        intervals = [
            Interval(
                estimate=estimate,
                low=float(low[index]),
                high=float(high[index]),
                n=n,
                level=bootstrap.level,
                method="percentile bootstrap over units",
                resamples=bootstrap.resamples,
                seed=bootstrap.seed,
            )
            for index, estimate in enumerate(estimates)
        ]
    return LimitsOfAgreement(intervals[0], sd, intervals[1], intervals[2], matrix.mean(axis=1), differences)


def _limits(counts: FloatArray, differences: FloatArray, z: float) -> FloatArray:
    """Return resamples × (bias, lower limit, upper limit)."""
    n = len(differences)
    bias = counts @ differences / n
    deviations = (differences[None, :] - bias[:, None]) ** 2
    half_width = z * np.sqrt((counts * deviations).sum(axis=1) / (n - 1))
    return np.stack([bias, bias - half_width, bias + half_width], axis=1)
