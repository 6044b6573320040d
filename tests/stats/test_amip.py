"""The fewest items that turn an order: brute force, choix, and the count."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats.amip import (
    NoMaximum,
    Perturbation,
    amip_field,
    amip_pair,
    exact_minima,
    exact_minimum,
)
from exambench.stats.bradley_terry import bradley_terry
from exambench.stats.matrix import FloatArray

NAN = np.nan
cells = st.sampled_from([0.0, 1.0, NAN])


def pair(only_a: int, only_b: int, both: int = 0, neither: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return scores of two models with so many items of each outcome."""
    return (
        np.repeat([1.0, 0.0, 1.0, 0.0], [only_a, only_b, both, neither]),
        np.repeat([0.0, 1.0, 1.0, 0.0], [only_a, only_b, both, neither]),
    )


def field(seed: int, models: int = 5, items: int = 60) -> FloatArray:
    """Return scores 0 and 1 of models that differ."""
    rng = np.random.default_rng(seed)
    return (rng.random((models, items)) < np.linspace(0.35, 0.65, models)[:, None]).astype(float)


def brute_force(a: FloatArray, b: FloatArray, sign: float) -> int | None:
    """Return the fewest removals after which sign · (wins of A − wins of B) < 0, trying every subset."""
    for size in range(len(a) + 1):
        for gone in itertools.combinations(range(len(a)), size):
            difference = np.sign(np.delete(a, gone) - np.delete(b, gone))
            if sign * np.nansum(difference) < 0:
                return size
    return None


@settings(max_examples=60)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
def test_the_exact_minimum_is_that_of_trying_every_subset(scores: list[tuple[float, float]]) -> None:
    """No smaller set of items turns the order, whatever the outcomes."""
    a, b = np.array(scores).T
    lead = np.nansum(np.sign(a - b))
    if np.isnan(a - b).all() or lead == 0:
        with pytest.raises(UndefinedStatisticError):
            exact_minimum(a, b)
        return
    minimum = exact_minimum(a, b)
    assert minimum.to_flip == brute_force(a, b, np.sign(lead))
    assert minimum.leader == (0 if lead > 0 else 1)
    assert minimum.to_tie == abs(lead)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 20))
def test_greedy_removal_of_a_pair_takes_the_exact_minimum(only_a: int, only_b: int, both: int) -> None:
    """With two models all items of the leader weigh the same, so greedy is exact, and the order does turn."""
    if only_a == only_b:
        return
    a, b = pair(only_a, only_b, both)
    result = amip_pair(a, b)
    assert isinstance(result, Perturbation)
    assert result.n_removed == abs(only_a - only_b) + 1 == result.minimum.to_flip
    left_a, left_b = np.delete(a, result.removed).sum(), np.delete(b, result.removed).sum()
    assert (left_a < left_b) == (only_a > only_b)
    assert result.share_removed == result.n_removed / (only_a + only_b + both)


def test_the_influence_of_an_item_by_hand() -> None:
    """θ = ln(6/3); removing a win of the leader changes θ by about −1/6, a win of the other by +1/3, others by 0.

    H = 9·(2/3)·(1/3) = 2, gradients −(1 − 2/3) and 2/3. The exact change by one removal, ln(5/3) − ln(6/3) = −.182,
    is near −.167. First-order changes reach −ln 2 = −.693 at the fifth removal.
    """
    result = amip_pair(*pair(6, 3, both=2))
    assert isinstance(result, Perturbation)
    assert result.strength == pytest.approx(np.log(2))
    np.testing.assert_allclose(result.influence, [-1 / 6] * 6 + [1 / 3] * 3 + [0, 0])
    assert result.predicted == 5
    assert result.removed.tolist() == [0, 1, 2, 3]


def test_first_order_changes_may_never_turn_the_order() -> None:
    """All 30 wins removed add up to −1, but θ = ln 30 = 3.4: no prediction, while the exact minimum is 30."""
    result = amip_pair(*pair(30, 1))
    assert isinstance(result, Perturbation)
    assert (result.predicted, result.n_removed, result.minimum.to_tie) == (None, 30, 29)


def test_the_second_model_may_lead() -> None:
    """Leader, strength and removed items are those of the model that leads."""
    result = amip_pair(*pair(2, 4))
    assert isinstance(result, Perturbation)
    assert (result.minimum.leader, result.minimum.leader_wins, result.minimum.other_wins) == (1, 4, 2)
    assert result.strength > 0
    assert result.removed.tolist() == [2, 3, 4]


def test_a_model_that_wins_nothing_leaves_the_likelihood_without_a_maximum() -> None:
    """Then the exact minimum stands alone: five removals tie, and none turns the order."""
    result = amip_pair(*pair(5, 0, both=3))
    assert isinstance(result, NoMaximum)
    assert (result.minimum.to_tie, result.minimum.to_flip, result.minimum.n) == (5, None, 8)
    assert "without bound" in result.reason


