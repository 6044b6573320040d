"""Formulas in a line: which glyphs are one, and the mark that stands for it in a text until LaTeX does.

A mark names the beginning of the digest of the formula's picture, and the picture is among the images of the content:
``⟦formula 0123456789ab⟧`` belongs to the image whose file name begins with these digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exambench.construct.lines import MATH_FONTS, is_gap
from exambench.construct.pages import Glyph, Region, around
from exambench.items import Image

DIGITS: Final = 12
MARK: Final = re.compile(rf"⟦formula ([0-9a-f]{{{DIGITS}}})⟧")
SCRIPT: Final = 0.85
"""Part of a line's size under which a glyph that stands higher or lower is an exponent or an index."""
SHIFT: Final = 0.12
"""Ems by which it stands higher or lower at least."""
BESIDE: Final = 0.5
"""Ems after a formula that a space stands for, where the file has none; fractions have blank of their own."""
_HANGUL: Final = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, in as many places as it has lines."""

    regions: tuple[Region, ...]


Piece = str | Formula


def mark_of(image: Image) -> str:
    """Return the mark that stands for the formula that a picture, named by its content, shows."""
    return f"⟦formula {image.path[:DIGITS]}⟧"


def is_formula(image: Image, text: str) -> bool:
    """Tell whether a picture is that of a formula which a text marks, not a figure."""
    return mark_of(image) in text


def math_fonts(fonts: Sequence[str], body: str) -> frozenset[str]:
    """Return those fonts whose glyphs are formulas; the one that most of the text is set in is none."""
    return frozenset(font for font in fonts if font != body and MATH_FONTS.search(font))


def pieces(glyphs: Sequence[Glyph], page: int, fonts: frozenset[str]) -> tuple[Piece, ...]:
    """Return glyphs from left to right as text and formulas.

    A formula is a run of glyphs in a font for formulas, or a word with an exponent or an index.
    """
    flags = _flags(glyphs, fonts)
    found: list[Piece] = []
    text: list[str] = []
    run: list[Glyph] = []
    for place, glyph in enumerate(glyphs):
        if flags[place]:
            if not run:
                text += _gap(glyphs, place)
                found.append("".join(text))
                text = []
            run.append(glyph)
            continue
        if run:
            text += [" "] if glyph.box.left - max(each.box.right for each in run) > BESIDE * glyph.size else []
            found.append(_formula(run, page))
            run = []
        else:
            text += _gap(glyphs, place)
        text.append(glyph.text)
    found.append(_formula(run, page) if run else "".join(text))
    return tuple(piece for piece in found if piece)


def _gap(glyphs: Sequence[Glyph], place: int) -> list[str]:
    return [" "] if place and is_gap(glyphs[place - 1], glyphs[place]) else []


def _formula(run: Sequence[Glyph], page: int) -> Formula:
    return Formula((Region(page, around(glyph.box for glyph in run if not glyph.text.isspace())),))


def _flags(glyphs: Sequence[Glyph], fonts: frozenset[str]) -> list[bool]:
    """Tell of each glyph whether it belongs to a formula."""
    flags = [glyph.font in fonts and not glyph.text.isspace() for glyph in glyphs]
    for place in _scripts(glyphs):
        flags[place] = True
        for at in range(place - 1, -1, -1):
            if glyphs[at].text.isspace() or _HANGUL.match(glyphs[at].text) or is_gap(glyphs[at], glyphs[at + 1]):
                break
            flags[at] = True
    inside = [place for place, flag in enumerate(flags) if flag]
    for before, after in pairwise(inside):
        if all(glyphs[at].text.isspace() and glyphs[at].font in fonts for at in range(before + 1, after)):
            flags[before + 1 : after] = [True] * (after - before - 1)
    return flags


def _scripts(glyphs: Sequence[Glyph]) -> list[int]:
    solid = [glyph for glyph in glyphs if not glyph.text.isspace() and glyph.font]
    if not solid:
        return []
    size = max(glyph.size for glyph in solid)
    large = [glyph for glyph in solid if glyph.size > SCRIPT * size]
    bottom, middle = max(glyph.box.bottom for glyph in large), max(glyph.box.middle[1] for glyph in large)
    return [
        place
        for place, glyph in enumerate(glyphs)
        if glyph.font
        and glyph.size <= SCRIPT * size
        and not glyph.text.isspace()
        and not glyph.is_marker
        and (bottom - glyph.box.bottom > 2 * SHIFT * size or glyph.box.middle[1] - middle > SHIFT * size)
    ]
