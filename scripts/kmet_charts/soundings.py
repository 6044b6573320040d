"""Upper-air charts: Skew-T log-p diagrams and hodographs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from metpy.plots import Hodograph, SkewT
from metpy.units import units
from numpy.typing import NDArray

from kmet_charts.canvas import BLUE, DPI, GREEN, GREY, INK, RED, save

Floats = NDArray[np.float64]

MIXING_RATIOS: Final = (2, 4, 7, 10, 13, 18)
"""Lines of saturation mixing ratio, in g/kg."""

HODOGRAPHS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "hodograph_choice_1": ((-6, 4), (-3, 10), (4, 15), (13, 15), (20, 11)),
    "hodograph_choice_2": ((4, 3), (8, 6), (12, 9), (16, 12), (20, 15)),
    "hodograph_choice_3": ((-8, 13), (-1, 7), (6, 4), (15, 4), (23, 5.5)),
    "hodograph_choice_4": ((4, -11), (10, -8), (15, -2), (17, 5), (16, 13)),
}
"""Wind components (u, v) in m/s at 0, 1, 2, 3 and 4 km: veering, straight, veering along a left bend, backing."""

PANEL: Final = (656, 628)
"""Width and height of a Skew-T panel, in pixels; MetPy's fixed aspect fits in it."""

KEY: Final = (
    "단열선도 (굵은 실선: 기온 $T$, 굵은 파선: 이슬점온도 $T_d$, 회색 빗금: 등온선,\n"
    "붉은 실선: 건조단열선, 푸른 파선: 습윤단열선, 초록 점선: 포화혼합비선 g/kg)"
)
"""What each line of a diagram is."""


def _skewt(right: int) -> tuple[Figure, SkewT]:
    """Return a diagram with its families of curves, its key, and a right margin of so many pixels."""
    left, bottom, top = 82, 62, 66
    width, height = left + PANEL[0] + right, bottom + PANEL[1] + top
    figure = plt.figure(figsize=(width / DPI, height / DPI))
    box = (left / width, bottom / height, PANEL[0] / width, PANEL[1] / height)
    skew = SkewT(figure, rotation=40, aspect=132, rect=box)
    axes = skew.ax
    axes.set_ylim(1000, 300)
    axes.set_xlim(-30, 42)
    pressure = np.linspace(300, 1000, 60) * units.hPa
    skew.plot_dry_adiabats(
        t0=np.arange(-30, 141, 10) * units.degC,
        pressure=pressure,
        colors=RED,
        linewidths=0.8,
        linestyles="-",
        alpha=0.8,
    )
    skew.plot_moist_adiabats(
        t0=np.arange(-22, 37, 8) * units.degC,
        pressure=pressure,
        colors=BLUE,
        linewidths=1.0,
        linestyles="--",
        alpha=0.9,
    )
    low = np.linspace(650, 1000, 40) * units.hPa
    ratios = np.array(MIXING_RATIOS)[:, None] * units("g/kg")
    skew.plot_mixing_lines(mixing_ratio=ratios, pressure=low, colors=GREEN, linewidths=1.4, linestyles=":", alpha=1)
    _label_mixing_ratios(skew)
    axes.set_xlabel("기온 (°C)")
    axes.set_ylabel("기압 (hPa)")
    axes.set_yticks(np.arange(300, 1001, 50))
    axes.set_title(KEY, fontsize=12.5)
    return figure, skew


def _label_mixing_ratios(skew: SkewT) -> None:
    """Write each mixing ratio, in g/kg, at the top of its line."""
    top = 650.0
    for ratio in MIXING_RATIOS:
        vapour = top * ratio / (622 + ratio)
        logarithm = np.log(vapour / 6.112)
        dewpoint = 243.5 * logarithm / (17.67 - logarithm)
        skew.ax.text(
            dewpoint,
            top - 6,
            str(ratio),
            color=GREEN,
            fontsize=11,
            ha="center",
            va="bottom",
            bbox={"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none"},
        )


def _profile(skew: SkewT, levels: Sequence[float], values: Sequence[float], colour: str, style: str) -> None:
    """Plot a profile of temperature or dew point, in degrees Celsius."""
    skew.plot(np.array(levels) * units.hPa, np.array(values) * units.degC, colour, lw=3, ls=style)


