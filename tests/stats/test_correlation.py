"""Correlations give the published figures and agree with scipy, statsmodels and pingouin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.correlation import (
    kendall_matrix,
    kendall_tau_b,
    partial_correlation,
    pearson,
    regression_line,
)
from exambench.stats.draws import resample_counts
from exambench.stats.resampling import Bootstrap
from tests.stats.leaderboard import ACCURACY_AND_REASONING

NAN = np.nan
ACCURACY = [solved / items for solved, items, _ in ACCURACY_AND_REASONING]
REASONING = [reasoning for _, _, reasoning in ACCURACY_AND_REASONING]


def test_the_public_table_has_the_published_tau() -> None:
    """K-MetBench (2026): τ-b of accuracy and reasoning is .778 over 55 models."""
    tau = kendall_tau_b(ACCURACY, REASONING)
    assert (round(tau.coefficient, 3), tau.n, tau.method) == (0.778, 55, "Kendall τ-b")
    assert np.isnan([tau.low, tau.high]).all()
    assert tau.level is None


def test_total_accuracy_and_reasoning_correlate_at_921() -> None:
    """The public table gives r = .921 on total accuracy (the paper's .959 is on the reasoning subset)."""
    r = pearson(ACCURACY, REASONING)
    theirs = stats.pearsonr(ACCURACY, REASONING)
    assert round(r.coefficient, 3) == 0.921
    np.testing.assert_allclose([r.low, r.high], tuple(theirs.confidence_interval(0.95)))
    assert r.p_value == pytest.approx(theirs.pvalue)
    assert (r.n, r.level) == (55, 0.95)


def test_incomplete_pairs_take_no_part() -> None:
    """Models that lack one of the values change nothing, and n says so."""
    holes = kendall_tau_b([NAN, *ACCURACY, 0.5], [1.0, *REASONING, NAN])
    assert (holes.coefficient, holes.n) == (kendall_tau_b(ACCURACY, REASONING).coefficient, 55)


def test_the_bootstrap_of_tau_is_tau_of_the_drawn_pairs() -> None:
    """By brute force: scipy's τ-b on every resample, ties included."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (2, 12)).astype(float)
    replicates = [
        stats.kendalltau(np.repeat(x, counts.astype(int)), np.repeat(y, counts.astype(int))).statistic
        for counts in np.concatenate(list(resample_counts([12], 300, 5)))
    ]
    tau = kendall_tau_b(x, y, Bootstrap(300, seed=5, level=0.9))
    np.testing.assert_allclose([tau.low, tau.high], np.nanquantile(replicates, [0.05, 0.95]), atol=1e-12)
    assert tau.undefined_resamples == np.isnan(replicates).sum()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_tau_is_symmetric_and_bounded(pairs: list[tuple[int, int]]) -> None:
    """τ-b(x, y) = τ-b(y, x), in [−1, 1]; a constant column has none."""
    x, y = np.array(pairs, dtype=float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        with pytest.raises(UndefinedStatisticError, match="constant"):
            kendall_tau_b(x, y)
        return
    forth, back = kendall_tau_b(x, y).coefficient, kendall_tau_b(y, x).coefficient
    assert forth == pytest.approx(back)
    assert -1 - 1e-12 <= forth <= 1 + 1e-12


def test_the_matrix_is_pairwise_complete() -> None:
    """Each cell is τ-b over the rows that both columns have, with its own n; empty cells are NaN."""
    rng = np.random.default_rng(1)
    columns = rng.random((20, 4))
    columns[:8, 1] = NAN
    columns[5:, 2] = NAN
    columns[:, 3] = 1.0
    matrix = kendall_matrix(columns)
    assert matrix.n[0].tolist() == [20, 12, 5, 20]
    assert matrix.n[1, 2] == 0
    assert matrix.coefficient[0, 1] == pytest.approx(stats.kendalltau(columns[8:, 0], columns[8:, 1]).statistic)
    assert matrix.p_value[0, 2] == pytest.approx(stats.kendalltau(columns[:5, 0], columns[:5, 2]).pvalue)
    np.testing.assert_array_equal(matrix.coefficient, matrix.coefficient.T)
    assert np.isnan(matrix.coefficient[1, 2])
    assert np.isnan(matrix.coefficient[3]).all()


def test_the_line_and_its_band_are_statsmodels() -> None:
    """As OLS of statsmodels has them: coefficients, R² and the confidence interval of the mean."""
    rng = np.random.default_rng(2)
    x = rng.random(25)
    y = 2 * x + rng.normal(size=25) / 3
    at = [0.0, 0.4, 1.2]
    line = regression_line([*x, NAN], [*y, 1.0], at, level=0.9)
    model = sm.OLS(y, sm.add_constant(x)).fit()
    band = model.get_prediction(sm.add_constant(np.array(at))).summary_frame(alpha=0.1)
    np.testing.assert_allclose([line.intercept, line.slope], model.params)
    assert (line.r_squared, line.residual_sd) == pytest.approx((model.rsquared, np.sqrt(model.mse_resid)))
    np.testing.assert_allclose([line.fitted, line.low, line.high], band[["mean", "mean_ci_lower", "mean_ci_upper"]].T)
    assert (line.n, line.level) == (25, 0.9)


@pytest.mark.parametrize("held", [1, 2])
def test_partial_correlation_is_pingouins(held: int) -> None:
    """pingouin.partial_corr with one and two covariates."""
    rng = np.random.default_rng(3)
    given_columns = rng.normal(size=(30, held))
    x = given_columns.sum(axis=1) + rng.normal(size=30)
    y = given_columns[:, 0] + 0.3 * x + rng.normal(size=30)
    names = [f"z{n}" for n in range(held)]
    frame = pd.DataFrame(np.column_stack([x, y, given_columns]), columns=["x", "y", *names])
    theirs = pingouin.partial_corr(frame, "x", "y", names).iloc[0]
    ours = partial_correlation(x, y, given_columns)
    assert ours.coefficient == pytest.approx(theirs["r"])
    assert ours.p_value == pytest.approx(theirs.filter(regex="p.?val").iloc[0])
    np.testing.assert_allclose([ours.low, ours.high], theirs.filter(like="CI95").iloc[0], atol=0.005)  # rounded there
    assert ours.n == 30


def test_what_cannot_be_correlated_is_refused() -> None:
    """Too few pairs, unequal lengths, nothing left after the held columns."""
    with pytest.raises(UndefinedStatisticError, match="4 complete pairs; found 3"):
        pearson([1, 2, 3], [1, 2, 4])
    with pytest.raises(ValueError, match="found 2 and 3"):
        kendall_tau_b([1, 2], [1, 2, 3])
    with pytest.raises(UndefinedStatisticError, match="completely"):
        partial_correlation([1, 2, 3, 5, 8], [1, 3, 2, 4, 4], [1, 2, 3, 5, 8])
    with pytest.raises(UndefinedStatisticError, match="needs 5 rows; found 4"):
        partial_correlation([1, 2, 3, 5], [1, 3, 2, 4], [1, 2, 2, 5])


def test_a_perfect_correlation_has_a_point_for_an_interval() -> None:
    """At r = ±1 Fisher's z is infinite and the bounds are r."""
    r = pearson([1, 2, 3, 4], [-1, -2, -3, -4])
    assert (r.coefficient, r.low, r.high) == pytest.approx((-1, -1, -1))
