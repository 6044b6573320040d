"""What stands on the pages of a paper, and where: glyphs, pictures and drawings, before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

HYPHEN: Final = "\u00ad"
"""A hyphen at which a word was broken; whether the word has one of its own, it does not tell."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points from its upper left corner; ``top`` is less than ``bottom``."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Points across."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Points down."""
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        """The centre: across, down."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def grown(self, by: float) -> Box:
        """Return the box with a margin around it."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def touches(self, other: Box) -> bool:
        """Tell whether the two have a point in common."""
        return (
            self.left <= other.right
            and other.left <= self.right
            and self.top <= other.bottom
            and other.top <= self.bottom
        )

    def holds(self, point: tuple[float, float]) -> bool:
        """Tell whether a point lies inside."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom


def around(boxes: Iterable[Box]) -> Box:
    """Return the least box that holds all of them.

    Raises:
        ValueError: There is none.
    """
    left, top, right, bottom = zip(*((box.left, box.top, box.right, box.bottom) for box in boxes), strict=True)
    return Box(min(left), min(top), max(right), max(bottom))


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character, or a word of a scan.

    Attributes:
        text: What it says; a space where there is one.
        box: The place that it takes in its line, not only its ink.
        size: Size of its font in points.
        font: Name of its font; empty in a scan.
        confidence: How sure its reading is, in [0, 1].
        is_marker: It is a mark of an option whose number cannot be read; only a scan has these.
        baseline: Where the line that it stands on lies, in points from the top; ``None`` where nothing tells.
        is_script: Its font draws it raised or lowered, as exponents and indices are.
        is_hidden: The page does not show it.
        is_turned: It does not stand upright on the page.
    """

    text: str
    box: Box
    size: float
    font: str = ""
    confidence: float = 1.0
    is_marker: bool = False
    baseline: float | None = None
    is_script: bool = False
    is_hidden: bool = False
    is_turned: bool = False


class Shape(StrEnum):
    """What a drawing is."""

    PICTURE = "picture"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, or lines and areas, on a page.

    Attributes:
        shape: Which of the two.
        box: Where.
        index: Its number among the page's objects; of a scan's figure, among the figures.
    """

    shape: Shape
    box: Box
    index: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        number: From 1.
        width: Points.
        height: Points.
        glyphs: In the order of the file.
        drawings: Likewise.
    """

    number: int
    width: float
    height: float
    glyphs: tuple[Glyph, ...]
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page.

    Attributes:
        page: Number of the page, from 1.
        box: Where on it.
    """

    page: int
    box: Box
