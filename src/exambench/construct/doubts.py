"""What a person should look at in an item that was read: signs that its text may say something else than its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from exambench.construct.formulas import LARGE_SIGNS, Formula, Piece, baseline_of, has_no_meaning
from exambench.construct.joining import Joined
from exambench.construct.layout import Layout
from exambench.construct.lines import MATH_FONTS, Line
from exambench.construct.numbering import Section
from exambench.construct.pages import Glyph, Region

CLOSE: Final = 0.75
"""Ems between the baselines of two lines of text at least."""
ENTANGLED: Final = 0.3
"""Ems of height that two lines with formulas share at least, when one reaches into the other."""
SURE: Final = 0.8
"""Confidence of a word of a scan below which a person has to look at it."""
OPERATORS: Final = ("=", "×", "÷", "+", "−", "<", ">", "≤", "≥", "≈", "∝")


def doubts_of(section: Section, texts: Sequence[Joined], glyphs: Sequence[Glyph], layout: Layout) -> list[str]:
    """Return the doubts about an item.

    Args:
        section: What belongs to it.
        texts: Its stem and its options.
        glyphs: Of its lines.
        layout: The paper.
    """
    return [*_of_place(section), *_of_texts(texts), *_of_glyphs(glyphs, layout), *_of_lines(section, layout)]


def _of_place(section: Section) -> Iterator[str]:
    if section.repeated:
        yield "its number stands at the beginning of another line too"
    if section.passage:
        yield "it has a passage in common with others, which was put before its stem"
    if section.following is not None and section.following > section.number + 1:
        yield f"the next item that was found is number {section.following}; those between may stand in this one"
    if section.left_out:
        yield f"text below the heading of the next part was left out: {section.left_out[:200]}"


def _of_texts(texts: Sequence[Joined]) -> Iterator[str]:
    guessed = sum(text.guessed for text in texts)
    if guessed:
        yield f"at {guessed} ends of lines it is not known whether a space or a hyphen belongs there"
    if any(_goes_on(text.pieces) for text in texts):
        yield "a formula may go on beside its mark"
    if any(isinstance(piece, str) and LARGE_SIGNS.search(piece) for text in texts for piece in text.pieces):
        yield "a root, a sum or an integral stands in its text, which may be a formula"


def _of_glyphs(glyphs: Sequence[Glyph], layout: Layout) -> Iterator[str]:
    unsure = sum(glyph.confidence < SURE for glyph in glyphs)
    if unsure:
        yield f"{unsure} words or marks were read uncertainly"
    elif any(glyph.confidence < 1.0 for glyph in glyphs):
        yield "it was recognised in a scan, where a wrong letter can look sure"
    unknown = sum(has_no_meaning(glyph.text) for glyph in glyphs)
    if unknown:
        yield f"{unknown} characters have no meaning that the file tells"
    odd = sorted({glyph.font for glyph in glyphs if glyph.font in layout.odd_fonts})
    if odd:
        yield f"signs in a font that sets no words may be a formula that was read as text: {', '.join(odd)[:80]}"
    turned = sum(glyph.is_turned for glyph in glyphs)
    if turned:
        yield f"{turned} of its characters do not stand upright"
    hidden = sum(glyph.is_hidden for glyph in glyphs)
    if hidden:
        yield f"{hidden} of its characters are in the file and hardly seen on the page"


def _of_lines(section: Section, layout: Layout) -> Iterator[str]:
    found = (*section.above, *section.passage, *section.elements, *section.below)
    lines = [element for element in found if isinstance(element, Line) and element.glyphs]
    if any(_overlap(one, two) or _are_entangled(one, two) for one, two in pairwise(lines)):
        yield "lines of it overlap: a fraction, an exponent or a table may have been read as text"
    own = [element for element in (*section.passage, *section.elements) if isinstance(element, Line) and element.glyphs]
    if any(_touches(line, place) for place in layout.drawn for line in own):
        yield "something is drawn in it that is too small for a figure, and was left out"
    if any(_touches(line, place) for place in layout.lone for line in own[1:]):
        yield "a line of it stands alone at the end of a page, and may be a header or a footer"
    if any(_touches(line, bar) for bar in layout.bars for line in lines):
        yield "a bar of a fraction, or a line over letters, stands in it: it may be a formula that was read as text"


def _touches(line: Line, place: Region) -> bool:
    return line.page == place.page and line.box.grown(line.size / 4).touches(place.box)


def _overlap(one: Line, two: Line) -> bool:
    """Tell whether two lines of a column stand nearer to each other than lines of text do."""
    if one.page != two.page or one.start != two.start or not one.glyphs[0].font:
        return False
    upper, lower = (baseline_of(line.glyphs) or line.box.middle[1] for line in (one, two))
    return abs(lower - upper) < CLOSE * max(one.size, two.size)


def _are_entangled(one: Line, two: Line) -> bool:
    """Tell whether two lines with formulas reach into each other, so that a part of one may have been read in both."""
    if one.page != two.page or one.start != two.start:
        return False
    shared = min(one.box.bottom, two.box.bottom) - max(one.box.top, two.box.top)
    return shared > ENTANGLED * max(one.size, two.size) and any(
        MATH_FONTS.search(glyph.font) for glyph in (*one.glyphs, *two.glyphs)
    )


def _goes_on(pieces: Sequence[Piece]) -> bool:
    """Tell whether an operator stands right beside a formula, outside of it."""
    return any(
        (isinstance(one, str) and isinstance(two, Formula) and one.rstrip().endswith(OPERATORS))
        or (isinstance(one, Formula) and isinstance(two, str) and two.lstrip().startswith(OPERATORS))
        for one, two in pairwise(pieces)
    )
