"""What is worth knowing about an answer is flagged."""

from __future__ import annotations

import pytest

from exambench.outcomes import Answered, Flag
from exambench.parsing import PARSERS
from tests.parsing.strategies import FOUR


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dict-strict", '{"정답": 1} {"정답": 2}'),
        ("dict-strict", '{"정답": 1, "정답": 2}'),
        ("dict-strict", '{"정답": 9} {"정답": 2}'),
        ("dict-lenient", '{"정답": 1} {"정답": 2}'),
        ("dict-lenient", "정답: 1\n아니, 정답: 2"),
    ],
)
def test_an_earlier_answer_that_differs_is_flagged(name: str, text: str) -> None:
    """The last one counts, but the first one is not forgotten."""
    assert PARSERS[name](text, "stop", FOUR) == Answered(2, (Flag.EARLIER_ANSWER,))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dict-strict", '{"정답": 2} {"정답": "②"}'),
        ("dict-lenient", "정답: 2. 다시 말해 정답은 ②이다."),
        ("dict-strict", '<think>{"정답": 1}</think>{"정답": 2}'),
    ],
)
def test_the_same_answer_twice_is_no_flag(name: str, text: str) -> None:
    """Neither is a draft in the reasoning."""
    assert PARSERS[name](text, "stop", FOUR) == Answered(2)


def test_flags_stand_in_order_of_their_names() -> None:
    """The same outcome is stored as the same bytes."""
    result = PARSERS["dict-strict"]('{"정답": 1} {"정답": 2} 그리고', "length", FOUR)
    assert result == Answered(2, (Flag.EARLIER_ANSWER, Flag.LENGTH_LIMIT))
