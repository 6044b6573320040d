"""What the answers of many models say about each item, and about each model's habits.

Picks are a matrix, models × items, of choice positions from 0; NaN = no choice was picked (no answer, a failure, or
not run), which is never a wrong pick.

References:
    [1] L. Crocker, J. Algina, "Introduction to Classical and Modern Test Theory" (1986), chapter 14: difficulty,
        corrected point-biserial discrimination, distractors.
    [2] K. Pearson, "On the criterion …", Philosophical Magazine 50 (1900), 157-175: χ² of a distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import BoolArray, FloatArray, IntArray, mean_scores, ratio, score_matrix

DISCRIMINATION_MODELS: Final = 3
TOP_SHARE: Final = 3
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """Classical statistics, one entry per item.

    Attributes:
        difficulty: Mean score over the models that have one (the p-value of test theory; 1 = everybody solves it);
            NaN where no model has.
        discrimination: Correlation over models between the score of the item and the mean score of the other items;
            NaN with fewer than three models, or where either does not vary.
        n: Number of models with a score.
        solved_by_all: Every model with a score has 1; False where n is 0.
        solved_by_none: Every model with a score has 0; False where n is 0.
    """

    difficulty: FloatArray
    discrimination: FloatArray
    n: IntArray
    solved_by_all: BoolArray
    solved_by_none: BoolArray


@dataclass(frozen=True, slots=True)
class DistractorTable:
    """How often each choice of each item is picked.

    Attributes:
        counts: Items × choices.
        n: Number of picks per item.
        no_pick: Number of models without a pick, per item.
        key: Position of the key, per item.
    """

    counts: IntArray
    n: IntArray
    no_pick: IntArray
    key: IntArray

    @property
    def shares(self) -> FloatArray:
        """Items × choices, as shares of the picks; NaN where there is none."""
        return ratio(self.counts, self.n[:, None])

    @property
    def unused(self) -> BoolArray:
        """Items × choices: a distractor that nobody picks, although somebody picks something."""
        unused: BoolArray = (self.counts == 0) & (self.n[:, None] > 0)
        unused[np.arange(len(self.key)), self.key] = False
        return unused


@dataclass(frozen=True, slots=True)
class WrongKeySuspects:
    """Items whose key the best models reject.

    Attributes:
        items: Positions of the suspects.
        choices: The distractor that the top third prefers, per suspect; the lower position among equals.
        choice_picks: Models of the top third that pick it.
        key_picks: Models of the top third that pick the key.
        top_models: Rows of the top third: the best third of the models by share of right picks, and whoever ties
            with the last of them.
    """

    items: IntArray
    choices: IntArray
    choice_picks: IntArray
    key_picks: IntArray
    top_models: IntArray


@dataclass(frozen=True, slots=True)
class Responders:
    """Which positions each model picks; one row or entry per model.

    Attributes:
        counts: Models × choices.
        n: Number of picks.
        favourite: Position picked most often, the lower among equals; −1 without a pick.
        favourite_share: Its share of the picks; NaN without a pick.
        chi_square: Σ (picks − expected)²/expected over positions; infinite where a position that is never expected
            is picked, NaN without a pick.
        p_value: Of χ² on (positions that are expected − 1) degrees of freedom.
        near_constant: The favourite's share reaches the threshold.
        threshold: That threshold.
    """

    counts: IntArray
    n: IntArray
    favourite: IntArray
    favourite_share: FloatArray
    chi_square: FloatArray
    p_value: FloatArray
    near_constant: BoolArray
    threshold: float


def item_statistics(scores: ArrayLike) -> ItemStatistics:
    """Return difficulty and discrimination of every item [1].

    The discrimination is item-rest: an item is no part of the total that it is correlated with.

    Args:
        scores: Models × items, in [0, 1]; NaN = no score.

    Raises:
        ValueError: The scores break their format.
    """
    matrix = score_matrix(scores)
    scored = ~np.isnan(matrix)
    filled = np.nan_to_num(matrix)
    n = scored.sum(axis=0, dtype=np.int64)
    rest = ratio(filled.sum(axis=1, keepdims=True) - filled, scored.sum(axis=1, keepdims=True) - scored)
    usable = scored & ~np.isnan(rest)
    count = usable.sum(axis=0)
    x, y = np.where(usable, matrix, 0.0), np.where(usable, rest, 0.0)
    x = np.where(usable, x - ratio(x.sum(axis=0), count), 0.0)
    y = np.where(usable, y - ratio(y.sum(axis=0), count), 0.0)
    spread_x, spread_y = (x**2).sum(axis=0), (y**2).sum(axis=0)
    defined = (count >= DISCRIMINATION_MODELS) & (spread_x > ROUNDING) & (spread_y > ROUNDING)
    discrimination = np.where(defined, ratio((x * y).sum(axis=0), np.sqrt(spread_x * spread_y)), np.nan)
    discrimination = np.where(np.abs(discrimination) < ROUNDING, 0.0, discrimination)
    return ItemStatistics(
        difficulty=ratio(filled.sum(axis=0), n),
        discrimination=discrimination,
        n=n,
        solved_by_all=(n > 0) & ((matrix == 1.0) | ~scored).all(axis=0),
        solved_by_none=(n > 0) & ((matrix == 0.0) | ~scored).all(axis=0),
    )


def distractor_table(picks: ArrayLike, key: ArrayLike, n_choices: int) -> DistractorTable:
    """Count the picks of every choice [1].

    Args:
        picks: Models × items, positions from 0; NaN = no pick.
        key: Position of the key, one per item.
        n_choices: Largest number of choices of an item.

    Raises:
        ValueError: A pick or key is not a position below ``n_choices``, or there is not one key per item.
    """
    matrix, keys = _picks_and_key(picks, key, n_choices)
    counts = np.stack([(matrix == choice).sum(axis=0) for choice in range(n_choices)], axis=1).astype(np.int64)
    n = counts.sum(axis=1)
    return DistractorTable(counts=counts, n=n, no_pick=len(matrix) - n, key=keys)


def wrong_key_suspects(picks: ArrayLike, key: ArrayLike, n_choices: int) -> WrongKeySuspects:
    """Find the items where more of the top third of the models pick one distractor than pick the key.

    Args:
        picks: Models × items, positions from 0; NaN = no pick.
        key: Position of the key, one per item.
        n_choices: Largest number of choices of an item.

    Raises:
        ValueError: A pick or key is not a position below ``n_choices``, or there is not one key per item.
        UndefinedStatisticError: No model has a pick.
    """
    matrix, keys = _picks_and_key(picks, key, n_choices)
    ability = mean_scores(np.where(np.isnan(matrix), np.nan, matrix == keys))
    known = np.sort(ability[~np.isnan(ability)])[::-1]
    if not len(known):
        raise UndefinedStatisticError("no model has a pick, so there is no top third")
    last = known[-(-len(known) // TOP_SHARE) - 1]
    top = np.flatnonzero(ability >= last)
    counts = distractor_table(matrix[top], keys, n_choices).counts
    items = np.arange(len(keys))
    key_picks = counts[items, keys]
    others = counts.copy()
    others[items, keys] = -1
    choices = others.argmax(axis=1)
    choice_picks = others[items, choices]
    suspects = np.flatnonzero(choice_picks > key_picks)
    return WrongKeySuspects(suspects, choices[suspects], choice_picks[suspects], key_picks[suspects], top)


def responders(
    picks: ArrayLike, key: ArrayLike, n_choices: int, expected: ArrayLike | None = None, threshold: float = 0.9
) -> Responders:
    """Return each model's picks by position, and a χ² test of position bias [2].

    Args:
        picks: Models × items, positions from 0; NaN = no pick.
        key: Position of the key, one per item.
        n_choices: Largest number of choices of an item.
        expected: Share of each position for a model without bias, which sum to 1; None for the shares of the keys
            of the items that the model answers.
        threshold: Share of the favourite position from which a model is near-constant, in (0, 1].

    Raises:
        ValueError: A pick or key is not a position below ``n_choices``, there is not one key per item, the expected
            shares are not ``n_choices`` shares that sum to 1, or the threshold lies outside (0, 1].
    """
    matrix, keys = _picks_and_key(picks, key, n_choices)
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"a threshold lies in (0, 1]; found {threshold}")
    counts = _by_choice(matrix, n_choices)
    n = counts.sum(axis=1)
    expectation = _by_choice(np.where(np.isnan(matrix), np.nan, keys), n_choices).astype(np.float64)
    if expected is not None:
        shares = np.asarray(expected, dtype=np.float64)
        if shares.shape != (n_choices,) or not (shares >= 0.0).all() or abs(shares.sum() - 1.0) > ROUNDING * n_choices:
            raise ValueError(f"needs {n_choices} expected shares that sum to 1; found {shares.tolist()}")
        expectation = n[:, None] * shares
    terms = ratio((counts - expectation) ** 2, expectation)
    terms[expectation == 0.0] = np.where(counts[expectation == 0.0] > 0, np.inf, 0.0)
    answered = n > 0
    chi_square = np.where(answered, terms.sum(axis=1), np.nan)
    freedom = (expectation > 0.0).sum(axis=1) - 1
    p_value = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), chi_square), np.where(chi_square > 0.0, 0.0, 1.0))
    share = ratio(counts.max(axis=1), n)
    return Responders(
        counts=counts,
        n=n,
        favourite=np.where(answered, counts.argmax(axis=1), -1).astype(np.int64),
        favourite_share=share,
        chi_square=chi_square,
        p_value=np.where(answered, p_value, np.nan),
        near_constant=np.nan_to_num(share) >= threshold,
        threshold=threshold,
    )


def _by_choice(matrix: FloatArray, n_choices: int) -> IntArray:
    """Return models × choices: how often each position stands in each row."""
    return np.stack([(matrix == choice).sum(axis=1) for choice in range(n_choices)], axis=1).astype(np.int64)


def _picks_and_key(picks: ArrayLike, key: ArrayLike, n_choices: int) -> tuple[FloatArray, IntArray]:
    matrix, keys = score_matrix(picks), np.asarray(key)
    if keys.shape != (matrix.shape[1],) or keys.dtype.kind not in "iu":
        raise ValueError(f"needs one integer key for each of {matrix.shape[1]} items; found {keys.dtype} {keys.shape}")
    for name, positions in (("pick", matrix[~np.isnan(matrix)]), ("key", keys)):
        odd = positions[(positions < 0) | (positions >= n_choices) | (positions != np.floor(positions))]
        if len(odd):
            raise ValueError(f"a {name} is a whole number from 0 to {n_choices - 1}; found {odd[0]}")
    return matrix, keys.astype(np.int64)
