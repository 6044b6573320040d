"""The exact exchange test against enumeration, and against the binomial distribution that it becomes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from exambench.errors import UndefinedStatisticError
from exambench.stats.exchange import exchange_test

ITEMS = st.lists(st.lists(st.integers(-2, 3), min_size=2, max_size=4), min_size=1, max_size=5)


@given(ITEMS)
def test_the_p_value_is_that_of_all_exchanges(items: list[list[int]]) -> None:
    """Every choice of a first value in every item, counted one by one."""
    sums = [sum(chosen) for chosen in itertools.product(*items)]
    observed = sum(values[0] for values in items)
    test = exchange_test(items)
    assert test.p_value == pytest.approx(np.mean([each >= observed for each in sums]))
    assert test.expected == pytest.approx(np.mean(sums))
    assert test.observed == observed


def test_with_one_right_order_in_five_it_is_binomial() -> None:
    """Each item is right in one of five orders: the number right in the first is binomial(20, 0.2)."""
    items = [[1, 0, 0, 0, 0]] * 9 + [[0, 0, 0, 0, 1]] * 11
    assert exchange_test(items).p_value == pytest.approx(float(binom.sf(8, 20, 0.2)))  # P(X >= 9)


def test_items_that_never_differ_say_nothing() -> None:
    """They change neither the p-value nor the number of informative items."""
    with_them = exchange_test([[1, 0], [1, 0], [1, 1], [0, 0, 0]])
    assert (with_them.p_value, with_them.informative, with_them.n) == (0.25, 2, 4)  # 1/2 · 1/2
    assert exchange_test([[1, 0], [1, 0]]).p_value == 0.25


def test_what_cannot_be_exchanged_is_refused() -> None:
    """No item, or an item with one value."""
    with pytest.raises(UndefinedStatisticError):
        exchange_test([])
    with pytest.raises(ValueError, match="at least two values"):
        exchange_test([[1, 0], [1]])
