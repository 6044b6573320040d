"""Weather charts: fronts at the surface, a jet streak, a trough, isobars with a scale."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from matplotlib.patheffects import Normal, Stroke
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import erf

from kmet_charts.canvas import BLUE, GREY, INK, RED, hide_ticks, mark_north, mark_point, save

Floats = NDArray[np.float64]
Knots = tuple[tuple[float, float], ...]

KNOT: Final = 1852 / 3600
"""A knot in metres per second."""
CORIOLIS: Final = 1.0e-4
GRAVITY: Final = 9.8
SYMBOL_PITCH: Final = 140.0
"""Distance between the symbols of a front, in kilometres."""

COLD_FRONT: Final = ((0.0, 0.0), (-210.0, -260.0), (-520.0, -560.0), (-950.0, -850.0))
WARM_FRONT: Final = ((0.0, 0.0), (330.0, -110.0), (680.0, -290.0), (980.0, -540.0))


def _smooth(knots: Knots) -> tuple[Floats, Floats]:
    """Return a smooth curve through the knots (200 points of x and y)."""
    points = np.array(knots)
    spline = CubicSpline(np.arange(len(points)), points)
    curve = spline(np.linspace(0, len(points) - 1, 200))
    return curve[:, 0], curve[:, 1]


def _distance(x: Floats, y: Floats, curve: tuple[Floats, Floats]) -> Floats:
    """Return the distance of each point from a curve."""
    gaps = (x[..., None] - curve[0]) ** 2 + (y[..., None] - curve[1]) ** 2
    return np.asarray(np.sqrt(gaps.min(axis=-1)))


def _label_along(axes: Axes, lines: QuadContourSet, track: tuple[Floats, Floats], values: Floats) -> None:
    """Write each contour's value where a track crosses it; the field is monotonic along the track."""
    order = np.argsort(values)
    x, y, values = track[0][order], track[1][order], values[order]
    crossed = [level for level in lines.levels if values[0] < level < values[-1]]
    places = [(float(np.interp(level, values, x)), float(np.interp(level, values, y))) for level in crossed]
    axes.clabel(lines, fmt="%d", fontsize=11, manual=places)


def _scale_bar(axes: Axes, x: float, y: float, km: float) -> None:
    """Draw a scale bar on axes whose unit is the kilometre."""
    axes.plot([x, x + km], [y, y], color=INK, lw=4, solid_capstyle="butt", zorder=9)
    axes.text(
        x + km / 2,
        y + 30,
        f"{km:.0f} km",
        ha="center",
        va="bottom",
        zorder=9,
        bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"},
    )


def _wind(axes: Axes, x: float, y: float, direction: float, knots: float) -> None:
    """Draw a wind barb; the direction is where the wind comes from, in degrees."""
    angle = np.deg2rad(direction)
    axes.barbs(x, y, -knots * np.sin(angle), -knots * np.cos(angle), length=9, linewidth=1.4, zorder=8)


def _front(axes: Axes, knots: Knots, colour: str, shape: Floats) -> None:
    """Draw a front from its first knot, with whole symbols on its left side at even distances.

    Args:
        axes: A map with equal scales, in kilometres.
        knots: Points of the front.
        colour: Colour of the line and the symbols.
        shape: Outline of one symbol from base end to base end (along, left), in kilometres.
    """
    x, y = _smooth(knots)
    axes.plot(x, y, color=colour, lw=2.5, zorder=5)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    first, last = 130.0, along[-1] - 60.0
    for middle in np.linspace(first, last, round((last - first) / SYMBOL_PITCH) + 1):
        behind, ahead = ((np.interp(middle + step, along, x), np.interp(middle + step, along, y)) for step in (-32, 32))
        centre = np.add(behind, ahead) / 2
        forward = np.subtract(ahead, behind) / np.hypot(*np.subtract(ahead, behind))
        left = np.array([-forward[1], forward[0]])
        outline = centre + shape[:, :1] * forward + shape[:, 1:] * left
        axes.fill(*outline.T, color=colour, lw=0, zorder=5)


def _cyclone(x: Floats, y: Floats) -> Floats:
    """Return the pressure of the cyclone, with troughs along its fronts that fade outwards, in hPa."""
    troughs = 5.0 * np.exp(-_distance(x, y, _smooth(COLD_FRONT)) / 170)
    troughs += 3.0 * np.exp(-_distance(x, y, _smooth(WARM_FRONT)) / 200)
    pressure = 1020 - 26 * np.exp(-(x**2 + (1.15 * y) ** 2) / 700**2)
    return np.asarray(pressure - troughs * np.exp(-(((x**2 + y**2) / 780**2) ** 2)))


