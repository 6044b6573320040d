"""Scores of multiple selection."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import ConfigError, DataError
from exambench.items import ChoiceSetKey
from exambench.outcomes import Answered, Failed, Outcome, Refused, Truncated, Unparsed, Unsupported
from exambench.scoring.selection import at_least_k, exact_set, jaccard, picks

OPTIONS = range(1, 6)
SUBSETS = [frozenset(subset) for size in range(6) for subset in combinations(OPTIONS, size)]
KEY = ChoiceSetKey(frozenset({1, 3}))

subsets = st.sampled_from(SUBSETS)
golds = st.sampled_from(SUBSETS[1:])


def _brute_force(picked: frozenset[int], gold: frozenset[int], k: int) -> float:
    """Count by hand, option by option, as the definition is worded: any wrong pick is 0."""
    right = sum(1 for option in OPTIONS if option in picked and option in gold)
    wrong = sum(1 for option in OPTIONS if option in picked and option not in gold)
    missed = sum(1 for option in OPTIONS if option not in picked and option in gold)
    if wrong:
        return 0.0
    return 1.0 if missed == 0 or right >= k else 0.0


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_at_least_k_is_its_definition(k: int) -> None:
    """All 32 × 31 pairs of sets of five options against counting."""
    for picked in SUBSETS:
        for gold in SUBSETS[1:]:
            assert at_least_k(picked, gold, k) == _brute_force(picked, gold, k)


@given(subsets, golds)
def test_more_required_picks_never_score_more(picked: frozenset[int], gold: frozenset[int]) -> None:
    """A-2 ≥ A-3 ≥ A-4 ≥ exact set, and Jaccard lies between exact set and 1."""
    scores = [at_least_k(picked, gold, k) for k in (2, 3, 4)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] >= exact_set(picked, gold)
    assert exact_set(picked, gold) <= jaccard(picked, gold) <= 1.0


@pytest.mark.parametrize(
    ("picked", "gold", "expected"),
    [
        # Right and picked over right or picked, counted by hand.
        ({1, 3}, {1, 3}, 1.0),
        ({1}, {1, 3}, 1 / 2),
        ({1, 2}, {1, 3}, 1 / 3),
        ({2}, {1, 3}, 0.0),
        (set(), {1, 3}, 0.0),
    ],
)
def test_jaccard_is_the_share_of_right_picks(picked: set[int], gold: set[int], expected: float) -> None:
    """Intersection over union."""
    assert jaccard(picked, gold) == expected


def test_a_key_without_a_right_choice_is_an_error() -> None:
    """No pick at all would otherwise be right."""
    for measure in (exact_set, jaccard):
        with pytest.raises(DataError):
            measure({1}, set())
    with pytest.raises(DataError):
        at_least_k({1}, set(), 2)


def test_k_is_positive() -> None:
    """No right pick at all is never enough."""
    with pytest.raises(ConfigError):
        at_least_k({1}, {1}, 0)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Answered(("1", "3")), {1, 3}),
        (Answered(("a", "c")), {1, 3}),
        (Unparsed("no list"), set()),
        (Truncated(), set()),
        (Refused(), set()),
        (Failed("HTTP 500"), None),
        (Unsupported("an image"), None),
    ],
)
def test_the_picks_of_an_outcome(outcome: Outcome, expected: set[int] | None) -> None:
    """What scores 0 picked nothing; what has no score has no picks."""
    assert picks(outcome, KEY) == expected


def test_an_answer_that_is_no_set_is_an_error() -> None:
    """A parser for one letter doesn't fit multiple selection."""
    with pytest.raises(ConfigError):
        picks(Answered("a"), KEY)
