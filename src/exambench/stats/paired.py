"""Two models, or four conditions, on the same items.

References:
    [1] Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
        Psychometrika 12 (1947), 153-157; the exact form is the two-sided binomial test of the discordant pairs.
    [2] KMMMU (2026), appendix H.1, table 16.
    [3] E. Miller, "Adding Error Bars to Evals", arXiv:2411.00640 (2024), section 4.
    [4] W. Conover, "Practical Nonparametric Statistics", 3rd ed., section 3.4: the sign test; ties are left out.
    [5] D. Montgomery, "Design and Analysis of Experiments", section 6.2: the 2² factorial design.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from exambench.errors import UndefinedStatisticError
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray, IntArray, score_matrix, score_vector
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means

MCNEMAR: Final = "McNemar, exact, two-sided"
SIGN_TEST: Final = "sign test, exact, two-sided"


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Exact two-sided test of the items on which two models differ.

    Attributes:
        only_a: Items that only A solves, or on which A has the higher score.
        only_b: Items that only B solves, or on which B has the higher score.
        p_value: Two-sided p-value; 1 where there is no such item.
        method: Name of the test.
    """

    only_a: int
    only_b: int
    p_value: float
    method: str


@dataclass(frozen=True, slots=True)
class PairedOutcomes:
    """How two models fare on the items that both have a score for.

    Attributes:
        both: Items that both solve.
        only_a: Items that only A solves.
        only_b: Items that only B solves.
        neither: Items that neither solves.
        only_a_items: Positions of the items that only A solves.
        only_b_items: Positions of the items that only B solves.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    only_a_items: IntArray
    only_b_items: IntArray

    @property
    def n(self) -> int:
        """Number of common items."""
        return self.both + self.only_a + self.only_b + self.neither


@dataclass(frozen=True, slots=True)
class FactorialEffects:
    """Effects of two factors of two levels each, on common items.

    Attributes:
        cell_means: Means of the conditions, first × second factor (2 × 2).
        first: Main effect of the first factor: mean of its two simple effects.
        second: Main effect of the second factor.
        interaction: Effect of the first factor at level 1 of the second less that at level 0.
    """

    cell_means: FloatArray
    first: Interval
    second: Interval
    interaction: Interval


def mcnemar_exact(only_a: int, only_b: int) -> PairedTest:
    """Test whether two models solve equally many items, from the items that only one of them solves [1].

    Args:
        only_a: Items that only A solves.
        only_b: Items that only B solves.

    Raises:
        ValueError: A count is negative.
    """
    return PairedTest(only_a, only_b, _two_sided(only_a, only_b), MCNEMAR)


def sign_test_exact(higher_a: int, higher_b: int) -> PairedTest:
    """Test whether two models are as often better than each other, from the items on which they differ [4].

    On scores of 0 and 1 this is the exact McNemar test.

    Args:
        higher_a: Items on which A has the higher score.
        higher_b: Items on which B has.

    Raises:
        ValueError: A count is negative.
    """
    return PairedTest(higher_a, higher_b, _two_sided(higher_a, higher_b), SIGN_TEST)


def exact_test(scores: ArrayLike) -> Callable[[int, int], PairedTest]:
    """Return the test that suits scores: McNemar's where all are 0 or 1, or else the sign test; NaN is no score."""
    return mcnemar_exact if is_binary(scores) else sign_test_exact


def is_binary(scores: ArrayLike) -> bool:
    """Tell whether all scores are 0 or 1; NaN is no score."""
    found = np.asarray(scores, dtype=np.float64)
    return bool(np.isin(found[~np.isnan(found)], (0.0, 1.0)).all())


def _two_sided(left: int, right: int) -> float:
    """Return the two-sided binomial probability of a split at least as uneven."""
    if min(left, right) < 0:
        raise ValueError(f"counts are not negative; found {left} and {right}")
    tail = float(bdtr(min(left, right), left + right, 0.5)) if left + right else 1.0
    return min(1.0, 2.0 * tail)


