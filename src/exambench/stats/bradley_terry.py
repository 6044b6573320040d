"""Strengths of models from who wins which item: the Bradley-Terry model of all pairs.

References:
    [1] R. Bradley, M. Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952), 324-345.
    [2] L. Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64 (1957):
        the likelihood has a maximum exactly if the graph of wins is strongly connected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import FloatArray, IntArray, checked_scores, score_matrix

NEWTON_STEPS: Final = 100
NEWTON_TOLERANCE: Final = 1e-12
FEW_LEVELS: Final = 16


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """A Bradley-Terry model fitted to all pairs of models on all items.

    Attributes:
        strengths: Log-strength of each model; they sum to 0.
        wins: Models × models: items on which the row's model scores higher than the column's.
        n: Number of items on which at least one pair of models differs.
    """

    strengths: FloatArray
    wins: IntArray
    n: int


def bradley_terry(scores: ArrayLike) -> BradleyTerry:
    """Fit log-strengths to the outcomes of all pairs of models on all items by maximum likelihood [1].

    Args:
        scores: Models × items, at least two models; NaN = no score. An item is won by the higher score; equal or
            missing scores say nothing.

    Raises:
        ValueError: The scores break their format.
        UndefinedStatisticError: The likelihood has no maximum [2], or Newton's method does not find it.
    """
    matrix = score_matrix(scores)
    wins = win_counts(matrix)
    low, high = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    return BradleyTerry(fit_strengths(wins, np.zeros(len(matrix))), wins, int(np.count_nonzero(high > low)))


def win_counts(scores: ArrayLike) -> IntArray:
    """Return on how many items each model scores higher than each other.

    Args:
        scores: Models × items; NaN = no score.

    Returns:
        Models × models: wins of the row's model over the column's.

    Raises:
        ValueError: The scores break their format.
    """
    matrix = checked_scores(scores)
    levels = np.unique(matrix[~np.isnan(matrix)])
    # A win is a level against any lower one: of few levels, such as 0 and 1, one matrix product each counts them.
    if len(levels) > FEW_LEVELS:
        return np.array([np.count_nonzero(row > matrix, axis=1) for row in matrix], dtype=np.int64)
    wins = np.zeros((len(matrix), len(matrix)))
    for level in levels[1:]:
        wins += (matrix == level).astype(np.float64) @ (matrix < level).astype(np.float64).T
    return wins.astype(np.int64)


def has_maximum(wins: IntArray) -> bool:
    """Return whether the likelihood has a maximum: the graph of wins is strongly connected [2].

    Args:
        wins: Models × models, as :func:`win_counts` returns them.
    """
    components, _ = connected_components(wins > 0, directed=True, connection="strong")
    return bool(components == 1)


def fit_strengths(wins: IntArray, start: FloatArray) -> FloatArray:
    """Minimise the Bradley-Terry loss −Σ wins_ab log σ(θ_a − θ_b) by damped Newton steps.

    Args:
        wins: Models × models, as :func:`win_counts` returns them.
        start: Log-strengths to start from, one per model.

    Returns:
        Log-strengths, which sum to 0.

    Raises:
        UndefinedStatisticError: There are fewer than two models, the likelihood has no maximum, or Newton's method
            does not find it.
    """
    if len(wins) < 2 or not has_maximum(wins):  # noqa: PLR2004  # a comparison needs two models
        raise UndefinedStatisticError(
            "the Bradley-Terry likelihood has no maximum: the graph of the models' wins is not strongly connected"
        )
    strengths: FloatArray = start - start.mean()
    loss = _loss(wins, strengths)
    for _ in range(NEWTON_STEPS):
        chance = expit(strengths[:, None] - strengths[None, :])
        gradient = -(wins * (1.0 - chance) - wins.T * chance).sum(axis=1)
        if np.abs(gradient).max() <= NEWTON_TOLERANCE * wins.sum():
            return strengths
        step: FloatArray = np.linalg.solve(loss_hessian(wins, strengths), gradient)
        size = 1.0
        while (tried := _loss(wins, strengths - size * step)) > loss and size > NEWTON_TOLERANCE:
            size /= 2.0
        strengths = strengths - size * (step - step.mean())
        loss = min(loss, tried)
    raise UndefinedStatisticError(f"Newton's method found no maximum in {NEWTON_STEPS} steps")


def _loss(wins: IntArray, strengths: FloatArray) -> float:
    return float((wins * np.logaddexp(0.0, strengths[None, :] - strengths[:, None])).sum())


def loss_hessian(wins: IntArray, strengths: FloatArray) -> FloatArray:
    """Return the Hessian of the loss plus 11ᵀ, which fixes the free sum and changes no difference of strengths.

    Args:
        wins: Models × models, as :func:`win_counts` returns them.
        strengths: One log-strength per model.
    """
    chance = expit(strengths[:, None] - strengths[None, :])
    weights: FloatArray = (wins + wins.T) * chance * (1.0 - chance)
    hessian: FloatArray = 1.0 - weights
    hessian[np.diag_indices_from(hessian)] += weights.sum(axis=1)
    return hessian
