"""A paper as one stream of lines and figures in reading order, whatever it was read from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, zip_longest
from statistics import median
from typing import Final

from exambench.construct.bars import bars_of
from exambench.construct.figures import Figure, figures_of, left_out_of
from exambench.construct.formulas import math_fonts, odd_fonts, with_fonts_known
from exambench.construct.gutters import Columns, Gutters, crosses, gutters_of
from exambench.construct.lines import (
    Line,
    around_glyphs,
    is_gap,
    lines_of,
    lone_rows,
    pieces_of,
    rows_of,
    text_of,
    without_running_heads,
)
from exambench.construct.pages import Glyph, Page, Region
from exambench.construct.signs import MARKS

Element = Line | Figure
MOST_BLANKS: Final = 0.1
"""Share of blanks between words without a space, beyond which a file does not tell where its spaces are."""
_BEFORE_TABS: Final = frozenset(".)") | MARKS.keys()
"""What numbers and marks of options end in: the blank after them is of the layout."""
CELL: Final = 0.55
"""Ems of blank between two cells of a row at least; words are nearer."""
SAME_EDGE: Final = 4.0
"""Points by which lines that end at the edge of a column differ."""
FEWEST_ENDS: Final = 3
"""Lines that end there, so that it is one."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A paper in reading order.

    Attributes:
        elements: Lines and figures.
        fonts: Fonts of formulas.
        left_out: What was taken for headers, footers and page numbers; digits are written ``#``.
        columns: How many columns its pages have.
        ends_tell: Whether the ends of lines tell if a space follows.
        words: How often each word stands inside of a line.
        odd_fonts: Fonts that set signs and no words, and may be of formulas.
        bars: Where bars of fractions, and lines over letters, lie.
        drawn: Where something is drawn that is too small for a figure.
        lone: Where lines at the ends of pages lie that stand off from the rest.
        guessed: Edges of columns that no lines tell, and where the longest line of each ends.
    """

    elements: tuple[Element, ...]
    fonts: frozenset[str]
    left_out: tuple[str, ...]
    columns: int
    ends_tell: bool
    words: Counter[str]
    odd_fonts: frozenset[str] = frozenset()
    bars: tuple[Region, ...] = ()
    drawn: tuple[Region, ...] = ()
    lone: tuple[Region, ...] = ()
    guessed: Mapping[float, float] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines alone."""
        return tuple(element for element in self.elements if isinstance(element, Line))


def layout_of(pages: Sequence[Page], columns: Columns = "auto", heading: re.Pattern[str] | None = None) -> Layout:
    """Put what stands on pages into reading order.

    Args:
        pages: Of the paper.
        columns: How many columns they have.
        heading: Pattern of a line that begins a part, so that it is not taken for a header; where parts matter.
    """
    body, left_out = without_running_heads(with_fonts_known(pages), heading)
    cut = [figures_of(page) for page in body]
    gutters = gutters_of([page for page, _ in cut], columns)
    elements = tuple(element for page, figures in cut for element in _in_order(page, figures, gutters))
    lone = tuple(Region(page.number, box) for page in body for box in lone_rows(page))
    elements, guessed = _with_edges(elements, gutters, median(page.width for page in pages) if pages else 0.0, lone)
    lines = [element for element in elements if isinstance(element, Line)]
    texts = _texts(lines)
    body_font = max(texts, key=lambda font: len(texts[font]), default="")
    return Layout(
        elements=elements,
        fonts=math_fonts(texts, body_font),
        odd_fonts=odd_fonts(texts, body_font),
        bars=tuple(bar for page, figures in cut for bar in bars_of(page, figures)),
        drawn=tuple(
            place for page, (_, figures) in zip(body, cut, strict=True) for place in left_out_of(page, figures)
        ),
        guessed=guessed,
        lone=lone,
        left_out=left_out,
        columns=len(gutters) + 1,
        ends_tell=_ends_tell(lines),
        words=words_of(lines),
    )


def _texts(lines: Iterable[Line]) -> dict[str, str]:
    """Return what stands in each font; a space between stretches of a line."""
    parts: dict[str, list[str]] = {}
    for line in lines:
        for font, glyphs in groupby(line.glyphs, key=lambda glyph: glyph.font):
            parts.setdefault(font, []).extend([*(glyph.text for glyph in glyphs), " "])
    return {font: "".join(found) for font, found in parts.items()}


