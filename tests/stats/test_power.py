"""Items needed and differences seen agree with the published formula, and with simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.power import detectable_difference, items_needed


def test_items_needed_by_hand() -> None:
    """δ = .05 at a discordance of .2, 80 % power: (1.959964·√.2 + .841621·√(.2 − .0025))²/.0025 = 625.5."""
    root = 1.959964 * math.sqrt(0.2) + 0.841621 * math.sqrt(0.1975)
    assert items_needed(0.05, 0.2) == math.ceil(root**2 / 0.0025) == 626
    assert items_needed(-0.05, 0.2) == 626


@given(st.floats(0.02, 0.3), st.floats(0.3, 1.0), st.sampled_from([0.3, 0.5, 0.8, 0.95]))
def test_the_difference_that_is_detectable_needs_that_many_items(
    delta: float, discordance: float, power: float
) -> None:
    """The two functions are inverse to each other up to one item, below which nothing may be detectable at all."""
    n = items_needed(delta, discordance, power=power)
    assert detectable_difference(n, discordance, power=power) <= delta + 1e-12
    try:
        with_one_less = detectable_difference(n - 1, discordance, power=power)
    except ValueError:
        with_one_less = math.inf
    assert with_one_less >= delta - 1e-12


def test_the_power_is_that_of_simulated_comparisons() -> None:
    """With the needed items, the z test of the discordant pairs finds the difference in about 80 % of 4 000 draws."""
    n = items_needed(0.08, 0.25)
    rng = np.random.default_rng(1)
    only_a, only_b, _ = rng.multinomial(n, [0.165, 0.085, 0.75], size=4000).T
    z = (only_a - only_b) / np.sqrt(only_a + only_b)
    assert np.mean(np.abs(z) > stats.norm.ppf(0.975)) == pytest.approx(0.8, abs=0.025)


def test_what_no_number_of_items_shows_is_refused() -> None:
    """No difference, more difference than discordance, too few items, values out of range."""
    with pytest.raises(UndefinedStatisticError, match="difference of 0"):
        items_needed(0.0, 0.2)
    with pytest.raises(UndefinedStatisticError, match=r"discordance of 0\.2"):
        items_needed(0.3, 0.2)
    with pytest.raises(UndefinedStatisticError, match="3 items"):
        detectable_difference(3, 0.2)
    with pytest.raises(UndefinedStatisticError, match="20 items"):
        detectable_difference(20, 0.2)
    with pytest.raises(ValueError, match="discordance"):
        items_needed(0.1, 0.0)
    with pytest.raises(ValueError, match="power"):
        items_needed(0.1, 0.2, power=1.0)
    with pytest.raises(ValueError, match="at least 1"):
        detectable_difference(0, 0.2)
