"""Text of others is made storable, and stands in messages without commands to the terminal and without secrets."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.text import (
    as_cell,
    as_text_cell,
    escaped,
    from_cell,
    is_formula,
    is_storable,
    storable,
    strange_in,
    without_secrets,
)

ANY_TEXT = st.text(alphabet=st.characters())


@given(ANY_TEXT)
def test_text_becomes_storable(text: str) -> None:
    """What is stored is UTF-8 without NUL, of the same length, and good text stays as it is."""
    stored = storable(text)
    assert len(stored) == len(text)
    stored.encode()
    assert "\x00" not in stored
    assert is_storable(text) == (stored == text)


@given(ANY_TEXT)
def test_escaped_text_is_printable_and_can_be_read_back(text: str) -> None:
    """Nothing is lost: Python reads the escapes as what they stand for."""
    shown = escaped(text)
    assert shown.isprintable()
    if "\\" not in text and "'" not in text:
        assert ast.literal_eval(f"'{shown}'") == text


@pytest.mark.parametrize("text", ["", "기압 hPa — 「강수」", "a b", "\\x1b", "e\u0301"])
def test_printable_text_stays_as_it_is(text: str) -> None:
    """Korean is no command, and neither is a backslash."""
    assert escaped(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\r\nb", r"a\r\nb"),
        ("\u202egnp", r"\u202egnp"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        ("\x9b2J", r"\x9b2J"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    """Escape sequences in both spellings, line ends, and marks that reorder a line."""
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:secret@host/v1", "https://…@host/v1"),
        ("https://token@host/v1", "https://…@host/v1"),
        ("https://user:p@ss/word@host/v1", "https://…@host/v1"),
        ("http://host/v1?key=secret and more", "http://host/v1?… and more"),
        ("model@http://host/v1", "model@http://host/v1"),
    ],
)
def test_an_address_loses_its_secrets(text: str, shown: str) -> None:
    """Also a password with the signs that should have been escaped in it."""
    assert without_secrets(text) == shown


@given(st.text(alphabet=st.sampled_from("'=+-@＝ \t가x1")))
def test_what_a_cell_holds_comes_back_as_it_was(text: str) -> None:
    """A stem may begin with a formula's sign, with an apostrophe, or with both, as ``'+극'의`` does."""
    assert from_cell(as_cell(text)) == text
    assert from_cell(as_text_cell(text)) == text
    assert not is_formula(as_cell(text))


@pytest.mark.parametrize("text", ["가\u200b나", "a\r\n\tb", "\U0001f469\u200d\U0001f52c", "① ㉠ ㄱ"])
def test_ordinary_text_has_nothing_strange(text: str) -> None:
    """Line ends, tabs, and what joins or parts letters stand in texts for people."""
    assert strange_in(text) == ""


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x9b", "\u202e", "\u2066", "\ud800"])
def test_what_no_text_for_people_has_is_named_once(sign: str) -> None:
    """Controls, marks that reorder a line, and half of a surrogate pair."""
    assert strange_in(f"가{sign}나{sign}") == sign
