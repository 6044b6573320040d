"""The judge-corrected mean finds a known truth, as often as its level says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats.corrected import (
    CorrectedMean,
    Stratum,
    power_tuned_mean,
    prediction_powered_mean,
    stratified_mean,
)
from exambench.stats.matrix import FloatArray

NAN = np.nan
BOTH = [prediction_powered_mean, power_tuned_mean]


def simulated(rng: np.random.Generator, n: int = 400, sample: int = 80) -> tuple[FloatArray, FloatArray]:
    """Return a judge that is right on 85 % and generous, and people on a random sample; the truth is 0.6."""
    truth = (rng.random(n) < 0.6).astype(float)
    judge = np.where(rng.random(n) < 0.15, 1.0, truth)
    people = np.full(n, NAN)
    chosen = rng.choice(n, sample, replace=False)
    people[chosen] = truth[chosen]
    return judge, people


@pytest.mark.parametrize("estimator", BOTH)
def test_the_interval_covers_the_truth_as_often_as_it_says(estimator: Callable[..., CorrectedMean]) -> None:
    """2 000 simulations with a known truth: 95 % intervals cover it in 93 to 97 %, and the bias is gone."""
    rng = np.random.default_rng(5)
    results = [estimator(*simulated(rng)) for _ in range(2000)]
    covered = np.mean([result.mean.low <= 0.6 <= result.mean.high for result in results])
    assert covered == pytest.approx(0.95, abs=0.02)
    assert np.mean([result.mean.estimate for result in results]) == pytest.approx(0.6, abs=0.003)
    assert np.mean([result.judge_mean for result in results]) > 0.64
    spread = np.std([result.mean.estimate for result in results])
    assert np.mean([result.mean.standard_error for result in results]) == pytest.approx(spread, rel=0.06)


def test_the_estimate_by_hand() -> None:
    """Judge 1 1 1 0, people 1 0 – 0: errors 0 −1 0, so the mean 3/4 is lowered by 1/3.

    Var = s_y²/4 + s_e²(1/3 − 1/4) = (1/3)/4 + (1/3)/12 = 1/9. Student's t with 2 degrees of freedom is 4.303.
    """
    result = prediction_powered_mean([1, 1, 1, 0, NAN], [1, 0, NAN, 0, 1])
    assert result.mean.estimate == pytest.approx(0.75 - 1 / 3)
    assert result.correction == pytest.approx(-1 / 3)
    assert result.mean.standard_error == pytest.approx(1 / 3)
    assert result.mean.high - result.mean.estimate == pytest.approx(4.302653 / 3)
    assert (result.mean.n, result.n_judge, result.weight) == (3, 4, 1.0)
    assert (result.judge_mean, result.people_mean) == pytest.approx((0.75, 1 / 3))


@given(st.integers(0, 2**16))
def test_with_everything_checked_the_judge_does_not_matter(seed: int) -> None:
    """When people score every item the estimate is their mean, with its usual standard error."""
    rng = np.random.default_rng(seed)
    judge, people = rng.random((2, 12))
    for estimator in BOTH:
        result = estimator(judge, people)
        assert result.mean.estimate == pytest.approx(people.mean())
        assert result.mean.standard_error == pytest.approx(people.std(ddof=1) / math.sqrt(12))


def test_tuning_ignores_a_judge_that_says_nothing() -> None:
    """A constant or an inverted judge has weight 0, and the people's mean stands."""
    people = np.array([1.0, 0.0, 1.0, 1.0, NAN, NAN])
    for judge in (np.full(6, 0.5), np.array([0.0, 1.0, 0.0, 0.0, 1.0, 1.0])):
        result = power_tuned_mean(judge, people)
        assert (result.weight, result.mean.estimate) == (0.0, 0.75)


@pytest.mark.parametrize("estimator", BOTH)
def test_too_few_checked_items_are_refused(estimator: Callable[..., CorrectedMean]) -> None:
    """Two items with both scores say nothing about the error of the judge."""
    with pytest.raises(UndefinedStatisticError, match="found 2"):
        estimator([1, 1, NAN, 0], [1, 0, 1, NAN])
    with pytest.raises(ValueError, match="found 2 and 1"):
        estimator([1, 1], [1])


def test_tuning_by_hand() -> None:
    """Judge 1 2 3 | 2 4, people 1 1 2 | – –: λ = Σ(f − 2)(y − 4/3)/Σ(f − 2)² = 1/2.

    Estimate 12/5 · 1/2 + (4/3 − 1) = 6/5 + 1/3. Errors 1/2, 0, 1/2 about 1/3: squares 1/6, over n − 2 = 1 degree of
    freedom. Var = (1/3)/5 + 1/6 · (1/3 − 1/5) = 4/45.
    """
    result = power_tuned_mean([1, 2, 3, 2, 4], [1, 1, 2, NAN, NAN])
    assert result.weight == pytest.approx(1 / 2)
    assert result.mean.estimate == pytest.approx(6 / 5 + 1 / 3)
    assert result.mean.standard_error == pytest.approx(math.sqrt(4 / 45))
    # Student's t with one degree of freedom, the Cauchy distribution: tan(0.95 · π/2) = 12.706.
    assert result.mean.high - result.mean.estimate == pytest.approx(12.7062 * math.sqrt(4 / 45), rel=1e-5)


