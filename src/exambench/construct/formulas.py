"""Formulas in a line: which glyphs are one, and the mark that stands for it in a text until LaTeX does.

A mark names the beginning of the digest of the formula's picture, and the picture is among the images of the content:
``⟦formula 0123456789ab⟧`` belongs to the image whose file name begins with these digits.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from exambench.construct.lines import MATH_FONTS, is_gap
from exambench.construct.pages import Glyph, Page, Region, around
from exambench.items import Image

DIGITS: Final = 12
MARK: Final = re.compile(rf"⟦formula ([0-9a-f]{{{DIGITS}}})⟧")
SCRIPT: Final = 0.85
"""Part of a line's size under which a glyph that stands higher or lower is an exponent or an index."""
SHIFT: Final = 0.12
"""Ems by which it stands higher or lower at least."""
BESIDE: Final = 0.5
"""Ems after a formula that a space stands for, where the file has none; fractions have blank of their own."""
RISE: Final = 0.2
"""Ems between the baseline of a glyph of full size and that of its line, when it is an exponent or an index."""
MATH_LETTERS: Final = re.compile("[\U0001d400-\U0001d7ff\u210a-\u2112\u2118-\u211d\u2124\u212c-\u2138]")
"""Letters that only formulas have; ℃, ℓ, Ω and Å are units."""
_SIGNS: Final = re.compile("[\u0391-\u03c9\u2190-\u22ff\u2a00-\u2aff\u27c0-\u27ef±×÷=<>+√∞]")
_WORD: Final = re.compile(r"[A-Za-z]{4}|[\u1100-\u11ff\u3041-\u318f\u3400-\u9fff\uac00-\ud7a3]")
LARGE_SIGNS: Final = re.compile("[\u220f-\u2211\u221a-\u221c\u222b-\u2233\u2320\u2321\u239b-\u23ad]")
"""Signs that no line of text holds with all that belongs to them: sums, roots, integrals, tall parentheses."""
_LATIN: Final = re.compile(r"[A-Za-z0-9]")
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


def math_fonts(fonts: Iterable[str], body: str) -> frozenset[str]:
    """Return those fonts whose glyphs are formulas; the one that most of the text is set in is none."""
    return frozenset(font for font in fonts if font != body and MATH_FONTS.search(font))


def with_fonts_known(pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return pages whose fonts of formulas say so in their names: those with letters that only formulas have.

    The font that most of the text is set in stays as it is.
    """
    often = Counter(glyph.font for page in pages for glyph in page.glyphs)
    body = max(often, key=lambda font: often[font], default="")
    found = {glyph.font for page in pages for glyph in page.glyphs if MATH_LETTERS.search(glyph.text)} - {body}
    if all(MATH_FONTS.search(font) for font in found):
        return tuple(pages)
    return tuple(
        replace(
            page,
            glyphs=tuple(
                replace(glyph, font=f"{glyph.font} (math)") if glyph.font in found else glyph for glyph in page.glyphs
            ),
        )
        for page in pages
    )


def odd_fonts(texts: Mapping[str, str], body: str) -> frozenset[str]:
    """Return those fonts that may be of formulas though their names do not say so: they set signs, and no words.

    Args:
        texts: For each font, what stands in it; a space between stretches of a line.
        body: The one that most of the text is set in, which is none.
    """
    known = math_fonts(texts, body) | {body}
    return frozenset(
        font
        for font, text in texts.items()
        if font not in known and _SIGNS.search(text) and _LATIN.search(text) and not _WORD.search(text)
    )


def has_no_meaning(text: str) -> bool:
    """Tell whether a file does not say what a glyph means: no character, a private one, or a control code."""
    return any(
        letter == "\ufffd" or (not letter.isspace() and unicodedata.category(letter) in {"Cc", "Co", "Cn", "Cs"})
        for letter in text
    )


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
    flags = [
        (glyph.font in fonts and not glyph.text.isspace()) or MATH_LETTERS.search(glyph.text) is not None
        for glyph in glyphs
    ]
    for place in _scripts(glyphs):
        flags[place] = True
        for at in range(place - 1, -1, -1):
            if not _is_one_word(glyphs[at], glyphs[at + 1]):
                break
            flags[at] = True
        for at in range(place + 1, len(glyphs)):
            if not _is_one_word(glyphs[at - 1], glyphs[at]) or not _LATIN.match(glyphs[at].text):
                break
            flags[at] = True
    inside = [place for place, flag in enumerate(flags) if flag]
    for before, after in pairwise(inside):
        if all(glyphs[at].text.isspace() and glyphs[at].font in fonts for at in range(before + 1, after)):
            flags[before + 1 : after] = [True] * (after - before - 1)
    return flags


def _is_one_word(before: Glyph, after: Glyph) -> bool:
    return not any(glyph.text.isspace() or _HANGUL.match(glyph.text) for glyph in (before, after)) and not is_gap(
        before, after
    )


def _scripts(glyphs: Sequence[Glyph]) -> list[int]:
    """Return the glyphs that are exponents or indices: smaller and higher or lower, or drawn so by their font."""
    solid = [glyph for glyph in glyphs if not glyph.text.isspace() and glyph.font]
    if not solid:
        return []
    size = max(glyph.size for glyph in solid)
    large = [glyph for glyph in solid if glyph.size > SCRIPT * size]
    bottom, middle = max(glyph.box.bottom for glyph in large), max(glyph.box.middle[1] for glyph in large)
    line = baseline_of(large)

    def is_script(glyph: Glyph) -> bool:
        shift = 0.0 if line is None or glyph.baseline is None else abs(glyph.baseline - line)
        if glyph.size > SCRIPT * size:
            return glyph.is_script or (shift > RISE * size and MATH_FONTS.search(glyph.font) is None)
        return (
            bottom - glyph.box.bottom > 2 * SHIFT * size
            or glyph.box.middle[1] - middle > SHIFT * size
            or shift > SHIFT * size
            or glyph.is_script
        )

    return [
        place
        for place, glyph in enumerate(glyphs)
        if glyph.font and not glyph.text.isspace() and not glyph.is_marker and is_script(glyph)
    ]


def baseline_of(glyphs: Sequence[Glyph]) -> float | None:
    """Return where most of the glyphs of a line stand."""
    often = Counter(round(glyph.baseline, 1) for glyph in glyphs if glyph.baseline is not None)
    return often.most_common(1)[0][0] if often else None
