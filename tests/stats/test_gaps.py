"""Gaps are differences of subset means from one joint resample, raw or controlled for a facet."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats import resampling
from exambench.stats.draws import design_items, resample_counts
from exambench.stats.gaps import ControlledGaps, GapTable, bootstrap_gaps, controlled_gaps, mean_gap
from exambench.stats.matrix import BoolArray, FloatArray, axes_of
from exambench.stats.resampling import Bootstrap, bootstrap_means, resampled_means

NAN = np.nan
DRAW = Bootstrap(resamples=300, seed=42)
GROUPS = np.array(["law", "art", "law", "math"] * 15)


def example(seed: int = 0, models: int = 3, items: int = 60) -> tuple[FloatArray, BoolArray]:
    """Return scores with holes, and a subset of the items."""
    rng = np.random.default_rng(seed)
    scores = (rng.random((models, items)) < 0.6).astype(float)
    scores[rng.random(scores.shape) < 0.1] = NAN
    return scores, rng.random(items) < 0.4


def numbers(table: GapTable) -> FloatArray:
    """Return all numbers of a table in one array."""
    return np.stack(
        [table.estimate, table.low, table.high, table.standard_error, table.p_value, table.n_first, table.n_second]
    )


def by_hand(scores: FloatArray, subset: BoolArray, groups: np.ndarray) -> tuple[float, float]:
    """Return raw and controlled gap of one model, item by item as table 17 of KMMMU defines them."""
    there = ~np.isnan(scores)
    scores, subset, groups = scores[there], subset[there], groups[there]
    gaps, sizes = [], []
    for group in np.unique(groups):
        inside = groups == group
        if (inside & subset).any() and (inside & ~subset).any():
            gaps.append(scores[inside & subset].mean() - scores[inside & ~subset].mean())
            sizes.append(inside.sum())
    raw = scores[subset].mean() - scores[~subset].mean()
    return float(raw), float(np.average(gaps, weights=sizes)) if sizes else NAN


def test_the_published_modality_gap() -> None:
    """K-MetBench (2026), table 14, from the public counts: 40 of 82 less 864 of 1 692 is −2.28 points."""
    scores = np.concatenate([np.arange(82) < 40, np.arange(1692) < 864]).astype(float)[None, :]
    image = np.arange(1774) < 82
    axes = axes_of(scores, {"multimodal": image, "text": ~image})
    gaps = bootstrap_gaps(axes, {"modality": ("multimodal", "text")}, Bootstrap(1000, seed=42), strata=image)
    assert 100 * gaps.estimate[0, 0] == pytest.approx(-2.28, abs=0.005)
    assert (gaps.n_first[0, 0], gaps.n_second[0, 0]) == (82, 1692)
    # Both sides are strata, so the error is that of two independent shares: √(p(1−p)/82 + q(1−q)/1692).
    p, q = 40 / 82, 864 / 1692
    assert gaps.standard_error[0, 0] == pytest.approx(math.sqrt(p * (1 - p) / 82 + q * (1 - q) / 1692), rel=0.06)
    assert gaps.low[0, 0] < 0 < gaps.high[0, 0]


def test_a_gap_is_the_difference_of_the_same_resamples() -> None:
    """Overlapping sides keep their covariance: replicates of the gap are differences of the replicates."""
    scores, subset = example()
    axes = axes_of(scores, {"subset": subset, "all": np.ones(60, dtype=bool)})
    drawn = resampled_means(design_items(list(axes.values())), DRAW)
    gaps = bootstrap_gaps(axes, {"gap": ("subset", "all"), "back": ("all", "subset")}, DRAW)
    expected = np.quantile(drawn[:, 0] - drawn[:, 1], [0.025, 0.975], axis=-1)
    np.testing.assert_allclose([gaps.low[:, 0], gaps.high[:, 0]], expected)
    np.testing.assert_allclose(gaps.estimate[:, 0], -gaps.estimate[:, 1])
    means = bootstrap_means(axes, DRAW).estimate
    np.testing.assert_allclose(gaps.estimate[:, 0], means[:, 0] - means[:, 1])


def test_the_p_value_is_normal_in_bootstrap_errors() -> None:
    """Two-sided normal p of estimate/error; on separate sides near the z test of two shares."""
    scores = np.concatenate([np.arange(200) < 130, np.arange(300) < 150]).astype(float)[None, :]
    first = np.arange(500) < 200
    gaps = bootstrap_gaps(
        axes_of(scores, {"a": first, "b": ~first}), {"gap": ("a", "b")}, Bootstrap(4000, seed=1), strata=first
    )
    z = gaps.estimate[0, 0] / gaps.standard_error[0, 0]
    assert gaps.p_value[0, 0] == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert z == pytest.approx(0.15 / math.sqrt(0.65 * 0.35 / 200 + 0.25 / 300), rel=0.04)


def test_sides_may_hold_different_scores_of_the_same_items() -> None:
    """A reasoning gap: normalised score on some items less accuracy on all."""
    accuracy = np.array([[1.0, 0.0, 1.0, 1.0]])
    reasoning = np.array([[0.5, NAN, 0.75, NAN]])
    gaps = bootstrap_gaps({"reasoning": reasoning, "all": accuracy}, {"gap": ("reasoning", "all")}, DRAW)
    assert gaps.estimate[0, 0] == pytest.approx(0.625 - 0.75)
    assert (gaps.n_first[0, 0], gaps.n_second[0, 0]) == (2, 4)


def test_a_gap_without_a_side_does_not_exist() -> None:
    """NaN with an n of 0; a side of one item has an estimate and no interval; both are marked as few."""
    scores = np.array([[1.0, 0.0, 1.0, 0.0], [NAN, 0.0, 1.0, 1.0]])
    gaps = bootstrap_gaps(
        axes_of(scores, {"one": np.arange(4) < 1, "rest": np.arange(4) > 0}), {"gap": ("one", "rest")}, DRAW
    )
    assert gaps.estimate[0, 0] == pytest.approx(2 / 3)
    assert np.isnan([gaps.low[0, 0], gaps.p_value[0, 0], gaps.estimate[1, 0], gaps.high[1, 0]]).all()
    assert gaps.n_first[:, 0].tolist() == [1, 0]
    assert gaps.few.all()


@settings(max_examples=40)
@given(st.integers(0, 2**16))
def test_the_controlled_gap_is_that_of_the_definition(seed: int) -> None:
    """Σ_d w_d (subset_d − rest_d) with the shares of the full set, over groups that have both."""
    scores, subset = example(seed)
    result = controlled_gaps(scores, subset, GROUPS, Bootstrap(2, seed=0))
    for model in range(3):
        expected = by_hand(scores[model], subset, GROUPS)
        assert result.overall.estimate[model] == pytest.approx(expected, nan_ok=True)
    np.testing.assert_allclose(result.weights.sum(axis=1), 1.0)
    assert result.within.names == ("art", "law", "math")


def test_every_resample_forms_its_own_weights() -> None:
    """By brute force: the definition on the drawn items, items drawn from the whole set."""
    scores, subset = example(3, models=1)
    scores = np.nan_to_num(scores)
    # Cells stand in the order of the columns when nothing is left out, so draws address columns.
    draws = np.concatenate(list(resample_counts([60], 200, 9))).astype(int)
    every = np.array([by_hand(*(np.repeat(part, counts) for part in (scores[0], subset, GROUPS))) for counts in draws])
    overall = controlled_gaps(scores, subset, GROUPS, Bootstrap(200, seed=9)).overall
    np.testing.assert_allclose([overall.low[0], overall.high[0]], np.quantile(every, [0.025, 0.975], axis=0))


def test_a_group_without_a_side_has_no_weight() -> None:
    """Groups with subset items only, or none, leave the controlled gap; one item gives no interval."""
    scores = np.array([[1, 0, 1, 1, 0, 1, 1, 0]], dtype=float)
    subset = np.array([1, 1, 0, 0, 1, 0, 0, 1], dtype=bool)
    groups = ["a", "a", "a", "b", "c", "d", "d", "d"]
    result = controlled_gaps(scores, subset, groups, DRAW)
    # a: 1/2 − 1 = −1/2 (3 items); d: 0 − 1 = −1 (3 items); b has no subset item, c no other.
    assert result.weights.tolist() == [[0.5, 0.0, 0.0, 0.5]]
    assert result.overall.estimate[0].tolist() == [0.25 - 1.0, -0.75]
    assert (result.overall.n_first[0].tolist(), result.overall.n_second[0].tolist()) == ([4, 3], [4, 3])
    assert result.within.n_first[0].tolist() == [2, 0, 1, 1]
    np.testing.assert_array_equal(np.isnan(result.within.estimate[0]), [False, True, True, False])
    assert np.isnan(result.within.low[0, 3])


@settings(max_examples=15)
@given(st.permutations(range(60)), st.integers(0, 3))
def test_order_and_items_without_scores_change_nothing(order: list[int], seed: int) -> None:
    """With ids, permuting the items and adding columns of NaN moves no bit of raw or controlled gap."""
    scores, subset = example(seed)

    def result(columns: list[int], extra: int) -> ControlledGaps:
        padded = np.concatenate([scores[:, columns], np.full((3, extra), NAN)], axis=1)
        return controlled_gaps(
            padded,
            np.append(subset[columns], np.ones(extra, dtype=bool)),
            np.append(GROUPS[columns], ["law"] * extra),
            DRAW,
            item_ids=np.append(np.array(columns), -1 - np.arange(extra)),
        )

    first, second = result(list(range(60)), 0), result(order, 4)
    np.testing.assert_array_equal(numbers(second.overall), numbers(first.overall))
    np.testing.assert_array_equal(numbers(second.within), numbers(first.within))


def test_models_taken_in_several_passes_have_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory limit does not show in the result."""
    scores, subset = example()
    whole = controlled_gaps(scores, subset, GROUPS, DRAW)
    monkeypatch.setattr(resampling, "REPLICATE_BYTES", 1)
    parts = controlled_gaps(scores, subset, GROUPS, DRAW)
    np.testing.assert_array_equal(numbers(parts.overall), numbers(whole.overall))


