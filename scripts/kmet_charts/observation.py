"""Observation charts: station models, a wind rose, traces of recording instruments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes
from metpy.plots import StationPlot, current_weather, sky_cover
from metpy.units import units

from kmet_charts.canvas import BLUE, GREEN, GREY, INK, RED, save


@dataclass(frozen=True, slots=True)
class Report:
    """A surface report.

    Attributes:
        temperature: Air temperature, in degrees Celsius.
        dewpoint: Dew point, in degrees Celsius.
        pressure_code: Last three digits of the sea-level pressure in tenths of a hectopascal.
        direction: Where the wind comes from, in degrees.
        knots: Wind speed.
        oktas: Cloud cover, in eighths.
        weather: Present weather, WMO code table 4677.
    """

    temperature: int
    dewpoint: int
    pressure_code: str
    direction: float
    knots: float
    oktas: int
    weather: int


STATION: Final = Report(19, 16, "978", 135, 25, 6, 80)
STATION_CHOICES: Final = {
    "station_choice_1": Report(-3, -5, "246", 180, 15, 8, 63),
    "station_choice_2": Report(-3, -5, "024", 0, 15, 8, 63),
    "station_choice_3": Report(-3, -5, "246", 0, 15, 8, 73),
    "station_choice_4": Report(-3, -5, "024", 180, 15, 8, 73),
}
"""Each value of pressure, direction and weather stands in two pictures; each pair of pictures shares one of them."""


def _signed(celsius: int) -> str:
    """Return a temperature as it is plotted, below zero with a minus sign."""
    return f"{celsius}".replace("-", "\N{MINUS SIGN}")


def _station(report: Report, size: float) -> Figure:
    """Return one large station model, north up."""
    figure, axes = plt.subplots(figsize=(size, size))
    figure.subplots_adjust(0, 0, 1, 1)
    axes.set(xlim=(-1, 1), ylim=(-1, 1))
    axes.axis("off")
    plot = StationPlot(axes, [0], [0], fontsize=34, spacing=46)
    plot.plot_text("NW", [_signed(report.temperature)], color=RED)
    plot.plot_text("SW", [_signed(report.dewpoint)], color=GREEN)
    plot.plot_text("NE", [report.pressure_code], color=INK)
    plot.plot_symbol("C", [report.oktas], sky_cover, fontsize=50)
    plot.plot_symbol("W", [report.weather], current_weather, fontsize=50)
    angle = np.deg2rad(report.direction)
    east, north = -report.knots * np.sin(angle), -report.knots * np.cos(angle)
    plot.plot_barb([east] * units.knots, [north] * units.knots, length=13, linewidth=2.6)
    return figure


def station_model(path: Path) -> None:
    """Draw the station model to decode."""
    save(_station(STATION, 4.0), path)


def station_choice(path: Path) -> None:
    """Draw the station model that the file's name selects."""
    save(_station(STATION_CHOICES[path.stem], 4.0), path)


def wind_rose(path: Path) -> None:
    """Draw a wind rose of sixteen directions and two classes of speed."""
    weak = np.array([3, 1.5, 1, 1, 1.5, 3, 9, 4, 2, 2, 2, 2.5, 4, 5, 10, 4])
    strong = np.array([2, 0.5, 0.5, 0.5, 0.5, 1, 3, 1, 1, 1.5, 1.5, 2, 4, 4, 8, 2.5])
    angles = np.deg2rad(np.arange(0, 360, 22.5))
    figure = plt.figure(figsize=(6.4, 6.6), layout="constrained")
    axes = cast("PolarAxes", figure.add_subplot(projection="polar"))
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.bar(angles, weak, width=0.3, color="#9ec3e6", edgecolor=INK, label="5 m/s 미만")
    axes.bar(angles, strong, width=0.3, bottom=weak, color=RED, edgecolor=INK, label="5 m/s 이상")
    axes.set_xticks(np.deg2rad(np.arange(0, 360, 45)))
    axes.set_xticklabels(["북", "북동", "동", "남동", "남", "남서", "서", "북서"], fontsize=15)
    axes.set_rticks(np.arange(2, 21, 2), [""] * 10)
    axes.set_rmax(20)
    axes.set_axisbelow(True)
    for ring in range(4, 21, 4):
        axes.text(
            np.deg2rad(62),
            ring,
            f"{ring} %",
            fontsize=11,
            ha="center",
            va="center",
            bbox={"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none"},
        )
    axes.set_title("바람장미 (막대의 방향: 바람이 불어오는 쪽,\n막대의 길이: 빈도, 동심원 간격: 2 %)", pad=14)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.12, -0.08))
    save(figure, path)


def front_traces(path: Path) -> None:
    """Draw a day of pressure, temperature and wind direction as a front goes by."""
    hour = np.linspace(0, 24, 241)
    after = np.clip(hour - 14, 0, None)
    passed = 1 / (1 + np.exp(-(hour - 14) / 0.15))
    pressure = 1003 + 0.75 * np.sqrt((hour - 14) ** 2 + 0.2) + 0.2 * after + 1.5 * passed
    temperature = 16 + 3 * np.sin(2 * np.pi * (hour - 9) / 24) - passed * (6 + 0.15 * after)
    direction = 180 + 45 * np.clip(hour / 14, 0, 1) + 85 * passed
    figure, panels = plt.subplots(3, 1, figsize=(8.4, 7.2), sharex=True, layout="constrained")
    for axes, values, label, colour in zip(
        panels,
        (pressure, temperature, direction),
        ("해면기압 (hPa)", "기온 (°C)", "풍향 (°)"),
        (INK, RED, BLUE),
        strict=True,
    ):
        axes.plot(hour, values, color=colour, lw=2.2)
        axes.set_ylabel(label)
        axes.grid(visible=True, color=GREY, lw=0.5, ls=":")
    panels[0].set(ylim=(1000, 1015), yticks=[1000, 1005, 1010, 1015])
    panels[1].set(ylim=(5, 20), yticks=[5, 10, 15, 20])
    panels[2].set(ylim=(180, 360), yticks=[180, 225, 270, 315, 360])
    figure.align_ylabels(panels)
    figure.suptitle("어느 지점의 하루 동안의 해면기압, 기온, 풍향 (가상 자료)", fontsize=14)
    panels[2].set(xlim=(0, 24), xlabel="시각 (시)")
    panels[2].set_xticks(np.arange(0, 25, 2))
    save(figure, path)
