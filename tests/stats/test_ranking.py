"""Ranks compare models on common items, and their intervals are those of ranking every resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exambench.stats.draws import resample_counts
from exambench.stats.matrix import FloatArray, axes_of, item_set_groups
from exambench.stats.ranking import RankTable, rank_intervals, ranks
from exambench.stats.resampling import Bootstrap

NAN = np.nan
DRAW = Bootstrap(resamples=300, seed=42)


def example(seed: int = 0, models: int = 5, items: int = 40) -> FloatArray:
    """Return scores 0 and 1 of models that differ little."""
    rng = np.random.default_rng(seed)
    return (rng.random((models, items)) < np.linspace(0.4, 0.6, models)[:, None]).astype(float)


def numbers(table: RankTable) -> FloatArray:
    """Return all numbers of a table in one array."""
    return np.stack([table.score, table.rank, table.low, table.high])


@given(st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=4))
def test_ranks_are_scipys_and_ties_share_the_mean(values: list[list[int]]) -> None:
    """scipy.stats.rankdata with method average, descending."""
    array = np.array(values, dtype=float)
    np.testing.assert_array_equal(ranks(array), stats.rankdata(-array, method="average", axis=1))


def test_a_model_without_a_value_has_no_rank() -> None:
    """NaN takes no part, wherever it stands."""
    np.testing.assert_array_equal(ranks([NAN, 2.0, 5.0, NAN, 2.0]), [NAN, 2.5, 1.0, NAN, 2.5])


def test_intervals_are_percentiles_of_the_rank_of_every_resample() -> None:
    """By brute force: rank the means of each resample with scipy, then numpy.quantile."""
    scores = example()
    counts = np.concatenate(list(resample_counts([40], 300, 42)))
    every = stats.rankdata(-(counts @ scores.T), method="average", axis=1)
    table = rank_intervals({"all": scores}, DRAW)
    np.testing.assert_allclose([table.low[:, 0], table.high[:, 0]], np.quantile(every, [0.025, 0.975], axis=0))
    np.testing.assert_array_equal(table.rank[:, 0], stats.rankdata(-scores.mean(axis=1)))
    assert (table.n.tolist(), table.undefined.tolist(), table.names) == ([40], [0], ("all",))


def test_models_are_ranked_on_common_items_only() -> None:
    """A text-only model is compared with vision models on the text items; the others say nothing about it."""
    scores = np.array([[1, 1, 0, NAN, NAN], [1, 0, 0, 1, 1], [NAN] * 5])
    table = rank_intervals(axes_of(scores, {"all": np.ones(5, dtype=bool), "images": np.arange(5) > 2}), DRAW)
    assert table.n.tolist() == [3, 2]
    np.testing.assert_allclose(table.score, [[2 / 3, NAN], [1 / 3, 1], [NAN, NAN]])
    np.testing.assert_array_equal(table.rank, [[1, NAN], [2, 1], [NAN, NAN]])
    np.testing.assert_array_equal(np.isnan(table.low), np.isnan(table.rank))


def test_resamples_without_a_common_item_are_left_out() -> None:
    """By brute force, for an axis of two items beside one of all: resamples that miss both are counted apart."""
    scores = example(items=20)
    counts = np.concatenate(list(resample_counts([20], 300, 42)))[:, :2]
    drawn = counts[counts.any(axis=1)]
    every = stats.rankdata(-(drawn @ scores[:, :2].T), method="average", axis=1)
    table = rank_intervals(axes_of(scores, {"all": np.arange(20) >= 0, "two": np.arange(20) < 2}), DRAW)
    assert 0 < len(drawn) < 300
    assert table.undefined.tolist() == [0, 300 - len(drawn)]
    np.testing.assert_allclose([table.low[:, 1], table.high[:, 1]], np.quantile(every, [0.025, 0.975], axis=0))


def test_without_a_common_item_nothing_is_ranked() -> None:
    """Two models on disjoint items have no ranking, n = 0."""
    alone = rank_intervals({"all": [[1.0, NAN], [NAN, 1.0]]}, DRAW)
    assert (alone.n.tolist(), alone.undefined.tolist()) == ([0], [300])
    assert np.isnan(numbers(alone)).all()
    beside = rank_intervals({"apart": [[1.0, NAN], [NAN, 1.0]], "both": [[1.0, 0.0], [0.0, 0.0]]}, DRAW)
    assert beside.n.tolist() == [0, 2]
    assert np.isnan(numbers(beside)[:, :, 0]).all()
    assert beside.rank[:, 1].tolist() == [1.0, 2.0]


@settings(max_examples=20)
@given(st.permutations(range(40)), st.permutations(range(5)))
def test_the_order_of_items_and_models_changes_nothing(items: list[int], models: list[int]) -> None:
    """With item ids every number stays the same, in the order of the models."""
    scores, ids = example(), np.arange(40)
    first = rank_intervals({"all": scores}, DRAW, item_ids=ids)
    second = rank_intervals({"all": scores[np.ix_(models, items)]}, DRAW, item_ids=ids[items])
    np.testing.assert_array_equal(numbers(second), numbers(first)[:, models])


def test_equal_models_share_a_rank_in_every_resample() -> None:
    """Scores in thirds that add up to the same are ties, whatever the rounding."""
    rng = np.random.default_rng(0)
    row = rng.integers(0, 4, 50) / 3
    table = rank_intervals({"all": np.array([row, row * 3 / 3, row])}, DRAW)
    assert set(np.concatenate([table.rank, table.low, table.high]).ravel()) == {2.0}


@pytest.mark.parametrize("column", [0, 1])
def test_a_better_bound_is_never_worse(column: int) -> None:
    """Bounds are ordered and lie between 1 and the number of models."""
    table = rank_intervals(axes_of(example(), {"all": np.ones(40, dtype=bool), "few": np.arange(40) < 4}), DRAW)
    assert (table.low[:, column] >= 1.0).all()
    assert (table.low[:, column] <= table.high[:, column]).all()
    assert (table.high[:, column] <= 5.0).all()


def test_models_on_the_same_items_are_one_group() -> None:
    """Groups are numbered by their first model."""
    assert item_set_groups([[1.0, NAN], [1.0, 0.0], [0.0, NAN], [0.0, 0.0]]).tolist() == [0, 1, 0, 1]
