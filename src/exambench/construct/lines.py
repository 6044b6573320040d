"""From glyphs to lines: rows, columns, what repeats on every page, and the order in which a person reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from exambench.construct.pages import Box, Glyph, Page, Shape, around
from exambench.construct.signs import first_mark

SHARED: Final = 0.5
"""Part of a glyph's height that lies in the row that it belongs to."""
WORD_GAP: Final = 0.15
"""Ems between two glyphs that a space stands for, where the file has none."""
MARGIN: Final = 0.1
"""Part of a page's height at either end where headers, footers and page numbers stand."""
SAME_PLACE: Final = 3.0
"""Points by which what repeats may move from page to page."""
ALIKE: Final = 0.75
"""``difflib``'s ratio of two texts that are the same header."""
FEWEST: Final = 3
"""Pages with a picture in the same place, when it is none of an item."""
STANDS_OFF: Final = 1.2
"""Ems of blank between a header and the text of a page at least."""
MATH_FONTS: Final = re.compile(
    r"math|symbol|euclid|cm(?:mi|sy|ex|bsy|mib)\d|cmr\d|mtextra|mtsy|hyhwpeq|hwpeq|msam|msbm|wasy|rsfs|esint",
    re.IGNORECASE,
)
"""Fonts of formulas."""
BEGINS_ITEM: Final = re.compile(
    r"(?:문(?:제|항)?|[Qq](?:uestion)?\.?|[Nn]o\.?)?\s*\d{1,3}\s*(?:[.．)）번:]|\s문\.)\s*(?!\d)"
    r"|[\[【(]\s*(?:문(?:제|항)?\s*)?\d{1,3}\s*번?\s*[\]】)]"
)
"""A line that may begin an item, or an option that is marked likewise."""
_PAGE_NUMBER: Final = re.compile(
    r"[-–—\s]*(?:p(?:age)?\.?\s*)?\d{1,4}(?:\s*(?:/|of|-)\s*\d{1,4})?[-–—\s]*(?:쪽)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Line:
    """Glyphs of one line in one column, from left to right.

    Attributes:
        page: Number of the page.
        box: Around its glyphs.
        glyphs: From left to right.
        start: Left edge of its column.
        edge: Right edge of its column.
    """

    page: int
    box: Box
    glyphs: tuple[Glyph, ...]
    start: float
    edge: float

    @property
    def size(self) -> float:
        """Size of its largest glyphs in points."""
        return max(glyph.size for glyph in self.glyphs)

    @property
    def text(self) -> str:
        """What it says; a gap between words is a space."""
        return text_of(self.glyphs)

    @property
    def ends_in_space(self) -> bool:
        """Whether the file says that a space follows."""
        return self.glyphs[-1].text.isspace()


def text_of(glyphs: Sequence[Glyph]) -> str:
    """Return what glyphs from left to right say; a wide gap is a space too, and several spaces are one."""
    parts: list[str] = []
    for before, glyph in zip((None, *glyphs), glyphs, strict=False):
        if before is not None and is_gap(before, glyph):
            parts.append(" ")
        parts.append(glyph.text)
    return " ".join("".join(parts).split())


def is_gap(before: Glyph, glyph: Glyph, ems: float = WORD_GAP) -> bool:
    """Tell whether two glyphs stand apart by more than so many ems."""
    return glyph.box.left - before.box.right > ems * min(before.size, glyph.size)


def rows_of(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Group glyphs into rows from top to bottom; small ones, such as exponents, join the row that they touch most."""
    rows: list[tuple[float, float, list[Glyph]]] = []
    for glyph in sorted(glyphs, key=lambda glyph: (-round(glyph.size, 1), glyph.box.top, glyph.box.left)):
        top, bottom = glyph.box.top, glyph.box.bottom
        height = max(bottom - top, 0.1)
        best, share = None, SHARED
        for number, (row_top, row_bottom, _) in enumerate(rows):
            shared = (min(bottom, row_bottom) - max(top, row_top)) / min(height, row_bottom - row_top)
            if shared >= share:
                best, share = number, shared
        if best is None:
            rows.append((top, bottom if bottom > top else top + 0.1, [glyph]))
        else:
            rows[best][2].append(glyph)
    rows = [row for row in rows if any(not glyph.text.isspace() for glyph in row[2])]
    found = [sorted(row, key=lambda glyph: glyph.box.left) for _, _, row in sorted(rows, key=lambda row: row[0])]
    return _with_fractions(found)


def _with_fractions(rows: Sequence[list[Glyph]]) -> list[list[Glyph]]:
    """Put rows of formulas alone, such as the lower half of a fraction, into the row of a formula that they touch."""
    whole: list[list[Glyph]] = []
    for row in rows:
        above = whole[-1] if whole else []
        if above and (_are_formulas(row) or _are_formulas(above)) and _is_one_formula(above, row):
            whole[-1] = sorted([*above, *row], key=lambda glyph: glyph.box.left)
        else:
            whole.append(row)
    return whole


def _are_formulas(row: Sequence[Glyph]) -> bool:
    return all(MATH_FONTS.search(glyph.font) for glyph in row if not glyph.text.isspace())


def _is_one_formula(above: Sequence[Glyph], below: Sequence[Glyph]) -> bool:
    """Tell whether formulas of two rows overlap in height, and stand over each other."""
    if around_glyphs(above).bottom <= around_glyphs(below).top:
        return False
    spans = [spans_of([glyph for glyph in row if MATH_FONTS.search(glyph.font)]) for row in (above, below)]
    return any(one[0] < two[1] and two[0] < one[1] for one in spans[0] for two in spans[1])


def without_running_heads(
    pages: Sequence[Page], heading: re.Pattern[str] | None = None
) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """Return the pages without headers, footers and page numbers, and the texts that were left out.

    They stand at either end of a page, and either are alike (numbers apart) in the same place on half of the pages, at
    least on two, or are a page number. A line that begins with the number of an item or a mark of an option is never
    one, nor is the first that names a part. Drawings that repeat in place go too; two
    pictures do not tell, since those of two items may be as large and stand as high.

    Args:
        pages: Of the paper.
        heading: Pattern of a line that begins a part, where parts matter.
    """
    least = max(2, (len(pages) + 1) // 2)
    rows = {
        page.number: [(row, *_running(row)) for row in rows_of(page.glyphs) if _may_run(row, page)] for page in pages
    }
    often = Counter((text, round(top)) for found in rows.values() for _, text, top in found)
    left_out: set[str] = set()
    seen: set[str] = set()
    kept = []
    pictures = Counter(_place(drawing.box) for page in pages for drawing in page.drawings)
    for page in pages:
        gone: set[int] = set()
        for row, text, top in rows[page.number]:
            is_new = heading is not None and heading.match(text_of(row)) and text_of(row) not in seen
            seen.add(text_of(row))
            if _PAGE_NUMBER.fullmatch(text_of(row)) or (_times(text, top, often) >= least and not is_new):
                gone.update(map(id, row))
                left_out.add(text)
        kept.append(
            replace(
                page,
                glyphs=tuple(glyph for glyph in page.glyphs if id(glyph) not in gone),
                drawings=tuple(
                    each
                    for each in page.drawings
                    if pictures[_place(each.box)] < (max(FEWEST, least) if each.shape is Shape.PICTURE else least)
                ),
            )
        )
    return tuple(kept), tuple(sorted(left_out))


def lone_rows(page: Page) -> list[Box]:
    """Return the rows at either end of a page that stand off from all others, as a header on a single page does."""
    rows = rows_of(page.glyphs)
    found = []
    for row, beside in ((rows[:1], rows[1:2]), (rows[-1:], rows[-2:-1])):
        if row and beside and _may_run(row[0], page):
            one, two = around_glyphs(row[0]), around_glyphs(beside[0])
            if max(two.top - one.bottom, one.top - two.bottom) > STANDS_OFF * max(glyph.size for glyph in row[0]):
                found.append(one)
    return found


def pieces_of(row: Sequence[Glyph], ems: float = 1.0) -> list[list[Glyph]]:
    """Return the stretches of a row without a gap of more than so many ems, each beginning with a character."""
    pieces: list[list[Glyph]] = []
    end = 0.0
    for glyph in row:
        if pieces and (glyph.text.isspace() or glyph.box.left - end <= ems * glyph.size):
            pieces[-1].append(glyph)
        elif not glyph.text.isspace():
            pieces.append([glyph])
        end = end if glyph.text.isspace() else max(end, glyph.box.right)
    return pieces


def lines_of(page: Page, glyphs: Sequence[Glyph]) -> tuple[Line, ...]:
    """Return the lines that glyphs of one column make, from top to bottom."""
    rows = rows_of(glyphs)
    if not rows:
        return ()
    boxes = [around_glyphs(row) for row in rows]
    start, edge = min(box.left for box in boxes), max(box.right for box in boxes)
    return tuple(Line(page.number, box, tuple(row), start, edge) for box, row in zip(boxes, rows, strict=True))


def around_glyphs(glyphs: Sequence[Glyph]) -> Box:
    """Return the box around glyphs; spaces at the ends count for nothing."""
    return around([glyph.box for glyph in glyphs if not glyph.text.isspace()] or [glyph.box for glyph in glyphs])


def spans_of(row: Sequence[Glyph]) -> list[tuple[float, float]]:
    """Return where the stretches of a row without a gap of more than an em begin and end."""
    spans: list[tuple[float, float]] = []
    for glyph in row:
        if glyph.text.isspace():
            continue
        if spans and glyph.box.left - spans[-1][1] <= glyph.size:
            spans[-1] = (spans[-1][0], max(spans[-1][1], glyph.box.right))
        else:
            spans.append((glyph.box.left, glyph.box.right))
    return spans


def _may_run(row: Sequence[Glyph], page: Page) -> bool:
    box = around_glyphs(row)
    at_an_end = box.bottom < MARGIN * page.height or box.top > (1 - MARGIN) * page.height
    mark = first_mark(row)
    is_option = mark is not None and not mark[0].before  # "(가)형" names a form of the paper on every page
    return at_an_end and not is_option and not BEGINS_ITEM.match(text_of(row))


def _running(row: Sequence[Glyph]) -> tuple[str, float]:
    """Return text and place of a row as others may have them: digits are left out."""
    return re.sub(r"\d+", "#", text_of(row)), around_glyphs(row).top


def _times(text: str, top: float, often: Counter[tuple[str, int]]) -> int:
    """Return how often a text stands in about the same place, misread letters of a scan apart."""
    return sum(
        count
        for (other, place), count in often.items()
        if abs(place - top) <= SAME_PLACE and (other == text or SequenceMatcher(None, other, text).ratio() >= ALIKE)
    )


def _place(box: Box) -> tuple[int, int, int, int]:
    return round(box.left), round(box.top), round(box.right), round(box.bottom)
