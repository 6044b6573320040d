"""Text of others is made storable, and stands in messages without commands to the terminal and without secrets."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.text import escaped, is_storable, storable, without_secrets

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
