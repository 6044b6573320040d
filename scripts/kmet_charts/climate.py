"""Climate charts: climographs and a section across a mountain range."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from kmet_charts.canvas import BLUE, GREY, INK, RED, mark_point, save

SUMMIT: Final = 1300.0
"""Height of the range in the section, in metres."""


@dataclass(frozen=True, slots=True)
class Climate:
    """Twelve months of mean temperature (°C) and of precipitation (mm)."""

    temperature: tuple[float, ...]
    precipitation: tuple[float, ...]


MONSOON: Final = Climate(
    (-6, -3, 4, 11.5, 17.5, 22, 25, 25.5, 20, 13.5, 5, -3),
    (18, 24, 40, 70, 95, 130, 380, 330, 150, 50, 48, 22),
)
CLIMATE_CHOICES: Final = {
    "climograph_choice_1": Climate(
        (9, 10, 12, 15, 19, 24, 27, 27, 23, 18, 13, 10), (95, 80, 65, 45, 25, 8, 2, 5, 25, 70, 100, 110)
    ),
    "climograph_choice_2": Climate(
        (5, 5.5, 7, 9.5, 12.5, 15.5, 17.5, 17.5, 15, 11.5, 8, 6), (75, 58, 60, 55, 58, 60, 62, 70, 68, 80, 82, 80)
    ),
    "climograph_choice_3": Climate(
        (13, 14.5, 18, 22, 25.5, 27.5, 28, 28, 27, 24, 20, 15), (25, 35, 60, 110, 210, 320, 360, 370, 240, 90, 40, 25)
    ),
    "climograph_choice_4": Climate(
        (13, 15, 19, 24, 28, 31, 33, 33, 30, 25, 19, 14), (4, 3, 4, 2, 1, 0, 0, 0, 1, 2, 3, 5)
    ),
}


def _climograph(climate: Climate, width: float, height: float) -> Figure:
    """Return a climograph: columns of precipitation, a line of temperature."""
    months = np.arange(1, 13)
    figure, rain = plt.subplots(figsize=(width, height), layout="constrained")
    rain.bar(months, climate.precipitation, color="#7fb0de", edgecolor=BLUE, width=0.75)
    rain.set(ylim=(0, 400), xlabel="월", ylabel="강수량 (mm)")
    rain.set_xticks(months)
    rain.grid(visible=True, axis="y", color=GREY, lw=0.5, ls=":")
    heat = rain.twinx()
    heat.plot(months, climate.temperature, "o-", color=RED, lw=2.2, markersize=5)
    heat.set(ylim=(-10, 40), ylabel="기온 (°C)")
    heat.axhline(0, color=RED, lw=0.6, ls="--")
    return figure


def climograph_monsoon(path: Path) -> None:
    """Draw a climate with a cold, dry winter and a hot, wet summer."""
    figure = _climograph(MONSOON, 7.6, 5.2)
    figure.suptitle("어느 지점의 월평균기온(꺾은선)과 월강수량(막대), 가상 자료", fontsize=13)
    save(figure, path)


def climograph_choice(path: Path) -> None:
    """Draw the climograph that the file's name selects."""
    save(_climograph(CLIMATE_CHOICES[path.stem], 4.8, 3.8), path)


def foehn_section(path: Path) -> None:
    """Draw a section from the east coast over a mountain range to its lee, with the air's values beside the places."""
    x = np.linspace(0, 10, 401)
    ground = SUMMIT * np.exp(-(((x - 5) / 1.6) ** 4))
    figure, axes = plt.subplots(figsize=(8.6, 5.2), layout="constrained")
    axes.fill_between(x, ground, 0, color="#d9cbb2")
    axes.plot(x, ground, color=INK, lw=1.5)
    axes.fill_between([8.4, 10], [-70, -70], [0, 0], color="#9ec3e6")
    mark_point(axes, 8.2, 0, "A", offset=(0, 22))
    mark_point(axes, 5, SUMMIT, "B", offset=(0, 22))
    mark_point(axes, 1.8, 0, "C", offset=(0, 22))
    beside: dict[str, Any] = {
        "ha": "center",
        "va": "bottom",
        "linespacing": 1.4,
        "bbox": {"fc": "white", "ec": "none", "pad": 2},
    }
    axes.text(8.2, 290, "해발 0 m\n기온 16 °C\n이슬점온도 12 °C", **beside)
    axes.text(5.3, SUMMIT + 110, "해발 1,300 m", ha="left", va="center")
    axes.text(1.8, 290, "해발 0 m\n기온 ?", **beside)
    axes.annotate("", (6.8, 1130), (9.0, 900), arrowprops={"arrowstyle": "-|>", "lw": 2.5, "color": BLUE})
    axes.annotate("", (1.0, 900), (3.2, 1130), arrowprops={"arrowstyle": "-|>", "lw": 2.5, "color": RED})
    for px, name, colour in ((1.8, "영서 지방", INK), (5, "산맥", INK), (9.2, "동해", BLUE)):
        axes.text(px, -90, name, ha="center", va="top", color=colour)
    axes.set_xticks([0.3, 9.7], ["서", "동"])
    axes.set_yticks(np.arange(0, 1501, 300))
    axes.set(xlim=(0, 10), ylim=(-240, 1700), ylabel="고도 (m)", title="높새바람의 모식도 (가상의 산맥)")
    axes.grid(visible=True, axis="y", color=GREY, lw=0.5, ls=":")
    save(figure, path)
