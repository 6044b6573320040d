"""Standard errors and confidence intervals of a mean score and of a share.

References:
    [1] E. Miller, "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations",
        arXiv:2411.00640 (2024), section 2.
    [2] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    [3] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
        Journal of the American Statistical Association 22 (1927), 209-212.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import item_labels, score_vector, scored_values


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with a confidence interval.

    Attributes:
        estimate: The point estimate.
        low: Lower bound.
        high: Upper bound.
        n: Number of scores (or units) behind the estimate.
        level: Confidence level, in (0, 1).
        method: How the interval was made.
        standard_error: Standard error, in the unit of the estimate; None where the method has none.
        resamples: Number of bootstrap resamples B; None where nothing was drawn.
        seed: Seed of the draw; None where nothing was drawn.
        undefined_resamples: Resamples in which the quantity does not exist; they are left out of the percentiles.
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float
    method: str
    standard_error: float | None = None
    resamples: int | None = None
    seed: int | None = None
    undefined_resamples: int = 0


def check_level(level: float) -> float:
    """Return a confidence level that lies strictly between 0 and 1.

    Raises:
        ValueError: It does not.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies strictly between 0 and 1; found {level}")
    return float(level)


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable lies in [−z, z] with probability ``level``.

    Raises:
        ValueError: The level does not lie strictly between 0 and 1.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - half of the time in which a run command starts

    return float(ndtri(0.5 + check_level(level) / 2.0))


def student_quantile(level: float, degrees_of_freedom: int) -> float:
    """Return t such that a Student variable lies in [−t, t] with probability ``level``.

    Raises:
        ValueError: The level does not lie strictly between 0 and 1, or there is no degree of freedom.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - half of the time in which a run command starts

    if degrees_of_freedom < 1:
        raise ValueError(f"needs at least 1 degree of freedom; found {degrees_of_freedom}")
    return float(stdtrit(degrees_of_freedom, 0.5 + check_level(level) / 2.0))


def standard_error(scores: ArrayLike) -> float:
    """Return the standard error of the mean over items, √(Σ(s − s̄)²/n²); √(p(1 − p)/n) for scores 0 and 1 [1].

    Args:
        scores: One score per item; NaN where there is none.

    Returns:
        The standard error, in the unit of the scores.

    Raises:
        ValueError: The scores break their format.
        UndefinedStatisticError: There is no score.
    """
    values = scored_values(scores)
    return float(np.sqrt(np.mean((values - values.mean()) ** 2) / len(values)))


def clustered_standard_error(scores: ArrayLike, clusters: ArrayLike) -> float:
    """Return the standard error of the mean when items come in clusters, such as questions on one paragraph [1].

    √(Σ_c (Σ_{i in c} (s_i − s̄))²) / n: with every item in a cluster of its own it is :func:`standard_error`.

    Args:
        scores: One score per item; NaN where there is none.
        clusters: One label per item.

    Returns:
        The standard error, in the unit of the scores.

    Raises:
        ValueError: Scores or labels break their format.
        UndefinedStatisticError: There is no score, or all scores are in one cluster.
    """
    vector = score_vector(scores)
    labels = item_labels(clusters, len(vector))[~np.isnan(vector)]
    values = scored_values(vector)
    names, cluster = np.unique(labels, return_inverse=True)
    if len(names) == 1:
        raise UndefinedStatisticError("a clustered standard error needs at least 2 clusters; found 1")
    sums = np.bincount(cluster, weights=values - values.mean())
    return float(np.sqrt(np.sum(sums**2)) / len(values))


def mean_interval(scores: ArrayLike, level: float = 0.95, clusters: ArrayLike | None = None) -> Interval:
    """Return the mean score (the accuracy, for scores 0 and 1) with its normal confidence interval [1].

    Args:
        scores: One score per item; NaN where there is none.
        level: Confidence level.
        clusters: One label per item, where items share a paragraph; None if they don't.

    Raises:
        ValueError: Scores, labels or level break their format.
        UndefinedStatisticError: There is no score, or all scores are in one cluster.
    """
    values = scored_values(scores)
    half_width_in_errors = normal_quantile(level)
    error = standard_error(values) if clusters is None else clustered_standard_error(scores, clusters)
    mean = float(values.mean())
    return Interval(
        estimate=mean,
        low=mean - half_width_in_errors * error,
        high=mean + half_width_in_errors * error,
        n=len(values),
        level=level,
        method="normal" if clusters is None else "normal, clustered standard error",
        standard_error=error,
    )


def binomial_quantile_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the interval that the percentile bootstrap of a share tends to, without drawing.

    The sum of a bootstrap resample of n scores 0 and 1 is binomial(n, p̂); its quantiles, divided by n, are the
    percentile interval [2, section 13.3] for an unlimited number of resamples.

    Args:
        successes: Number of items scored 1.
        n: Number of items.
        level: Confidence level.

    Raises:
        ValueError: ``successes`` does not lie in [0, n], or the level is not in (0, 1).
        UndefinedStatisticError: n is 0.
    """
    from scipy.special import bdtr  # noqa: PLC0415 - half of the time in which a run command starts

    share = _share(successes, n)
    tail = (1.0 - check_level(level)) / 2.0
    cumulative = bdtr(np.arange(n + 1), n, share)
    return Interval(
        estimate=share,
        low=float(np.searchsorted(cumulative, tail)) / n,
        high=float(np.searchsorted(cumulative, 1.0 - tail)) / n,
        n=n,
        level=level,
        method="binomial quantiles",
        standard_error=math.sqrt(share * (1.0 - share) / n),
    )


def wilson_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the score interval of a share, which stays inside [0, 1] and has a width at 0 and at n [3].

    Args:
        successes: Number of items scored 1.
        n: Number of items.
        level: Confidence level.

    Raises:
        ValueError: ``successes`` does not lie in [0, n], or the level is not in (0, 1).
        UndefinedStatisticError: n is 0.
    """
    share = _share(successes, n)
    z = normal_quantile(level)
    shrink = 1.0 + z**2 / n
    centre = (share + z**2 / (2.0 * n)) / shrink
    half_width = z * math.sqrt(share * (1.0 - share) / n + z**2 / (4.0 * n**2)) / shrink
    return Interval(
        estimate=share,
        low=max(0.0, centre - half_width),
        high=min(1.0, centre + half_width),
        n=n,
        level=level,
        method="Wilson score",
        standard_error=math.sqrt(share * (1.0 - share) / n),
    )


def _share(successes: int, n: int) -> float:
    if not 0 <= successes <= max(n, 0):
        raise ValueError(f"the number of successes lies between 0 and n; found {successes} of {n}")
    if n == 0:
        raise UndefinedStatisticError("the share of an empty set of items does not exist")
    return successes / n
