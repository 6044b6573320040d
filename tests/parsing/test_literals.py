"""The scanner for dict literals agrees with the languages whose literals it reads."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.parsing.literals import Group, Number, Other, decoded, dicts_with_key, list_of_strings

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
literals = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
keys = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=5)


@given(document=st.dictionaries(keys, literals, min_size=1, max_size=4), python=st.booleans())
def test_a_literal_of_either_language_closes_where_it_ends(document: dict[str, object], *, python: bool) -> None:
    """Whatever the values, each key is found, and the dict ends with its text."""
    text = repr(document) if python else json.dumps(document, ensure_ascii=False)
    for key in document:
        assert dicts_with_key(text, key)[-1].end == len(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_json_string_is_decoded_as_json_does(text: str) -> None:
    """Outside oracle: the json module, with characters beyond the basic plane as two escapes."""
    raw = json.dumps(text)[1:-1]
    assert decoded(raw) == text or any(f"\\{escape}" in raw for escape in "bfntr")


@given(st.lists(st.text()))
def test_a_python_list_of_strings_is_read_as_python_does(strings: list[str]) -> None:
    """Outside oracle: ast.literal_eval; only control characters are written differently."""
    text = repr(strings)
    read = list_of_strings(text)
    assert read is not None
    assert len(read) == len(ast.literal_eval(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"k": 2}', Number("2")),
        ("{'k': -2.5e3}", Number("-2.5e3")),
        ('{"k": "a\\"b"}', 'a"b'),
        ('{"k": "a" \'b\'}', "ab"),
        ('{"k": \\alpha}', None),
        ('{"k": [1, "x",]}', Group([Number("1"), "x"])),
        ('{"k": ()}', Group(())),
        ('{"k": {1}}', Group([Number("1")])),
        ('{"k": {}}', Other.DICT),
        ('{"k": {"a": 1}}', Other.DICT),
        ('{"k": None}', Other.CONSTANT),
        ('{"k": nope}', None),
        ('{"k": 2번}', None),
        ('{"k" 2}', None),
        ('{"k": 1, 2}', None),
        ('{1, "k": 2}', None),
        ('{"k": [1}', None),
        ('{"k": 1 2}', None),
        ('{["a"]: 1, "k": 2}', None),
        ('{1: 1, None: 2, "k": 3}', Number("3")),
    ],
)
def test_a_value_is_read(text: str, value: object) -> None:
    """Every kind of literal, and what is none."""
    entries = dicts_with_key(text, "k")
    assert [entry.values[-1] for entry in entries] == ([] if value is None else [value])


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\\alpha \\nabla \\text \\rho", "\\alpha \\nabla \\text \\rho"),
        ("a\\n", "a\n"),
        ("\\u00e9\\x41\\U0001F600", "éA😀"),
        ("\\ud83d\\ude00", "😀"),
        ("\\ud800", "\ud800"),
        ("\\u12", "\\u12"),
        ("\\U99999999", "\\U99999999"),
        ("a\\\nb", "ab"),
        ("\\\\", "\\"),
    ],
)
def test_an_escape_is_decoded_and_a_stray_backslash_kept(raw: str, text: str) -> None:
    """LaTeX survives; the escapes of both languages are read."""
    assert decoded(raw) == text
