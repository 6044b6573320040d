"""Scores of a model as a polygon: the same drawing that the script adds a second model to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.report.site.boards import Score

RADIUS: Final = 100.0
LABEL_AT: Final = 114.0
RINGS: Final = (0.25, 0.5, 0.75, 1.0)
BASELINE: Final = 4.0
"""How far a name is lowered, so that its middle stands where its spoke points."""
FEWEST: Final = 3
UPRIGHT: Final = 0.3
"""Cosine up to which a label counts as standing above or below the centre."""


@dataclass(frozen=True, slots=True)
class Spoke:
    """An axis of the figure.

    Attributes:
        metric: Place of its metric among those of the ranking.
        titles: What to call it, by language.
        x: Where the spoke ends, in units of the drawing.
        y: Likewise; down is positive.
        label_x: Where its name stands.
        label_y: Likewise.
        anchor: Which end of the name stands there: ``start``, ``middle`` or ``end``.
    """

    metric: int
    titles: Mapping[str, str]
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Radar:
    """The figure.

    Attributes:
        spokes: Its axes, clockwise from the top.
        rings: The grid, as points of polygons.
        shape: The model, as the points of a polygon.
    """

    spokes: tuple[Spoke, ...]
    rings: tuple[str, ...]
    shape: str


def radar_of(titles: Sequence[Mapping[str, str]], scores: Sequence[Score | None]) -> Radar | None:
    """Return the figure of a model over the metrics that it has scores for; ``None`` where these are too few.

    Args:
        titles: What to call each metric, by language.
        scores: The model's score on each.
    """
    held = [(place, score) for place, score in enumerate(scores) if score is not None]
    if len(held) < FEWEST:
        return None
    angles = [2 * math.pi * number / len(held) for number in range(len(held))]
    spokes = tuple(_spoke(place, titles[place], angle) for (place, _), angle in zip(held, angles, strict=True))
    shape = (_point(score.estimate * RADIUS, angle) for (_, score), angle in zip(held, angles, strict=True))
    rings = tuple(" ".join(_point(share * RADIUS, angle) for angle in angles) for share in RINGS)
    return Radar(spokes, rings, " ".join(shape))


def _spoke(metric: int, titles: Mapping[str, str], angle: float) -> Spoke:
    right, down = math.sin(angle), -math.cos(angle)
    anchor = "middle" if abs(right) < UPRIGHT else "start" if right > 0 else "end"
    return Spoke(
        metric=metric,
        titles=titles,
        x=_rounded(right * RADIUS),
        y=_rounded(down * RADIUS),
        label_x=_rounded(right * LABEL_AT),
        label_y=_rounded(down * LABEL_AT + BASELINE),
        anchor=anchor,
    )


def _point(distance: float, angle: float) -> str:
    return f"{_rounded(distance * math.sin(angle)):.2f},{_rounded(-distance * math.cos(angle)):.2f}"


def _rounded(value: float) -> float:
    """Return a value to 0.01, and 0 without a sign: the same bytes wherever sines end in other digits."""
    return round(value, 2) + 0.0