def surface_fronts(path: Path) -> None:
    """Draw a mid-latitude cyclone with a cold and a warm front and four places."""
    figure, axes = plt.subplots(figsize=(8.6, 6.6), layout="constrained")
    x, y = np.meshgrid(np.linspace(-1200, 1200, 241), np.linspace(-950, 750, 171))
    lines = axes.contour(x, y, _cyclone(x, y), levels=np.arange(992, 1020, 4), colors=GREY, linewidths=1.2)
    ray = np.linspace(60, 1200, 300)
    track = (-ray * np.cos(np.deg2rad(28)), ray * np.sin(np.deg2rad(28)))
    _label_along(axes, lines, track, _cyclone(*track))
    turn = np.linspace(0, np.pi, 30)
    _front(axes, COLD_FRONT, BLUE, np.array([(-32.0, 0.0), (0.0, 56.0), (32.0, 0.0)]))
    _front(axes, WARM_FRONT, RED, 32 * np.column_stack([-np.cos(turn), np.sin(turn)]))
    axes.text(
        0,
        0,
        "L",
        color=RED,
        fontsize=24,
        fontweight="bold",
        ha="center",
        va="center",
        bbox={"boxstyle": "circle,pad=0.02", "fc": "white", "ec": "none"},
        zorder=6,
    )
    axes.annotate("", (370, 190), (110, 190), arrowprops={"arrowstyle": "-|>", "lw": 3, "color": INK})
    axes.text(
        240,
        220,
        "이동 40 km/h",
        fontsize=12,
        ha="center",
        va="bottom",
        bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"},
    )
    for label, px, py, direction, knots in (
        ("가", -720, -120, 320, 25),
        ("나", -250, -480, 220, 25),
        ("다", 640, 30, 130, 15),
        ("라", 560, -720, 220, 10),
    ):
        _wind(axes, px, py, direction, knots)
        mark_point(axes, px, py, label)
    _scale_bar(axes, 740, -890, 400)
    mark_north(axes)
    hide_ticks(axes)
    axes.set(xlim=(-1200, 1200), ylim=(-950, 750), aspect="equal", title="지상 일기도 (등압선 간격 4 hPa)")
    save(figure, path)


def _jet_height(x: Floats, y: Floats) -> Floats:
    """Return the height in geostrophic balance with a zonal wind of 60 kt and a streak of 100 kt more, in gpm.

    On the axis u = 60 + 100 exp(-(x/600)²), in knots over kilometres; to the sides the streak falls off over 200 km,
    and its transport fades over 800 km, so that the flow stays straight far from it. Z = Z0 - (f/g) times u over y.
    """
    streak = 100 * np.exp(-((x / 600) ** 2)) * 200 * np.sqrt(np.pi) / 2 * erf(y / 200)
    transport = 60 * y + streak * np.exp(-((y / 800) ** 2))
    return np.asarray(9270 - transport * KNOT * 1000 * CORIOLIS / GRAVITY)


def _geostrophic_knots(x: Floats, y: Floats) -> Floats:
    """Return the geostrophic speed of the jet streak's height field on a regular grid in kilometres, in knots."""
    south_north, west_east = np.gradient(_jet_height(x, y), y[:, 0] * 1000, x[0] * 1000)
    return np.asarray(GRAVITY / CORIOLIS * np.hypot(south_north, west_east) / KNOT)


def _jet_barb(axes: Axes, x: float, knots: float) -> None:
    """Draw a long westerly barb on the jet's axis, its middle at x."""
    axes.barbs(
        x,
        0,
        knots,
        0,
        pivot="middle",
        length=11,
        linewidth=1.6,
        sizes={"spacing": 0.09, "width": 0.13, "height": 0.22},
        path_effects=[Stroke(linewidth=5, foreground="white"), Normal()],
        zorder=8,
    )


