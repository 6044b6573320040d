"""Weather charts: fronts at the surface, a jet streak, a trough, isobars with a scale."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from metpy.plots import ColdFront, WarmFront
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from kmet_charts.canvas import BLUE, GREY, INK, RED, hide_ticks, mark_north, mark_point, save

Floats = NDArray[np.float64]

COLD_FRONT: Final = ((0.0, 0.0), (-210.0, -260.0), (-520.0, -560.0), (-950.0, -850.0))
WARM_FRONT: Final = ((0.0, 0.0), (330.0, -110.0), (680.0, -290.0), (980.0, -540.0))


def _smooth(knots: tuple[tuple[float, float], ...]) -> tuple[Floats, Floats]:
    """Return a smooth curve through the knots (200 points of x and y)."""
    points = np.array(knots)
    spline = CubicSpline(np.arange(len(points)), points)
    curve = spline(np.linspace(0, len(points) - 1, 200))
    return curve[:, 0], curve[:, 1]


def _distance(x: Floats, y: Floats, curve: tuple[Floats, Floats]) -> Floats:
    """Return the distance of each grid point from a curve."""
    gaps = (x[..., None] - curve[0]) ** 2 + (y[..., None] - curve[1]) ** 2
    return np.asarray(np.sqrt(gaps.min(axis=-1)))


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


def surface_fronts(path: Path) -> None:
    """Draw a mid-latitude cyclone with a cold and a warm front and four places."""
    figure, axes = plt.subplots(figsize=(8.6, 6.4), layout="constrained")
    x, y = np.meshgrid(np.linspace(-1200, 1200, 121), np.linspace(-950, 750, 101))
    cold, warm = _smooth(COLD_FRONT), _smooth(WARM_FRONT)
    pressure = 1018 - 24 * np.exp(-(x**2 + (1.15 * y) ** 2) / 700**2)
    pressure -= 4.0 * np.exp(-_distance(x, y, cold) / 170) + 2.0 * np.exp(-_distance(x, y, warm) / 200)
    lines = axes.contour(x, y, pressure, levels=np.arange(988, 1020, 4), colors=GREY, linewidths=1.2)
    axes.clabel(lines, fmt="%d", fontsize=11)
    axes.plot(*cold, color=BLUE, lw=2.5, path_effects=[ColdFront(size=8, spacing=1.2)])
    axes.plot(*warm, color=RED, lw=2.5, path_effects=[WarmFront(size=8, spacing=1.2)])
    axes.text(-20, 45, "L", color=RED, fontsize=26, fontweight="bold", ha="center", va="bottom")
    axes.annotate("", (370, 190), (110, 190), arrowprops={"arrowstyle": "-|>", "lw": 3, "color": INK})
    axes.text(240, 215, "이동 40 km/h", fontsize=12, ha="center", va="bottom")
    for label, px, py, direction, knots in (
        ("가", -720, -120, 320, 25),
        ("나", -250, -480, 220, 25),
        ("다", 640, 30, 130, 15),
        ("라", 560, -720, 220, 10),
    ):
        _wind(axes, px, py, direction, knots)
        mark_point(axes, px, py, label)
    _scale_bar(axes, -1100, -880, 400)
    mark_north(axes)
    hide_ticks(axes)
    axes.set(xlim=(-1200, 1200), ylim=(-950, 750), title="지상 일기도 (등압선 간격 4 hPa)")
    save(figure, path)


def jet_streak(path: Path) -> None:
    """Draw a straight westerly jet streak at 300 hPa with its four quadrants."""
    figure, axes = plt.subplots(figsize=(8.6, 5.2), layout="constrained")
    x, y = np.meshgrid(np.linspace(-1500, 1500, 151), np.linspace(-800, 800, 81))
    speed = 50 + 110 * np.exp(-((x / 800) ** 2) - (y / 260) ** 2)
    height = 9300 - 0.16 * y - 190 * np.tanh(y / 330)
    levels = np.arange(9000, 9601, 60)
    heights = axes.contour(x, y, height, levels=levels, colors=INK, linewidths=1.1)
    rows = np.linspace(-800, 800, 81)
    labelled = [(1050.0, float(np.interp(-level, -height[:, 0], rows))) for level in levels]
    axes.clabel(heights, fmt="%d", fontsize=10, manual=labelled)
    isotachs = axes.contour(x, y, speed, levels=[75, 100, 125, 150], colors=RED, linewidths=1.8, linestyles="--")
    axes.clabel(isotachs, fmt="%d kt", fontsize=11)
    for bx, knots in ((-1250, 60), (0, 160), (1380, 60)):
        _wind(axes, bx, 0, 270, knots)
    for label, px, py in (("A", -650, 260), ("B", -650, -260), ("C", 650, 260), ("D", 650, -260)):
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
    mark_north(axes)
    hide_ticks(axes)
    axes.set_title("300 hPa 등고선(실선, gpm)과 등풍속선(파선)")
    save(figure, path)


def trough_500(path: Path) -> None:
    """Draw a wave at 500 hPa with four places along the same flow."""
    figure, axes = plt.subplots(figsize=(8.6, 5.0), layout="constrained")
    x, y = np.meshgrid(np.linspace(0, 5000, 201), np.linspace(-1000, 1000, 81))
    crest, swing, edge = 1000.0, 330.0, 950.0
    wave = swing * np.cos(2 * np.pi * (x - crest) / 4000)
    height = 5580 - 0.24 * (y - wave)
    lines = axes.contour(x, y, height, levels=np.arange(5280, 5940, 60), colors=BLUE, linewidths=1.4)
    middle = swing * np.cos(2 * np.pi * (2550 - crest) / 4000)
    labelled = [(2550.0, middle - (level - 5580) / 0.24) for level in lines.levels]
    axes.clabel(lines, fmt="%d", fontsize=11, manual=[(px, py) for px, py in labelled if abs(py) < edge])
    for label, px in (("가", 1000), ("나", 2000), ("다", 3000), ("라", 4000)):
        py = swing * np.cos(2 * np.pi * (px - crest) / 4000)
        mark_point(axes, px, py, label, offset=(8, 10))
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
    axes.set_title("등압선 (위도 30°N)")
    mark_north(axes, 0.95, 0.98)
    save(figure, path)
