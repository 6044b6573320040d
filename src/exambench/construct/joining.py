"""Lines joined to a text: with a space, without one, or as paragraphs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from exambench.construct.formulas import Formula, Piece, pieces
from exambench.construct.layout import Layout
from exambench.construct.lines import MATH_FONTS, around_glyphs, is_gap, text_of
from exambench.construct.pages import HYPHEN, Glyph
from exambench.text import storable

ROOM: Final = 1.0
"""Ems that a line has left, besides the word that begins the next one, when it was ended on purpose."""
LONGEST_WORD: Final = 60
PARAGRAPH: Final = 0.9
"""Ems between two paragraphs."""
HEADING: Final = 1.1
"""How much larger letters are, at least, of a heading than of what follows, or of one heading than of another."""
_LISTED: Final = re.compile(
    r"[ㄱ-ㅎ]\s*[.)]|\([ㄱ-ㅎ가나다라마바사]\)|[㉠-㉻•●○■□▪◦]|[〈<《\[［【〔]\s*보\s*기\s*[〉>》\]］】〕]"
)
"""What a line of a list begins with."""
_LETTERED: Final = re.compile(r"[가나다라마바사아자차카타파하][.)]")
"""The same, unless it is the end of a word, as 다. is of a sentence."""
_NUMBERED: Final = re.compile(r"[A-Ha-h1-9][.)]|\([A-Ha-h1-9]\)")
"""The same, unless it goes on in a sentence; it stands alone."""
_OPERATORS: Final = frozenset("=×÷+−<>≤≥≈")
_ENDS: Final = frozenset(".?!")
_PARTED: Final = re.compile(r"([^\W\d_]{2,})[-\u00ad\u2010]$")
"""The first half of a word that goes on in the next line."""
_SENTENCE_END: Final = re.compile(r"[.?!:)]$")
_HANGUL_END: Final = re.compile("[\uac00-\ud7a3]$")
_HANGUL_START: Final = re.compile("^[\uac00-\ud7a3]")
_PARTICLES: Final = frozenset("은는이가을를의에로와과도한된할서며고")
"""Syllables that often end a Korean word."""
_MARKS: Final = ".,;:!?()[]"
_CONTROL: Final = re.compile(
    "[\u00ad\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A line, or the part of it that belongs to one text.

    Attributes:
        page: Number of the page.
        glyphs: From left to right, at least one that is no space.
        edge: Where its column, or its cell, ends.
    """

    page: int
    glyphs: tuple[Glyph, ...]
    edge: float


@dataclass(frozen=True, slots=True)
class Joined:
    """A text with its formulas.

    Attributes:
        pieces: Text and formulas; no two texts and no two formulas stand side by side.
        guessed: Ends of lines where nothing told whether a space or a hyphen belongs there.
    """

    pieces: tuple[Piece, ...]
    guessed: int


def joined(fragments: Sequence[Fragment], layout: Layout) -> Joined:
    """Join lines; one that ends early ends a paragraph.

    Where the file has a space at the end of a line, one is put, and elsewhere none. A file that has none at any end
    does not tell, nor does a scan: then words decide that stand elsewhere in the paper.
    """
    found: list[Piece] = []
    guessed = 0
    for before, fragment in zip((None, *fragments), fragments, strict=False):
        if before is not None:
            between, sure = _between(before, fragment, layout)
            guessed += not sure
            found.append(between)
        found += pieces(fragment.glyphs, fragment.page, layout.fonts)
    return Joined(_merged(found), guessed)


def joined_text(fragments: Sequence[Fragment], layout: Layout) -> str:
    """Join the lines of prose: what is set as a formula stands as its letters, and a word that was parted is whole.

    A hyphen at the end of a line stays where the paper has the word with it elsewhere. Lines in letters of another
    size, such as headings, are paragraphs of their own.
    """
    found: list[str] = []
    for before, fragment in zip((None, *fragments), fragments, strict=False):
        text = text_of(fragment.glyphs)
        if before is not None:
            part = _PARTED.search(found[-1][-LONGEST_WORD:])
            if _differ_in_size(before, fragment):
                found.append("\n")
            elif part is not None and text[:1].islower():
                whole = f"{part[1]}-{text.split(maxsplit=1)[0]}"
                found[-1] = found[-1][:-1] + ("-" if layout.words[whole] else "")
            else:
                found.append(_between(before, fragment, layout)[0])
        found.append(text)
    return "".join(found)


def _differ_in_size(before: Fragment, after: Fragment) -> bool:
    """Tell whether the letters of one line are larger than those of another; exponents and the like do not count."""
    small, large = sorted(median(glyph.size for glyph in each.glyphs) for each in (before, after))
    return large > HEADING * small