def _ends_tell(lines: Sequence[Line]) -> bool:
    """Tell whether the file has its spaces, those at the ends of lines too; where blanks stand for many, it has not."""
    spaces, blanks = 0, 0
    for line in lines:
        solid = [(place, glyph) for place, glyph in enumerate(line.glyphs) if not glyph.text.isspace()]
        for (at, before), (then, glyph) in pairwise(solid):
            if any(between.box.width > 0 for between in line.glyphs[at + 1 : then]):
                spaces += 1
            elif before.text not in _BEFORE_TABS and is_gap(before, glyph) and not is_gap(before, glyph, 1.0):
                blanks += 1
    return any(line.ends_in_space for line in lines) and blanks <= MOST_BLANKS * (spaces + blanks)


def words_of(lines: Iterable[Line]) -> Counter[str]:
    """Return how often each word stands inside of a line, or of a cell that has others beside it, where it is whole."""
    return Counter(
        word for line in lines for piece in pieces_of(line.glyphs, CELL) for word in text_of(piece).split()[1:-1]
    )


def _with_edges(
    elements: Sequence[Element], gutters: Gutters, width: float, lone: Sequence[Region]
) -> tuple[tuple[Element, ...], dict[float, float]]:
    """Return lines with the right edge of their column in the whole paper, and the edges that are guessed.

    It is where several lines end, headers apart; where none do, margins are taken to be alike on both sides.
    """
    columns: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]
    for element in elements:
        if isinstance(element, Line) and Region(element.page, element.box) not in lone:
            columns[_column_of(element.box.middle[0], gutters)].append(element)
    edges: list[float] = []
    guessed: dict[float, float] = {}
    for lines, gutter in zip_longest(columns, gutters):
        ends = [line.box.right for line in lines if gutter is None or line.box.right <= sum(gutter) / 2]
        far = max(ends, default=width)
        if sum(far - end <= SAME_EDGE for end in ends) < FEWEST_ENDS:
            left = min((line.box.left for line in columns[0]), default=0.0)
            edge = max(far, width - left if gutter is None else gutter[0])
            guessed[edge] = far
            far = edge
        edges.append(far)
    placed = tuple(
        replace(element, edge=max(element.box.right, edges[_column_of(element.box.middle[0], gutters)]))
        if isinstance(element, Line)
        else element
        for element in elements
    )
    return placed, guessed


def _column_of(across: float, gutters: Gutters) -> int:
    return sum(across >= sum(gutter) / 2 for gutter in gutters)


def _in_order(page: Page, figures: Sequence[Figure], gutters: Gutters) -> list[Element]:
    """Return what is on a page as it is read: column by column, from the left.

    What crosses a gutter, such as a title, ends all columns above it.
    """
    if not gutters:
        return _column(page, page.glyphs, figures)
    entries: list[tuple[float, list[Glyph] | Figure, bool]] = [
        (around_glyphs(row).top, row, crosses(row, gutters)) for row in rows_of(page.glyphs)
    ]
    entries += [
        (box.top, figure, any(box.left < left and box.right > right for left, right in gutters))
        for figure in figures
        for box in [figure.region.box]
    ]
    found: list[Element] = []
    columns = _no_columns(gutters)
    for _, entry, whole in sorted(entries, key=lambda entry: entry[0]):
        if whole:
            found += [element for column in columns for element in _column(page, *column)]
            columns = _no_columns(gutters)
            found += _column(page, [], [entry]) if isinstance(entry, Figure) else _column(page, entry, [])
        elif isinstance(entry, Figure):
            columns[_column_of(entry.region.box.middle[0], gutters)][1].append(entry)
        else:
            for glyph in entry:
                columns[_column_of(glyph.box.middle[0], gutters)][0].append(glyph)
    return found + [element for column in columns for element in _column(page, *column)]


def _no_columns(gutters: Gutters) -> list[tuple[list[Glyph], list[Figure]]]:
    return [([], []) for _ in range(len(gutters) + 1)]


def _column(page: Page, glyphs: Sequence[Glyph], figures: Sequence[Figure]) -> list[Element]:
    """Return lines and figures of a column from top to bottom; a figure stands where it begins."""
    placed: list[tuple[float, Element]] = [(line.box.middle[1], line) for line in lines_of(page, glyphs)]
    placed += [(figure.region.box.top, figure) for figure in figures]
    return [element for _, element in sorted(placed, key=lambda each: each[0])]
