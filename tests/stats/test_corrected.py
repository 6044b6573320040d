"""The judge-corrected mean finds a known truth, as often as its level says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats.corrected import CorrectedMean, power_tuned_mean, prediction_powered_mean
from exambench.stats.intervals import normal_quantile
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

    Var = s_y²/4 + s_e²(1/3 − 1/4) = (1/3)/4 + (1/3)/12 = 1/9.
    """
    result = prediction_powered_mean([1, 1, 1, 0, NAN], [1, 0, NAN, 0, 1])
    assert result.mean.estimate == pytest.approx(0.75 - 1 / 3)
    assert result.correction == pytest.approx(-1 / 3)
    assert result.mean.standard_error == pytest.approx(1 / 3)
    assert result.mean.high - result.mean.estimate == pytest.approx(normal_quantile(0.95) / 3)
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
