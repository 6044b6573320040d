"""Is a score above what guessing gets, and do picks prefer a place?

References:
    [1] Y. Hong, "On computing the distribution function for the Poisson binomial distribution",
        Computational Statistics & Data Analysis 59 (2013), 41-51: the number of successes of trials whose
        probabilities differ; with equal ones it is the binomial distribution.
    [2] K. Pearson, "On the criterion that a given system of deviations …", Philosophical Magazine 50 (1900), 157-175.
    [3] J. N. K. Rao, A. J. Scott, "The analysis of categorical data from complex sample surveys: chi-squared tests for
        goodness of fit and independence in two-way tables", JASA 76 (1981), 221-230: the first-order correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, chdtrc

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import FloatArray, score_matrix


@dataclass(frozen=True, slots=True)
class FitTest:
    """Test of counts against expected counts.

    Attributes:
        statistic: Pearson's χ² over the design effect.
        degrees: Degrees of freedom.
        p_value: Probability of a statistic at least as large.
        design_effect: How much more the counts vary than independent ones would, at least 1.
        method: Name of the test.
    """

    statistic: float
    degrees: int
    p_value: float
    design_effect: float
    method: str = "Pearson's χ² of places, after Rao and Scott"


@dataclass(frozen=True, slots=True)
class Agreement:
    """On how many items all of several orders led to the same choice.

    Attributes:
        same: Items with the same choice in every order.
        n: Items with a choice in every order.
    """

    same: int
    n: int

    @property
    def share(self) -> float:
        """Share of the items; NaN of none."""
        return self.same / self.n if self.n else float("nan")


def above_chance(solved: int, chances: ArrayLike) -> float:
    """Return the probability that blind guesses solve at least as many items: exact, one-sided [1].

    Args:
        solved: Number of solved items.
        chances: For each item the probability of guessing it, in [0, 1].

    Raises:
        ValueError: A probability lies outside [0, 1], or more is solved than there is.
        UndefinedStatisticError: There is no item.
    """
    p = np.asarray(chances, dtype=np.float64).ravel()
    if not len(p):
        raise UndefinedStatisticError("no item to guess")
    if not 0 <= solved <= len(p) or ((p < 0.0) | (p > 1.0)).any():
        raise ValueError("solved items are counted among the items, and probabilities lie between 0 and 1")
    if not solved:
        return 1.0
    if (p == p[0]).all():
        return float(bdtrc(solved - 1, len(p), p[0]))
    distribution = np.zeros(len(p) + 1)
    distribution[0] = 1.0
    for chance in p:
        distribution[1:] = distribution[1:] * (1.0 - chance) + distribution[:-1] * chance
        distribution[0] *= 1.0 - chance
    return min(1.0, float(distribution[solved:].sum()))


def fit(observed: ArrayLike, expected: ArrayLike) -> FitTest:
    """Test counts against expected counts of the same sum [2], where the counts of a cluster may depend on each other.

    χ² is divided by the design effect, the variance between clusters over that of independent counts [3]: a model that
    guesses the same place in every order of an item has as many guesses as there are items, not as there are orders.
    Places where nothing is expected are left out.

    Args:
        observed: Clusters × places: counts.
        expected: What is expected of each, likewise; each cluster has the sum of its counts.

    Raises:
        UndefinedStatisticError: Fewer than two places have an expectation.
    """
    seen, due = np.asarray(observed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    places = due.sum(axis=0) > 0.0
    degrees = int(places.sum()) - 1
    if degrees < 1:
        raise UndefinedStatisticError("a preference for a place needs at least two places")
    excess, total = (seen - due)[:, places], due[:, places].sum(axis=0)
    clusters = len(excess)
    between = excess.var(axis=0, ddof=1) * clusters if clusters > 1 else np.zeros_like(total)
    effect = max(1.0, float((between / total).sum()) / degrees)
    statistic = float((excess.sum(axis=0) ** 2 / total).sum()) / effect
    return FitTest(statistic, degrees, float(chdtrc(degrees, statistic)), effect)


def agreement(picks: ArrayLike) -> Agreement:
    """Return on how many items every order led to the same choice.

    Args:
        picks: Orders × items: the choice that was picked, by its number in the item; NaN = none.
    """
    matrix: FloatArray = score_matrix(picks)
    complete = ~np.isnan(matrix).any(axis=0)
    same = (matrix[:, complete] == matrix[0, complete]).all(axis=0)
    return Agreement(int(same.sum()), int(complete.sum()))
