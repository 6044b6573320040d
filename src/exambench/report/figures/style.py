"""Colours, signs and type of all figures, as a Vega configuration that a page may exchange for another.

The colours of series differ by at least 8 in CIE lightness, so that they stay apart in print without colour and for a
reader who sees few colours; they stand out from their background by 3:1 or more (WCAG 2.2, 1.4.11). Where a series is
a line or a point, dashes and shapes tell it once more. There is one weight of type: with two, the embedded fonts of a
PDF, and so its bytes, may change from one conversion to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES: Final = ((1, 0), (7, 3), (2, 2), (10, 3, 2, 3), (4, 4), (12, 4))
SERIES: Final = len(SHAPES)
"""How many series can be told apart by lightness, shape and dash."""

FONTS: Final = ("Noto Sans KR", "NanumGothic", "Malgun Gothic", "Apple SD Gothic Neo", "sans-serif")
"""What a page asks for; files are drawn with the font that was found."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a background.

    Attributes:
        background: What everything stands on.
        ink: Text.
        muted: Second text, axes, reference lines.
        faint: Grid lines.
        fill: Bars that need no colour of their own, and bands.
        emphasis: What breaks a limit.
        series: Colours of series, in order of use.
        steps: Colours of depths, each closer to the background than the one before it.
        low: End of the diverging scale for what lies below its middle.
        middle: Its middle.
        high: Its other end.
    """

    background: str
    ink: str
    muted: str
    faint: str
    fill: str
    emphasis: str
    series: tuple[str, ...]
    steps: tuple[str, ...]
    low: str
    middle: str
    high: str


LIGHT: Final = Theme(
    background="#FFFFFF",
    ink="#111418",
    muted="#59616B",
    faint="#DEE2E6",
    fill="#7C93AB",
    emphasis="#8A1C00",
    series=("#02193A", "#D64A1E", "#246C60", "#968BC9", "#6B219E", "#561F0C"),
    steps=("#02193A", "#4A6F94", "#8FA8BF", "#D3DCE5"),
    low="#B3440A",
    middle="#F4F4F1",
    high="#0B4F8A",
)
DARK: Final = Theme(
    background="#14181D",
    ink="#F2F4F6",
    muted="#AAB3BD",
    faint="#343B44",
    fill="#5F7D9C",
    emphasis="#FFB199",
    series=("#F9F9F9", "#C77435", "#57FD95", "#2F7591", "#E7C024", "#A899FC"),
    steps=("#E8EEF4", "#A3B8CC", "#6C89A6", "#3F5A75"),
    low="#F2935C",
    middle="#23292F",
    high="#7DBBF2",
)


def config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme."""
    plain = {"fontWeight": "normal"}
    return {
        "background": theme.background,
        "font": ", ".join(FONTS),
        "padding": 12,
        "view": {"stroke": None, "continuousWidth": 440, "continuousHeight": 320},
        "title": {
            **plain,
            "anchor": "start",
            "frame": "group",
            "fontSize": 15,
            "color": theme.ink,
            "subtitleColor": theme.muted,
            "subtitleFontSize": 11,
            "subtitleFontWeight": "normal",
            "subtitlePadding": 5,
            "offset": 14,
        },
        "axis": {
            "labelColor": theme.ink,
            "labelFontSize": 11,
            "labelFontWeight": "normal",
            "labelLimit": 300,
            "titleColor": theme.ink,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": theme.faint,
            "domainColor": theme.muted,
            "tickColor": theme.muted,
        },
        "header": {
            "labelColor": theme.ink,
            "labelFontSize": 12,
            "labelFontWeight": "normal",
            "labelLimit": 300,
            "titleFontWeight": "normal",
        },
        "legend": {
            "labelColor": theme.ink,
            "labelFontSize": 11,
            "labelFontWeight": "normal",
            "labelLimit": 320,
            "titleColor": theme.ink,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titleLimit": 320,
            "symbolBaseFillColor": theme.muted,
            "symbolBaseStrokeColor": theme.muted,
            "symbolSize": 90,
            "symbolStrokeWidth": 2,
        },
        "range": {
            "category": list(theme.series),
            "symbol": list(SHAPES),
            "diverging": [theme.low, theme.middle, theme.high],
            "ordinal": list(theme.steps),
            "ramp": [theme.middle, theme.high],
            "heatmap": [theme.middle, theme.high],
        },
        "text": {**plain, "color": theme.ink, "fontSize": 11},
        "rule": {"color": theme.muted},
        "bar": {"color": theme.fill},
        "area": {"color": theme.fill},
        "point": {"color": theme.series[0]},
        "line": {"color": theme.series[0]},
        "style": {
            "muted": {"color": theme.muted, "fontWeight": "normal"},
            "grid": {"color": theme.faint},
            "reference": {"color": theme.muted, "strokeDash": [5, 4]},
            "beyond": {"color": theme.emphasis},
            "limit": {"color": theme.emphasis, "strokeDash": [6, 3], "strokeWidth": 1.6},
            "interval": {"color": theme.muted, "strokeWidth": 1.4},
        },
    }
