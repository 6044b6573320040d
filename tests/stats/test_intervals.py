"""Intervals of a mean and of a share agree with closed forms, statsmodels and the papers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from exambench.errors import UndefinedStatisticError
from exambench.stats.intervals import (
    binomial_quantile_interval,
    clustered_standard_error,
    mean_interval,
    standard_error,
    student_quantile,
    wilson_interval,
)

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scores01 = st.lists(st.sampled_from([0.0, 1.0, math.nan]), min_size=1, max_size=40).filter(
    lambda scores: not all(math.isnan(score) for score in scores)
)


@pytest.mark.parametrize(
    ("successes", "n", "estimate", "low", "high"),
    # K-MetBench (2026), appendix H.1: multimodal .756 [.659, .841] on 82 items, geo-cultural .789 [.690, .873] on 71.
    [(62, 82, 0.756, 0.659, 0.841), (56, 71, 0.789, 0.690, 0.873)],
)
def test_binomial_quantiles_give_the_intervals_of_the_paper(
    successes: int, n: int, estimate: float, low: float, high: float
) -> None:
    """The published bootstrap intervals follow from the counts without drawing."""
    interval = binomial_quantile_interval(successes, n)
    assert (round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)) == (estimate, low, high)
    assert (interval.n, interval.level, interval.method) == (n, 0.95, "binomial quantiles")


@given(counts)
def test_binomial_quantiles_are_scipys(count: tuple[int, int]) -> None:
    """Bounds are scipy's quantiles of the binomial distribution, divided by n."""
    successes, n = count
    interval = binomial_quantile_interval(successes, n)
    expected = stats.binom.ppf([0.025, 0.975], n, successes / n) / n
    np.testing.assert_allclose([interval.low, interval.high], np.maximum(expected, 0.0))


@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_statsmodels(count: tuple[int, int], level: float) -> None:
    """Bounds are those of statsmodels, and lie in [0, 1] around the share."""
    successes, n = count
    interval = wilson_interval(successes, n, level)
    expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    np.testing.assert_allclose([interval.low, interval.high], expected, atol=1e-12)
    assert 0.0 <= interval.low <= interval.estimate + 1e-12
    assert interval.estimate - 1e-12 <= interval.high <= 1.0


@given(scores01)
def test_the_standard_error_of_an_accuracy_is_the_closed_form(scores: list[float]) -> None:
    """For scores 0 and 1 the standard error is √(p(1 − p)/n) over the scored items."""
    values = [score for score in scores if not math.isnan(score)]
    p = sum(values) / len(values)
    assert standard_error(scores) == pytest.approx(math.sqrt(p * (1 - p) / len(values)))


@given(scores01, st.randoms())
def test_missing_scores_and_order_change_nothing(scores: list[float], random: object) -> None:
    """Columns without a score, and a new order of the items, leave mean and interval as they are."""
    shuffled = [*scores, math.nan, math.nan]
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands over a random.Random
    first, second = mean_interval(scores), mean_interval(shuffled)
    assert (first.estimate, first.n) == (second.estimate, second.n)
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_the_clustered_error_counts_what_a_paragraph_shares() -> None:
    """Two paragraphs of two questions: by hand, the clustered error is twice as informative as it should be.

    s = 1 1 0 0, mean 1/2. Cluster sums of deviations: 1 and −1. √(1² + 1²)/4 = .3536, against √(.25/4) = .25.
    """
    assert clustered_standard_error([1, 1, 0, 0], ["a", "a", "b", "b"]) == pytest.approx(math.sqrt(2) / 4)
    assert standard_error([1, 1, 0, 0]) == 0.25


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_items_in_clusters_of_their_own_have_the_plain_error(scores: list[float]) -> None:
    """With one item per cluster nothing is shared."""
    assert clustered_standard_error(scores, list(range(len(scores)))) == pytest.approx(standard_error(scores))


def test_a_mean_interval_states_what_it_is() -> None:
    """The normal interval is mean ± 1.96 standard errors, and says whether they are clustered."""
    plain = mean_interval([1, 1, 0, 0, math.nan])
    assert (plain.low, plain.high) == pytest.approx((0.5 - 1.959964 * 0.25, 0.5 + 1.959964 * 0.25))
    assert (plain.n, plain.method, plain.standard_error) == (4, "normal", 0.25)
    clustered = mean_interval([1, 1, 0, 0, math.nan], clusters=["a", "a", "b", "b", "b"])
    assert clustered.method == "normal, clustered standard error"
    assert clustered.standard_error == pytest.approx(math.sqrt(2) / 4)


def test_what_does_not_exist_is_refused() -> None:
    """No score, one cluster, an empty set, an impossible count and an impossible level each raise."""
    with pytest.raises(UndefinedStatisticError, match="found 0 in 2 items"):
        mean_interval([math.nan, math.nan])
    with pytest.raises(UndefinedStatisticError, match="2 clusters"):
        clustered_standard_error([1, 0], ["a", "a"])
    with pytest.raises(UndefinedStatisticError, match="empty set"):
        binomial_quantile_interval(0, 0)
    with pytest.raises(ValueError, match="found 3 of 2"):
        wilson_interval(3, 2)
    with pytest.raises(ValueError, match="level"):
        mean_interval([1, 0], level=1.0)


def test_students_quantiles_are_those_of_the_tables() -> None:
    """t(0.975) is 12.706, 2.228 and 1.960 with 1, 10 and (nearly) infinitely many degrees of freedom."""
    quantiles = [student_quantile(0.95, freedom) for freedom in (1, 10, 10**6)]
    assert quantiles == pytest.approx([12.706, 2.228, 1.960], abs=5e-4)
    with pytest.raises(ValueError, match="at least 1 degree of freedom; found 0"):
        student_quantile(0.95, 0)
