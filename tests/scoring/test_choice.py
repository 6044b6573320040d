"""What an outcome is worth, given the key."""

from __future__ import annotations

import pytest

from exambench.errors import ConfigError
from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Key, TextKey
from exambench.outcomes import Answered, AnswerValue, Failed, Outcome, Refused, Truncated, Unparsed, Unsupported
from exambench.scoring.choice import score

KEYS: list[Key] = [ChoiceKey(2), ChoiceSetKey(frozenset({1, 3})), BooleanKey(value=True), TextKey("권층운")]


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("outcome", [Unparsed("no answer"), Truncated(), Refused()], ids=repr)
def test_a_response_without_an_answer_scores_0(outcome: Outcome, key: Key) -> None:
    """It was given, and is not right."""
    assert score(outcome, key) == 0.0


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("outcome", [Failed("HTTP 500"), Unsupported("an image")], ids=repr)
def test_no_response_has_no_score(outcome: Outcome, key: Key) -> None:
    """A server's fault is never a wrong answer."""
    assert score(outcome, key) is None


@pytest.mark.parametrize(
    ("value", "key", "expected"),
    [
        (2, ChoiceKey(2), 1.0),
        (3, ChoiceKey(2), 0.0),
        ("2", ChoiceKey(2), 1.0),
        ("12", ChoiceKey(12), 1.0),
        ("b", ChoiceKey(2), 1.0),
        ("B", ChoiceKey(2), 1.0),
        ("c", ChoiceKey(2), 0.0),
        (("1", "3"), ChoiceSetKey(frozenset({1, 3})), 1.0),
        (("3", "1"), ChoiceSetKey(frozenset({1, 3})), 1.0),
        (("a", "c"), ChoiceSetKey(frozenset({1, 3})), 1.0),
        (("a",), ChoiceSetKey(frozenset({1, 3})), 0.0),
        (("1", "2", "3"), ChoiceSetKey(frozenset({1, 3})), 0.0),
        (True, BooleanKey(value=True), 1.0),
        (True, BooleanKey(value=False), 0.0),
        (False, BooleanKey(value=False), 1.0),
    ],
)
def test_an_answer_is_right_or_not(value: AnswerValue, key: Key, expected: float) -> None:
    """Index, index as a string, letter, set, truth value."""
    assert score(Answered(value), key) == expected


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (True, ChoiceKey(1)),
        ("", ChoiceKey(1)),
        ("ab", ChoiceKey(1)),
        ("권층운", ChoiceKey(1)),
        ("①", ChoiceKey(1)),
        ("9" * 5_000, ChoiceKey(1)),
        (("1",), ChoiceKey(1)),
        (1, ChoiceSetKey(frozenset({1}))),
        ("1", ChoiceSetKey(frozenset({1}))),
        (("1", "x y"), ChoiceSetKey(frozenset({1}))),
        (1, BooleanKey(value=True)),
        ("true", BooleanKey(value=True)),
        ("권층운", TextKey("권층운")),
    ],
)
def test_an_answer_that_no_key_of_this_kind_can_meet_is_an_error(value: AnswerValue, key: Key) -> None:
    """A parser that doesn't fit the benchmark would score everything 0."""
    with pytest.raises(ConfigError, match=type(key).__name__):
        score(Answered(value), key)
