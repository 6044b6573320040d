"""Text of others on its way to a page."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from exambench.report.site.safe_text import NAME_LENGTH, json_for_script, safe_name, safe_text
from exambench.text import storable

ANY_TEXT = st.text(st.characters(exclude_categories=()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
)


@given(JSON)
def test_json_in_a_script_ends_no_script_and_is_still_the_same(value: object) -> None:
    """No ``<``, ``>`` or ``&`` stands in it, nor a line separator; it is UTF-8; reading it gives the value back."""
    written = json_for_script(value)
    assert not set(written) & set("<>&\u2028\u2029")
    written.encode("utf-8")
    assert json.loads(written) == json.loads(storable(json.dumps(value, ensure_ascii=False)))


@given(ANY_TEXT)
def test_a_name_is_one_short_line_that_turns_nothing_round(text: str) -> None:
    """It has no control, no line break, no sign that reorders; it is bounded, and UTF-8."""
    name = safe_name(text)
    assert not set(name) & set("\n\r\t\x00\u202a\u202b\u202d\u202e\u2066\u2067\u200e\u200f")
    assert len(name) <= NAME_LENGTH + len("… (1,114,112 characters)")
    name.encode("utf-8")


def test_what_is_cut_off_is_counted() -> None:
    """A reader sees that there was more, and how much."""
    assert safe_text("가" * 1_000_000, 3) == "가가가… (1,000,000 characters)"
    assert safe_text("가가가", 3) == "가가가"


def test_lines_of_a_text_stay_lines() -> None:
    """An answer keeps its shape; what would steer is replaced."""
    assert safe_text("a\r\nb\n\u202ec") == "a\nb\n\ufffdc"
