"""Holm's adjustment is that of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from exambench.stats.multiplicity import holm


@settings(max_examples=20)  # statsmodels takes a tenth of a second each
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    """As multipletests(method="holm") adjusts them, in the order given."""
    adjusted = holm(p_values)
    np.testing.assert_allclose(adjusted.adjusted, multipletests(p_values, method="holm")[1], atol=1e-15)
    assert adjusted.n == len(p_values)


def test_a_test_that_was_not_made_is_no_comparison() -> None:
    """NaN stays NaN, keeps its place in the table, and does not count."""
    adjusted = holm([[0.01, np.nan], [0.04, 0.03]])
    np.testing.assert_allclose(adjusted.adjusted, [[0.03, np.nan], [0.06, 0.06]])
    assert adjusted.n == 3


def test_what_is_no_p_value_is_refused() -> None:
    """P-values lie between 0 and 1."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, 1.1])
