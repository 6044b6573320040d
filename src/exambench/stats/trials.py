"""Repeated trials of one model on the same items.

References:
    [1] S. Yao et al., "τ-bench", arXiv:2406.12045 (2024), section 3: pass^k.
    [2] KMMMU (2026), section 4: mean and standard deviation over trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import FloatArray, IntArray, score_matrix


@dataclass(frozen=True, slots=True)
class TrialSpread:
    """Overall score of each trial, on the items that every trial has a score for.

    Attributes:
        means: One mean per trial.
        mean: Mean of the trials.
        sd: Standard deviation of the trials (n − 1).
        n_trials: Number of trials.
        n_items: Number of complete items.
        n_left_out: Items with a score in some trials only.
    """

    means: FloatArray
    mean: float
    sd: float
    n_trials: int
    n_items: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class TrialShare:
    """A share over items that is estimated from repeated trials.

    Attributes:
        estimate: In [0, 1] for scores in [0, 1].
        k: Number of trials that the quantity speaks of.
        n_items: Items with at least k scored trials.
        n_left_out: Items with a score in fewer trials.
        method: Name of the quantity.
    """

    estimate: float
    k: int
    n_items: int
    n_left_out: int
    method: str


def trial_spread(trials: ArrayLike) -> TrialSpread:
    """Return mean and standard deviation over trials of the overall score [2].

    Args:
        trials: Trials × items; NaN = no score. Items that lack a trial are left out, so that all trials compare.

    Raises:
        ValueError: The scores break their format.
        UndefinedStatisticError: Fewer than two trials, or no complete item.
    """
    matrix = score_matrix(trials)
    scored = ~np.isnan(matrix)
    complete = scored.all(axis=0)
    if len(matrix) < 2:  # noqa: PLR2004  # a standard deviation needs two
        raise UndefinedStatisticError("a standard deviation over trials needs at least 2 trials; found 1")
    if not complete.any():
        raise UndefinedStatisticError(f"no item has a score in all {len(matrix)} trials")
    means: FloatArray = matrix[:, complete].mean(axis=1)
    return TrialSpread(
        means=means,
        mean=float(means.mean()),
        sd=float(means.std(ddof=1)),
        n_trials=len(matrix),
        n_items=int(complete.sum()),
        n_left_out=int((scored.any(axis=0) & ~complete).sum()),
    )


def pass_hat_k(trials: ArrayLike, k: int) -> TrialShare:
    """Return pass^k: the chance that k trials of an item all succeed, averaged over items [1].

    With c successes in n trials of an item, its unbiased estimate is C(c, k)/C(n, k).

    Args:
        trials: Trials × items: 1 solved, 0 not, NaN no score.
        k: Number of trials that must all succeed, at least 1.

    Raises:
        ValueError: A score is neither 0 nor 1, or k is below 1.
        UndefinedStatisticError: No item has k scored trials.
    """
    matrix = score_matrix(trials)
    if not np.isin(matrix[~np.isnan(matrix)], [0.0, 1.0]).all():
        raise ValueError("pass^k needs scores of 0 or 1")
    n, left_out = _enough_trials(matrix, k)
    solved = np.nansum(matrix[:, n >= k], axis=0)
    steps = np.arange(k)[:, None]
    chances = np.prod(np.maximum(solved - steps, 0.0) / (n[n >= k] - steps), axis=0)
    return TrialShare(float(chances.mean()), k, int((n >= k).sum()), left_out, "pass^k")


def average_at_k(trials: ArrayLike, k: int) -> TrialShare:
    """Return avg@k: the expected mean score of k trials of an item, averaged over items.

    Every scored trial of an item counts: the mean of n ≥ k trials estimates the mean of k of them.

    Args:
        trials: Trials × items; NaN = no score.
        k: Number of trials that an item must have, at least 1.

    Raises:
        ValueError: The scores break their format, or k is below 1.
        UndefinedStatisticError: No item has k scored trials.
    """
    matrix = score_matrix(trials)
    n, left_out = _enough_trials(matrix, k)
    means = np.nansum(matrix[:, n >= k], axis=0) / n[n >= k]
    return TrialShare(float(means.mean()), k, len(means), left_out, "avg@k")


def _enough_trials(matrix: FloatArray, k: int) -> tuple[IntArray, int]:
    """Return the number of scored trials per item, and how many items have some but fewer than k."""
    if k < 1:
        raise ValueError(f"k is at least 1; found {k}")
    n: IntArray = (~np.isnan(matrix)).sum(axis=0, dtype=np.int64)
    if not (n >= k).any():
        raise UndefinedStatisticError(f"no item has {k} scored trials; the most is {n.max()}")
    return n, int(((n > 0) & (n < k)).sum())
