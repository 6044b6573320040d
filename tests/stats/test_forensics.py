"""Item forensics on cases made by hand, and against numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.forensics import distractor_table, item_statistics, responders, wrong_key_suspects

NAN = np.nan


def test_difficulty_counts_scored_models_only() -> None:
    """An item that a model did not answer is neither easier nor harder for it."""
    items = item_statistics([[1, 0, NAN, 1], [1, 0, NAN, 0], [1, NAN, NAN, 1]])
    np.testing.assert_allclose(items.difficulty, [1, 0, NAN, 2 / 3])
    assert items.n.tolist() == [3, 2, 0, 3]
    assert items.solved_by_all.tolist() == [True, False, False, False]
    assert items.solved_by_none.tolist() == [False, True, False, False]


@settings(max_examples=40)
@given(st.integers(0, 2**16))
def test_discrimination_is_the_correlation_with_the_other_items(seed: int) -> None:
    """By brute force: scipy.stats.pointbiserialr of the item against each model's mean over the other items."""
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 1.0, NAN], p=[0.4, 0.5, 0.1], size=(8, 6))
    discrimination = item_statistics(scores).discrimination
    for item in range(6):
        there = ~np.isnan(scores[:, item]) & ~np.isnan(np.delete(scores, item, axis=1)).all(axis=1)
        own = scores[there, item]
        rest = np.nanmean(np.delete(scores, item, axis=1)[there], axis=1) if there.any() else own
        if len(own) < 3 or np.ptp(own) == 0 or np.ptp(rest) < 1e-9:
            assert np.isnan(discrimination[item])
        else:
            assert discrimination[item] == pytest.approx(stats.pointbiserialr(own == 1.0, rest).statistic)


def test_the_distractor_table_counts_every_choice() -> None:
    """Picks, missing picks, shares, and distractors that attract nobody."""
    table = distractor_table([[0, 1, NAN], [0, 2, NAN], [1, NAN, NAN]], [0, 1, 2], 3)
    assert table.counts.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 0]]
    assert (table.n.tolist(), table.no_pick.tolist()) == ([3, 2, 0], [0, 1, 3])
    np.testing.assert_allclose(table.shares, [[2 / 3, 1 / 3, 0], [0, 0.5, 0.5], [NAN] * 3])
    assert table.unused.tolist() == [[False, False, True], [True, False, False], [False] * 3]


def test_a_wrong_key_is_suspected_where_the_top_third_prefers_a_distractor() -> None:
    """Six models: the two best agree on a distractor of item 3, and weak models on one of item 2."""
    key = [0, 1, 2, 3]
    picks = [
        [0, 1, 2, 1],  # 3 of 4: top third
        [0, 1, 2, 1],  # 3 of 4: top third
        [0, 1, 0, 2],
        [0, 2, 0, 2],
        [1, 1, 0, 0],
        [NAN, NAN, NAN, NAN],
        [1, 2, 0, 0],
    ]
    suspects = wrong_key_suspects(np.array(picks), key, 4)
    assert suspects.top_models.tolist() == [0, 1]
    assert (suspects.items.tolist(), suspects.choices.tolist()) == ([3], [1])
    assert (suspects.choice_picks.tolist(), suspects.key_picks.tolist()) == ([2], [0])


def test_whoever_ties_with_the_last_of_the_top_third_belongs_to_it() -> None:
    """So that the order of the models decides nothing."""
    suspects = wrong_key_suspects([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 1], 2)
    assert suspects.top_models.tolist() == [0, 1, 2]
    assert suspects.items.tolist() == []


def test_a_near_constant_responder_is_seen() -> None:
    """One that always picks the first position, one that follows the keys, one that is silent."""
    key = [0, 1, 2, 3] * 5
    result = responders(np.array([[0] * 20, key, [NAN] * 20]), key, 4)
    assert result.near_constant.tolist() == [True, False, False]
    assert result.favourite.tolist() == [0, 0, -1]
    np.testing.assert_allclose(result.favourite_share, [1, 0.25, NAN])
    # χ² of 20 0 0 0 against 5 5 5 5: 15²/5 + 3 · 5 = 60.
    np.testing.assert_allclose(result.chi_square, [60, 0, NAN])
    np.testing.assert_allclose(result.p_value, [stats.chi2.sf(60, 3), 1, NAN])


@given(st.integers(0, 2**16))
def test_position_bias_is_scipys_chi_square(seed: int) -> None:
    """scipy.stats.chisquare against the key distribution of the answered items, or against given shares."""
    rng = np.random.default_rng(seed)
    key = np.tile(np.arange(4), 15)
    picks = rng.integers(0, 4, size=(1, 60)).astype(float)
    picks[0, rng.choice(60, 6, replace=False)] = NAN
    there = ~np.isnan(picks[0])
    observed = np.bincount(picks[0, there].astype(int), minlength=4)
    for shares in (None, np.array([0.4, 0.3, 0.2, 0.1])):
        expected = np.bincount(key[there], minlength=4) if shares is None else shares * 54
        result = responders(picks, key, 4, expected=shares)
        oracle = stats.chisquare(observed, expected)
        assert (result.chi_square[0], result.p_value[0]) == pytest.approx(tuple(oracle))


def test_a_position_that_is_never_the_key_speaks_for_itself() -> None:
    """Picking it has an infinite χ²; with a single position there is nothing to test."""
    result = responders([[2.0, 1.0], [0.0, 1.0]], [0, 1], 3)
    assert result.chi_square.tolist() == [np.inf, 0.0]
    assert result.p_value.tolist() == [0.0, 1.0]
    assert responders([[0.0]], [0], 3).p_value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("picks", "key", "message"),
    [
        ([[4.0]], [0], r"pick is a whole number from 0 to 3; found 4\.0"),
        ([[0.5]], [0], r"found 0\.5"),
        ([[0.0]], [-1], "key is a whole number"),
        ([[0.0]], [0.0], "integer key"),
        ([[0.0]], [0, 1], "integer key"),
    ],
)
def test_positions_outside_the_choices_are_refused(picks: list[list[float]], key: list[int], message: str) -> None:
    """A pick or key that no choice stands at is an error of the data."""
    with pytest.raises(ValueError, match=message):
        distractor_table(picks, key, 4)


def test_impossible_options_are_refused() -> None:
    """Thresholds and expected shares have ranges; without picks there is no top third."""
    with pytest.raises(ValueError, match="threshold"):
        responders([[0.0]], [0], 2, threshold=0.0)
    with pytest.raises(ValueError, match="sum to 1"):
        responders([[0.0]], [0], 2, expected=[0.5, 0.4])
    with pytest.raises(UndefinedStatisticError, match="top third"):
        wrong_key_suspects([[NAN]], [0], 2)


def test_a_discrimination_of_nothing_is_zero_and_not_a_sign() -> None:
    """Where item and rest are uncorrelated, rounding does not make the item one that weaker models solve."""
    # Item c is solved by the models with rests 3, 1 and missed by those with 1, 3: the covariance is exactly 0.
    scores = np.array([[1, 1, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0], [1, 1, 1, 0]], dtype=float)
    rest = scores.sum(axis=1) - scores[:, 3]
    assert np.cov(rest, scores[:, 3])[0, 1] == 0.0
    assert item_statistics(scores).discrimination[3] == 0.0