def test_gaps_that_cannot_be_computed_are_refused() -> None:
    """An unknown side, no model with both sides."""
    with pytest.raises(ValueError, match=r"found \['text'\]"):
        bootstrap_gaps({"all": [[1.0]]}, {"gap": ("all", "text")}, DRAW)
    with pytest.raises(UndefinedStatisticError, match="both"):
        controlled_gaps([[1.0, 0.0]], np.array([True, True]), ["a", "b"], DRAW)


def test_a_gap_without_variation_has_no_p_value() -> None:
    """Three right against three wrong draw the same gap each time; that is no evidence of any strength."""
    # Fisher's exact test of [[3, 0], [0, 3]] gives 0.1: far from the 0 that a standard error of 0 suggests.
    axes = {"first": [[1.0] * 3 + [np.nan] * 3], "second": [[np.nan] * 3 + [0.0] * 3]}
    found = bootstrap_gaps(axes, {"gap": ("first", "second")}, Bootstrap(100, 42), strata=[0] * 3 + [1] * 3)
    assert found.estimate[0, 0] == 1.0
    assert np.isnan(found.p_value[0, 0])


def test_the_mean_gap_is_free_of_what_a_row_adds() -> None:
    """The second row scores 5 higher everywhere and lacks items; its gap is of its own scores alone."""
    nan = float("nan")
    first = [[1.0, 2.0, 3.0, nan], [6.0, 7.0, nan, nan]]
    second = [[1.0, 1.0, 1.0, 1.0], [nan, nan, 6.0, 6.0]]
    found = mean_gap(first, second, Bootstrap(400, seed=1))
    # Gaps: (1 + 2 + 3)/3 − 1 = 1; (6 + 7)/2 − 6 = 0.5.
    assert found.estimate == pytest.approx(0.75)
    assert found.n == 4
    lifted = mean_gap(
        [first[0], [score + 100 for score in first[1]]], [second[0], [nan, nan, 106.0, 106.0]], Bootstrap(400, seed=1)
    )
    assert (lifted.low, lifted.high, lifted.undefined_resamples) == pytest.approx(
        (found.low, found.high, found.undefined_resamples)
    )
    assert found.low < 0.75 < found.high


