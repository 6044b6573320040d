"""Items begin where their numbers form the best sequence, whatever else looks like a number."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.ingest_settings import HEADING
from exambench.construct.lines import Line
from exambench.construct.numbering import sections_of
from exambench.construct.pages import Box, Glyph

HEADINGS = re.compile(HEADING)


def line(text: str, row: int, indent: float = 0.0) -> Line:
    """Return a line of letters of ten points."""
    glyphs = tuple(
        Glyph(letter, Box(indent + 10 * n, 20 * row, indent + 10 * n + 10, 20 * row + 10), 10, "Body")
        for n, letter in enumerate(text)
    )
    return Line(1, Box(indent, 20 * row, indent + 10 * len(text), 20 * row + 10), glyphs, 0, 500)


def found(*texts: str) -> list[tuple[int, list[str]]]:
    """Return numbers, and the lines of each."""
    sections = sections_of([line(text, row) for row, text in enumerate(texts)], HEADINGS)
    return [(each.number, [part.text for part in each.elements if isinstance(part, Line)]) for each in sections]


def test_lines_belong_to_the_number_above_them() -> None:
    """What stands before the first number belongs to none."""
    assert found("모의시험", "1. 하나", "둘", "2. 셋") == [(1, ["하나", "둘"]), (2, ["셋"])]


@pytest.mark.parametrize("number", ["7.", "7)", "7번", "문 7.", "문제 7.", "Q7.", "7．"])
def test_usual_forms_of_a_number(number: str) -> None:
    """All are left out of the stem."""
    assert found(f"{number} 물음")[-1:] == [(7, ["물음"])]


def test_a_line_that_is_indented_begins_no_item() -> None:
    """A list within an item stands further to the right."""
    lines = [line("1. 물음", 0), line("2. 목록", 1, indent=40), line("2. 물음", 2)]
    assert [each.number for each in sections_of(lines, HEADINGS)] == [1, 2]
    assert len(sections_of(lines, HEADINGS)[0].elements) == 2


@given(
    st.lists(st.sampled_from(["2021. 3. 1.", "3.5 km", "999. 값", "지점 가", "가. 하나"]), max_size=20),
    st.integers(1, 30),
)
def test_lines_between_numbers_never_break_the_sequence(noise: list[str], count: int) -> None:
    """Years, decimals and values at the beginning of a line: the sequence from 1 is found whole."""
    texts = []
    for number in range(1, count + 1):
        texts += [f"{number}. 물음", *noise[number % 3 :: 3]]
    assert [number for number, _ in found(*texts)] == list(range(1, count + 1))


@given(st.sets(st.integers(1, 40), min_size=5, max_size=40))
def test_missing_numbers_lose_no_other(numbers: set[int]) -> None:
    """Gaps of up to four numbers do not end a sequence."""
    kept = sorted(numbers | set(range(1, 41, 5)))
    assert [number for number, _ in found(*(f"{number}. 물음" for number in kept))] == kept


def test_headings_end_an_item_and_name_the_part_of_the_next() -> None:
    """Also where a blank stands in the word."""
    texts = ["제1과목: 기상학", "1. 하나", "< 제 2 과 목 > 기후학", "2. 둘"]
    sections = sections_of([line(text, row) for row, text in enumerate(texts)], HEADINGS)
    assert [(each.number, each.part, len(each.elements)) for each in sections] == [(1, 1, 1), (2, 2, 1)]


def test_a_number_that_stands_twice_is_noted() -> None:
    """Which of the two begins the item is not known for sure."""
    texts = ["1. 하나", "2. 목록", "2. 둘", "3. 셋"]
    sections = sections_of([line(text, row) for row, text in enumerate(texts)], HEADINGS)
    assert [(each.number, each.repeated) for each in sections] == [(1, False), (2, True), (3, False)]
