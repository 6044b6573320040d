"""Repeated trials: spread of the overall score, pass^k and avg@k."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats.trials import average_at_k, pass_hat_k, trial_spread

NAN = np.nan
tables = st.integers(1, 5).flatmap(
    lambda trials: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=trials, max_size=trials), min_size=1, max_size=6
    )
)


def test_the_spread_is_over_trials_on_complete_items() -> None:
    """The third item lacks a trial; means are 1, 1/2, 1/2, and their SD (n − 1) is that of the standard library."""
    spread = trial_spread([[1, 1, 1, NAN], [1, 0, NAN, NAN], [0, 1, 0, NAN]])
    np.testing.assert_allclose(spread.means, [1, 0.5, 0.5])
    assert spread.mean == pytest.approx(2 / 3)
    assert spread.sd == pytest.approx(statistics.stdev([1, 0.5, 0.5]))
    assert (spread.n_trials, spread.n_items, spread.n_left_out) == (3, 2, 1)


@given(tables, st.integers(1, 3))
def test_pass_hat_k_is_the_share_of_all_choices_of_k_trials_that_succeed(items: list[list[float]], k: int) -> None:
    """By brute force: enumerate every k of the scored trials of an item; avg@k averages the same choices."""
    passed, averages = [], []
    for trials in items:
        scored = [score for score in trials if score == score]  # noqa: PLR0124  # NaN is not itself
        chosen = list(itertools.combinations(scored, k))
        if chosen:
            passed.append(statistics.fmean(all(choice) for choice in chosen))
            averages.append(statistics.fmean(sum(choice) / k for choice in chosen))
    table = np.array(items).T
    if not passed:
        with pytest.raises(UndefinedStatisticError, match=f"no item has {k} scored trials"):
            pass_hat_k(table, k)
        return
    result, average = pass_hat_k(table, k), average_at_k(table, k)
    assert result.estimate == pytest.approx(statistics.fmean(passed))
    assert average.estimate == pytest.approx(statistics.fmean(averages))
    assert result.n_items == average.n_items == len(passed)
    assert result.n_items + result.n_left_out == np.count_nonzero(~np.isnan(table).all(axis=0))
    assert (result.method, average.method, result.k) == ("pass^k", "avg@k", k)


def test_what_trials_cannot_say_is_refused() -> None:
    """One trial, no complete item, graded scores, k = 0."""
    with pytest.raises(UndefinedStatisticError, match="at least 2 trials"):
        trial_spread([[1, 0]])
    with pytest.raises(UndefinedStatisticError, match="all 2 trials"):
        trial_spread([[1, NAN], [NAN, 0]])
    with pytest.raises(ValueError, match="0 or 1"):
        pass_hat_k([[0.5]], 1)
    with pytest.raises(ValueError, match="at least 1"):
        average_at_k([[1]], 0)