def paired_outcomes(a: ArrayLike, b: ArrayLike) -> PairedOutcomes:
    """Count the items that both, one, or neither of two models solves [2].

    Args:
        a: Scores of A, one per item: 1 solved, 0 not, NaN no score.
        b: Scores of B on the same items.

    Raises:
        ValueError: The lengths differ, or a score is neither 0 nor 1 nor NaN.
        UndefinedStatisticError: No item has a score of both.
    """
    first, second = _pair(a, b)
    scores = np.concatenate([first, second])
    graded = scores[~np.isnan(scores) & ~np.isin(scores, [0.0, 1.0])]
    if len(graded):
        raise ValueError(f"paired outcomes need scores of 0 or 1; found {graded[0]}")
    only_a = np.flatnonzero((first == 1.0) & (second == 0.0))
    only_b = np.flatnonzero((first == 0.0) & (second == 1.0))
    return PairedOutcomes(
        both=int(np.count_nonzero((first == 1.0) & (second == 1.0))),
        only_a=len(only_a),
        only_b=len(only_b),
        neither=int(np.count_nonzero((first == 0.0) & (second == 0.0))),
        only_a_items=only_a,
        only_b_items=only_b,
    )


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> Interval:
    """Return mean(A) − mean(B) over common items, with the percentile interval of the paired bootstrap [3].

    Args:
        a: Scores of A, one per item; NaN = no score.
        b: Scores of B on the same items, in the same unit.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the items irrelevant.

    Raises:
        ValueError: The lengths differ, or strata or ids break their format.
        UndefinedStatisticError: No item has a score of both.
    """
    first, second = _pair(a, b)
    table = bootstrap_means({"difference": (first - second)[None, :]}, bootstrap, strata=strata, item_ids=item_ids)
    return table.interval(0, "difference")


def factorial_effects(
    conditions: ArrayLike,
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> FactorialEffects:
    """Return main effects and interaction of a 2 × 2 design, each with the interval of one paired bootstrap [5].

    Args:
        conditions: Scores, 2 × 2 × items: [level of the first factor, level of the second factor, item]; NaN = none.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the items irrelevant.

    Returns:
        The effects, in the unit of the scores; n is the number of items that all four conditions have a score for.

    Raises:
        ValueError: The shape is not 2 × 2 × items, or strata or ids break their format.
        UndefinedStatisticError: No item has a score in all four conditions.
    """
    cells = np.asarray(conditions, dtype=np.float64)
    if cells.shape[:2] != (2, 2) or cells.ndim != 3:  # noqa: PLR2004  # two factors and the items
        raise ValueError(f"a 2 × 2 design has the shape 2 × 2 × items; found {cells.shape}")
    rows = score_matrix(cells.reshape(4, -1))
    rows[:, np.isnan(rows).any(axis=0)] = np.nan
    if np.isnan(rows).all():
        raise UndefinedStatisticError("no item has a score in all four conditions")
    low_low, low_high, high_low, high_high = rows
    effects = {
        "first": (high_low + high_high - low_low - low_high) / 2.0,
        "second": (low_high + high_high - low_low - high_low) / 2.0,
        "interaction": high_high - low_high - high_low + low_low,
    }
    table: MeanTable = bootstrap_means(
        {name: effect[None, :] for name, effect in effects.items()}, bootstrap, strata=strata, item_ids=item_ids
    )
    return FactorialEffects(
        cell_means=np.nanmean(rows, axis=1).reshape(2, 2),
        first=table.interval(0, "first"),
        second=table.interval(0, "second"),
        interaction=table.interval(0, "interaction"),
    )


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = score_vector(a), score_vector(b)
    if len(first) != len(second):
        raise ValueError(f"paired scores stand on the same items; found {len(first)} and {len(second)}")
    if np.isnan(first - second).all():
        raise UndefinedStatisticError("no item has a score of both")
    return first, second
