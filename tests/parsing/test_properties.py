"""What holds for every response whatever."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.items import Wording
from exambench.outcomes import Answered, Flag, ParseResult, Truncated, Unparsed
from exambench.parsing import PARSERS, visible_text
from tests.parsing.strategies import FOUR, finish_reasons, prose, texts, wordings

LETTERS = "abcdefghijklmnopqrstuvwxyz"
names = st.sampled_from(list(PARSERS))


@given(names, texts | st.text() | st.none(), finish_reasons, wordings)
def test_every_text_has_an_outcome(name: str, text: str | None, finish_reason: str | None, wording: Wording) -> None:
    """No text makes a parser raise; only a cut response is truncated, and an answer from one is flagged."""
    result = PARSERS[name](text, finish_reason, wording)
    cut = finish_reason == "length"
    match result:
        case Answered(_, flags):
            assert (Flag.LENGTH_LIMIT in flags) is cut
        case Unparsed(reason):
            assert reason
            assert not cut
        case Truncated():
            assert cut


def _indices(name: str, value: object) -> list[int]:
    members = value if isinstance(value, tuple) else (value,)
    if name.startswith("letter"):
        return [LETTERS.index(str(member)) + 1 for member in members]
    return [int(str(member)) for member in members]


@given(names.filter(lambda name: not name.startswith("boolean") and name != "boxed-free"), texts, wordings)
def test_an_answer_is_an_option_of_the_item(name: str, text: str, wording: Wording) -> None:
    """Indices are within 1..n, letters are of an option; sets are sorted and hold each member once."""
    result = PARSERS[name](text, "stop", wording)
    if isinstance(result, Answered):
        indices = _indices(name, result.value)
        assert all(1 <= index <= (len(wording.choices) or index) for index in indices)
        assert indices == sorted(set(indices))


TYPES: dict[str, type] = {
    "dict-strict": int,
    "dict-lenient": int,
    "boxed": str,
    "boxed-multi": tuple,
    "boxed-free": str,
    "letter-strict": str,
    "letter-lenient": str,
    "letters-strict": tuple,
    "letters-lenient": tuple,
    "boolean-strict": bool,
    "boolean-lenient": bool,
}


@given(names, texts, wordings)
def test_an_answer_has_the_type_of_its_parser(name: str, text: str, wording: Wording) -> None:
    """A parser never gives a truth value for a number, nor a string for a set."""
    result = PARSERS[name](text, "stop", wording)
    if isinstance(result, Answered):
        assert type(result.value) is TYPES[name]


@pytest.mark.parametrize("family", ["dict", "letter", "letters", "boolean"])
@given(text=texts, finish_reason=finish_reasons, wording=wordings)
def test_what_the_strict_parser_reads_the_lenient_one_reads_too(
    family: str, text: str, finish_reason: str | None, wording: Wording
) -> None:
    """Lenient is strict, else more: the same value, the same flags."""
    strict = PARSERS[f"{family}-strict"](text, finish_reason, wording)
    if isinstance(strict, Answered):
        assert PARSERS[f"{family}-lenient"](text, finish_reason, wording) == strict


@given(names, texts, wordings)
def test_normal_forms_are_read_alike(name: str, text: str, wording: Wording) -> None:
    """Decomposed Hangul is the same answer."""
    parse = PARSERS[name]
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert parse(composed, "stop", wording) == parse(decomposed, "stop", wording)


@given(texts)
def test_visible_text_is_final(text: str) -> None:
    """What is visible is NFC, holds no closing tag, and has nothing more to remove."""
    visible = visible_text(text)
    assert unicodedata.is_normalized("NFC", visible)
    assert "</think>" not in visible
    assert visible_text(visible) == visible


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3),
    max_leaves=6,
)
other_keys = st.text(max_size=6).filter(lambda key: unicodedata.normalize("NFC", key) != "정답")


def _plain(text: str) -> bool:
    return "think>" not in text and "scratchpad>" not in text


@given(
    before=prose,
    after=prose,
    answer=st.integers(1, 4),
    quoted=st.booleans(),
    others=st.dictionaries(other_keys, json_values, max_size=3),
    position=st.integers(0, 3),
    written=st.sampled_from(["json", "ascii", "indented", "python"]),
)
def test_a_dict_in_prose_is_found(
    before: str, after: str, *, answer: int, quoted: bool, others: dict[str, object], position: int, written: str
) -> None:
    """Whatever else the dict holds and whatever stands around it, its answer is read."""
    entries: list[tuple[str, object]] = list(others.items())
    entries.insert(position, ("정답", str(answer) if quoted else answer))
    document = dict(entries)
    literal = {
        "json": json.dumps(document, ensure_ascii=False),
        "ascii": json.dumps(document),
        "indented": json.dumps(document, ensure_ascii=False, indent=2),
        "python": repr(document),
    }[written]
    text = f"{before}{literal}{after}"
    if _plain(text):
        result = PARSERS["dict-strict"](text, "stop", FOUR)
        assert isinstance(result, Answered)
        assert _nested_answers(others) or result.value == answer


def _nested_answers(value: object) -> bool:
    """Tell whether a dict inside the values has the answer key, which then may be the last one."""
    if isinstance(value, dict):
        return any(
            unicodedata.normalize("NFC", key) == "정답" or _nested_answers(inner) for key, inner in value.items()
        )
    return isinstance(value, list) and any(map(_nested_answers, value))


@given(prose, st.integers(1, 4), prose)
def test_a_dict_that_is_never_closed_is_no_answer(before: str, answer: int, after: str) -> None:
    """Without the closing brace there is nothing to read strictly."""
    text = f'{before}{{"정답": {answer}{after}'
    assert not isinstance(PARSERS["dict-strict"](text, "stop", FOUR), Answered)


def _value(result: ParseResult) -> object:
    return result.value if isinstance(result, Answered) else None


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4, unique=True),
    st.sampled_from([", ", " 및 ", " ", "와 ", " and "]),
)
def test_a_boxed_set_has_no_order(members: list[int], separator: str) -> None:
    """Any order and separator, numbers and circled numbers, give the same set."""
    expected = tuple(str(member) for member in sorted(members))
    numbers = separator.join(map(str, members))
    circled = "".join("①②③④"[member - 1] for member in members)
    for content in (numbers, circled, f"[{numbers}]", f"\\text{{{numbers}}}"):
        assert _value(PARSERS["boxed-multi"](f"\\boxed{{{content}}}", "stop", FOUR)) == expected
