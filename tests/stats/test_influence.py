"""Leave-one-out gives the published figures, and what the public counts say beside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats.influence import leave_one_out
from exambench.stats.matrix import FloatArray

NAN = np.nan


def sides(solved: int, size: int, rest_solved: int, rest_size: int) -> tuple[FloatArray, FloatArray]:
    """Return a subset and a rest with so many solved items each, as two matrices of one model."""
    subset = np.full(size + rest_size, NAN)
    rest = subset.copy()
    subset[:size] = np.arange(size) < solved
    rest[size:] = np.arange(rest_size) < rest_solved
    return subset[None, :], rest[None, :]


@pytest.mark.parametrize(
    ("counts", "gap", "swing", "flips"),
    [
        # K-MetBench (2026), table 14 (percentage points). The counts are the public leaderboard's.
        ((40, 82, 864, 1692), -2.28, 0.63, 0),  # Qwen3-VL-4B-Instruct, modality
        ((26, 71, 492, 1621), 6.27, 0.91, 0),  # HyperCLOVAX-SEED-Text-Instruct-1.5B, geo-cultural
        # "No sign flip" does not hold for three models of the leaderboard: each of the 29 unsolved items of the
        # first, and each of the 10 and 3 solved ones of the others, turns the sign. 42/70 > 971/1621 > 42/71.
        ((42, 71, 971, 1621), -0.75, 0.85, 29),  # EXAONE-4.0-32B, geo-cultural
        ((10, 71, 213, 1621), 0.94, 1.23, 10),  # HyperCLOVAX-SEED-Text-Instruct-0.5B, geo-cultural
        ((3, 71, 57, 1621), 0.71, 1.37, 3),  # Llama-3.2-1B-Instruct, geo-cultural
    ],
)
def test_the_published_table(counts: tuple[int, int, int, int], gap: float, swing: float, flips: int) -> None:
    """Baseline, largest change, sign flips and n follow from four counts."""
    result = leave_one_out(*sides(*counts))
    assert 100 * result.baseline[0] == pytest.approx(gap, abs=0.006)
    assert 100 * result.max_change[0] == pytest.approx(swing, abs=0.006)
    assert (result.sign_flips[0], result.n[0]) == (flips, counts[1])
    assert result.sign_flip_share[0] == flips / counts[1]


@given(st.integers(0, 2**16), st.integers(2, 15))
def test_each_gap_is_computed_anew(seed: int, items: int) -> None:
    """By brute force: blank one item on both sides, and take the difference of means again."""
    rng = np.random.default_rng(seed)
    subset, rest = rng.random((2, 3, items)).round(1)
    subset[rng.random(subset.shape) < 0.5] = NAN
    rest[rng.random(rest.shape) < 0.3] = NAN
    subset[0], rest[0] = 0.5, 0.25
    result = leave_one_out(subset, rest)
    for model in range(3):
        for item in range(items):
            left, right = np.delete(subset[model], item), np.delete(rest[model], item)
            left, right = left[~np.isnan(left)], right[~np.isnan(right)]
            there = not np.isnan(subset[model, item]) and len(left) > 0 and len(right) > 0
            expected = left.mean() - right.mean() if there else NAN
            assert result.gaps[model, item] == pytest.approx(expected, nan_ok=True)


def test_a_gap_that_becomes_zero_has_not_reversed() -> None:
    """2 of 3 against 1/2: without a solved item the gap is 0, without the other it is 1/2."""
    result = leave_one_out(*sides(2, 3, 1, 2))
    np.testing.assert_allclose(result.gaps[0, :3], [0, 0, 0.5], atol=1e-15)
    assert result.sign_flips[0] == 0


def test_a_baseline_of_zero_has_no_sign_to_reverse() -> None:
    """1 of 2 against 1 of 2 moves to both sides, and reverses nothing."""
    assert leave_one_out(*sides(1, 2, 1, 2)).sign_flips[0] == 0


def test_a_model_without_scores_on_a_side_has_no_gap() -> None:
    """NaN and n = 0 for the model, the others are as they were."""
    subset, rest = (np.repeat(side, 2, axis=0) for side in sides(3, 5, 2, 4))
    subset[1] = NAN
    result = leave_one_out(subset, rest)
    assert result.n.tolist() == [5, 0]
    assert np.isnan([result.baseline[1], result.max_change[1], result.sign_flip_share[1]]).all()
    assert result.baseline[0] == pytest.approx(0.1)


def test_the_only_item_of_a_subset_cannot_be_left_out() -> None:
    """Nothing is left of the subset, so there is no change to report."""
    result = leave_one_out(*sides(1, 1, 1, 2))
    assert result.n[0] == 1
    assert np.isnan(result.max_change[0])


def test_sides_without_a_model_in_common_are_refused() -> None:
    """No model has both sides, or the sides are not of one item set."""
    with pytest.raises(UndefinedStatisticError, match="no model"):
        leave_one_out([[1.0, NAN]], [[NAN, NAN]])
    with pytest.raises(ValueError, match="shapes"):
        leave_one_out([[1.0]], [[1.0, 0.0]])
