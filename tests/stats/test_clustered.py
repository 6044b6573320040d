"""Correlations and slopes are those of pingouin, statsmodels and scipy; their intervals keep clusters together."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.clustered import METHOD, clustered_association, clustered_spearman
from exambench.stats.draws import resample_counts
from exambench.stats.matrix import FloatArray, IntArray
from exambench.stats.resampling import Bootstrap

DRAW = Bootstrap(60, 7)


def rows(seed: int, n: int = 40, clusters: int = 10) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Return x, y with ties, their clusters, and two columns to hold constant."""
    rng = np.random.default_rng(seed)
    held = np.column_stack([rng.integers(0, 2, n), rng.normal(size=n)]).astype(float)
    x = held @ [1.0, 0.5] + rng.normal(size=n)
    y = np.rint(0.4 * x + held @ [-1.0, 1.0] + rng.normal(size=n))
    return x, y, np.arange(n, dtype=np.int64) % clusters, held


@given(st.integers(0, 2**16))
def test_the_partial_correlation_is_pingouins(seed: int) -> None:
    """pingouin.partial_corr(x, y, covar) on the same rows."""
    x, y, clusters, held = rows(seed)
    frame = pd.DataFrame({"x": x, "y": y, "a": held[:, 0], "b": held[:, 1]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas, from within pingouin
        expected = pingouin.partial_corr(frame, x="x", y="y", covar=["a", "b"])["r"].iloc[0]
    found = clustered_association(x, y, clusters, Bootstrap(2, 1), held)
    assert found.correlation.estimate == pytest.approx(expected, abs=1e-9)
    assert (found.n_controls, found.n_clusters, found.correlation.n) == (2, 10, 40)


@given(st.integers(0, 2**16))
def test_the_slope_is_that_of_least_squares(seed: int) -> None:
    """OLS by statsmodels of y on x and the columns held constant."""
    x, y, clusters, held = rows(seed)
    expected = sm.OLS(y, sm.add_constant(np.column_stack([x, held]))).fit().params[1]
    assert clustered_association(x, y, clusters, Bootstrap(2, 1), held).slope.estimate == pytest.approx(expected)


@given(st.integers(0, 2**16))
def test_nothing_held_constant_leaves_pearson_and_spearman(seed: int) -> None:
    """scipy.stats.pearsonr and spearmanr, with ties in y."""
    x, y, clusters, _ = rows(seed)
    found = clustered_association(x, y, clusters, Bootstrap(2, 1))
    assert found.correlation.estimate == pytest.approx(stats.pearsonr(x, y).statistic)
    rho = clustered_spearman(np.rint(x), y, clusters, Bootstrap(2, 1))
    assert rho.estimate == pytest.approx(stats.spearmanr(np.rint(x), y).statistic)


def test_the_interval_is_that_of_resampled_clusters() -> None:
    """By brute force: the rows of each drawn cluster, as often as it was drawn, through scipy and statsmodels."""
    x, y, clusters, held = rows(3)
    counts = np.concatenate(list(resample_counts([10], DRAW.resamples, DRAW.seed))).astype(int)
    drawn = [np.concatenate([np.flatnonzero(clusters == c) for c in np.repeat(np.arange(10), row)]) for row in counts]
    rho = [stats.spearmanr(x[taken], y[taken]).statistic for taken in drawn]
    slopes = [
        sm.OLS(y[taken], sm.add_constant(np.column_stack([x[taken], held[taken]]), has_constant="add")).fit().params[1]
        for taken in drawn
    ]
    found_rho = clustered_spearman(x, y, clusters, DRAW)
    found = clustered_association(x, y, clusters, DRAW, held)
    assert [found_rho.low, found_rho.high] == pytest.approx(list(np.quantile(rho, [0.025, 0.975])))
    assert [found.slope.low, found.slope.high] == pytest.approx(list(np.quantile(slopes, [0.025, 0.975])))
    assert (found.slope.method, found.slope.seed, found.slope.resamples) == (METHOD, 7, 60)


@settings(max_examples=20)
@given(st.integers(0, 2**16))
def test_rows_that_repeat_within_their_cluster_are_no_news(seed: int) -> None:
    """Every row twice: the same estimates and the same intervals."""
    x, y, clusters, held = rows(seed)
    twice = np.repeat(np.arange(len(x)), 2)
    once = clustered_association(x, y, clusters, DRAW, held)
    again = clustered_association(x[twice], y[twice], clusters[twice], DRAW, held[twice])
    for one, other in ((once.correlation, again.correlation), (once.slope, again.slope)):
        assert [other.estimate, other.low, other.high] == pytest.approx([one.estimate, one.low, one.high], abs=1e-8)
    rho, rho_again = (clustered_spearman(x[t], y[t], clusters[t], DRAW) for t in (np.arange(len(x)), twice))
    assert [rho_again.low, rho_again.high] == pytest.approx([rho.low, rho.high])


def test_a_column_that_says_nothing_new_changes_nothing() -> None:
    """Held twice, or constant: the same as held once."""
    x, y, clusters, held = rows(5)
    once = clustered_association(x, y, clusters, DRAW, held)
    more = np.column_stack([held, held[:, 0], np.ones(len(x))])
    again = clustered_association(x, y, clusters, DRAW, more)
    assert again.correlation.estimate == pytest.approx(once.correlation.estimate)
    assert again.slope.low == pytest.approx(once.slope.low)


def test_the_order_of_the_rows_changes_nothing() -> None:
    """Clusters are drawn by their labels."""
    x, y, clusters, held = rows(6)
    order = np.random.default_rng(1).permutation(len(x))
    once = clustered_association(x, y, clusters, DRAW, held)
    again = clustered_association(x[order], y[order], clusters[order], DRAW, held[order])
    assert again.slope.low == pytest.approx(once.slope.low)


X, Y, CLUSTERS, HELD = rows(8)


@pytest.mark.parametrize(
    ("x", "y", "clusters", "held", "told"),
    [
        (X, np.full(40, 3.0), CLUSTERS, None, "x or y is constant"),
        (HELD[:, 1] * 2.0 + 1.0, Y, CLUSTERS, HELD, "explain x or y completely"),
        (X[:3], Y[:3], CLUSTERS[:3], None, "needs at least 4 rows in 2 clusters; found 3 in 3"),
        (X, Y, np.zeros(40, dtype=int), None, "found 40 in 1"),
        (X, Y, CLUSTERS, np.random.default_rng(0).normal(size=(40, 38)), "given 38 columns needs 42 rows; found 40"),
    ],
    ids=["constant", "explained", "few rows", "one cluster", "many held"],
)
def test_what_does_not_exist_is_said(
    x: FloatArray, y: FloatArray, clusters: IntArray, held: FloatArray | None, told: str
) -> None:
    """No number where there is none."""
    with pytest.raises(UndefinedStatisticError, match=told):
        clustered_association(x, y, clusters, DRAW, held)


def test_constant_ranks_have_no_correlation() -> None:
    """Spearman's likewise."""
    with pytest.raises(UndefinedStatisticError, match="x or y is constant"):
        clustered_spearman(X, np.ones(40), CLUSTERS, DRAW)


@pytest.mark.parametrize(
    ("x", "y", "held", "told"),
    [
        (X, Y[1:], None, "found 40 and 39"),
        (np.where(CLUSTERS == 0, np.nan, X), Y, None, "found NaN"),
        (X, Y, np.where(HELD > 0, np.inf, HELD), "finite numbers"),
    ],
    ids=["length", "NaN", "infinite"],
)
def test_broken_rows_are_refused(x: FloatArray, y: FloatArray, held: FloatArray | None, told: str) -> None:
    """Rows are complete and finite."""
    with pytest.raises(ValueError, match=told):
        clustered_association(x, y, CLUSTERS, DRAW, held)
