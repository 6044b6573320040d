"""From the drawings on a page to its figures: what belongs together, what only frames text, and what has a caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from exambench.construct.lines import around_glyphs, rows_of, text_of
from exambench.construct.pages import Box, Drawing, Glyph, Page, Region, Shape, around

NEAR: Final = 2.0
"""Points between two drawings of one figure."""
SMALLEST: Final = 14.0
"""Points that a figure has in both directions; less is a rule, an underline or a bullet."""
SPECK: Final = 3.0
"""Points of the smallest picture that says something."""
SMALL: Final = 6.0
"""Points of the smallest drawing that does."""
WHOLE_PAGE: Final = 0.8
"""Part of a page beyond which a picture is the page itself, or its background."""
CAPTION_GAP: Final = 1.5
"""Ems between a figure and its caption at most."""
FRAME: Final = 4
"""Lines that a frame around text has at most."""
_CAPTION: Final = re.compile(
    r"[<〈\[(【]?\s*(?:그림|표|사진|자료|fig(?:ure|\.)|table)\s*[\dA-Za-z가-힣.\-]*\s*[>〉\])】.:]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure.

    Attributes:
        region: Where it is, its caption included.
        index: The object of the page that it is, where it is one picture and nothing else.
        caption: What stands under or over it as its name.
        letters: Glyphs inside of it.
    """

    region: Region
    index: int | None = None
    caption: str = ""
    letters: tuple[Glyph, ...] = ()


def figures_of(page: Page) -> tuple[Page, tuple[Figure, ...]]:
    """Return a page without its figures, and the figures from top to bottom.

    Letters inside of a figure are part of it; rules, frames around text and backgrounds are no figures.
    """
    figures: list[Figure] = []
    inside: set[int] = set()
    for group in _groups(_on(page)):
        box = around(drawing.box for drawing in group)
        if min(box.width, box.height) < SMALLEST:
            continue
        letters = [glyph for glyph in page.glyphs if box.holds(glyph.box.middle)]
        if _is_frame(group, letters, box):
            continue
        single = group[0].index if len(group) == 1 and group[0].shape is Shape.PICTURE and not letters else None
        inside.update(map(id, letters))
        figures.append(Figure(Region(page.number, box), single, letters=tuple(letters)))
    rest = [glyph for glyph in page.glyphs if id(glyph) not in inside]
    rows = rows_of(rest)
    named = []
    for figure in figures:
        caption = _caption(figure.region.box, rows)
        inside.update(map(id, caption))
        named.append(_with_caption(figure, caption))
    kept = tuple(glyph for glyph in page.glyphs if id(glyph) not in inside)
    return replace(page, glyphs=kept), tuple(sorted(named, key=lambda figure: figure.region.box.top))


def left_out_of(page: Page, figures: Sequence[Figure]) -> list[Region]:
    """Return what is drawn on a page, is too small for a figure, and is no rule and no frame around text.

    Args:
        page: A page as it was before its figures were taken out.
        figures: Its figures.
    """
    found = []
    for group in _groups(_on(page)):
        box = around(drawing.box for drawing in group)
        is_picture = any(drawing.shape is Shape.PICTURE for drawing in group)
        is_small = (SPECK if is_picture else SMALL) <= min(box.width, box.height) < SMALLEST
        if not is_small or any(figure.region.box.touches(box) for figure in figures):
            continue
        if is_picture or not any(box.holds(glyph.box.middle) for glyph in page.glyphs):
            found.append(Region(page.number, box))
    return found


def is_scan(page: Page) -> bool:
    """Tell whether a page is a picture without text."""
    area = page.width * page.height
    large = any(
        drawing.shape is Shape.PICTURE and drawing.box.width * drawing.box.height > area / 2
        for drawing in page.drawings
    )
    return large and not any(not glyph.text.isspace() for glyph in page.glyphs)


def _on(page: Page) -> list[Drawing]:
    """Return the drawings on a page without its background."""
    area = page.width * page.height
    return [drawing for drawing in page.drawings if 0 <= drawing.box.width * drawing.box.height < WHOLE_PAGE * area]


def _groups(drawings: Sequence[Drawing]) -> list[list[Drawing]]:
    """Group drawings that touch each other, or nearly."""
    groups: list[tuple[Box, list[Drawing]]] = []
    for drawing in drawings:
        box, members = drawing.box, [drawing]
        while True:
            near = [group for group in groups if group[0].grown(NEAR).touches(box)]
            if not near:
                break
            groups = [group for group in groups if group not in near]
            members = [each for group in near for each in group[1]] + members
            box = around([box, *(group[0] for group in near)])
        groups.append((box, members))
    return [members for _, members in groups]


def _is_frame(group: Sequence[Drawing], letters: Sequence[Glyph], box: Box) -> bool:
    """Tell whether drawings only frame text: few of them, all along the border or as large as the frame."""
    if not letters or len(group) > FRAME or any(drawing.shape is Shape.PICTURE for drawing in group):
        return False
    inner = Box(box.left + NEAR, box.top + NEAR, box.right - NEAR, box.bottom - NEAR)
    return not any(inner.holds(drawing.box.middle) and drawing.box.width < inner.width for drawing in group)


def _caption(box: Box, rows: Sequence[Sequence[Glyph]]) -> list[Glyph]:
    """Return the line right under or over a figure that names it."""
    for row in rows:
        near = [glyph for glyph in row if glyph.box.right > box.left - NEAR and glyph.box.left < box.right + NEAR]
        if not near:
            continue
        place, size = around_glyphs(near), near[0].size
        below, above = place.top - box.bottom, box.top - place.bottom
        if (-NEAR <= below <= CAPTION_GAP * size or -NEAR <= above <= CAPTION_GAP * size) and _CAPTION.match(
            text_of(near)
        ):
            return near
    return []


def _with_caption(figure: Figure, caption: Sequence[Glyph]) -> Figure:
    if not caption:
        return figure
    box = around([figure.region.box, *(glyph.box for glyph in caption)])
    return Figure(Region(figure.region.page, box), None, text_of(caption), figure.letters)
