"""Kappa: agreement on categories beyond chance.

References:
    [1] J. Cohen, "A coefficient of agreement for nominal scales",
        Educational and Psychological Measurement 20 (1960), 37-46.
    [2] J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968), 213-220.
    [3] J. Fleiss, "Measuring nominal scale agreement among many raters",
        Psychological Bulletin 76 (1971), 378-382.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.agreement.ratings import Agreement, complete_units, summarise
from exambench.stats.matrix import FloatArray, ratio, score_vector
from exambench.stats.resampling import Bootstrap


class KappaWeights(StrEnum):
    """What a disagreement of two categories counts."""

    UNWEIGHTED = "unweighted"
    QUADRATIC = "quadratic"


def cohen_kappa(
    a: ArrayLike,
    b: ArrayLike,
    weights: KappaWeights = KappaWeights.UNWEIGHTED,
    bootstrap: Bootstrap | None = None,
) -> Agreement:
    """Return Cohen's κ of two raters, 1 − observed/expected disagreement [1, 2].

    Args:
        a: Ratings of the first, one per unit; NaN = none. Units that either has not rated do not count.
        b: Ratings of the second.
        weights: Unweighted: any disagreement counts 1. Quadratic: the squared difference of the two numbers.
        bootstrap: Draw a percentile interval over units; None for no interval.

    Raises:
        ValueError: The lengths differ or a rating is infinite.
        UndefinedStatisticError: No unit has both ratings, or both raters gave one and the same rating throughout.
    """
    first, second = score_vector(a), score_vector(b)
    if len(first) != len(second):
        raise ValueError(f"both raters rate the same units; found {len(first)} and {len(second)}")
    matrix = complete_units(np.column_stack([first, second]), needed=1)
    values, index = np.unique(matrix, return_inverse=True)
    one_hot = np.eye(len(values))[index.reshape(matrix.shape)]
    cost = 1.0 - np.eye(len(values))
    if weights is KappaWeights.QUADRATIC:
        cost = (values[:, None] - values[None, :]) ** 2
    disagreement = cost[tuple(index.reshape(matrix.shape).T)]

    def kappa(counts: FloatArray) -> FloatArray:
        n = counts.sum(axis=1)
        expected = ((counts @ one_hot[:, 0] @ cost) * (counts @ one_hot[:, 1])).sum(axis=1) / n
        return 1.0 - ratio(counts @ disagreement, expected)

    return summarise(f"Cohen κ ({weights.value})", matrix, kappa, bootstrap)


def fleiss_kappa(ratings: ArrayLike, bootstrap: Bootstrap | None = None) -> Agreement:
    """Return Fleiss' κ of any number of raters on categories [3].

    Args:
        ratings: Units × raters, numbered categories; NaN = none. Units that lack a rating do not count.
        bootstrap: Draw a percentile interval over units; None for no interval.

    Raises:
        ValueError: The ratings break their format.
        UndefinedStatisticError: No complete unit, or all ratings are the same.
    """
    matrix = complete_units(ratings, needed=1)
    raters = matrix.shape[1]
    counts = np.stack([(matrix == value).sum(axis=1) for value in np.unique(matrix)], axis=1).astype(np.float64)
    unit_agreement = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))

    def kappa(weights: FloatArray) -> FloatArray:
        n = weights.sum(axis=1)
        shares = weights @ counts / (n * raters)[:, None]
        chance = np.where((shares > 0.0).sum(axis=1) > 1, (shares**2).sum(axis=1), 1.0)
        return ratio(weights @ unit_agreement / n - chance, 1.0 - chance)

    return summarise("Fleiss κ", matrix, kappa, bootstrap)
