"""A mean that a judge has scored in full and people have checked on a sample.

References:
    [1] A. Angelopoulos et al., "Prediction-powered inference", Science 382 (2023), 669-674.
    [2] A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++: Efficient prediction-powered inference", arXiv:2311.01453 (2023).
    [3] W. Cochran, "Sampling Techniques" (1977), sections 7.1 to 7.3: difference and regression estimators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.intervals import Interval, normal_quantile
from exambench.stats.matrix import BoolArray, FloatArray, score_vector

SAMPLE: Final = 3


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The mean that people would give, estimated with the help of a judge.

    Attributes:
        mean: Corrected estimate with its normal interval; its n is the number of items that people scored.
        judge_mean: Mean of the judge over all items.
        people_mean: Mean of the people over their sample.
        correction: What is added to the judge's mean.
        weight: λ, the weight of the judge: 1 takes it at its word, 0 ignores it.
        n_judge: Number of items that the judge scored.
    """

    mean: Interval
    judge_mean: float
    people_mean: float
    correction: float
    weight: float
    n_judge: int


def prediction_powered_mean(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> CorrectedMean:
    """Correct the judge's mean by its mean error on the sample [1]: λ = 1.

    Args:
        judge: Score by the judge, one per item; NaN = none.
        people: Score by people, in the same unit, on a random sample of the items; NaN outside the sample.
        level: Confidence level.

    Raises:
        ValueError: The lengths differ, a score is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than three items have both scores.
    """
    f, y, sampled = _checked(judge, people)
    return _corrected(f, y, sampled, 1.0, level)


def power_tuned_mean(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> CorrectedMean:
    """Correct the judge's mean with the weight that makes the variance least [2]: λ = cov(people, judge)/var(judge).

    With a useless judge it falls back to the mean of the people; λ is estimated on the sample and kept in [0, 1].

    Args:
        judge: Score by the judge, one per item; NaN = none.
        people: Score by people, in the same unit, on a random sample of the items; NaN outside the sample.
        level: Confidence level.

    Raises:
        ValueError: The lengths differ, a score is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than three items have both scores.
    """
    f, y, sampled = _checked(judge, people)
    covariance = np.cov(y, f[sampled])
    weight = float(np.clip(covariance[0, 1] / covariance[1, 1], 0.0, 1.0)) if covariance[1, 1] > 0.0 else 0.0
    return _corrected(f, y, sampled, weight, level)


def _checked(judge: ArrayLike, people: ArrayLike) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the judge's scores, the people's scores of the sample, and where among the former the sample is."""
    f, y = score_vector(judge), score_vector(people)
    if len(f) != len(y):
        raise ValueError(f"judge and people score the same items; found {len(f)} and {len(y)}")
    judged = ~np.isnan(f)
    sampled = ~np.isnan(y[judged])
    if sampled.sum() < SAMPLE:
        raise UndefinedStatisticError(
            f"needs at least {SAMPLE} items scored by both judge and people; found {sampled.sum()}"
        )
    return f[judged], y[judged][sampled], sampled


def _corrected(f: FloatArray, y: FloatArray, sampled: BoolArray, weight: float, level: float) -> CorrectedMean:
    """Estimate λ·mean(f) + mean over the sample of (y − λ·f).

    The sample is a part of the n_all items, so the variance is that of y over all items, plus that of the error
    e = y − λ·f over the part that is not known: s_y²/n_all + s_e²(1/n − 1/n_all) [3].
    """
    n, n_all = len(y), len(f)
    errors = y - weight * f[sampled]
    estimate = weight * float(f.mean()) + float(errors.mean())
    variance = y.var(ddof=1) / n_all + errors.var(ddof=1) * (1.0 / n - 1.0 / n_all)
    error = math.sqrt(float(variance))
    half_width = normal_quantile(level) * error
    return CorrectedMean(
        mean=Interval(
            estimate=estimate,
            low=estimate - half_width,
            high=estimate + half_width,
            n=n,
            level=level,
            method="prediction-powered, normal",
            standard_error=error,
        ),
        judge_mean=float(f.mean()),
        people_mean=float(y.mean()),
        correction=estimate - float(f.mean()),
        weight=weight,
        n_judge=n_all,
    )