def test_strata_by_hand() -> None:
    """Two models on items a, b, c, d and a, b: shares 4/6 and 2/6, λ = (2 + 1)/(2 + 1/2) held at 1.

    First: judge 1 2 3 2, people 0 1 2 –, errors −1, mean 2 − 1 = 1. Second: judge 2 3, people 1 3, errors −1, 0, mean
    5/2 − 1/2 = 2. Together 4/6 · 1 + 2/6 · 2 = 4/3, the judge alone 4/6 · 2 + 2/6 · 5/2 = 13/6.
    u of a: 4/6 · (−1)/4 + 2/6 · ((−1/2)/2 + √2 · (−1/2)/2), of b: 2/6 · ((1/2)/2 + √2 · (1/2)/2), of c: 4/6 · 1/4.
    Three clusters are in the sample: Var = (u_a² + u_b² + u_c²) · 3/2.
    """
    first = Stratum([1, 2, 3, 2], [0, 1, 2, NAN], ["a", "b", "c", "d"])
    second = Stratum([2, 3, NAN], [1, 3, NAN], ["a", "b", "e"])
    result = stratified_mean([first, second])
    assert result.weight == 1.0
    assert result.mean.estimate == pytest.approx(4 / 3)
    assert (result.judge_mean, result.people_mean) == pytest.approx((13 / 6, 4 / 6 * 1 + 2 / 6 * 2))
    assert (result.mean.n, result.n_judge) == (5, 6)
    contributions = [-1 / 6 - (1 + math.sqrt(2)) / 12, (1 + math.sqrt(2)) / 12, 1 / 6]
    assert result.mean.standard_error == pytest.approx(math.sqrt(1.5 * sum(each**2 for each in contributions)))


def test_strata_cover_the_truth_although_answers_to_an_item_resemble_each_other() -> None:
    """1 000 simulations of five models on the same items, which differ: as if independent, the error is far too small.

    An item's difficulty N(0, 0.5²) is common to all models, so the mean over 5 · 100 answers varies like one over 100.
    """
    rng = np.random.default_rng(7)
    items = [str(number) for number in range(100)]
    covered, errors, estimates = [], [], []
    for _ in range(1000):
        difficulty = rng.normal(0, 0.5, 100)
        strata = []
        for model in range(5):
            truth = model + difficulty + rng.normal(0, 0.5, 100)
            judge = truth + 0.5 + 0.2 * model + rng.normal(0, 0.3, 100)
            people = np.full(100, NAN)
            chosen = rng.choice(100, 8, replace=False)
            people[chosen] = truth[chosen]
            strata.append(Stratum(judge, people, items))
        result = stratified_mean(strata)
        covered.append(result.mean.low <= 2.0 <= result.mean.high)
        assert result.mean.standard_error is not None
        errors.append(result.mean.standard_error)
        estimates.append(result.mean.estimate)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    assert np.mean(errors) == pytest.approx(np.std(estimates), rel=0.05)
    assert np.mean(estimates) == pytest.approx(2.0, abs=0.01)


def test_a_single_stratum_with_everything_checked_is_the_mean_of_people() -> None:
    """Without clusters it has the usual standard error, but for the divisors n and n − 1."""
    people = np.random.default_rng(1).random(50)
    result = stratified_mean([Stratum(people**2, people, np.arange(50))])
    assert result.mean.estimate == pytest.approx(people.mean())
    assert result.mean.standard_error == pytest.approx(people.std(ddof=1) / math.sqrt(50), rel=0.02)


def test_too_small_strata_and_too_few_clusters_are_refused() -> None:
    """One answer of a model has no spread, and two items say nothing about all items."""
    with pytest.raises(UndefinedStatisticError, match=r"2 answers of each stratum .* found 1"):
        stratified_mean([Stratum([1, 2], [1, NAN], ["a", "b"]), Stratum([1, 2], [1, 2], ["a", "b"])])
    with pytest.raises(UndefinedStatisticError, match=r"3 clusters .* found 2"):
        stratified_mean([Stratum([1, 2, 3], [1, 2, NAN], ["a", "b", "c"]), Stratum([1, 2], [1, 2], ["a", "b"])])
    with pytest.raises(UndefinedStatisticError, match="found 0"):
        stratified_mean([])
