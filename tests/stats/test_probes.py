"""Above chance, preferred places, stable choices."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from exambench.errors import UndefinedStatisticError
from exambench.stats.probes import above_chance, agreement, fit


@given(st.integers(1, 200), st.floats(0.01, 0.99), st.data())
def test_equal_chances_are_the_binomial_test(n: int, chance: float, data: st.DataObject) -> None:
    """The oracle is SciPy's exact test."""
    solved = data.draw(st.integers(0, n))
    expected = binomtest(solved, n, chance, alternative="greater").pvalue
    assert above_chance(solved, [chance] * n) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.data())
def test_different_chances_are_counted_out(chances: list[float], data: st.DataObject) -> None:
    """The oracle adds up every way in which the items may be guessed."""
    solved = data.draw(st.integers(0, len(chances)))
    ways = (way for way in product((0, 1), repeat=len(chances)) if sum(way) >= solved)
    expected = sum(prod(c if hit else 1 - c for c, hit in zip(chances, way, strict=True)) for way in ways)
    assert above_chance(solved, chances) == pytest.approx(expected, abs=1e-12)


def test_what_is_not_a_chance_is_refused() -> None:
    """More than all items solved, probabilities beyond 1, no item."""
    with pytest.raises(ValueError, match="counted among the items"):
        above_chance(3, [0.25, 0.25])
    with pytest.raises(ValueError, match="between 0 and 1"):
        above_chance(1, [1.25])
    with pytest.raises(UndefinedStatisticError):
        above_chance(0, [])


def picks(*counts: int, each: int = 1) -> np.ndarray:
    """Return clusters × places: so many clusters pick each place, every one ``each`` times."""
    return each * np.repeat(np.eye(len(counts)), counts, axis=0)


def test_a_fit_of_single_picks_is_pearson_s() -> None:
    """The oracle is SciPy; a place where nothing can stand has no say."""
    expected = chisquare([30.0, 14.0, 16.0], [20.0, 20.0, 20.0])
    found = fit(picks(30, 14, 16, 0), np.tile([1 / 3, 1 / 3, 1 / 3, 0.0], (60, 1)))
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.degrees, found.design_effect) == (2, 1.0)
    with pytest.raises(UndefinedStatisticError):
        fit(picks(3, 0), np.array([[1.0, 0.0]] * 3))


def test_the_same_pick_five_times_is_hardly_more_than_one() -> None:
    """Rao and Scott by hand: χ² is 5 · 7.6, the variance between clusters 25 · (60 / 59) · 60 · p(1 − p) a place.

    Over the 100 expected picks of each place and 2 degrees of freedom the design effect is 4.763.
    """
    found = fit(picks(30, 14, 16, each=5), np.full((60, 3), 5 / 3))
    effect = sum(25 * 60 / 59 * 60 * p * (1 - p) / 100 for p in (30 / 60, 14 / 60, 16 / 60)) / 2
    assert found.design_effect == pytest.approx(effect)
    assert found.statistic == pytest.approx(5 * 7.6 / effect)


def test_agreement_counts_items_that_every_order_has_a_choice_for() -> None:
    """The third item has no choice in one order, and tells nothing; the second changes."""
    found = agreement(np.array([[1, 2, 3, 4], [1, 1, np.nan, 4]]))
    assert (found.same, found.n) == (2, 3)
    assert found.share == pytest.approx(2 / 3)
