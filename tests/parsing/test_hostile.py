"""Hostile responses come to an end: no recursion, no catastrophe, whatever a model repeats.

The texts are long enough that a quadratic reader would take minutes: there is nothing to time.
"""

from __future__ import annotations

import pytest

from exambench.outcomes import Answered
from exambench.parsing import PARSERS
from tests.parsing.strategies import FOUR

LENGTH = 20_000
RUNAWAY = 250_000

REPEATED = [
    "{", "}", '{"', "{'", '{"a":', '{"a":1,', "[{(", "{'\"", "\\", '"', "'", "정답", "정답은 ", "정답: ", "정답: 2번 ",
    "정답은 2번이 아니라 3번이 아니라 ", "2번이 정답", "2번 ", "2, ", "②", "보기 4개 중 ", "4개 중 ", "답 ", "답(", "=",
    "answer is ", "answer is not ", "B is not the answer ", "\\boxed{", "\\boxed{\\text{", "\\text{", "*", "**", "$",
    "<", "< ", "<think>", "</think", "\n", " ", "2        ", "정답          ", "a, ", "a) ", "a)\n", "a  ", "\n이유",
    "\u0301\u0323", "\u1100\u1161", "\ud800", "\u200b", "1", "또는 ", "not ", ". ", "?", "-", "(", "((", "`", "```",
]  # fmt: skip
READERS = ["dict-lenient", "boxed-multi", "letters-lenient"]


@pytest.mark.parametrize("unit", REPEATED, ids=ascii)
def test_a_long_repetition_is_read_to_its_end(unit: str) -> None:
    """A parser that reads a stretch again and again would not come back; so would one that tries all ways to split."""
    for text in (unit * (LENGTH // len(unit)), "정답: 2" + unit * (LENGTH // len(unit)) + "x"):
        for name in READERS:
            PARSERS[name](text, "stop", FOUR)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("unit", ["\n", "1", "\u0301\u0323"], ids=ascii)
def test_a_runaway_response_is_read_to_its_end(name: str, unit: str) -> None:
    """After an answer, as a model does that cannot stop."""
    PARSERS[name]("a" + unit * (RUNAWAY // len(unit)) + "b", "stop", FOUR)


def test_a_deeply_nested_dict_is_read() -> None:
    """Fifty thousand levels cost no stack; the outermost dict closes last, and holds no index."""
    text = '{"정답": ' * 50_000 + "2" + "}" * 50_000
    assert not isinstance(PARSERS["dict-strict"](text, "stop", FOUR), Answered)


def test_an_answer_after_fifty_thousand_braces_is_read() -> None:
    """What never closes hides nothing that does."""
    result = PARSERS["dict-strict"]("{" * 50_000 + '{"정답": 2}', "stop", FOUR)
    assert result == Answered(2)


@pytest.mark.parametrize("digits", ["1" + "0" * 5_000, "-" + "9" * 5_000], ids=["10**5000", "negative"])
def test_an_integer_beyond_the_limit_of_the_language_is_a_violation(digits: str) -> None:
    """Python refuses to convert more than 4,300 digits; that is no reason to fail."""
    for response in (f'{{"정답": {digits}}}', f'{{"정답": "{digits}"}}', f"정답: {digits}", f"\\boxed{{{digits}}}"):
        for name in ("dict-strict", "dict-lenient", "boxed", "boxed-multi"):
            assert not isinstance(PARSERS[name](response, "stop", FOUR), Answered)


def test_zeros_before_an_index_count_for_nothing() -> None:
    """However many there are."""
    assert PARSERS["dict-strict"]('{"정답": "' + "0" * 5_000 + '2"}', "stop", FOUR) == Answered(2)
