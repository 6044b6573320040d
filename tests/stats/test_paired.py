"""Paired tests agree with the papers, statsmodels, scipy and counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from exambench.errors import UndefinedStatisticError
from exambench.stats.paired import (
    exact_test,
    factorial_effects,
    mcnemar_exact,
    paired_difference,
    paired_outcomes,
    sign_test_exact,
)
from exambench.stats.resampling import Bootstrap

NAN = np.nan
DRAW = Bootstrap(resamples=500, seed=42)


@pytest.mark.parametrize(("only_a", "only_b", "p_value"), [(33, 6, 1.43e-5), (38, 2, 1.49e-9)])
def test_mcnemar_gives_the_published_p_values(only_a: int, only_b: int, p_value: float) -> None:
    """KMMMU (2026), table 16: GPT-5 33 against 6, Gemini-3-Flash 38 against 2."""
    assert float(f"{mcnemar_exact(only_a, only_b).p_value:.2e}") == p_value


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_statsmodels(only_a: int, only_b: int) -> None:
    """The p-value is that of statsmodels' exact test, and the same with the models exchanged."""
    ours = mcnemar_exact(only_a, only_b).p_value
    if only_a + only_b:
        assert ours == pytest.approx(mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue, rel=1e-9)
    assert ours == mcnemar_exact(only_b, only_a).p_value
    assert 0.0 <= ours <= 1.0


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_sign_test_is_scipys_binomial_test(higher_a: int, higher_b: int) -> None:
    """Ties left out, the higher scores are split like coin tosses."""
    found = sign_test_exact(higher_a, higher_b)
    assert found.method == "sign test, exact, two-sided"
    if higher_a + higher_b:
        expected = stats.binomtest(higher_a, higher_a + higher_b).pvalue
        assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_scores_choose_the_test() -> None:
    """McNemar's is for items that are solved or not; a single graded score makes it a sign test."""
    assert exact_test([[0.0, 1.0, NAN], [1.0, 1.0, 0.0]]) is mcnemar_exact
    assert exact_test([[0.0, 1.0, NAN], [1.0, 0.5, 0.0]]) is sign_test_exact


def test_without_a_discordant_item_nothing_speaks_against_equality() -> None:
    """No discordant item: p = 1. Fewer than none is refused."""
    assert mcnemar_exact(0, 0).p_value == 1.0
    with pytest.raises(ValueError, match="not negative; found 3 and -1"):
        mcnemar_exact(3, -1)


def test_outcomes_are_counted_on_common_items() -> None:
    """Items that lack a score of either model are in no cell."""
    outcomes = paired_outcomes([1, 1, 0, 0, 1, NAN, 1], [1, 0, 1, 0, NAN, 0, 0])
    assert (outcomes.both, outcomes.only_a, outcomes.only_b, outcomes.neither, outcomes.n) == (1, 2, 1, 1, 5)
    assert (outcomes.only_a_items.tolist(), outcomes.only_b_items.tolist()) == ([1, 6], [2])


def test_graded_scores_have_no_outcome() -> None:
    """A score between 0 and 1 is neither solved nor unsolved."""
    with pytest.raises(ValueError, match=r"found 0\.5"):
        paired_outcomes([0.5], [1])


def test_models_without_a_common_item_cannot_be_compared() -> None:
    """No common item, no difference; and both vectors stand on the same items."""
    with pytest.raises(UndefinedStatisticError, match="no item has a score of both"):
        paired_difference([1, NAN], [NAN, 0], DRAW)
    with pytest.raises(ValueError, match="found 2 and 1"):
        paired_outcomes([1, 0], [1])


def test_the_paired_interval_is_scipys_within_the_noise_of_the_draw() -> None:
    """scipy.stats.bootstrap with paired=True and 20 000 resamples, on 33 + 6 discordant of 200 items."""
    a = np.repeat([1.0, 1.0, 0.0, 0.0], [52, 33, 6, 109])
    b = np.repeat([1.0, 0.0, 1.0, 0.0], [52, 33, 6, 109])
    ours = paired_difference(a, b, Bootstrap(20_000, seed=1))
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=2,
    )
    assert ours.estimate == pytest.approx(0.135)
    assert ours.n == 200
    np.testing.assert_allclose([ours.low, ours.high], tuple(theirs.confidence_interval), atol=0.0051)


def test_a_difference_is_antisymmetric() -> None:
    """Exchanging the models mirrors estimate and interval."""
    rng = np.random.default_rng(0)
    a, b = rng.random(40), rng.random(40)
    forth, back = paired_difference(a, b, DRAW), paired_difference(b, a, DRAW)
    assert (forth.estimate, forth.low, forth.high) == pytest.approx((-back.estimate, -back.high, -back.low))


def test_factorial_effects_by_hand() -> None:
    """Cell means 0, 1/2, 1/2, 1 (low-low, low-high, high-low, high-high): both effects 1/2, no interaction.

    first = ((1/2 − 0) + (1 − 1/2))/2; interaction = (1 − 1/2) − (1/2 − 0).
    """
    cells = np.array([[[0, 0, 0], [1, 0, 1]], [[0, 1, 1], [1, 1, NAN]]])
    effects = factorial_effects(cells, DRAW)
    np.testing.assert_allclose(effects.cell_means, [[0, 0.5], [0.5, 1]])
    assert (effects.first.estimate, effects.second.estimate, effects.interaction.estimate) == (0.5, 0.5, 0.0)
    assert effects.first.n == effects.interaction.n == 2


def test_effects_without_noise_have_a_point_for_an_interval() -> None:
    """When every item shows the same effect, each resample does."""
    cells = np.broadcast_to(np.array([[0.0, 0.0], [0.0, 1.0]])[:, :, None], (2, 2, 9))
    interaction = factorial_effects(cells, DRAW).interaction
    assert (interaction.estimate, interaction.low, interaction.high) == (1.0, 1.0, 1.0)


def test_a_design_of_another_shape_is_refused() -> None:
    """Two factors of two levels, and items that have all four scores."""
    with pytest.raises(ValueError, match="2 × 2 × items"):
        factorial_effects(np.zeros((2, 3, 4)), DRAW)
    with pytest.raises(UndefinedStatisticError, match="all four"):
        factorial_effects([[[1.0], [NAN]], [[0.0], [0.0]]], DRAW)
