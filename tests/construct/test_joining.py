"""Lines are joined as they were before they were broken, or a guess is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.joining import Fragment, clean, joined
from exambench.construct.layout import Layout
from exambench.construct.pages import Box, Glyph


def fragment(text: str, row: int, edge: float = 0.0, font: str = "Body") -> Fragment:
    """Return a line that fills its column, unless an edge further on is named."""
    glyphs = tuple(
        Glyph(letter, Box(10 * n, 12 * row, 10 * n + 10, 12 * row + 10), 10, font) for n, letter in enumerate(text)
    )
    return Fragment(1, glyphs, max(edge, 10.0 * len(text)))


def layout(*, ends_tell: bool = True, words: str = "") -> Layout:
    """Return a paper of whose words some are known."""
    return Layout((), frozenset(), (), 1, ends_tell=ends_tell, words=Counter(words.split()))


def text_of(*lines: str, ends_tell: bool = True, words: str = "", edge: float = 0.0) -> tuple[str, int]:
    """Return the text of joined lines, and the number of guesses."""
    result = joined([fragment(line, n, edge) for n, line in enumerate(lines)], layout(ends_tell=ends_tell, words=words))
    return clean("".join(piece for piece in result.pieces if isinstance(piece, str))), result.guessed


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (("대기의 압", "력은"), "대기의 압력은"),
        (("대기의 ", "압력은"), "대기의 압력은"),
        (("것이", "다. 옳은 것은?"), "것이다. 옳은 것은?"),
        (("옳은 것은?", "ㄱ. 하나", "ㄴ. 둘"), "옳은 것은?\nㄱ. 하나\nㄴ. 둘"),
        (("옳은 것은?", "가. 하나"), "옳은 것은?\n가. 하나"),
    ],
)
def test_the_ends_of_lines_tell(lines: tuple[str, ...], whole: str) -> None:
    """A space glyph at the end is a space, none is none; a list begins lines."""
    assert text_of(*lines) == (whole, 0)


def test_a_line_that_ends_early_ends_a_paragraph() -> None:
    """The next word would have had room."""
    assert text_of("옳은 것은?", "단 하나", edge=200) == ("옳은 것은?\n단 하나", 0)


def test_an_operator_at_the_end_of_a_line_is_a_guess() -> None:
    """Whether a space was there, only a person can see."""
    assert text_of("월평균기온 −", "5") == ("월평균기온 − 5", 1)


@pytest.mark.parametrize(
    ("words", "whole", "guesses"),
    [("coldness", "a coldness grew", 0), ("cold-ness", "a cold-ness grew", 0), ("", "a coldness grew", 1)],
)
def test_a_word_that_was_broken_at_a_hyphen(words: str, whole: str, guesses: int) -> None:
    """It is written as elsewhere in the paper; where it stands nowhere else, the hyphen goes, and a person is told."""
    assert text_of("a cold\u00ad", "ness grew", words=words) == (whole, guesses)


@pytest.mark.parametrize(
    ("lines", "words", "whole", "guesses"),
    [
        (("북서", "풍이 분다"), "북서풍이", "북서풍이 분다", 0),
        (("바람이", "세게 분다"), "바람이 세게", "바람이 세게 분다", 0),
        (("바람이", "세게 분다"), "", "바람이 세게 분다", 1),
        (("급변", "하고"), "", "급변하고", 1),
        (("300 hPa", "면의"), "", "300 hPa 면의", 1),
        (("wind", "shear"), "", "wind shear", 0),
    ],
)
def test_words_of_the_paper_tell_where_the_ends_of_lines_do_not(
    lines: tuple[str, ...], words: str, whole: str, guesses: int
) -> None:
    """A word that stands elsewhere whole is whole here; what nothing tells is counted."""
    assert text_of(*lines, ends_tell=False, words=words) == (whole, guesses)


@given(st.text(st.sampled_from("가나다라 abc 12.,()"), min_size=1, max_size=80), st.integers(3, 20))
def test_a_text_that_was_broken_anywhere_is_whole_again(text: str, width: int) -> None:
    """Whatever the width of the column, as long as the file keeps its spaces."""
    text = "기온 " + " ".join(
        text.replace("가.", "가").replace("나.", "나").replace("다.", "다").replace("라.", "라").split()
    )
    text = text.replace(")", "").replace("(", "").replace(".", "")
    lines = [text[start : start + width] for start in range(0, len(text), width)]
    lines = [line for line in lines if line.strip()]
    rebuilt, guesses = text_of(*lines, edge=10.0 * width)
    assert (rebuilt, guesses) == (" ".join(text.split()), 0)


def test_what_nobody_sees_is_left_out() -> None:
    """Controls, direction overrides and lone surrogates; decomposed Hangul is composed."""
    assert clean("가\u202e나\x07다 \ud800 \u1112\u1161\u11ab") == "가나다 \ufffd 한"


@pytest.mark.parametrize(
    ("lines", "whole", "guesses"),
    [
        (("옳은 것은?", "〈보기〉"), "옳은 것은?\n〈보기〉", 0),
        (("알맞은 것은?", "그림은 구름이다"), "알맞은 것은?\n그림은 구름이다", 0),
        (("구름이 생긴다.", "바람이 분다"), "구름이 생긴다.\n바람이 분다", 1),
        (("고기압이", "㉠의 위에 있다"), "고기압이\n㉠의 위에 있다", 1),
        (("고기압이 있다", "㉠ 바람이 분다"), "고기압이 있다\n㉠ 바람이 분다", 0),
        (("고기압은 ", "(가) 바람의 것"), "고기압은\n(가) 바람의 것", 1),
    ],
)
def test_where_a_paragraph_ends(lines: tuple[str, str], whole: str, guesses: int) -> None:
    """After a sentence without a space, and before a list; what may go on is a guess."""
    assert text_of(*lines) == (whole, guesses)


@pytest.mark.parametrize(("second", "guesses"), [("이고", 1), ("바람", 1), (", 곧", 0)])
def test_what_follows_a_formula_at_the_end_of_a_line_is_a_guess(second: str, guesses: int) -> None:
    """Files leave out the space after a formula there; a comma needs none."""
    lines = [fragment("값은 ", 0), fragment("x", 0, font="Math"), fragment(second, 1)]
    whole = Fragment(1, (*lines[0].glyphs, *(_moved(glyph, 30) for glyph in lines[1].glyphs)), 0.0)
    found = joined([whole, lines[2]], replace(layout(), fonts=frozenset({"Math"})))
    assert str(found.pieces[-1]).strip() == second
    assert found.guessed == guesses


def test_an_edge_that_is_guessed_ends_no_paragraph_for_sure() -> None:
    """The line is as long as any, and a column that is wider than all of its lines was taken to be."""
    lines = [fragment("구름이 생기는", 0, 400.0), fragment("높이에 있다", 1, 400.0)]
    assert joined(lines, replace(layout(), guessed={400.0: 80.0})).guessed == 1
    assert joined(lines, layout()).guessed == 0


def _moved(glyph: Glyph, across: float) -> Glyph:
    return replace(glyph, box=replace(glyph.box, left=glyph.box.left + across, right=glyph.box.right + across))
