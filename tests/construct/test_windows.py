"""Sliding windows: they hold the whole document, overlap as asked, and break no word."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.paper_texts import read_paper_text
from exambench.construct.sentences import sentences_of
from exambench.construct.windows import Sliding, windows_of
from tests.construct.generation import SAMPLE

WORDS = ("관측망은", "해풍이", "전선에서", "CO2", "3.5", "e.g.", "Fig.", "tide", "기온은", "(Kim", "vs.", "J.", "10")
ENDS = (".", "?", "!", "다.", "요.", "…", "다.\n", ".\n", "")

ANY_LENGTH = Sliding(shortest=1)

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
documents = st.lists(st.tuples(sentences, st.sampled_from(ENDS)).map("".join), max_size=60).map(" ".join)
slidings = st.builds(
    Sliding,
    window=st.floats(0.05, 1.0),
    overlap=st.floats(0.0, 0.9),
    shortest=st.integers(1, 200),
)


def texts(document: str, sliding: Sliding = ANY_LENGTH) -> list[str]:
    """Return what the windows hold."""
    return [document[window.start : window.end] for window in windows_of(document, sliding)]


@given(documents, slidings)
def test_every_sentence_is_in_a_window_and_windows_move_on(document: str, sliding: Sliding) -> None:
    """The first begins with the text, the last ends with it, none leaves a gap, and both ends move on."""
    found = windows_of(document, sliding)
    assert bool(found) == bool(document.strip())
    if not found:
        return
    assert document[: found[0].start].strip() == document[found[-1].end :].strip() == ""
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert document[before.end : after.start].strip() == ""


@given(documents, slidings)
def test_no_word_is_broken(document: str, sliding: Sliding) -> None:
    """At either end there is white space, or a Korean sentence whose space was lost."""
    for window in windows_of(document, sliding):
        left, right = document[: window.start], document[window.end :]
        assert not left or left[-1].isspace() or re.search("[가-힣][.?!]$", left)
        assert not right or right[0].isspace() or re.search("[가-힣][.?!]$", document[: window.end])


@given(documents, slidings)
def test_length_and_overlap_are_as_near_as_sentences_allow(document: str, sliding: Sliding) -> None:
    """Both lie within one sentence, with the space after it, of what is asked for; the last window apart."""
    size = max(sliding.window * len(document.strip()), sliding.shortest)
    pieces = sentences_of(document)
    starts = [piece.start for piece in pieces] + [len(document)]
    slack = max((after - before for before, after in pairwise(starts)), default=0) + 1
    found = windows_of(document, sliding)
    for before, after in pairwise(found):
        assert abs(before.end - after.start - sliding.overlap * size) <= slack
        if after is not found[-1]:
            assert abs(before.length - size) <= slack


def test_a_third_with_a_fifth_of_overlap_makes_four_windows() -> None:
    """100 sentences of 10 characters: of 33 with steps of 26.4: 0–33, 26–59, 52–85, 78–100 (derivation by hand)."""
    document = " ".join(f"문장 {number:03d}번." for number in range(100))
    assert [len(each.split(".")) - 1 for each in texts(document)] == [33, 33, 33, 22]
    assert [each.split(".")[0] for each in texts(document)] == ["문장 000번", "문장 026번", "문장 052번", "문장 078번"]


def test_without_overlap_windows_part_the_document() -> None:
    """Each sentence stands once."""
    document = " ".join(f"문장 {number:03d}번." for number in range(30))
    assert " ".join(texts(document, Sliding(0.25, 0.0, 1))) == document


def test_a_short_document_is_one_window() -> None:
    """What is not longer than the shortest window is not parted."""
    document = "첫 문장이다. 둘째 문장이다."
    assert texts(document, Sliding(0.1, 0.2, 200)) == [document]


def test_a_stub_at_the_end_becomes_part_of_the_window_before() -> None:
    """No window is shorter than the least length where the document is longer."""
    document = " ".join(f"문장 {number:03d}번." for number in range(20))
    lengths = [len(each) for each in texts(document, Sliding(0.33, 0.2, 60))]
    assert min(lengths) >= 60
    assert len(lengths) == 3


def test_a_sentence_longer_than_a_window_is_cut_between_words() -> None:
    """A text without a full stop is parted too: of 396 characters, 100 words, 79, 20 words, stand in the next."""
    document = " ".join(f"{number:03d}" for number in range(300))
    found = [each.split() for each in texts(document)]
    assert [len(set(before) & set(after)) for before, after in pairwise(found)] == [20, 20, 20]
    assert [len(each) for each in found[:3]] == [100, 100, 100]


def test_a_text_without_full_stops_is_parted_without_overlap_where_none_is_asked_for() -> None:
    """Each word stands once."""
    document = " ".join(f"{number:03d}" for number in range(300))
    assert " ".join(texts(document, Sliding(0.25, 0.0, 1))) == document


def test_a_text_of_nothing_but_full_stops_ends() -> None:
    """Hostile runs of what ends sentences, of blank lines and of quotation marks take no time to speak of."""
    for run in ("." * 300_000, "\n" * 300_000, ".”" * 150_000, "가." * 150_000):
        assert len(windows_of(f"시작 {run} 끝")) <= 5


def test_an_endless_word_stays_whole() -> None:
    """A run without any space is a window, whatever its length."""
    assert texts("가" * 5000) == ["가" * 5000]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("기온이 올랐다. 바람은 약했다.", ["기온이 올랐다.", "바람은 약했다."]),
        ("기온이 올랐다.바람은 약했다.", ["기온이 올랐다.", "바람은 약했다."]),
        ("얼마인가? 3.4 ℃였다!", ["얼마인가?", "3.4 ℃였다!"]),
        ("“그렇다.” 그는 말했다.", ["“그렇다.”", "그는 말했다."]),
        ("It rose by 2.3 mm. The sea rose too.", ["It rose by 2.3 mm.", "The sea rose too."]),
        ("See Fig. 3 and Kim et al. (2020). It holds.", ["See Fig. 3 and Kim et al. (2020).", "It holds."]),
        ("J. Smith, e.g. in spring, agrees. So do we.", ["J. Smith, e.g. in spring, agrees.", "So do we."]),
        ("Title without a stop\nThe text begins.", ["Title without a stop", "The text begins."]),
        ("1. 서론은 짧다. 본론은 길다.", ["1. 서론은 짧다.", "본론은 길다."]),
        ("Is it A?! Yes…", ["Is it A?!", "Yes…"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_sees_it(text: str, expected: list[str]) -> None:
    """Abbreviations, initials, decimals and the numbers of a list end none."""
    assert [text[span.start : span.end] for span in sentences_of(text)] == expected


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*.txt")), ids=lambda path: path.stem)
def test_sample_papers_are_cut_into_four(path: Path) -> None:
    """Windows of whole sentences: each ends with a full stop, or with a heading in a line of its own."""
    found = texts(read_paper_text(path).text)
    assert len(found) == 4
    assert all(each.endswith((".", "참고문헌", "References")) for each in found)