def test_the_interval_of_a_mean_gap_is_that_of_the_drawn_items() -> None:
    """Held against draws of this test's own, of items with both of their scores, on 30 items and 3 rows."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(1.0, 1.0, (3, 30)), rng.normal(0.0, 1.0, (3, 30))
    first[0, :10] = np.nan
    second[1, 5:20] = np.nan
    found = mean_gap(first, second, Bootstrap(4000, seed=7))
    drawn = rng.integers(0, 30, (4000, 30))
    sides = [np.nanmean(side[:, drawn], axis=2) for side in (first, second)]
    low, high = np.quantile((sides[0] - sides[1]).mean(axis=0), [0.025, 0.975])
    # The error of a 2.5 % quantile of 4,000 draws of this spread (0.16) is about 0.007.
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.03)


def test_a_mean_gap_with_one_item_on_a_side_has_no_interval() -> None:
    """Drawing the same item again and again says nothing of its chance."""
    nan = float("nan")
    found = mean_gap([[1.0, nan, nan]], [[nan, 2.0, 4.0]], Bootstrap(50, seed=1))
    assert found.estimate == -2.0
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_a_row_without_a_side_has_no_gap() -> None:
    """It would bring in what it adds to its scores."""
    nan = float("nan")
    with pytest.raises(ValueError, match="each row has a score on both sides"):
        mean_gap([[1.0, nan], [nan, nan]], [[nan, 2.0], [1.0, 2.0]], Bootstrap(50, seed=1))
