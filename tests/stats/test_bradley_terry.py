"""Strengths from wins: choix, closed form, and when there are none."""

from __future__ import annotations

import itertools

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import UndefinedStatisticError
from exambench.stats import bradley_terry as module
from exambench.stats.bradley_terry import bradley_terry, has_maximum, win_counts
from exambench.stats.matrix import FloatArray

NAN = np.nan


def field(seed: int, models: int = 5, items: int = 60) -> FloatArray:
    """Return scores 0 and 1 of models that differ."""
    rng = np.random.default_rng(seed)
    return (rng.random((models, items)) < np.linspace(0.35, 0.65, models)[:, None]).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_of_the_field_is_that_of_choix(seed: int) -> None:
    """choix.opt_pairwise on the same wins, by maximum likelihood (alpha = 0)."""
    scores = field(seed)
    fit = bradley_terry(scores)
    wins = [(a, b) for row in scores.T for a, b in itertools.permutations(range(5), 2) if row[a] > row[b]]
    np.testing.assert_allclose(fit.strengths, choix.opt_pairwise(5, wins, alpha=0.0, tol=1e-10), atol=1e-5)
    assert fit.wins.sum() == len(wins)
    assert fit.n == np.count_nonzero(np.ptp(scores, axis=0))


def test_two_models_have_the_closed_form() -> None:
    """Wins of 6 and 3: θ = ±ln(6/3)/2."""
    fit = bradley_terry([[1] * 6 + [0] * 3 + [1], [0] * 6 + [1] * 3 + [1]])
    np.testing.assert_allclose(fit.strengths, [np.log(2) / 2, -np.log(2) / 2])
    assert fit.n == 9


@given(st.integers(0, 2**16), st.sampled_from([1, 2, 3, 1000]))
def test_wins_are_counted_on_common_items(seed: int, levels: int) -> None:
    """By brute force, for few and for many levels: one comparison at a time; a missing score wins and loses nothing."""
    scores = np.random.default_rng(seed).choice([NAN, *np.arange(levels) / 7], size=(4, 9))
    wins = win_counts(scores)
    for a, b in itertools.product(range(4), repeat=2):
        assert wins[a, b] == sum(x > y for x, y in zip(scores[a], scores[b], strict=True))


def test_a_maximum_needs_a_way_of_wins_from_every_model_to_every_other() -> None:
    """A circle of wins has one; a model that never wins, or never loses, has none."""
    assert has_maximum(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    assert not has_maximum(np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]]))
    with pytest.raises(UndefinedStatisticError, match="no maximum"):
        bradley_terry(np.vstack([field(0), np.zeros(60)]))


def test_a_single_model_has_no_strength() -> None:
    """There is nobody to compare it with."""
    with pytest.raises(UndefinedStatisticError, match="no maximum"):
        bradley_terry([[1.0, 0.0]])


def test_a_fit_that_does_not_converge_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One Newton step is not enough for models that differ this much."""
    monkeypatch.setattr(module, "NEWTON_STEPS", 1)
    with pytest.raises(UndefinedStatisticError, match="no maximum in 1 steps"):
        bradley_terry(field(0))
