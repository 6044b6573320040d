"""Where labels stand so that they neither cover each other nor the points that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from rich.cells import cell_len
from scipy.optimize import isotonic_regression

from exambench.stats.matrix import FloatArray

CELL_WIDTH: Final = 5.9
"""Pixels that a cell takes at the size of labels; a Latin letter is one, a Hangul syllable two."""
LINE_HEIGHT: Final = 13.0
POINT_RADIUS: Final = 6.0
OFFSET: Final = 7.0
NEAR: Final = 1.5


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether two rectangles overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label stands beside its point: offset in pixels, and which of its ends is there."""

    dx: float
    dy: float
    align: str


SPOTS: Final = (
    Spot(OFFSET, 0.0, "left"),
    Spot(-OFFSET, 0.0, "right"),
    Spot(0.0, -LINE_HEIGHT, "center"),
    Spot(0.0, LINE_HEIGHT, "center"),
    Spot(OFFSET, -LINE_HEIGHT, "left"),
    Spot(OFFSET, LINE_HEIGHT, "left"),
    Spot(-OFFSET, -LINE_HEIGHT, "right"),
    Spot(-OFFSET, LINE_HEIGHT, "right"),
)
ABOVE_FIRST: Final = (SPOTS[6], SPOTS[2], *SPOTS)
"""For points on a staircase that climbs to the right: up and to the left there is room."""


def beside(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    size: tuple[float, float],
    spots: Sequence[Spot] = SPOTS,
    clear: Sequence[tuple[float, float]] = (),
) -> list[Spot | None]:
    """Return a place for each label beside its point, ``None`` where there is no room; earlier ones choose first.

    Args:
        points: Places of the points in pixels, y downwards.
        labels: Their labels; an empty one takes no room and gets no place.
        size: Width and height of the plot in pixels; a label stays within it.
        spots: Where a label may stand, the best place first.
        clear: Further places in pixels that no label may cover, such as those on a line.
    """
    taken = [Box(x - POINT_RADIUS, y - POINT_RADIUS, x + POINT_RADIUS, y + POINT_RADIUS) for x, y in points]
    taken += [Box(x - NEAR, y - NEAR, x + NEAR, y + NEAR) for x, y in clear]
    found: list[Spot | None] = []
    for place, text in zip(points, labels, strict=True):
        spot = next((each for each in spots if text and _free(_box(place, text, each), taken, size)), None)
        if spot is not None:
            taken.append(_box(place, text, spot))
        found.append(spot)
    return found


def spread(positions: Sequence[float], gap: float) -> list[float]:
    """Return positions moved as little as possible (in squares) so that neighbours are a gap apart; order stays.

    With z_i = y_i − i·gap that is the isotonic regression of z.
    """
    order = np.argsort(np.asarray(positions), kind="stable")
    steps: FloatArray = gap * np.arange(len(order), dtype=np.float64)
    moved: FloatArray = np.empty(len(order), dtype=np.float64)
    if len(order):
        moved[order] = isotonic_regression(np.asarray(positions, dtype=np.float64)[order] - steps).x + steps
    return [float(value) for value in moved]


def text_width(text: str) -> float:
    """Return about how many pixels a label takes."""
    return CELL_WIDTH * cell_len(text)


def _box(place: tuple[float, float], text: str, spot: Spot) -> Box:
    x, y = place[0] + spot.dx, place[1] + spot.dy
    width = text_width(text)
    left = {"left": x, "right": x - width, "center": x - width / 2}[spot.align]
    return Box(left, y - LINE_HEIGHT / 2, left + width, y + LINE_HEIGHT / 2)


def _free(box: Box, taken: Sequence[Box], size: tuple[float, float]) -> bool:
    width, height = size
    inside = box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
    return inside and not any(box.meets(other) for other in taken)
