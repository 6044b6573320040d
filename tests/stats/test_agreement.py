"""Coefficients of agreement are those of krippendorff, pingouin, statsmodels and scikit-learn."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from exambench.errors import UndefinedStatisticError
from exambench.stats.agreement import (
    IccForm,
    KappaWeights,
    Metric,
    bland_altman,
    cohen_kappa,
    fleiss_kappa,
    intraclass_correlations,
    krippendorff_alpha,
    rating_matrix,
)
from exambench.stats.draws import resample_counts
from exambench.stats.matrix import FloatArray, IntArray
from exambench.stats.resampling import Bootstrap

NAN = np.nan
# Shrout and Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def ratings(seed: int, units: int = 20, raters: int = 3, missing: float = 0.25) -> FloatArray:
    """Return ratings 1 to 5 of raters who agree somewhat, with holes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, size=(units, 1))
    given_ratings: FloatArray = np.clip(truth + rng.integers(-1, 2, size=(units, raters)), 1, 5).astype(float)
    given_ratings[rng.random(given_ratings.shape) < missing] = NAN
    return given_ratings


def drawn(units: int, bootstrap: Bootstrap) -> IntArray:
    """Return which units each resample holds, resamples × units."""
    counts = np.concatenate(list(resample_counts([units], bootstrap.resamples, bootstrap.seed))).astype(int)
    return np.array([np.repeat(np.arange(units), row) for row in counts], dtype=np.int64)


@given(st.integers(0, 2**16), st.sampled_from(list(Metric)), st.floats(0, 0.6))
def test_alpha_is_that_of_the_package_krippendorff(seed: int, metric: Metric, missing: float) -> None:
    """krippendorff.alpha on the same ratings, with any share of missing ones."""
    matrix = ratings(seed, missing=missing)
    try:
        expected = krippendorff.alpha(matrix.T, level_of_measurement=metric.value)
    except ValueError:
        with pytest.raises(UndefinedStatisticError):
            krippendorff_alpha(matrix, metric)
        return
    assert krippendorff_alpha(matrix, metric).estimate == pytest.approx(expected, abs=1e-12)


def test_alpha_counts_what_it_uses() -> None:
    """A unit with one rating has no pair, so neither it nor a rater who rated nothing else counts."""
    alpha = krippendorff_alpha([[1, 1, NAN, NAN], [2, 2, NAN, NAN], [NAN, 3, NAN, NAN], [2, 1, 2, NAN]], Metric.NOMINAL)
    assert (alpha.n_units, alpha.n_raters, alpha.n_ratings) == (3, 3, 7)
    assert alpha.coefficient == "Krippendorff α (nominal)"
    assert math.isnan(alpha.low)


@pytest.mark.parametrize("metric", list(Metric))
def test_the_bootstrap_of_alpha_is_alpha_of_the_drawn_units(metric: Metric) -> None:
    """By brute force: krippendorff.alpha on every resample of the units."""
    matrix, draw = ratings(3, units=12, missing=0.1), Bootstrap(60, seed=5, level=0.8)
    expected = [krippendorff.alpha(matrix[units].T, level_of_measurement=metric.value) for units in drawn(12, draw)]
    alpha = krippendorff_alpha(matrix, metric, draw)
    np.testing.assert_allclose([alpha.low, alpha.high], np.quantile(expected, [0.1, 0.9]), atol=1e-12)
    assert alpha.bootstrap == draw


@settings(max_examples=30)
@given(st.integers(0, 2**16), st.sampled_from(list(Metric)), st.permutations(range(20)))
def test_alpha_knows_neither_the_order_nor_empty_units(seed: int, metric: Metric, order: list[int]) -> None:
    """Permuting units and raters, and adding units without ratings, changes nothing."""
    matrix = ratings(seed)
    changed = np.vstack([matrix[order][:, [2, 0, 1]], np.full((3, 3), NAN)])
    assert krippendorff_alpha(changed, metric).estimate == pytest.approx(
        krippendorff_alpha(matrix, metric).estimate, abs=1e-12
    )


