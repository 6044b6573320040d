"""How few items, and which, turn the order of two models.

Two answers stand side by side. The *exact minimum* is a count: among the items that only one of two models solves,
take as many from the leader as it leads by, and one more. The *approximate maximum influence perturbation* (AMIP)
asks the fitted Bradley-Terry model: each item's influence is the inverse Hessian times the item's gradient, and the
items are removed greedily, with a new fit after each, until the order turns.

With two models each item that the leader alone solves has the same influence, so the greedy removal takes exactly
the minimum; with k models, fitted over all pairs, an item moves both models against the whole field.

References:
    [1] J. Huang et al., "Dropping just a handful of preferences can change top large language model
        rankings" (2026).
    [2] T. Broderick, R. Giordano, R. Meager, "An automatic finite-sample robustness metric", arXiv:2011.14999 (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from exambench.errors import UndefinedStatisticError
from exambench.stats.bradley_terry import fit_strengths, has_maximum, loss_hessian, win_counts
from exambench.stats.matrix import FloatArray, IntArray, checked_scores, score_matrix, score_vector

FLAT: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ExactMinimum:
    """The fewest items whose removal turns the order of two models.

    Attributes:
        leader: 0 if the first model leads, 1 if the second does.
        leader_wins: Items on which the leader scores higher.
        other_wins: Items on which the other scores higher.
        to_tie: Removals after which neither leads.
        to_flip: Removals after which the other leads; None if no removal does that, because the other wins no item.
        n: Number of items that both have a score for.
    """

    leader: int
    leader_wins: int
    other_wins: int
    to_tie: int
    to_flip: int | None
    n: int


@dataclass(frozen=True, slots=True)
class Perturbation:
    """The exact minimum, and AMIP beside it.

    Attributes:
        minimum: The exact minimum of the two models taken alone.
        strength: Bradley-Terry log-strength of the leader less that of the other, on all items.
        influence: First-order change of ``strength`` when an item is removed, one per item; 0 where it says nothing.
        predicted: Removals after which the first-order changes alone add up to a turned order [2]; None if they
            never do. It is a prediction, not checked by a new fit.
        removed: Positions of the items that the greedy removal took, in order, until the order turned.
    """

    minimum: ExactMinimum
    strength: float
    influence: FloatArray
    predicted: int | None
    removed: IntArray

    @property
    def n_removed(self) -> int:
        """Number of items that the greedy removal took."""
        return len(self.removed)

    @property
    def share_removed(self) -> float:
        """Number of removed items over the number of common items."""
        return len(self.removed) / self.minimum.n


@dataclass(frozen=True, slots=True)
class NoMaximum:
    """The exact minimum alone: the Bradley-Terry likelihood has no maximum, so no influence exists.

    Attributes:
        minimum: The exact minimum; its ``to_flip`` is None if one model wins no item at all.
        reason: Why there is no maximum.
    """

    minimum: ExactMinimum
    reason: str


@dataclass(frozen=True, slots=True)
class MinimumTable:
    """Exact minima of all pairs of models.

    Attributes:
        wins: Models × models: items on which the row's model scores higher than the column's.
        n: Models × models: items that both have a score for.
        to_tie: Models × models: removals after which neither of the two leads.
        to_flip: Models × models: removals after which the order is turned; infinite where no removal does that
            (the other wins no item), NaN where there is no order to turn (a tie, or no common item).
    """

    wins: IntArray
    n: IntArray
    to_tie: IntArray
    to_flip: FloatArray


def exact_minimum(a: ArrayLike, b: ArrayLike) -> ExactMinimum:
    """Return the fewest items whose removal turns the order of two models.

    Removing an item that only the leader wins takes 1 from its lead, and no other item takes more: after
    (wins of the leader − wins of the other) removals they tie, and one more turns the order.

    Args:
        a: Scores of the first model, one per item; NaN = no score.
        b: Scores of the second model on the same items. An item is won by the higher score.

    Raises:
        ValueError: The lengths differ or a score is infinite.
        UndefinedStatisticError: No item has a score of both, or the two tie.
    """
    signs = _signs(a, b)
    wins = (int(np.count_nonzero(signs > 0)), int(np.count_nonzero(signs < 0)))
    leader = int(wins[1] > wins[0])
    to_tie = abs(wins[0] - wins[1])
    if to_tie == 0:
        raise UndefinedStatisticError(f"the two models tie at {wins[0]} items each; there is no order to turn")
    return ExactMinimum(
        leader=leader,
        leader_wins=wins[leader],
        other_wins=wins[1 - leader],
        to_tie=to_tie,
        to_flip=to_tie + 1 if wins[1 - leader] else None,
        n=int(np.count_nonzero(~np.isnan(signs))),
    )


def amip_pair(a: ArrayLike, b: ArrayLike) -> Perturbation | NoMaximum:
    """Turn the order of two models by removing items: AMIP on their discordant items [1], and the exact minimum.

    With p = σ(θ) the fitted chance that the leader wins a discordant item, the Hessian of the loss is n·p(1 − p) and
    the gradient of an item is −(y − p); an item's removal changes θ by H⁻¹∇ = −(y − p)/(n·p(1 − p)) to first order.

    Args:
        a: Scores of the first model, one per item; NaN = no score.
        b: Scores of the second model on the same items. An item is won by the higher score.

    Returns:
        Both answers, or the exact minimum alone where one model wins every discordant item.

    Raises:
        ValueError: The lengths differ or a score is infinite.
        UndefinedStatisticError: No item has a score of both, or the two tie.
    """
    minimum = exact_minimum(a, b)
    if minimum.to_flip is None:
        return NoMaximum(minimum, "the other model wins no item, so the leader's strength grows without bound")
    signs = _signs(a, b) * (1.0 - 2.0 * minimum.leader)
    discordant = np.abs(np.nan_to_num(signs))
    share = minimum.leader_wins / (minimum.leader_wins + minimum.other_wins)
    strength = float(np.log(minimum.leader_wins / minimum.other_wins))
    hessian = discordant.sum() * share * (1.0 - share)
    influence = -discordant * ((signs == 1.0) - share) / hessian
    # Every item that the leader wins has the same influence after every new fit: greedy takes them as they stand.
    return Perturbation(
        minimum=minimum,
        strength=strength,
        influence=influence,
        predicted=_predicted(strength, influence),
        removed=np.flatnonzero(signs == 1.0)[: minimum.to_flip],
    )


def exact_minima(scores: ArrayLike) -> MinimumTable:
    """Return the exact minimum of every pair of models.

    Args:
        scores: Models × items; NaN = no score.

    Raises:
        ValueError: The scores break their format.
    """
    matrix = checked_scores(scores)
    wins = win_counts(matrix)
    scored = (~np.isnan(matrix)).astype(np.float64)
    lead = wins - wins.T
    to_flip = np.abs(lead) + 1.0
    to_flip[np.minimum(wins, wins.T) == 0] = np.inf
    to_flip[lead == 0] = np.nan
    return MinimumTable(wins=wins, n=np.rint(scored @ scored.T).astype(np.int64), to_tie=np.abs(lead), to_flip=to_flip)


def amip_field(scores: ArrayLike, a: int, b: int) -> Perturbation | NoMaximum:
    """Turn the order of two models within a Bradley-Terry fit of all models, by removing items greedily [1].

    An item's influence on θ_leader − θ_other is (e_leader − e_other)ᵀ H⁺ ∇, where ∇ sums over all pairs of models
    on the item. The field is fitted anew after each removal.

    Args:
        scores: Models × items; NaN = no score.
        a: Row of the first model.
        b: Row of the second model.

    Returns:
        AMIP within the field and the exact minimum of the two alone; the leader is the stronger in the fit. The
        exact minimum alone where the fit of the whole field has no maximum.

    Raises:
        ValueError: The scores break their format.
        IndexError: There is no such row.
        UndefinedStatisticError: The two tie alone or in the fit, the fit does not lead with the model that wins more
            items, or the likelihood loses its maximum before the order turns.
    """
    matrix = score_matrix(scores)
    minimum = exact_minimum(matrix[a], matrix[b])
    leader, other = (b, a) if minimum.leader else (a, b)
    wins = win_counts(matrix)
    if not has_maximum(wins):
        return NoMaximum(minimum, "the graph of the models' wins is not strongly connected")
    strengths = fit_strengths(wins, np.zeros(len(matrix)))
    lead = float(strengths[leader] - strengths[other])
    if lead < FLAT:
        raise UndefinedStatisticError("the model that wins more items of the two does not lead in the fit of the field")
    influence = _influence(matrix, strengths, leader, other)
    removed: list[int] = []
    remaining = matrix.copy()
    while strengths[leader] - strengths[other] > -FLAT:
        step = _influence(remaining, strengths, leader, other)
        step[removed] = np.inf
        removed.append(int(np.argmin(step)))
        remaining[:, removed[-1]] = np.nan
        wins = win_counts(remaining)
        if not has_maximum(wins):
            raise UndefinedStatisticError(
                f"after {len(removed)} removals the likelihood has no maximum, and the order has not turned"
            )
        strengths = fit_strengths(wins, strengths)
    return Perturbation(minimum, lead, influence, _predicted(lead, influence), np.array(removed, dtype=np.int64))


def _signs(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return 1 where the first wins, −1 where the second does, 0 where they are equal, NaN where one is missing."""
    first, second = score_vector(a), score_vector(b)
    if len(first) != len(second):
        raise ValueError(f"paired scores stand on the same items; found {len(first)} and {len(second)}")
    signs: FloatArray = np.sign(first - second)
    if np.isnan(signs).all():
        raise UndefinedStatisticError("no item has a score of both")
    return signs


def _predicted(strength: float, influence: FloatArray) -> int | None:
    turned = strength + np.cumsum(np.sort(influence[influence < 0.0])) < 0.0
    return int(np.argmax(turned)) + 1 if turned.any() else None


def _influence(matrix: FloatArray, strengths: FloatArray, leader: int, other: int) -> FloatArray:
    """Return the first-order change of θ_leader − θ_other when each item is removed, one per item."""
    contrast = np.zeros(len(matrix))
    contrast[leader], contrast[other] = 1.0, -1.0
    direction = np.linalg.solve(loss_hessian(win_counts(matrix), strengths), contrast)
    influence = np.zeros(matrix.shape[1])
    for model, row in enumerate(matrix):
        chance = expit(strengths[model] - strengths)
        gradient = chance @ (row < matrix) - (1.0 - chance) @ (row > matrix)
        influence += direction[model] * gradient
    return influence