def _name_curve(skew: SkewT, pressure: float, celsius: float, label: str, side: Literal["left", "right"]) -> None:
    """Write a curve's name close to it, on the side named."""
    skew.ax.annotate(
        label,
        (celsius, pressure),
        xycoords=skew.ax.transData,
        xytext=(7 if side == "right" else -7, 0),
        textcoords="offset points",
        ha="left" if side == "right" else "right",
        va="center",
        fontsize=17,
        bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"},
    )


def skewt_lcl(path: Path) -> None:
    """Draw a summer sounding whose surface parcel is lifted by the reader: no drawn line starts at its two points."""
    figure, skew = _skewt(right=24)
    levels = (1000, 925, 850, 700, 500, 400, 300)
    _profile(skew, levels, (28, 23.5, 18.5, 8, -9, -20, -36), INK, "-")
    _profile(skew, levels, (16, 12, 7.5, -5, -22, -35, -50), INK, "--")
    _name_curve(skew, 600, 0, "$T$", "right")
    _name_curve(skew, 600, -13, "$T_d$", "left")
    save(figure, path)


def skewt_inversion(path: Path) -> None:
    """Draw a sounding with four marked layers, two of them inversions."""
    figure, skew = _skewt(right=66)
    levels = (1000, 960, 850, 800, 700, 500, 400, 300)
    _profile(skew, levels, (9, 14, 5.5, 12, 5, -14, -26, -42), INK, "-")
    _profile(skew, levels, (8, 9.5, 3.5, -14, -20, -36, -46, -58), INK, "--")
    _name_curve(skew, 600, -4, "$T$", "right")
    _name_curve(skew, 600, -27.5, "$T_d$", "left")
    across = skew.ax.get_yaxis_transform()
    for label, bottom, top in (("가", 1000, 962), ("나", 945, 865), ("다", 850, 800), ("라", 700, 500)):
        skew.ax.plot(
            [1.02, 1.02], [bottom, top], color=INK, lw=5, solid_capstyle="butt", transform=across, clip_on=False
        )
        middle = float(np.sqrt(bottom * top))
        skew.ax.text(1.04, middle, label, fontsize=16, fontweight="bold", va="center", transform=across)
    save(figure, path)


def _outward(winds: Floats) -> Floats:
    """Return at each height the unit normal of the curve on the side away from the origin."""
    tangent = np.gradient(winds, axis=0)
    normal = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    away = np.where(np.sum(normal * winds, axis=1, keepdims=True) < 0, -1, 1)
    return np.asarray(away * normal / np.linalg.norm(normal, axis=1, keepdims=True))


def _hodograph(winds: Sequence[tuple[float, float]], size: float, reach: float) -> Figure:
    """Return a hodograph with a dot and a height at each whole kilometre."""
    figure, axes = plt.subplots(figsize=(size, size), layout="constrained")
    hodograph = Hodograph(axes, component_range=reach)
    hodograph.add_grid(increment=5, color=GREY, linewidth=0.7)
    points = np.array(winds, dtype=float)
    u, v = points.T
    hodograph.plot(u * units("m/s"), v * units("m/s"), color=RED, linewidth=2.5)
    axes.plot(u, v, "o", color=INK, markersize=6)
    for height, (place, side) in enumerate(zip(points, _outward(points), strict=True)):
        axes.annotate(
            f"{height} km",
            place,
            xytext=side * (24, 14),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=11,
            bbox={"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none"},
        )
    axes.set(xlabel="u (m/s)", ylabel="v (m/s)")
    return figure


def hodograph_shear(path: Path) -> None:
    """Draw a hodograph from the surface to 6 km, to read the bulk shear from."""
    winds = ((0, 5), (4, 10), (8, 13), (11, 15), (14, 17), (17, 18.5), (20, 20))
    figure = _hodograph(winds, 6.2, 25)
    axes = figure.axes[0]
    axes.set(xlim=(-10, 25), ylim=(-10, 25))
    axes.set_xticks(np.arange(-10, 26, 5))
    axes.set_yticks(np.arange(-10, 26, 5))
    axes.grid(visible=True, color=GREY, lw=0.5, ls=":")
    save(figure, path)


def hodograph_choice(path: Path) -> None:
    """Draw the hodograph that the file's name selects."""
    figure = _hodograph(HODOGRAPHS[path.stem], 4.4, 29)
    save(figure, path)
