"""Divergence, facet tests and summaries agree with scipy."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.distributions import facet_test, kl_of_random_subsets, kl_per_dimension, summary


def test_divergence_is_scipys_entropy_of_smoothed_histograms() -> None:
    """scipy.stats.entropy(p + 1, q + 1) on the same edges, in nats."""
    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(50, 3)), rng.normal(0.5, 1.2, size=(80, 3))
    result = kl_per_dimension(p, q, bins=8)
    for dimension in range(3):
        both = np.append(p[:, dimension], q[:, dimension])
        edges = np.linspace(both.min(), both.max(), 9)
        np.testing.assert_allclose(result.edges[dimension], edges)
        a, b = (np.histogram(sample[:, dimension], edges)[0] + 1 for sample in (p, q))
        assert result.divergence[dimension] == pytest.approx(stats.entropy(a, b))
    assert (result.n_p, result.n_q, result.bins, result.smoothing) == (50, 80, 8, 1.0)


@given(st.integers(0, 2**16))
def test_divergence_is_not_negative_and_zero_for_the_same_sample(seed: int) -> None:
    """KL ≥ 0; a sample does not diverge from itself, in any order of its rows."""
    rng = np.random.default_rng(seed)
    p, q = rng.random((20, 2)), rng.random((30, 2))
    assert (kl_per_dimension(p, q).divergence >= 0.0).all()
    np.testing.assert_allclose(kl_per_dimension(p, rng.permutation(p)).divergence, 0.0, atol=1e-15)


def test_a_constant_dimension_does_not_diverge() -> None:
    """All rows equal in both samples: nothing differs, however many rows there are."""
    assert kl_per_dimension(np.ones((5, 1)), np.ones((9, 1))).divergence.tolist() == [0.0]


def test_random_subsets_diverge_as_kl_per_dimension_says() -> None:
    """The same draws one by one; rounded values put many rows on edges, and the last dimension is constant."""
    pool = np.random.default_rng(5).normal(size=(40, 3)).round(1) * [1.0, 5.0, 0.0]
    rng = np.random.default_rng(9)
    subsets = [rng.choice(40, 15, replace=False) for _ in range(20)]
    found = kl_of_random_subsets(pool, 15, bins=10, draws=20, seed=9)
    full = kl_per_dimension(pool, pool, bins=10).edges
    expected = []
    for rows in subsets:
        counts = [[np.histogram(part[:, at], full[at])[0] + 1.0 for part in (pool, pool[rows])] for at in range(2)]
        expected.append(
            [*(float(stats.entropy(np.asarray(a, np.float64), np.asarray(b, np.float64))) for a, b in counts), 0.0]
        )
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_subset_as_large_as_its_pool_does_not_diverge_and_none_is_larger() -> None:
    """There is but one such subset."""
    pool = np.random.default_rng(5).normal(size=(9, 2))
    np.testing.assert_allclose(kl_of_random_subsets(pool, 9, draws=3), 0.0, atol=1e-15)
    with pytest.raises(ValueError, match="10 of 9"):
        kl_of_random_subsets(pool, 10)


@pytest.mark.parametrize("counts", [[[12, 5, 9], [30, 3, 11]], [[7, 2], [1, 9]], [[5, 5, 1], [2, 8, 4], [6, 6, 6]]])
def test_a_facet_test_is_scipys_contingency_test(counts: list[list[int]]) -> None:
    """As scipy.stats.chi2_contingency without correction, and Cramér's V by scipy.stats.contingency."""
    result = facet_test(counts)
    oracle = stats.chi2_contingency(counts, correction=False)
    assert (result.chi_square, result.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))
    assert (result.df, result.n) == (oracle.dof, np.sum(counts))
    assert result.smallest_expected == pytest.approx(oracle.expected_freq.min())
    assert result.cramers_v == pytest.approx(stats.contingency.association(np.array(counts), method="cramer"))


def test_values_that_no_group_has_are_left_out() -> None:
    """An empty column changes nothing."""
    assert facet_test([[7, 0, 2], [1, 0, 9]]) == facet_test([[7, 2], [1, 9]])


def test_a_summary_is_that_of_the_standard_library() -> None:
    """Mean, SD (n − 1), CV, extremes and median of the values that are there."""
    values = [3.0, 1.0, 4.0, 1.5, math.nan]
    result = summary(values)
    assert (result.n, result.mean, result.sd) == pytest.approx((4, 2.375, statistics.stdev(values[:4])))
    assert result.cv == pytest.approx(statistics.stdev(values[:4]) / 2.375)
    assert (result.minimum, result.median, result.maximum) == (1.0, 2.25, 4.0)


def test_a_single_number_has_no_spread() -> None:
    """NaN, not 0; nor has a mean of 0 a coefficient of variation."""
    assert math.isnan(summary([2.0]).sd)
    assert math.isnan(summary([-1.0, 1.0]).cv)


def test_what_cannot_be_compared_is_refused() -> None:
    """Other dimensions, missing values, empty samples, one bin, one group, counts that are none."""
    with pytest.raises(ValueError, match="same dimensions"):
        kl_per_dimension([[1.0]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="finite"):
        kl_per_dimension([[math.nan]], [[1.0]])
    with pytest.raises(ValueError, match="2 bins"):
        kl_per_dimension([[1.0]], [[1.0]], bins=1)
    with pytest.raises(UndefinedStatisticError, match="no rows"):
        kl_per_dimension(np.empty((0, 1)), [[1.0]])
    with pytest.raises(UndefinedStatisticError, match="two groups"):
        facet_test([[1, 2], [0, 0]])
    with pytest.raises(ValueError, match="whole numbers"):
        facet_test([[0.5, 1.0], [1.0, 1.0]])
    with pytest.raises(UndefinedStatisticError, match="found 0"):
        summary([math.nan])
