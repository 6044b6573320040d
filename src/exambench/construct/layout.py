"""A paper as one stream of lines and figures in reading order, whatever it was read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Final, Literal

from exambench.construct.figures import Figure, figures_of
from exambench.construct.formulas import math_fonts
from exambench.construct.lines import (
    MARKS,
    Line,
    around_glyphs,
    crosses,
    gutter_of,
    is_gap,
    lines_of,
    rows_of,
    without_running_heads,
)
from exambench.construct.pages import Glyph, Page

Element = Line | Figure
MOST_BLANKS: Final = 0.1
"""Share of blanks between words without a space, beyond which a file does not tell where its spaces are."""
_BEFORE_TABS: Final = frozenset(".)") | MARKS.keys()
"""What numbers and marks of options end in: the blank after them is of the layout."""
SAME_EDGE: Final = 4.0
"""Points by which lines that end at the edge of a column differ."""
FEWEST_ENDS: Final = 3
"""Lines that end there, so that it is one."""
Columns = Literal[1, 2, "auto"]


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
    """

    elements: tuple[Element, ...]
    fonts: frozenset[str]
    left_out: tuple[str, ...]
    columns: int
    ends_tell: bool
    words: Counter[str]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines alone."""
        return tuple(element for element in self.elements if isinstance(element, Line))


def layout_of(pages: Sequence[Page], columns: Columns = "auto") -> Layout:
    """Put what stands on pages into reading order."""
    body, left_out = without_running_heads(pages)
    cut = [figures_of(page) for page in body]
    gutter = None if columns == 1 else gutter_of([page for page, _ in cut])
    elements = tuple(element for page, figures in cut for element in _in_order(page, figures, gutter))
    elements = _with_edges(elements, gutter, median(page.width for page in pages) if pages else 0.0)
    lines = [element for element in elements if isinstance(element, Line)]
    fonts = Counter(glyph.font for line in lines for glyph in line.glyphs)
    return Layout(
        elements=elements,
        fonts=math_fonts(list(fonts), max(fonts, key=lambda font: fonts[font], default="")),
        left_out=left_out,
        columns=1 if gutter is None else 2,
        ends_tell=_ends_tell(lines),
        words=words_of(lines),
    )


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
    """Return how often each word stands inside of a line, where it is whole."""
    return Counter(word for line in lines for word in line.text.split()[1:-1])


def _with_edges(elements: Sequence[Element], gutter: tuple[float, float] | None, width: float) -> tuple[Element, ...]:
    """Return lines with the right edge of their column in the whole paper.

    It is where several lines end; where none do, margins are taken to be alike on both sides.
    """
    columns: dict[bool, list[Line]] = {False: [], True: []}
    middle = float("inf") if gutter is None else sum(gutter) / 2
    for element in elements:
        if isinstance(element, Line):
            columns[element.box.middle[0] >= middle].append(element)
    edges = {}
    for is_right, lines in columns.items():
        ends = [line.box.right for line in lines if gutter is None or is_right or line.box.right <= middle]
        far = max(ends, default=width)
        if sum(far - end <= SAME_EDGE for end in ends) < FEWEST_ENDS:
            left = min((line.box.left for line in columns[False]), default=0.0)
            far = max(far, gutter[0] if gutter is not None and not is_right else width - left)
        edges[is_right] = far
    return tuple(
        replace(element, edge=max(element.box.right, edges[element.box.middle[0] >= middle]))
        if isinstance(element, Line)
        else element
        for element in elements
    )


def _in_order(page: Page, figures: Sequence[Figure], gutter: tuple[float, float] | None) -> list[Element]:
    """Return what is on a page as it is read: the left column, then the right one.

    What crosses the gutter, such as a title, ends both columns above it.
    """
    if gutter is None:
        return _column(page, page.glyphs, figures)
    middle = sum(gutter) / 2
    entries: list[tuple[float, list[Glyph] | Figure, bool]] = [
        (around_glyphs(row).top, row, crosses(row, gutter)) for row in rows_of(page.glyphs)
    ]
    entries += [
        (box.top, figure, box.left < gutter[0] and box.right > gutter[1])
        for figure in figures
        for box in [figure.region.box]
    ]
    found: list[Element] = []
    left: tuple[list[Glyph], list[Figure]] = ([], [])
    right: tuple[list[Glyph], list[Figure]] = ([], [])
    for _, entry, whole in sorted(entries, key=lambda entry: entry[0]):
        if whole:
            found += _column(page, *left) + _column(page, *right)
            left, right = ([], []), ([], [])
            found += _column(page, [], [entry]) if isinstance(entry, Figure) else _column(page, entry, [])
        elif isinstance(entry, Figure):
            (left if entry.region.box.middle[0] < middle else right)[1].append(entry)
        else:
            for glyph in entry:
                (left if glyph.box.middle[0] < middle else right)[0].append(glyph)
    return found + _column(page, *left) + _column(page, *right)


def _column(page: Page, glyphs: Sequence[Glyph], figures: Sequence[Figure]) -> list[Element]:
    """Return lines and figures of a column from top to bottom; a figure stands where it begins."""
    placed: list[tuple[float, Element]] = [(line.box.middle[1], line) for line in lines_of(page, glyphs)]
    placed += [(figure.region.box.top, figure) for figure in figures]
    return [element for _, element in sorted(placed, key=lambda each: each[0])]
