"""Pages of a scan as pixels: put upright, and what on them is a mark of an option, a figure or a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from scipy import ndimage

from exambench.construct.pages import Box, around

DPI: Final = 300
POINT: Final = DPI / 72
"""Pixels."""
STEEPEST: Final = 3.0
"""Degrees by which a page may be turned."""
COARSE: Final = 0.25
FINE: Final = 0.05
_SHRINK: Final = 4
INK: Final = 150
"""Grey values below are ink."""
RING: Final = (5.0, 16.0)
"""Points that a mark of an option measures."""
ROUND: Final = 1.18
"""Ratio of its sides at most."""
CLOSED: Final = 0.93
"""Part of its circle that has ink at least."""
FILLED: Final = (0.06, 0.75)
"""Part of its inside that has ink."""
ALIKE: Final = 0.2
"""Part by which the sizes of marks differ at most."""
TALL: Final = 1.6
"""Sizes of a mark that the tallest connected thing of a figure measures at least; letters are lower."""
NARROW: Final = 3.0
"""Points that it measures across at least."""
LABEL_GAP: Final = (12.0, 4.0)
"""Points between a figure and its labels, or among these: across and down."""
LABEL_ROOM: Final = 30.0
"""Points around a figure in which its labels stand."""
USUAL_MARK: Final = 9.0
"""Points of a mark on a page without any."""
LONG: Final = 26.0
"""Points of the shortest rule."""
RULE: Final = 3.0
"""Points across a rule at most."""
NARROWEST: Final = 6.0
"""Points of the narrowest gutter."""
HEADS: Final = 0.1
"""Part of a page's height at either end where headers and footers stand."""
SPECKS: Final = 0.0005
"""Part of the pages' height that dirt may take."""
CROSSING: Final = 0.01
"""Part of the pages' height in which ink may stand in a gutter: titles."""
TABLE_MARKS: Final = 4
"""Marks inside of a frame that make it a table of right answers."""

Pixels = NDArray[np.uint8]
Ink = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Found:
    """What is on a page besides text, in pixels.

    Attributes:
        marks: Marks of options.
        figures: Figures with their labels.
        text: The page without these, and without rules and frames of tables.
    """

    marks: tuple[Box, ...]
    figures: tuple[Box, ...]
    text: Pixels