def jet_streak(path: Path) -> None:
    """Draw a straight westerly jet streak at 300 hPa with its four quadrants."""
    figure, axes = plt.subplots(figsize=(8.6, 5.4), layout="constrained")
    x, y = np.meshgrid(np.linspace(-1500, 1500, 301), np.linspace(-720, 720, 289))
    heights = axes.contour(x, y, _jet_height(x, y), levels=np.arange(9060, 9481, 60), colors=INK, linewidths=1.1)
    rows = np.linspace(-710, 710, 400)
    edge = (np.interp(rows, [-710, -560, 560, 710], [1100, 1370, 1370, 1100]), rows)
    _label_along(axes, heights, edge, _jet_height(*edge))
    isotachs = axes.contour(
        x, y, _geostrophic_knots(x, y), levels=[75, 100, 125, 150], colors=RED, linewidths=1.8, linestyles="--"
    )
    radius = np.sqrt(np.log(100 / (np.asarray(isotachs.levels) - 60)))
    turn = np.deg2rad([250, 320, 215, 270])
    around = [*zip(600 * radius * np.cos(turn), 200 * radius * np.sin(turn), strict=True)]
    for text in axes.clabel(isotachs, fmt="%d kt", fontsize=11, manual=around):
        text.set_bbox({"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none"})
    for bx, knots in ((-1180, 60), (0, 160), (1180, 60)):
        _jet_barb(axes, bx, knots)
    for label, px, py in (("A", -560, 240), ("B", -560, -240), ("C", 560, 240), ("D", 560, -240)):
        axes.text(
            px,
            py,
            label,
            fontsize=18,
            fontweight="bold",
            ha="center",
            va="center",
            bbox={"boxstyle": "circle,pad=0.25", "fc": "white", "ec": INK},
            zorder=9,
        )
    mark_north(axes, 0.045, 0.92)
    hide_ticks(axes)
    axes.set_title("300 hPa 등고선(실선, gpm)과 등풍속선(파선)")
    save(figure, path)


def _wave_height(x: Floats, y: Floats) -> Floats:
    """Return the height of a sinusoidal wave with a ridge at 1000 km and a trough at 3000 km, in gpm."""
    return np.asarray(5580 - 0.2 * (y - _wave(x)))


def _wave(x: Floats) -> Floats:
    """Return the displacement of the wave's contours to the north, in kilometres."""
    return np.asarray(330 * np.cos(2 * np.pi * (x - 1000) / 4000))


def trough_500(path: Path) -> None:
    """Draw a wave at 500 hPa with four places along the same flow."""
    figure, axes = plt.subplots(figsize=(8.6, 5.0), layout="constrained")
    x, y = np.meshgrid(np.linspace(0, 5000, 201), np.linspace(-860, 860, 173))
    lines = axes.contour(x, y, _wave_height(x, y), levels=np.arange(5400, 5761, 60), colors=BLUE, linewidths=1.4)
    down = np.linspace(850, -850, 400)
    track = (np.interp(down, [-850, 0, 850], [1000, 2500, 3000]), down)
    _label_along(axes, lines, track, _wave_height(*track))
    places = np.array([1000.0, 2000.0, 3000.0, 4000.0])
    beside = ((0, 22), (13, 18), (0, 22), (-13, 18))
    for label, px, py, offset in zip("가나다라", places, _wave(places), beside, strict=True):
        mark_point(axes, px, py, label, offset=offset)
    mark_north(axes)
    hide_ticks(axes)
    axes.set_title("500 hPa 등고선 (gpm, 북반구 중위도)")
    save(figure, path)


def isobars_scale(path: Path) -> None:
    """Draw straight isobars over a distance axis, for a geostrophic wind by hand."""
    figure, axes = plt.subplots(figsize=(7.4, 5.2), layout="constrained")
    for step, pressure in enumerate((1012, 1008, 1004, 1000, 996)):
        axes.axhline(250 * step, color=BLUE, lw=1.8)
        axes.text(40, 250 * step + 12, f"{pressure} hPa", color=BLUE, va="bottom")
    mark_point(axes, 700, 625, "P")
    axes.set_yticks(np.arange(0, 1001, 125), minor=True)
    axes.set_yticks(np.arange(0, 1001, 250))
    axes.set_xticks(np.arange(0, 1401, 250))
    axes.grid(visible=True, which="both", color=GREY, lw=0.5, ls=":")
    axes.set(xlim=(0, 1400), ylim=(-60, 1130), xlabel="동서 거리 (km)", ylabel="남북 거리 (km)")
    axes.set_title("등압선 (기준 위도 30°N의 $f$-평면)")
    mark_north(axes, 0.95, 0.98)
    save(figure, path)
