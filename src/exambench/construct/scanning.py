"""A scan as pages of glyphs, as if it had text: upright, words by Tesseract, marks of options by their shape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from exambench.construct.conventions import convention_of
from exambench.construct.layout import layout_of
from exambench.construct.lines import WORD_GAP
from exambench.construct.pages import Box, Drawing, Glyph, Page, Region, Shape, around
from exambench.construct.pdf_reading import Pdf
from exambench.construct.questions import draft_of
from exambench.construct.scan_pixels import (
    DPI,
    POINT,
    Found,
    Pixels,
    bands_of,
    blank_between,
    find_things,
    gutter_in,
    inside_of,
    upright,
)
from exambench.construct.signs import CIRCLED
from exambench.construct.tesseract import Word, check_tesseract, read_words

PASSES_AT_ONCE: Final = 2
FEWEST_EXAMPLES: Final = 2
"""Marks of each number that have to be known before others are read by their likeness."""
CLEARER: Final = 0.05
"""By how much the likeness to one number has to be greater than to any other."""
TITLE_SIZE: Final = 0.8
"""Part of the usual height of a line below which one beside a figure is its title."""
TITLE_GAP: Final = 10.0
PANEL_GAP: Final = 20.0
"""Points between two panels of a figure."""
LABEL_REACH: Final = 60.0
"""Points across between an option's mark and its picture at most."""
BLANK: Final = 0.26
"""Ems of blank that are a space."""
MARK_SIZE: Final = 0.89
"""Part of an em that a mark of an option measures."""
_FIRST_MARK: Final = ord("①")

