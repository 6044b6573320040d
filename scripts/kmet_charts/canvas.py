"""Fonts, sizes and the way a figure becomes a small PNG with the same bytes every time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

FONT: Final = "NanumGothic"
INK: Final = "#111111"
BLUE: Final = "#1f4e9c"
RED: Final = "#b3261e"
GREEN: Final = "#2b6e3f"
GREY: Final = "#8a8a8a"
DPI: Final = 100
COLOURS: Final = 128


def use_house_style() -> None:
    """Set the fonts and line widths that all charts share.

    Raises:
        ValueError: The Korean font is not installed.
    """
    font_manager.findfont(FONT, fallback_to_default=False)
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "font.family": [FONT, "DejaVu Sans"],
            "font.size": 13,
            "axes.unicode_minus": True,
            "axes.edgecolor": INK,
            "figure.constrained_layout.h_pad": 0.12,
            "figure.constrained_layout.w_pad": 0.12,
            "figure.dpi": DPI,
            "savefig.dpi": DPI,
            "svg.hashsalt": "kmet-mini",
        }
    )


def save(figure: Figure, path: Path) -> None:
    """Write a figure as a palette PNG without metadata, and close it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    buffer.seek(0)
    picture = Image.open(buffer).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(path, format="PNG", optimize=True)


def mark_point(axes: Axes, x: float, y: float, label: str, *, offset: tuple[float, float] = (18, 17)) -> None:
    """Draw a dot with a boxed label whose centre is offset by so many points."""
    axes.plot(x, y, "o", color=INK, markersize=8, zorder=9)
    axes.annotate(
        label,
        (x, y),
        xytext=offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=16,
        fontweight="bold",
        bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": INK, "lw": 0.8},
        zorder=10,
    )


def mark_north(axes: Axes, x: float = 0.955, y: float = 0.97) -> None:
    """Draw an arrow to the north, in axes coordinates."""
    axes.annotate(
        "북",
        xy=(x, y),
        xytext=(x, y - 0.14),
        xycoords="axes fraction",
        ha="center",
        va="center",
        fontsize=14,
        arrowprops={"arrowstyle": "-|>", "lw": 1.6, "color": INK},
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"},
        zorder=11,
    )


def hide_ticks(axes: Axes) -> None:
    """Remove the ticks of an axes that is a map."""
    axes.set_xticks([])
    axes.set_yticks([])