def clean(text: str) -> str:
    """Return text as an item has it: composed, without control characters, and with single spaces."""
    text = _CONTROL.sub("", storable(unicodedata.normalize("NFC", text)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _between(before: Fragment, after: Fragment, layout: Layout) -> tuple[str, bool]:
    """Return what stands between two lines, and whether that is sure."""
    if before.glyphs[-1].text == HYPHEN:
        return _without_hyphen(before, after, layout.words)
    place, size = around_glyphs(before.glyphs), before.glyphs[0].size
    below = around_glyphs(after.glyphs).top - place.bottom
    end, start = _word(before.glyphs[::-1])[::-1], _word(after.glyphs)
    is_sentence, listed = _SENTENCE_END.search(end) is not None, _LISTED.match(start)
    needed = _first_word(after.glyphs) + ROOM * size
    is_early = before.edge - place.right > needed
    is_soft = layout.ends_tell and before.glyphs[-1].text.isspace()
    may_list = not is_soft and _NUMBERED.fullmatch(start) is not None
    if before.page == after.page and below > PARAGRAPH * size:
        return "\n", True
    if listed or (_LETTERED.match(start) and is_sentence):
        return "\n", is_sentence or (not is_soft and listed is not None and listed[0] == start)
    if is_early:
        may_be_full = layout.guessed.get(before.edge, float("inf")) - place.right <= needed
        return "\n", not is_soft and not may_be_full
    if may_list or not layout.ends_tell:
        return ("\n", False) if may_list else _guess(end, start, layout.words)
    return (" ", True) if is_soft else _without_space(before, after, layout)


def _without_hyphen(before: Fragment, after: Fragment, words: Counter[str]) -> tuple[str, bool]:
    """Return what stands between two halves of a word: nothing or a hyphen, as elsewhere; else nothing, as a guess."""
    end, start = _word(before.glyphs[:-1][::-1])[::-1], _word(after.glyphs)
    whole, apart = (words[text.strip(_MARKS)] for text in (end + start, f"{end}-{start}"))
    return ("-" if apart and not whole else ""), bool(whole) != bool(apart)


def _without_space(before: Fragment, after: Fragment, layout: Layout) -> tuple[str, bool]:
    """Return what stands between two lines, the first of which ends in no space: nothing, unless something is odd.

    After an operator and after a formula there is often a space that the file has left out, and after a sentence the
    end of a paragraph.
    """
    last, first = before.glyphs[-1].text, after.glyphs[0].text
    if last in _ENDS:
        return "\n", last != "."
    ends_formula = isinstance(pieces(before.glyphs, before.page, layout.fonts)[-1], Formula)
    goes_on = isinstance(pieces(after.glyphs, after.page, layout.fonts)[0], Formula)
    if goes_on:
        return "", last != "/"
    is_odd = first.isalnum() if ends_formula else last in _OPERATORS
    return (" " if is_odd else ""), not is_odd


def _guess(end: str, start: str, words: Counter[str]) -> tuple[str, bool]:
    """Return a space or none between the word that ends a line and the one that begins the next."""
    if not _HANGUL_END.search(end) or not _HANGUL_START.match(start):
        return " ", not (_HANGUL_END.search(end) or _HANGUL_START.match(start))
    whole, apart = words[end + start], min(words[end], words[start])
    if bool(whole) != bool(apart):
        return ("" if whole else " "), True
    return (" " if words[end] or end[-1] in _PARTICLES else ""), False


def _word(glyphs: Sequence[Glyph]) -> str:
    """Return the characters before the first space, in the order given."""
    backwards = len(glyphs) > 1 and glyphs[0].box.left > glyphs[-1].box.left
    found: list[str] = []
    for glyph in glyphs:
        if glyph.text.isspace():
            if found:
                break
            continue
        found.append(glyph.text[::-1] if backwards else glyph.text)
    return "".join(found)


def _first_word(glyphs: Sequence[Glyph]) -> float:
    """Return the width of the first word."""
    solid = [glyph for glyph in glyphs if not glyph.text.isspace()]
    end = solid[0]
    for before, glyph in pairwise(glyphs):
        is_formula = MATH_FONTS.search(glyph.font) and MATH_FONTS.search(before.font)
        if not is_formula and (glyph.text.isspace() or is_gap(before, glyph)):
            break
        end = glyph
    return end.box.right - solid[0].box.left


def _merged(found: Sequence[Piece]) -> tuple[Piece, ...]:
    merged: list[Piece] = []
    for piece in found:
        if not piece:
            continue
        last = merged[-1] if merged else None
        if isinstance(piece, str) and isinstance(last, str):
            merged[-1] = last + piece
        elif isinstance(piece, Formula) and isinstance(last, Formula):
            merged[-1] = Formula(last.regions + piece.regions)
        else:
            merged.append(piece)
    return tuple(merged)
