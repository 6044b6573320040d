"""What figures of points have in common: the room around the points, and labels beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from exambench.report.figures.figure import Row
from exambench.report.figures.placement import SPOTS, Spot, beside

WIDTH: Final = 520
HEIGHT: Final = 380
MARGIN: Final = 0.06
TICKS: Final = 12
STEPS: Final = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Span:
    """The ends of a scale, and whether it is logarithmic."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Return where on the scale a value lies, from 0 to 1."""
        low, high, at = (math.log(each) if self.log else each for each in (self.low, self.high, value))
        return (at - low) / (high - low)

    @property
    def scale(self) -> alt.Scale:
        """The scale for Vega-Lite."""
        ends = [self.low, self.high]
        return alt.Scale(domain=ends, type="log") if self.log else alt.Scale(domain=ends, nice=False, zero=False)


def span_of(values: Sequence[float], least: float = -math.inf, most: float = math.inf, narrowest: float = 1.0) -> Span:
    """Return round ends around values, with room at both.

    Args:
        values: What is drawn.
        least: The least value that there can be.
        most: The largest value that there can be.
        narrowest: Distance of the ends of values that hardly differ.
    """
    low, high = min(values), max(values)
    width = max(high - low, narrowest)
    low, high = min(low, (low + high - width) / 2), max(high, (low + high + width) / 2)
    rough = width * (1 + 2 * MARGIN) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in STEPS if each * power >= rough)
    ends = math.floor((low - MARGIN * width) / step) * step, math.ceil((high + MARGIN * width) / step) * step
    return Span(round(max(ends[0], least), 9), round(min(ends[1], most), 9))


def log_ticks(span: Span) -> list[float]:
    """Return the values 1, 2 and 5 times powers of ten within a scale."""
    powers = range(math.floor(math.log10(span.low)), math.ceil(math.log10(span.high)) + 1)
    ticks = (float(f"{step}e{power}") for power in powers for step in (1, 2, 5))
    return [tick for tick in ticks if span.low <= tick <= span.high]


def log_span(values: Sequence[float], factor: float = 2.0) -> Span:
    """Return ends of a logarithmic scale around positive values."""
    return Span(float(f"{min(values) / factor:.3g}"), float(f"{max(values) * factor:.3g}"), log=True)


def with_labels(
    rows: Sequence[Row],
    x: tuple[str, Span],
    y: tuple[str, Span],
    texts: Sequence[str],
    *,
    spots: Sequence[Spot] = SPOTS,
    clear: Sequence[tuple[float, float]] = (),
) -> list[Row]:
    """Return the rows with where their labels stand; a row without room has an empty label.

    Args:
        rows: What the points stand for.
        x: Field across, and its scale.
        y: Field upwards, and its scale.
        texts: Labels, one a row; empty for none.
        spots: Where a label may stand, the best place first.
        clear: Further places, in the units of the scales, that no label may cover.
    """

    def pixels(across: float, up: float) -> tuple[float, float]:
        return WIDTH * x[1].share(across), HEIGHT * (1 - y[1].share(up))

    places = [pixels(_float(row[x[0]]), _float(row[y[0]])) for row in rows]
    found = beside(places, texts, (WIDTH, HEIGHT), spots, [pixels(*place) for place in clear])
    return [
        {**row, "label": "" if spot is None else text, "dx": spot.dx if spot else 0.0, "dy": spot.dy if spot else 0.0,
         "align": spot.align if spot else "left"}
        for row, text, spot in zip(rows, texts, found, strict=True)
    ]  # fmt: skip


def labels_layer(data: str, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the labels of rows from :func:`with_labels`."""
    mark: alt.Chart = alt.Chart(alt.NamedData(data)).mark_text(
        fontSize=10,
        baseline="middle",
        align=alt.expr("datum.align"),
        dx=alt.expr("datum.dx"),
        dy=alt.expr("datum.dy"),
        style="muted",
    )
    labelled: alt.Chart = mark.encode(x=x, y=y, text="label:N")
    return labelled


def _float(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"a point needs numbers; found {value!r}")
    return float(value)
