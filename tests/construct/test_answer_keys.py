"""Key tables of every usual form are read, and what they leave open is left open."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.answer_keys import answers_in, key_tables_in, keys_in, keys_of_rows, split_at_keys
from exambench.construct.ingest_settings import HEADING
from exambench.construct.lines import Line
from exambench.construct.pages import Box, Glyph, around


def line(text: str, row: int = 0, *, font: str = "Body") -> Line:
    """Return a line of letters of one size; a space is one letter wide."""
    glyphs = [
        Glyph(letter, Box(10.0 * place, 20.0 * row, 10.0 * place + 10, 20.0 * row + 10), 10, font)
        for place, letter in enumerate(text)
    ]
    return Line(1, around(glyph.box for glyph in glyphs), tuple(glyphs), 0, 500)


def lines(*texts: str) -> list[Line]:
    """Return lines one under the other."""
    return [line(text, row) for row, text in enumerate(texts)]


@pytest.mark.parametrize(
    "table",
    [
        ["1 ③ 2 ① 3 ④"],
        ["1. ③   2. ①   3. ④"],
        ["1.③ 2.① 3.④"],
        ["1 ③", "2 ①", "3 ④"],
        ["1 3 2 1 3 4"],
        ["1 2 3", "③ ① ④"],
        ["1 2 3", "3 1 4"],
        ["번호 1 2 3", "정답 ③ ① ④"],
        ["1번 ③ 2번 ① 3번 ④"],
    ],
)
def test_numbers_beside_or_above_their_answers(table: list[str]) -> None:
    """All of these say the same."""
    assert keys_in(lines(*table)).answers == {1: (3,), 2: (1,), 3: (4,)}


def test_a_table_that_runs_down_its_columns() -> None:
    """The numbers of a row are three apart."""
    keys = keys_in(lines("1 ① 4 ④", "2 ② 5 ③", "3 ③ 6 ②"))
    assert keys.answers == {1: (1,), 2: (2,), 3: (3,), 4: (4,), 5: (3,), 6: (2,)}


def test_numbers_over_marks_are_no_numbers_and_answers_in_turn() -> None:
    """Four numbers over four marks; the row of numbers alone might say that 2 is the answer of 1."""
    keys = keys_in(lines("1 2 3 4", "③ ① ④ ②", "5 6 7 8", "① ② ③ ④"))
    assert keys.answers == {1: (3,), 2: (1,), 3: (4,), 4: (2,), 5: (1,), 6: (2,), 7: (3,), 8: (4,)}
    assert not keys.conflicts


def test_numbers_over_digits_are_told_from_numbers_and_answers_in_turn() -> None:
    """What stands under them counts on in a table that runs down its columns, and does not among answers."""
    over = keys_in(lines("1 2 3 4 5 6", "3 1 4 2 2 1"))
    assert over.answers == {1: (3,), 2: (1,), 3: (4,), 4: (2,), 5: (2,), 6: (1,)}
    down = keys_in(lines("1 2 3 4", "2 3 4 1"))
    assert down.answers == {1: (2,), 2: (3,), 3: (4,), 4: (1,)}
    assert not over.conflicts | down.conflicts


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        (["1 3 4", "2 1 2"], {1: {1: (3,), 2: (1,)}, 2: {1: (4,), 2: (2,)}}),
        (["1 ③ ④", "2 ① ②"], {1: {1: (3,), 2: (1,)}, 2: {1: (4,), 2: (2,)}}),
        (["1 3 4", "2 1"], {1: {1: (3,)}, 2: {1: (4,)}}),
    ],
)
def test_a_column_for_each_part(rows: list[str], parts: dict[int, dict[int, tuple[int, ...]]]) -> None:
    """Of digits too; a row that lacks an answer does not say whose it is."""
    tables = key_tables_in(lines("제1과목 제2과목", *rows), re.compile(HEADING), {})
    assert {part: keys.answers for part, keys in tables.parts.items()} == parts


def test_two_answers_are_two() -> None:
    """Which of them counts is no matter of reading."""
    assert keys_in(lines("1 ① ③ 2 ②")).answers == {1: (1, 3), 2: (2,)}


def test_a_number_with_two_different_answers_is_a_conflict() -> None:
    """A table that says one thing twice is none."""
    keys = keys_in(lines("1 ① 2 ②", "2 ② 1 ③"))
    assert keys.conflicts == {1}


def test_digits_that_are_no_answers_are_none() -> None:
    """Years and scores in a row are not numbers and answers in turn."""
    assert keys_in(lines("2003 60 2004 55", "합격 60점")).answers == {}


def marked(row: Sequence[tuple[str, int]]) -> Line:
    """Return a row of a scanned table: numbers as they were read, and marks."""
    glyphs = []
    for place, (text, answer) in enumerate(row):
        left = 60.0 * place
        glyphs.append(Glyph(text, Box(left, 0, left + 20, 10), 10, confidence=0.9))
        glyphs.append(Glyph("①②③④"[answer - 1], Box(left + 30, 0, left + 40, 10), 10, is_marker=True))
    return Line(1, around(glyph.box for glyph in glyphs), tuple(glyphs), 0, 500)


def test_misread_numbers_of_a_scan_are_put_right_and_doubted() -> None:
    """Four of five count up; the fifth is the one between, and a person is told."""
    keys = keys_in([marked([("26", 4), ("ZY,", 2), ("28", 4), ("29", 2), ("80", 3)])])
    assert keys.answers == {26: (4,), 27: (2,), 28: (4,), 29: (2,), 30: (3,)}
    assert keys.doubtful == {27, 30}


def test_a_row_of_a_scan_without_a_majority_is_doubted() -> None:
    """Nothing is put right by a guess."""
    keys = keys_in([marked([("7", 1), ("x", 2), ("90", 3), ("31", 4)])])
    assert keys.doubtful == set(keys.answers)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=60), st.integers(2, 10), st.sampled_from([" ", ". ", ") "]))
def test_every_table_of_marks_is_read_as_it_was_written(answers: list[int], columns: int, after: str) -> None:
    """Whatever the number of columns, and whatever stands after the numbers."""
    cells = [f"{number}{after}{'①②③④⑤'[answer - 1]}" for number, answer in enumerate(answers, start=1)]
    table = ["  ".join(cells[start : start + columns]) for start in range(0, len(cells), columns)]
    assert keys_in(lines(*table)).answers == {n: (answer,) for n, answer in enumerate(answers, start=1)}


def test_the_table_begins_at_the_last_title_that_answers_follow() -> None:
    """The word in an item's own line is no title, and a title without answers is none."""
    stream = lines("1. 정답은 어느 것인가?", "정답", "2. 물음", "정 답 표", "1 ① 2 ②")
    body, table = split_at_keys(stream)
    assert [element.text for element in body if isinstance(element, Line)][-1] == "2. 물음"
    assert keys_in(table).answers == {1: (1,), 2: (2,)}
    assert split_at_keys(lines("1. 물음", "정답", "없음")) == (tuple(lines("1. 물음", "정답", "없음")), ())


@pytest.mark.parametrize(
    ("text", "found"), [("③", (3,)), ("3", (3,)), ("1, 3", (1, 3)), ("①,③", (1, 3)), ("전항 정답", ()), ("12", ())]
)
def test_answers_in_a_cell(text: str, found: tuple[int, ...]) -> None:
    """Marks or digits; words are no answer."""
    assert answers_in(text) == found


def test_rows_of_a_table() -> None:
    """The same number twice with another answer is a conflict here too."""
    assert keys_of_rows([(1, "③"), (2, "1"), (1, "2")]).conflicts == {1}