def test_perfect_agreement_is_one_and_no_variation_is_nothing() -> None:
    """Same ratings: α = κ = ICC = 1. Only one value: there is nothing to expect, so none exists."""
    same = np.repeat([[1.0], [2.0], [4.0]], 2, axis=1)
    assert [krippendorff_alpha(same, metric).estimate for metric in Metric] == pytest.approx([1, 1, 1])
    assert (cohen_kappa(*same.T).estimate, fleiss_kappa(same).estimate) == (1.0, 1.0)
    for icc in intraclass_correlations(same).values():
        assert (icc.estimate, icc.low, icc.high, icc.p_value) == (1.0, 1.0, 1.0, 0.0)
    constant = np.full((4, 2), 3.1)
    with pytest.raises(UndefinedStatisticError, match="no variation"):
        krippendorff_alpha(constant, Metric.INTERVAL)
    with pytest.raises(UndefinedStatisticError, match="no variation"):
        cohen_kappa(*constant.T)
    with pytest.raises(UndefinedStatisticError, match="no variation"):
        fleiss_kappa(constant)
    with pytest.raises(UndefinedStatisticError, match="do not differ"):
        intraclass_correlations(constant)


def test_the_six_forms_on_the_data_of_shrout_and_fleiss() -> None:
    """Shrout and Fleiss (1979), table 4: .17 .29 .71 .44 .62 .91."""
    forms = intraclass_correlations(SHROUT_FLEISS)
    assert [round(forms[form].estimate, 2) for form in IccForm] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert {(icc.n_units, icc.n_raters, icc.n_left_out) for icc in forms.values()} == {(6, 4, 0)}


def test_a_single_unit_has_no_interval() -> None:
    """Every resample of it is itself: [0, 0] would claim to be sure."""
    found = krippendorff_alpha([[1.0, 2.0]], Metric.INTERVAL, Bootstrap(20, seed=1))
    assert found.estimate == 0.0
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # pingouin's use of pandas
@pytest.mark.parametrize("seed", range(4))
def test_all_forms_are_those_of_pingouin(seed: int) -> None:
    """pingouin.intraclass_corr: estimate, F, degrees of freedom, p; its intervals are rounded to two decimals."""
    matrix = ratings(seed, units=15, missing=0.03)
    frame = pd.DataFrame(matrix).rename_axis("unit").reset_index().melt("unit", var_name="rater")
    theirs = pingouin.intraclass_corr(frame, "unit", "rater", "value", nan_policy="omit").set_index("Type")
    ours = intraclass_correlations(matrix)
    for form in IccForm:
        row, icc = theirs.loc[form.value], ours[form]
        assert icc.estimate == pytest.approx(row["ICC"])
        assert (icc.f_value, icc.p_value) == pytest.approx((row["F"], row["pval"]))
        assert (icc.df1, icc.df2) == (row["df1"], row["df2"])
        np.testing.assert_allclose([icc.low, icc.high], row["CI95"], atol=0.0051)
        assert icc.n_units + icc.n_left_out == 15


def test_the_bootstrap_of_icc_is_icc_of_the_drawn_units() -> None:
    """By brute force: all forms of every resample of the units."""
    matrix, draw = ratings(1, units=10, missing=0.0), Bootstrap(40, seed=2)
    every = [intraclass_correlations(matrix[units]) for units in drawn(10, draw)]
    ours = intraclass_correlations(matrix, bootstrap=draw)
    for form in IccForm:
        expected = np.quantile([forms[form].estimate for forms in every], [0.025, 0.975])
        np.testing.assert_allclose([ours[form].drawn_low, ours[form].drawn_high], expected, atol=1e-10)


@given(st.integers(0, 2**16), st.sampled_from(list(KappaWeights)))
def test_cohens_kappa_is_scikit_learns(seed: int, weights: KappaWeights) -> None:
    """sklearn.metrics.cohen_kappa_score, unweighted and quadratic, on the units that both rated."""
    matrix = ratings(seed, raters=2)
    complete = matrix[~np.isnan(matrix).any(axis=1)].astype(int)
    kind = None if weights is KappaWeights.UNWEIGHTED else "quadratic"
    expected = cohen_kappa_score(*complete.T, labels=[1, 2, 3, 4, 5], weights=kind)
    kappa = cohen_kappa(matrix[:, 0], matrix[:, 1], weights)
    assert kappa.estimate == pytest.approx(expected)
    assert (kappa.n_units, kappa.n_ratings) == (len(complete), 2 * len(complete))


@given(st.integers(0, 2**16))
def test_fleiss_kappa_is_statsmodels(seed: int) -> None:
    """As statsmodels.stats.inter_rater.fleiss_kappa has it, on complete units."""
    matrix = ratings(seed, missing=0.05)
    complete = matrix[~np.isnan(matrix).any(axis=1)].astype(int)
    assert fleiss_kappa(matrix).estimate == pytest.approx(statsmodels_fleiss(aggregate_raters(complete)[0]))


