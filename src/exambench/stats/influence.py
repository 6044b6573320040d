"""Leave-one-out: how far a gap depends on any single item.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1, table 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import FloatArray, IntArray, checked_scores, ratio

ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """A gap with each item of its subset left out in turn; every array has one entry per model.

    Attributes:
        baseline: The gap on all items, in the unit of the scores; NaN where it does not exist (see ``n``).
        max_change: Largest absolute change of the gap when one item is left out; NaN where there is no such gap.
        sign_flips: Number of items whose absence reverses the sign of the gap. A gap that becomes exactly 0 has
            not reversed, and a baseline of 0 has no sign to reverse.
        n: Number of items left out in turn: the scored items of the subset. 0 where the model has no score in
            the subset or in the rest.
        gaps: Models × items: the gap without that item; NaN for an item that is not in the subset, and where
            nothing is left of a side.
    """

    baseline: FloatArray
    max_change: FloatArray
    sign_flips: IntArray
    n: IntArray
    gaps: FloatArray

    @property
    def sign_flip_share(self) -> FloatArray:
        """Share of the left-out items whose absence reverses the sign, in [0, 1]; NaN where n is 0."""
        return ratio(self.sign_flips, self.n)


def leave_one_out(subset: ArrayLike, rest: ArrayLike) -> LeaveOneOut:
    """Return mean(subset) − mean(rest) with each item of the subset left out in turn [1].

    The sides may share items (all items, or another score of the same items); an item that is left out is left out
    of both.

    Args:
        subset: Models × items; NaN outside the subset and where there is no score.
        rest: Models × items, the same columns; NaN outside the other side and where there is no score.

    Returns:
        One row of results per model. A model without a score on a side has NaN and n = 0.

    Raises:
        ValueError: A matrix breaks its format, or the shapes differ.
        UndefinedStatisticError: No model has scores on both sides.
    """
    left, right = checked_scores(subset), checked_scores(rest)
    if left.shape != right.shape:
        raise ValueError(f"both sides are models × items of one set; found the shapes {left.shape} and {right.shape}")
    in_left, in_right = ~np.isnan(left), ~np.isnan(right)
    n_left, n_right = in_left.sum(axis=1), in_right.sum(axis=1)
    defined = (n_left > 0) & (n_right > 0)
    if not defined.any():
        raise UndefinedStatisticError("no model has scores both in the subset and in the rest")
    left, right = np.nan_to_num(left), np.nan_to_num(right)
    sum_left, sum_right = left.sum(axis=1), right.sum(axis=1)
    baseline = ratio(sum_left, n_left) - ratio(sum_right, n_right)
    items = np.flatnonzero(in_left.any(axis=0))
    without = ratio(sum_left[:, None] - left[:, items], n_left[:, None] - in_left[:, items]) - ratio(
        sum_right[:, None] - right[:, items], n_right[:, None] - in_right[:, items]
    )
    without[~in_left[:, items]] = np.nan
    changes = np.abs(without - baseline[:, None])
    max_change = np.fmax.reduce(changes, axis=1)
    flips = _sign(without) * _sign(baseline)[:, None] < 0
    gaps = np.full(left.shape, np.nan)
    gaps[:, items] = without
    return LeaveOneOut(
        baseline=baseline,
        max_change=max_change,
        sign_flips=flips.sum(axis=1, dtype=np.int64),
        n=np.where(defined, n_left, 0).astype(np.int64),
        gaps=gaps,
    )


def _sign(gaps: FloatArray) -> FloatArray:
    """Return −1, 0 or 1; NaN stays NaN, and a rounding error counts as 0."""
    signs: FloatArray = np.where(np.abs(gaps) < ROUNDING, 0.0, np.sign(gaps))
    return signs
