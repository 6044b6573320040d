"""From glyphs to lines: rows, columns, what repeats on every page, and the order in which a person reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from statistics import median
from typing import Final, Literal

from exambench.construct.pages import Box, Glyph, Page, around
from exambench.construct.signs import CIRCLED, Style, styles_at

SHARED: Final = 0.5
"""Part of a glyph's height that lies in the row that it belongs to."""
WORD_GAP: Final = 0.15
"""Ems between two glyphs that a space stands for, where the file has none."""
MARGIN: Final = 0.1
"""Part of a page's height at either end where headers, footers and page numbers stand."""
SAME_PLACE: Final = 3.0
"""Points by which what repeats may move from page to page."""
NARROWEST_GUTTER: Final = 6.0
MIDDLE: Final = (0.3, 0.7)
"""Part of a page's width where the gutter between two columns is looked for."""
CENTRE: Final = (0.42, 0.58)
"""Where it is when columns are alike."""
THIRDS: Final = ((0.26, 0.42), (0.58, 0.74))
"""Where those between three columns are."""
MOST_CROSSING: Final = 0.15
"""Share of rows that may cross a gutter: titles, headers."""
FEWEST_ROWS: Final = 3
"""Rows that either side of a gutter has at least."""
ALIKE: Final = 0.75
"""``difflib``'s ratio of two texts that are the same header."""
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
Columns = Literal[1, 2, 3, "auto"]
Gutters = tuple[tuple[float, float], ...]
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
    spans = [_spans([glyph for glyph in row if MATH_FONTS.search(glyph.font)]) for row in (above, below)]
    return any(one[0] < two[1] and two[0] < one[1] for one in spans[0] for two in spans[1])


