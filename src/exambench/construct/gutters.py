"""Where the blanks between the columns of a paper lie; options side by side are no columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import Final, Literal

from exambench.construct.lines import BEGINS_ITEM, pieces_of, rows_of, spans_of, text_of
from exambench.construct.pages import Glyph, Page
from exambench.construct.signs import DIGITS, Style, first_mark

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
FEWEST_ITEMS: Final = 2
"""Items that begin in each of three columns, where their middle tells nothing."""
MOST_APART: Final = 2
"""Difference of the numbers of two options side by side."""
Columns = Literal[1, 2, 3, "auto"]
Gutters = tuple[tuple[float, float], ...]


def gutters_of(pages: Sequence[Page], columns: Columns = "auto") -> Gutters:
    """Return where the gutters between columns lie, each from x to x, from left to right; none for one column.

    They are the same on all pages: the widest strips that few rows cross, with rows of their own on both sides. Three
    columns have two near the thirds of a page, and none in its middle; the last one may be empty.
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
        own = [list(_own_text(rows, *ends)) for ends in pairwise([*map(_middle_of, thirds), float(width)])]
        begun = min(sum(BEGINS_ITEM.match(text) is not None for text in texts) for texts in own)
        is_full = strip(CENTRE) is None and len(own[0]) >= FEWEST_ROWS
        if columns != "auto" or is_full or (min(map(len, own)) >= FEWEST_ROWS and begun >= FEWEST_ITEMS):
            return thirds
    reach = max(right for of_page in rows for row in of_page for _, right in spans_of(row))
    best = strip((MIDDLE[0], min(MIDDLE[1], reach / width)))
    if best is None or columns == 3:  # noqa: PLR2004
        return ()
    middle = _middle_of(best)
    before = sum(any(end < middle for _, end in spans_of(row)) for of_page in rows for row in of_page)
    is_column = columns != "auto" or len(list(_own_text(rows, middle, float(width)))) >= FEWEST_ROWS
    return (best,) if is_column and before >= FEWEST_ROWS else ()


def _middle_of(gutter: tuple[float, float]) -> float:
    return sum(gutter) / 2


def _crossing(rows: Sequence[Sequence[Glyph]], width: int) -> list[int]:
    """Return how many rows cross each place from the left edge on."""
    changes = [0] * (width + 2)
    for row in rows:
        for left, right in spans_of(row):
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


def _own_text(pages: Sequence[Sequence[Sequence[Glyph]]], middle: float, end: float) -> Iterator[str]:
    """Yield what begins between two places, and is no option beside another one of its item, nor goes on with it."""
    for rows in pages:
        are_beside = False
        for row in rows:
            pieces = pieces_of(row)
            place = next((n for n, piece in enumerate(pieces) if middle < piece[0].box.left < end), None)
            if place is None:
                continue
            text, mark = text_of(pieces[place]), first_mark(pieces[place])
            begins = mark is not None or BEGINS_ITEM.match(text) is not None
            is_pair = place > 0 and _is_next(first_mark(pieces[place - 1]), mark)
            are_beside = is_pair or (are_beside and not begins)
            if not are_beside:
                yield text


def _is_next(left: tuple[Style, int | None] | None, right: tuple[Style, int | None] | None) -> bool:
    """Tell whether two marks that stand side by side are of one item; digits may also number items of two columns."""
    if left is None or right is None or left[0] != right[0]:
        return False
    if left[1] is None or right[1] is None:
        return True
    return left[1] < right[1] and (left[0] not in DIGITS or right[1] - left[1] <= MOST_APART)


def crosses(row: Sequence[Glyph], gutters: Gutters) -> bool:
    """Tell whether a row has text in a gutter, as a title has, and is no pair of lines on either side of it."""
    strips = [(_middle_of(gutter), (gutter[1] - gutter[0]) / 4) for gutter in gutters]
    return any(
        left < middle + quarter and right > middle - quarter
        for left, right in spans_of(row)
        for middle, quarter in strips
    )


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