def upright(page: Image.Image) -> Image.Image:
    """Return a page turned so that its lines are level."""
    small = page.resize((page.width // _SHRINK, page.height // _SHRINK), Image.Resampling.BOX)
    small = small.filter(ImageFilter.GaussianBlur(1))  # else the blur of turning would speak for the page as it is
    best = 0.0
    for span, step in ((STEEPEST, COARSE), (COARSE, FINE)):
        angles = best + np.arange(-span, span + step / 2, step)
        best = float(max(angles, key=lambda angle: _levelness(small, float(angle))))
    return page.rotate(best, resample=Image.Resampling.BICUBIC, fillcolor=255)


def _levelness(page: Image.Image, angle: float) -> float:
    """Return how sharply the ink of a turned page changes from row to row."""
    turned = np.asarray(page.rotate(angle, resample=Image.Resampling.BILINEAR, fillcolor=255), dtype=np.float32)
    rows = (255.0 - turned).sum(axis=1)
    return float(np.square(np.diff(rows)).sum())


def find_things(page: Pixels) -> Found:
    """Find marks of options, figures and rules on an upright page."""
    ink = page < INK
    labels, count = ndimage.label(ink, structure=np.ones((3, 3), dtype=np.int8))
    boxes = [_box(place) for place in ndimage.find_objects(labels, count)]
    marks = _marks(ink, boxes)
    text = page.copy()
    seeds: list[Box] = []
    tall = TALL * (float(np.median([mark.width for mark in marks])) if marks else USUAL_MARK * POINT)
    for number, box in enumerate(boxes, start=1):
        narrow, wide = sorted((box.width, box.height))
        is_rule = narrow < RULE * POINT and wide > LONG * POINT
        is_large = not is_rule and box.height > tall and box.width > NARROW * POINT
        if not is_rule and not is_large:
            continue
        if is_rule or sum(box.holds(mark.middle) for mark in marks) >= TABLE_MARKS:
            rows, columns = _slices(box)
            text[rows, columns][labels[rows, columns] == number] = 255
        if is_large and not any(box.holds(mark.middle) for mark in marks):
            seeds.append(box)
    figures = _figures(seeds, boxes, marks)
    for box in (*figures, *(mark.grown(2) for mark in marks)):
        rows, columns = _slices(box)
        text[rows, columns] = 255
    return Found(tuple(marks), tuple(figures), text)


def gutter_in(pages: Sequence[Pixels]) -> tuple[int, int] | None:
    """Return the columns of pixels between two columns of text, the same on all pages; ``None`` where there is one.

    Nothing may cross it between headers and footers; where that leaves none, a few titles may.
    """
    width = min(page.shape[1] for page in pages)
    bodies = [page[int(HEADS * page.shape[0]) : int((1 - HEADS) * page.shape[0]), :width] < INK for page in pages]
    counts = np.stack([body.sum(axis=0) for body in bodies]).sum(axis=0)
    height = sum(len(body) for body in bodies)
    start, stop = int(0.3 * width), int(0.7 * width)
    for share in (SPECKS, CROSSING):
        left, right = _widest(counts[start:stop] <= share * height)
        if right - left >= NARROWEST * POINT and counts[: start + left].any() and counts[start + right :].any():
            return start + left, start + right
    return None


def _widest(free: Ink) -> tuple[int, int]:
    """Return the longest stretch of places that are free, from one to before another."""
    labels, count = ndimage.label(free.reshape(-1, 1))
    stretches = [(rows.start, rows.stop) for rows, _ in ndimage.find_objects(labels, count)]
    return max(stretches, key=lambda stretch: stretch[1] - stretch[0], default=(0, 0))


def bands_of(page: Pixels, gutter: tuple[int, int]) -> list[tuple[int, int, bool]]:
    """Return stretches of rows from top to bottom, and whether they cross the gutter, as a title does."""
    ink = page < INK
    third = (gutter[1] - gutter[0]) // 3
    crossing: Ink = np.asarray(ink[:, gutter[0] + third : gutter[1] - third].any(axis=1))
    occupied = ink.any(axis=1)
    labels, count = ndimage.label(occupied.reshape(-1, 1))
    bands: list[tuple[int, int, bool]] = []
    for rows, _ in ndimage.find_objects(labels, count):
        is_title = bool(crossing[rows].any())
        if bands and bands[-1][2] == is_title:
            bands[-1] = (bands[-1][0], rows.stop, is_title)
        else:
            bands.append((rows.start, rows.stop, is_title))
    return bands


def blank_between(page: Pixels, left: Box, right: Box, reach: float) -> int:
    """Return the widest blank between two words, or near where one ends and the other begins, in pixels.

    Args:
        page: The page.
        left: Box of the word on the left.
        right: Box of the one on the right.
        reach: Pixels around the place where they meet in which the blank may lie.
    """
    top, bottom = int(min(left.top, right.top)), int(max(left.bottom, right.bottom))
    start, stop = max(0, int(min(left.right, right.left) - reach)), int(max(left.right, right.left) + reach)
    has_ink = (page[max(0, top) : bottom, start:stop] < INK).any(axis=0)
    places = np.flatnonzero(has_ink)
    return int(np.diff(places).max() - 1) if len(places) > 1 else 0


def inside_of(page: Pixels, mark: Box, size: int = 28) -> NDArray[np.float32]:
    """Return what stands in a mark's ring, in one size, so that marks can be compared."""
    rows, columns = _slices(mark)
    ring = Image.fromarray(255 - page[rows, columns]).resize((size, size), Image.Resampling.BILINEAR)
    values = np.asarray(ring, dtype=np.float32) / 255.0
    middle = (size - 1) / 2
    across, down = np.meshgrid(np.arange(size) - middle, np.arange(size) - middle)
    values[np.hypot(across, down) > 0.36 * size] = 0.0  # the ring itself
    return values


def _marks(ink: Ink, boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes of rings with something inside; those of another size than most are none."""
    least, most = (size * POINT for size in RING)
    found = [
        box
        for box in boxes
        if least <= box.width <= most
        and least <= box.height <= most
        and max(box.width, box.height) <= ROUND * min(box.width, box.height)
        and _is_ring(ink, box)
    ]
    if not found:
        return []
    usual = float(np.median([box.width for box in found]))
    return sorted(
        (box for box in found if abs(box.width - usual) <= ALIKE * usual), key=lambda box: (box.top, box.left)
    )


def _is_ring(ink: Ink, box: Box) -> bool:
    rows, columns = _slices(box)
    part = ink[rows, columns]
    height, width = part.shape
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    radii = np.linspace(0.84, 1.0, 5)
    down = np.clip(((height - 1) / 2) * (1 + np.outer(radii, np.sin(angles))), 0, height - 1).round().astype(int)
    across = np.clip(((width - 1) / 2) * (1 + np.outer(radii, np.cos(angles))), 0, width - 1).round().astype(int)
    closed = part[down, across].any(axis=0).mean()
    grid_down, grid_across = np.mgrid[0:height, 0:width]
    distance = np.hypot((grid_down / ((height - 1) / 2)) - 1, (grid_across / ((width - 1) / 2)) - 1)
    inner = float(part[distance < 0.6].mean())  # noqa: PLR2004 - well inside of the ring
    return bool(closed >= CLOSED and FILLED[0] <= inner <= FILLED[1] and part[distance > 1.12].mean() < 0.1)  # noqa: PLR2004


def _figures(seeds: Sequence[Box], boxes: Sequence[Box], marks: Sequence[Box]) -> list[Box]:
    """Return figures: what is large, with the small things around it that are its labels; no mark is one."""
    others = [box for box in boxes if not any(box.touches(mark) for mark in marks)]
    grown = []
    across, down = (gap * POINT for gap in LABEL_GAP)
    for seed in seeds:
        limit = seed.grown(LABEL_ROOM * POINT)
        inside = [
            other
            for other in others
            if limit.holds((other.left, other.top)) and limit.holds((other.right, other.bottom))
        ]
        box = seed
        while True:
            reach = Box(box.left - across, box.top - down, box.right + across, box.bottom + down)
            larger = around([box, *(other for other in inside if reach.touches(other))])
            if larger == box:
                break
            box = larger
        grown.append(box)
    merged: list[Box] = []
    for box in grown:
        whole = box
        while True:
            touching = [other for other in merged if other.touches(whole)]
            if not touching:
                break
            merged = [other for other in merged if other not in touching]
            whole = around([whole, *touching])
        merged.append(whole)
    return sorted(merged, key=lambda box: (box.top, box.left))


def _box(place: tuple[slice, ...]) -> Box:
    return Box(place[1].start, place[0].start, place[1].stop, place[0].stop)


def _slices(box: Box) -> tuple[slice, slice]:
    return slice(max(0, int(box.top)), int(box.bottom)), slice(max(0, int(box.left)), int(box.right))