def without_running_heads(pages: Sequence[Page]) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """Return the pages without headers, footers and page numbers, and the texts that were left out.

    They stand at either end of a page, and either are alike (numbers apart) in the same place on half of the pages, at
    least on two, or are a page number. A line that begins with the number of an item or a mark of an option is never
    one. Pictures that repeat in place go too.
    """
    least = max(2, (len(pages) + 1) // 2)
    rows = {
        page.number: [(row, *_running(row)) for row in rows_of(page.glyphs) if _may_run(row, page)] for page in pages
    }
    often = Counter((text, round(top)) for found in rows.values() for _, text, top in found)
    left_out: set[str] = set()
    kept = []
    pictures = Counter(_place(drawing.box) for page in pages for drawing in page.drawings)
    for page in pages:
        gone: set[int] = set()
        for row, text, top in rows[page.number]:
            if _PAGE_NUMBER.fullmatch(text_of(row)) or _times(text, top, often) >= least:
                gone.update(map(id, row))
                left_out.add(text)
        kept.append(
            replace(
                page,
                glyphs=tuple(glyph for glyph in page.glyphs if id(glyph) not in gone),
                drawings=tuple(each for each in page.drawings if pictures[_place(each.box)] < least),
            )
        )
    return tuple(kept), tuple(sorted(left_out))


def gutters_of(pages: Sequence[Page], columns: Columns = "auto") -> Gutters:
    """Return where the gutters between columns lie, each from x to x, from left to right; none for one column.

    They are the same on all pages: the widest strips that few rows cross, with rows of their own on both sides. Three
    columns have two near the thirds of a page, and none in its middle.
    """
    rows = [rows_of(page.glyphs) for page in pages]
    if columns == 1 or not any(rows):
        return ()
    width = int(median(page.width for page in pages))
    crossing = _crossing([row for of_page in rows for row in of_page], width)
    most = MOST_CROSSING * sum(map(len, rows))

    def strip(part: tuple[float, float]) -> tuple[float, float] | None:
        return _strip(crossing, int(width * part[0]), int(width * part[1]), most)

    thirds = tuple(found for part in THIRDS if (found := strip(part)) is not None)
    if len(thirds) == len(THIRDS) and columns != 2:  # noqa: PLR2004 - columns
        alone = [_own_rows(rows, *ends) for ends in pairwise([*map(_middle_of, thirds), float(width)])]
        if columns != "auto" or (strip(CENTRE) is None and min(alone) >= FEWEST_ROWS):
            return thirds
    best = strip(MIDDLE)
    if best is None or columns == 3:  # noqa: PLR2004
        return ()
    middle = _middle_of(best)
    before = sum(any(end < middle for _, end in _spans(row)) for of_page in rows for row in of_page)
    is_column = columns != "auto" or _own_rows(rows, middle, float(width)) >= FEWEST_ROWS
    return (best,) if is_column and before >= FEWEST_ROWS else ()


def _middle_of(gutter: tuple[float, float]) -> float:
    return sum(gutter) / 2


def _crossing(rows: Sequence[Sequence[Glyph]], width: int) -> list[int]:
    """Return how many rows cross each place from the left edge on."""
    changes = [0] * (width + 2)
    for row in rows:
        for left, right in _spans(row):
            first, last = (min(max(0, int(x)), width) for x in (left + 1, right + (right % 1 > 0)))
            if first < last:
                changes[first] += 1
                changes[last] -= 1
    return list(accumulate(changes[:width]))


def _strip(crossing: Sequence[int], start: int, stop: int, most: float) -> tuple[float, float] | None:
    """Return the widest strip between two places that few rows cross, none if possible."""
    part = crossing[start:stop]
    for allowed in (min(part, default=0), most):
        left, right = _widest([count <= allowed for count in part])
        if right - left >= NARROWEST_GUTTER and allowed <= most:
            return float(start + left), float(start + right - 1)
    return None


def _own_rows(pages: Sequence[Sequence[Sequence[Glyph]]], middle: float, end: float) -> int:
    """Count rows with text on the right that is no option beside another one of the same item, nor goes on with it."""
    found = 0
    for rows in pages:
        are_beside = False
        for row in rows:
            pieces = pieces_of(row)
            place = next((n for n, piece in enumerate(pieces) if middle < piece[0].box.left < end), None)
            if place is None:
                continue
            right = pieces[place]
            begins = _mark(right) is not None or BEGINS_ITEM.match(text_of(right)) is not None
            is_pair = place > 0 and _is_next(_mark(pieces[place - 1]), _mark(right))
            are_beside = is_pair or (are_beside and not begins)
            found += not are_beside
    return found


def _mark(glyphs: Sequence[Glyph]) -> tuple[Style, int | None] | None:
    """Return the mark of an option that text may begin with."""
    solid = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if solid and solid[0].is_marker:
        return CIRCLED, None
    return next(((style, value) for style, value, _ in styles_at(solid, 0)), None) if solid else None


def _is_next(left: tuple[Style, int | None] | None, right: tuple[Style, int | None] | None) -> bool:
    """Tell whether two marks that stand side by side are of one item."""
    if left is None or right is None or left[0] != right[0]:
        return False
    return left[1] is None or right[1] is None or left[0] is CIRCLED or left[1] < right[1]


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


def _widest(free: Sequence[bool]) -> tuple[int, int]:
    """Return the longest stretch of places that are free, from one to before another."""
    best, begin = (0, 0), None
    for place, is_free in enumerate([*free, False]):
        if is_free and begin is None:
            begin = place
        elif not is_free and begin is not None:
            best = max(best, (begin, place), key=lambda stretch: stretch[1] - stretch[0])
            begin = None
    return best


def lines_of(page: Page, glyphs: Sequence[Glyph]) -> tuple[Line, ...]:
    """Return the lines that glyphs of one column make, from top to bottom."""
    rows = rows_of(glyphs)
    if not rows:
        return ()
    boxes = [around_glyphs(row) for row in rows]
    start, edge = min(box.left for box in boxes), max(box.right for box in boxes)
    return tuple(Line(page.number, box, tuple(row), start, edge) for box, row in zip(boxes, rows, strict=True))


def crosses(row: Sequence[Glyph], gutters: Gutters) -> bool:
    """Tell whether a row has text in a gutter, as a title has, and is no pair of lines on either side of it."""
    strips = [(_middle_of(gutter), (gutter[1] - gutter[0]) / 4) for gutter in gutters]
    return any(
        left < middle + quarter and right > middle - quarter
        for left, right in _spans(row)
        for middle, quarter in strips
    )


def around_glyphs(glyphs: Sequence[Glyph]) -> Box:
    """Return the box around glyphs; spaces at the ends count for nothing."""
    return around([glyph.box for glyph in glyphs if not glyph.text.isspace()] or [glyph.box for glyph in glyphs])


def _spans(row: Sequence[Glyph]) -> list[tuple[float, float]]:
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
    mark = _mark(row)
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