def test_the_bootstraps_of_kappa_are_kappa_of_the_drawn_units() -> None:
    """By brute force, for all three."""
    matrix, draw = ratings(7, units=10, missing=0.0), Bootstrap(40, seed=2)
    units = drawn(10, draw)
    ours = [fleiss_kappa(matrix, draw), *(cohen_kappa(matrix[:, 0], matrix[:, 1], kind, draw) for kind in KappaWeights)]
    every = np.array(
        [
            [
                fleiss_kappa(matrix[some]).estimate,
                *(cohen_kappa(matrix[some, 0], matrix[some, 1], kind).estimate for kind in KappaWeights),
            ]
            for some in units
        ]
    )
    np.testing.assert_allclose([k.low for k in ours], np.quantile(every, 0.025, axis=0), atol=1e-12)
    np.testing.assert_allclose([k.high for k in ours], np.quantile(every, 0.975, axis=0), atol=1e-12)


def test_limits_of_agreement_by_hand() -> None:
    """Differences 1, −1, 2, 0, 3: mean 1, sd √2.5. t(.975, 4) = 2.776445, z = 1.959964.

    bias ± 2.776445·√(2.5/5); lower limit 1 − 1.959964·1.581139 = −2.098976, its standard error
    √2.5·√(1/5 + 3.841459/8) = 1.304016.
    """
    limits = bland_altman([2, 1, 5, 3, 4, NAN], [1, 2, 3, 3, 1, 1])
    assert (limits.bias.estimate, limits.sd, limits.bias.n) == pytest.approx((1, math.sqrt(2.5), 5))
    assert (limits.bias.low, limits.bias.high) == pytest.approx((1 - 1.963243, 1 + 1.963243), abs=1e-5)
    assert limits.lower.estimate == pytest.approx(-2.098976, abs=1e-5)
    assert limits.upper.estimate == pytest.approx(4.098976, abs=1e-5)
    assert limits.lower.high - limits.lower.estimate == pytest.approx(2.776445 * 1.304016, abs=1e-4)
    np.testing.assert_allclose(limits.means, [1.5, 1.5, 4, 3, 2.5])


def test_the_bootstrap_of_the_limits_is_that_of_the_drawn_units() -> None:
    """By brute force: the limits of every resample."""
    matrix, draw = ratings(2, units=9, raters=2, missing=0.0), Bootstrap(50, seed=3, level=0.9)
    every = [bland_altman(*matrix[some].T) for some in drawn(9, draw)]
    ours = bland_altman(matrix[:, 0], matrix[:, 1], bootstrap=draw)
    for part in ("bias", "lower", "upper"):
        expected = np.quantile([getattr(limits, part).estimate for limits in every], [0.05, 0.95])
        interval = getattr(ours, part)
        np.testing.assert_allclose([interval.low, interval.high], expected, atol=1e-12)
        assert (interval.level, interval.resamples, interval.seed) == (0.9, 50, 3)


def test_ratings_that_cannot_be_compared_are_refused() -> None:
    """One rater, no pair, unequal lengths, too few complete units, two levels."""
    with pytest.raises(ValueError, match="units × raters"):
        rating_matrix([[1], [2]])
    with pytest.raises(ValueError, match="infinite"):
        rating_matrix([[1, np.inf]])
    with pytest.raises(UndefinedStatisticError, match="two ratings"):
        krippendorff_alpha([[1, NAN], [NAN, 2]], Metric.NOMINAL)
    with pytest.raises(ValueError, match="found 2 and 1"):
        cohen_kappa([1, 2], [1])
    with pytest.raises(ValueError, match="found 2 and 1"):
        bland_altman([1, 2], [1])
    with pytest.raises(UndefinedStatisticError, match="found 1"):
        intraclass_correlations([[1.0, 2.0], [1.0, NAN]])
    with pytest.raises(ValueError, match="one level"):
        intraclass_correlations(SHROUT_FLEISS, bootstrap=Bootstrap(10, 0, level=0.9))


def test_a_mean_of_ratings_has_no_lower_bound_at_the_limit_of_a_single_one() -> None:
    """Where the interval of a single rating reaches −1/(k − 1), that of the mean of k ends at −∞."""
    # Spearman–Brown, k·r/(1 + (k − 1)·r), has its pole at r = −1/(k − 1), which is −1/2 for three raters.
    found = intraclass_correlations([[1.0, 1.0, 3.0], [1.0, 3.0, 2.0]])
    assert found[IccForm.ABSOLUTE_SINGLE].low == -0.5
    assert found[IccForm.ABSOLUTE_MEAN].low == -math.inf
