"""Names that others wrote become labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from exambench.report.figures.labels import LABEL_CELLS, cleaned, label, labels_of, wrapped
from exambench.report.figures.language import Language, Phrase, titled

ANY_TEXT = st.text(st.characters(), max_size=200)


def test_what_steers_or_cannot_be_stored_is_replaced() -> None:
    """A lone surrogate, NUL, an escape, a line break and a right-to-left override each become U+FFFD."""
    assert cleaned("a\ud800b\x00c\x1bd\ne\u202ef") == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf"


def test_decomposed_hangul_is_composed() -> None:
    """NFD and NFC of a name are one label."""
    assert cleaned("\u1112\u1161\u11ab") == "한"


def test_a_long_name_loses_its_middle() -> None:
    """Both ends stay, since names of one family differ at either; Hangul counts two cells a syllable."""
    assert label("Qwen3-VL-235B-A22B-Instruct", 15) == "Qwen3-V…nstruct"
    assert label("하이퍼클로바엑스", 9) == "하이…엑스"


def test_a_name_of_a_megabyte_is_cut_without_being_read_whole() -> None:
    """A thousand thousand signs become one label."""
    assert cell_len(label("모" * 10**6)) <= LABEL_CELLS


def test_labels_that_would_be_alike_are_numbered() -> None:
    """Two models never become one series, whether their names differ in the middle or only in what is replaced."""
    assert labels_of(["x" * 50 + "1" + "y" * 50, "x" * 50 + "2" + "y" * 50], 10) == ("xxxxx…yyyy", "xxx…yy (2)")
    assert labels_of(["a\x00", "a\x01"]) == ("a\ufffd", "a\ufffd (2)")


@given(st.lists(ANY_TEXT, max_size=8))
def test_labels_are_narrow_and_differ(names: list[str]) -> None:
    """Whatever the names are, no two labels are alike, and none is wider than allowed or holds what steers."""
    found = labels_of(names)
    assert len(set(found)) == len(names)
    assert all(cell_len(each) <= LABEL_CELLS and each == cleaned(each) for each in found)


def test_sentences_are_broken_between_words() -> None:
    """A line has at most so many cells; a word that is longer stands alone."""
    assert wrapped("하나 둘 three averyveryverylongword x", 9) == ["하나 둘", "three", "averyveryverylongword", "x"]


def test_braces_in_names_are_no_places() -> None:
    """A title or a value in braces is text: it is not filled in."""
    assert titled("axis", {"en": "{0} {x}"}).text(Language.EN) == "{0} {x}"
    assert Phrase("by {judge}", "{judge} 채점").filled(judge="{0.__class__}").text(Language.KO) == "{0.__class__} 채점"