Picture = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan that was read; also where pictures are cut out of.

    Attributes:
        pages: All pages of the paper, those of the scan with what was read.
        upright: The scanned pages put upright, by their number.
        pdf: The file, for other pages.
    """

    pages: tuple[Page, ...]
    upright: Mapping[int, Image.Image]
    pdf: Pdf

    def picture(self, region: Region, dpi: float) -> Image.Image:
        """Return a part of a page: of the scan in its own resolution."""
        page = self.upright.get(region.page)
        if page is None:
            return self.pdf.picture(region, dpi)
        box = region.box
        left, top = max(0, int(box.left * POINT)), max(0, int(box.top * POINT))
        right, bottom = min(page.width, int(box.right * POINT) + 1), min(page.height, int(box.bottom * POINT) + 1)
        return page.crop((left, top, max(right, left + 1), max(bottom, top + 1)))

    def embedded(self, page_number: int, index: int) -> Image.Image | None:
        """Return a picture as it was put in; of a scan there is none."""
        return None if page_number in self.upright else self.pdf.embedded(page_number, index)


def recognise(
    pdf: Pdf,
    pages: Sequence[Page],
    scanned: Sequence[Page],
    choices: int | None,
    on_progress: Callable[[int, int], None],
) -> Scan:
    """Read the scanned pages of a paper.

    Args:
        pdf: The file.
        pages: All of its pages that are read.
        scanned: Those of them that are pictures.
        choices: How many options an item has; ``None`` when the paper tells.
        on_progress: Told how many pages are done, and of how many.

    Raises:
        ConfigError: Tesseract or its Korean part is not installed.
        DataError: Tesseract failed.
    """
    check_tesseract()
    standing: dict[int, Image.Image] = {}
    things: dict[int, Found] = {}
    for page in scanned:
        whole = pdf.picture(Region(page.number, Box(0, 0, page.width, page.height)), DPI).convert("L")
        standing[page.number] = upright(whole)
        things[page.number] = find_things(np.asarray(standing[page.number]))
    gutter = gutter_in([found.text for found in things.values()])
    read: list[Page] = []
    with ThreadPoolExecutor(PASSES_AT_ONCE) as pool:
        words = pool.map(lambda page: _read_page(things[page.number].text, gutter), scanned)
        for done, (page, found) in enumerate(zip(scanned, words, strict=True), start=1):
            read.append(_page(page, things[page.number], found))
            on_progress(done, len(scanned))
    by_number = {page.number: page for page in read}
    complete = [by_number.get(page.number, page) for page in pages]
    return Scan(_with_marks_read(complete, standing, choices), standing, pdf)


def _read_page(text: Pixels, gutter: tuple[int, int] | None) -> list[Word]:
    """Read a page column by column."""
    whole = (0, text.shape[1])
    bands = [(0, text.shape[0], True)] if gutter is None else bands_of(text, gutter)
    found: list[Word] = []
    for top, bottom, crosses in bands:
        middle = 0 if gutter is None else sum(gutter) // 2
        for left, right in [whole] if crosses else [(0, middle), (middle, text.shape[1])]:
            part = text[top:bottom, left:right]
            if (part < 128).any():  # noqa: PLR2004 - half of white: some ink
                found += [_moved(word, left, top) for word in read_words(Image.fromarray(part))]
    return found


def _moved(word: Word, left: int, top: int) -> Word:
    def moved(box: Box) -> Box:
        return Box(box.left + left, box.top + top, box.right + left, box.bottom + top)

    return replace(word, box=moved(word.box), line=moved(word.line))


def _page(page: Page, found: Found, words: Sequence[Word]) -> Page:
    """Return a page with words, marks and figures in points."""
    height = median(word.line.height for word in words) if words else 0.0
    figures, words = _with_titles(_panels(found), words, height)
    size = median(mark.width for mark in found.marks) / MARK_SIZE if found.marks else height
    glyphs = [
        Glyph(word.text, _points(box), size / POINT, confidence=word.confidence)
        for word, box in _spaced(found.text, words, size)
    ]
    glyphs += [Glyph("", _points(box), size / POINT, is_marker=True) for box in found.marks]
    drawings = tuple(Drawing(Shape.PICTURE, _points(box), index) for index, box in enumerate(figures))
    return replace(page, glyphs=tuple(glyphs), drawings=drawings)


def _spaced(text: Pixels, words: Sequence[Word], size: float) -> Iterator[tuple[Word, Box]]:
    """Yield words with boxes of their line's height that touch, unless there is a space between them.

    Tesseract often sets Korean syllables apart, or forgets a space before a number: the blank on the page decides.
    """
    end: float | None = None
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else None
        left = word.box.left if end is None else end
        right = max(word.box.right, left + 1)
        end = None
        if after is not None and after.line == word.line:
            if blank_between(text, word.box, after.box, size / 3) >= BLANK * size:
                end = max(after.box.left, right + 3 * WORD_GAP * size)
            else:
                right = end = max(left + 1, (right + after.box.left) / 2)
        yield word, Box(left, word.line.top, right, word.line.bottom)


def _points(box: Box) -> Box:
    return Box(box.left / POINT, box.top / POINT, box.right / POINT, box.bottom / POINT)


def _panels(found: Found) -> list[Box]:
    """Return figures; those that stand closely one under the other, without a mark beside them, are panels of one."""
    figures = list(found.figures)
    while True:
        pair = next(
            (
                (one, two)
                for one in figures
                for two in figures
                if one is not two
                and -PANEL_GAP <= (two.top - one.bottom) / POINT <= PANEL_GAP
                and min(one.right, two.right) > max(one.left, two.left)
                and not _has_mark_beside(found, around([one, two]))
            ),
            None,
        )
        if pair is None:
            return figures
        figures = [figure for figure in figures if figure not in pair] + [around(pair)]


def _has_mark_beside(found: Found, box: Box) -> bool:
    near = box.grown(LABEL_REACH * POINT)
    return any(box.top <= mark.middle[1] <= box.bottom and near.holds(mark.middle) for mark in found.marks)


def _with_titles(figures: Sequence[Box], words: Sequence[Word], height: float) -> tuple[list[Box], list[Word]]:
    """Return figures with the small lines right over or under them, which are their titles, and the other words."""
    whole, rest = list(figures), list(words)
    for line in sorted({word.line for word in words}, key=lambda line: -line.top):
        if line.height >= TITLE_SIZE * height:
            continue
        for place, figure in enumerate(whole):
            near = figure.grown(TITLE_GAP * POINT)
            if near.touches(line) and near.left <= line.middle[0] <= near.right:
                whole[place] = around([figure, line])
                rest = [word for word in rest if word.line != line]
                break
    return whole, rest


def _with_marks_read(
    pages: Sequence[Page], standing: Mapping[int, Image.Image], choices: int | None
) -> tuple[Page, ...]:
    """Return pages with the numbers of their marks.

    What ①, ② … look like is learnt from the items that have as many marks as they should: there the order tells. All
    marks are then read by their likeness, those of the key table above all.
    """
    layout = layout_of(pages)
    examples: dict[int, list[Picture]] = defaultdict(list)
    convention = convention_of(layout.elements, _NO_HEADING, CIRCLED.name, choices)
    for section in convention.sections:
        draft = draft_of(section, layout, convention.options)
        if len(draft.marks) == convention.options.count:
            for value, (page, glyph) in enumerate(draft.marks, start=1):
                examples[value].append(_inside(standing[page], glyph.box))
    if len(examples) < convention.options.count or min(map(len, examples.values())) < FEWEST_EXAMPLES:
        return tuple(pages)
    usual = {value: np.median(np.stack(found), axis=0) for value, found in examples.items()}
    return tuple(
        replace(
            page,
            glyphs=tuple(
                _read_mark(glyph, standing[page.number], usual) if glyph.is_marker else glyph for glyph in page.glyphs
            ),
        )
        for page in pages
    )


_NO_HEADING: Final = re.compile(r"(?!)(?P<part>)")


def _inside(page: Image.Image, box: Box) -> Picture:
    pixels = Box(box.left * POINT, box.top * POINT, box.right * POINT, box.bottom * POINT)
    return inside_of(np.asarray(page), pixels)


def _read_mark(glyph: Glyph, page: Image.Image, usual: Mapping[int, Picture]) -> Glyph:
    found = _inside(page, glyph.box)
    likeness = {value: float(np.corrcoef(found.ravel(), other.ravel())[0, 1]) for value, other in usual.items()}
    best, second = sorted(likeness, key=lambda value: -likeness[value])[:2]
    clear = likeness[best] - likeness[second] > CLEARER
    return replace(glyph, text=chr(_FIRST_MARK + best - 1), confidence=1.0 if clear else 0.0)
