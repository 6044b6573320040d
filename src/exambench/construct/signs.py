"""The signs of papers: what options are marked with, in every usual kind, and what right answers are named by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Final

from exambench.construct.pages import Glyph

_LONGEST: Final = 10


def _row(first: str) -> str:
    return "".join(chr(ord(first) + place) for place in range(_LONGEST))


FIRST_MARKS: Final = "①❶➀➊⑴⓵"
MARKS: Final = {sign: value for first in FIRST_MARKS for value, sign in enumerate(_row(first), start=1)}
"""Digits in circles and parentheses, and what they say: they name an answer in every paper."""
_DIGITS: Final = "123456789"
_CAPITALS: Final = "ABCDEFGHI"
_SMALL: Final = "abcdefghi"
_SYLLABLES: Final = "가나다라마바사아자"
_JAMO: Final = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈ"
_FAMILIES: Final = (
    tuple(_row(first) for first in FIRST_MARKS),
    (_CAPITALS, _SMALL, _row("ⓐ"), _row("Ⓐ"), _row("⒜")),
    (_SYLLABLES, _row("㉮"), _row("㈎")),
    (_JAMO, _row("㉠"), _row("㈀")),
)
"""Rows of signs that stand for each other in a table of right answers."""
_WIDE: Final = str.maketrans("．（）", ".()")


@dataclass(frozen=True, slots=True)
class Style:
    """A kind of option marks.

    Attributes:
        name: Its first mark, as the setting ``marks`` names it.
        rows: Its signs in their order; several rows are the same kind.
        before: What stands before a sign: a parenthesis, or nothing.
        after: What stands after it.
        is_detected: Whether a paper's own consistency tells it; lists of statements look like the others.
    """

    name: str
    rows: tuple[str, ...]
    before: str = ""
    after: str = ""
    is_detected: bool = True

    @property
    def firsts(self) -> frozenset[str]:
        """Characters that one of its marks may begin with."""
        return frozenset(self.before) if self.before else frozenset(chain.from_iterable(self.rows))

    @property
    def key_signs(self) -> Mapping[str, int]:
        """The signs besides digits that name its options in a table of right answers, and what they say."""
        return _values(*(row for family in _FAMILIES if set(self.rows) & set(family) for row in family))

    def mark_at(self, glyphs: Sequence[Glyph], start: int) -> tuple[int, int] | None:
        """Return what the mark that begins at a glyph says, and the place after it; ``None`` where there is none."""
        place = start
        if self.before:
            if _text(glyphs, place) != self.before:
                return None
            place = _after_spaces(glyphs, place + 1)
        value = self._value(_text(glyphs, place))
        if value is None:
            return None
        place += 1
        if self.after:
            place = _after_spaces(glyphs, place) if self.before else place
            if _text(glyphs, place) != self.after:
                return None
            place += 1
        return None if self._goes_on(glyphs, place) else (value, place)

    def _value(self, text: str) -> int | None:
        return next((row.index(text) + 1 for row in self.rows if len(text) == 1 and text in row), None)

    def _goes_on(self, glyphs: Sequence[Glyph], place: int) -> bool:
        """Tell whether what follows makes something else of a sign with a full stop: 3.5, or U.S."""
        if self.after != "." or place == len(glyphs):
            return False
        before, after = glyphs[place - 1], glyphs[place]
        is_close = after.box.left - before.box.right <= _TOUCHING * after.size
        return is_close and after.text.isascii() and after.text.isalnum()


_TOUCHING: Final = 0.15
"""Ems between characters of one word at most."""


def _text(glyphs: Sequence[Glyph], place: int) -> str:
    return glyphs[place].text.translate(_WIDE) if place < len(glyphs) else ""


def _after_spaces(glyphs: Sequence[Glyph], place: int) -> int:
    while place < len(glyphs) and glyphs[place].text.isspace():
        place += 1
    return place


def _values(*rows: str) -> Mapping[str, int]:
    return MappingProxyType({sign: value for row in rows for value, sign in enumerate(row, start=1)})


CIRCLED: Final = Style("①", _FAMILIES[0])
STYLES: Final = (
    CIRCLED,
    *(Style(first, (_row(first),)) for first in "ⓐⒶ⒜㉠㉮㈀㈎"),
    *(
        Style(f"{before}{row[0]}{after}", (row,), before, after, is_detected=row is not _JAMO)
        for row in (_DIGITS, _CAPITALS, _SMALL, _SYLLABLES, _JAMO)
        for before, after in (("", "."), ("", ")"), ("(", ")"))
    ),
)
"""All kinds; ㄱ. and its like have to be named, because statements to be judged are marked so."""
DIGITS: Final = tuple(style for style in STYLES if style.rows == (_DIGITS,))
"""Kinds whose marks may be numbers of items too."""
AUTO: Final = "auto"
"""In place of a kind's name: the paper tells."""
BY_NAME: Final = MappingProxyType({style.name: style for style in STYLES})
LETTERS: Final = _values(*(row for family in _FAMILIES[1:] for row in family))
"""All letters that name an answer, of whatever kind."""
_BY_FIRST: Final[Mapping[str, tuple[Style, ...]]] = MappingProxyType(
    {first: tuple(style for style in STYLES if first in style.firsts) for style in STYLES for first in style.firsts}
)


def styles_at(glyphs: Sequence[Glyph], place: int) -> tuple[tuple[Style, int, int], ...]:
    """Return the marks that may begin at a glyph: the kind, what it says, and the place after it."""
    found = []
    for style in _BY_FIRST.get(glyphs[place].text.translate(_WIDE), ()):
        mark = style.mark_at(glyphs, place)
        if mark is not None:
            found.append((style, *mark))
    return tuple(found)


def first_mark(glyphs: Sequence[Glyph]) -> tuple[Style, int | None] | None:
    """Return the mark of an option that text begins with: its kind and what it says; that of a scan may say nothing."""
    solid = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if solid and solid[0].is_marker:
        return CIRCLED, None
    return next(((style, value) for style, value, _ in styles_at(solid, 0)), None) if solid else None