@settings(max_examples=30)
@given(st.integers(0, 2**16))
def test_all_pairs_at_once_are_the_pairs_one_by_one(seed: int) -> None:
    """The table holds the exact minimum of each pair, infinite without a way and NaN without an order."""
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 1.0, NAN], size=(4, 7))
    table = exact_minima(scores)
    for a, b in itertools.permutations(range(4), 2):
        try:
            one = exact_minimum(scores[a], scores[b])
        except UndefinedStatisticError:
            assert table.to_tie[a, b] == 0
            assert np.isnan(table.to_flip[a, b])
            continue
        assert (table.to_tie[a, b], table.n[a, b]) == (one.to_tie, one.n)
        assert table.to_flip[a, b] == (np.inf if one.to_flip is None else one.to_flip)


def test_influence_in_the_field_is_the_change_of_a_new_fit_to_first_order() -> None:
    """Removing one of 400 items changes the fitted difference by about its influence."""
    scores = field(1, items=400)
    result = amip_field(scores, 3, 1)
    assert isinstance(result, Perturbation)
    for item in range(0, 400, 40):
        fit = bradley_terry(np.delete(scores, item, axis=1)).strengths
        assert fit[3] - fit[1] - result.strength == pytest.approx(result.influence[item], abs=4e-4)


@pytest.mark.parametrize("seed", range(4))
def test_removal_in_the_field_turns_the_order_and_one_item_less_does_not(seed: int) -> None:
    """After the removed items the other leads in a new fit, before the last of them it does not."""
    scores = field(seed)
    result = amip_field(scores, 3, 1)
    assert isinstance(result, Perturbation)
    leader, other = (1, 3) if result.minimum.leader else (3, 1)
    after = bradley_terry(np.delete(scores, result.removed, axis=1)).strengths
    before = bradley_terry(np.delete(scores, result.removed[:-1], axis=1)).strengths
    assert after[leader] < after[other]
    assert before[leader] > before[other] - 1e-9


def test_two_models_are_a_field_of_two() -> None:
    """The general fit agrees with the closed form."""
    a, b = pair(9, 5, both=3)
    alone, within = amip_pair(a, b), amip_field(np.array([a, b]), 0, 1)
    assert isinstance(alone, Perturbation)
    assert isinstance(within, Perturbation)
    assert within.strength == pytest.approx(alone.strength)
    np.testing.assert_allclose(within.influence, alone.influence, atol=1e-9)
    assert (within.n_removed, within.predicted) == (alone.n_removed, alone.predicted)


def test_a_field_with_a_model_that_never_wins_has_no_maximum() -> None:
    """AMIP hands back the exact minimum of the two, with the reason."""
    scores = np.vstack([field(0), np.zeros(60)])
    result = amip_field(scores, 3, 1)
    assert isinstance(result, NoMaximum)
    assert result.minimum == exact_minimum(scores[3], scores[1])
    assert "strongly connected" in result.reason


def test_a_field_may_see_the_order_of_two_models_the_other_way_round() -> None:
    """A wins 3 to 2 against B, but loses 1 to 9 where B wins 9 to 1: there is no lead in the fit to turn."""
    scores = np.full((3, 25), NAN)
    scores[:2, :5] = pair(3, 2)
    scores[[0, 2], 5:15] = pair(1, 9)
    scores[1:, 15:] = pair(9, 1)
    with pytest.raises(UndefinedStatisticError, match="does not lead in the fit"):
        amip_field(scores, 0, 1)


def test_a_field_may_fall_apart_before_the_order_turns() -> None:
    """A beats B once, and each splits two items with C: without C's single wins nothing leads from B to A."""
    scores = np.full((3, 5), NAN)
    scores[:2, 0] = [1.0, 0.0]
    scores[[0, 2], 1:3] = pair(1, 1)
    scores[1:, 3:] = pair(1, 1)
    with pytest.raises(UndefinedStatisticError, match="removals the likelihood has no maximum"):
        amip_field(scores, 0, 1)


def test_missing_scores_and_items_without_scores_change_nothing() -> None:
    """Columns of NaN have no influence and are never removed."""
    scores = field(2)
    padded = np.insert(scores, [0, 30], NAN, axis=1)
    whole, more = amip_field(scores, 3, 1), amip_field(padded, 3, 1)
    assert isinstance(whole, Perturbation)
    assert isinstance(more, Perturbation)
    assert more.influence[0] == more.influence[31] == 0.0
    np.testing.assert_allclose(np.delete(more.influence, [0, 31]), whole.influence, atol=1e-12)
    assert more.minimum.n == 60


def test_a_tie_has_no_order_to_turn() -> None:
    """Equal wins are refused, as are models without a common item."""
    with pytest.raises(UndefinedStatisticError, match="tie at 2 items each"):
        amip_pair(*pair(2, 2))
    with pytest.raises(UndefinedStatisticError, match="no item"):
        amip_pair([1.0, NAN], [NAN, 0.0])
    with pytest.raises(ValueError, match="found 1 and 2"):
        exact_minimum([1.0], [1.0, 0.0])
