"""Colours can be told apart by everybody, in print too."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from exambench.report.figures.orthogonality import DARK_CELLS
from exambench.report.figures.positions import SHADES
from exambench.report.figures.style import DARK, DASHES, LIGHT, SERIES, SHAPES, Theme, config
from exambench.stats.matrix import FloatArray

# G. Machado, M. Oliveira, L. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
# (2009), Table 1, severity 1.0, on linear RGB.
EYES = {
    "all colours": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> FloatArray:
    """Return linear RGB of a hexadecimal sRGB colour (IEC 61966-2-1)."""
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    found: FloatArray = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return found


def luminance(colour: str) -> float:
    """Return relative luminance, from 0 to 1 (WCAG 2.2)."""
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def lightness(colour: str) -> float:
    """Return CIE L*, from 0 to 100: what is left of a colour in print without colours."""
    y = luminance(colour)
    return 116 * y ** (1 / 3) - 16 if y > 216 / 24389 else y * 24389 / 27


def lab(rgb: FloatArray) -> FloatArray:
    """Return CIE L*a*b* of linear RGB, white D65."""
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_series_differ_in_lightness(theme: Theme) -> None:
    """Printed in black and white, any two series are at least 8 of 100 apart in lightness."""
    assert min(abs(lightness(a) - lightness(b)) for a, b in combinations(theme.series, 2)) >= 8


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_series_differ_for_colour_blind_readers(theme: Theme, eyes: str) -> None:
    """Any two series are at least 25 apart (CIE76; 2.3 is just noticeable), whichever cones a reader lacks."""
    seen = [lab(np.array(EYES[eyes]) @ linear(colour)) for colour in theme.series]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 25


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_and_text_stand_out(theme: Theme) -> None:
    """Marks have a contrast of 3 with the background, text 4.5 (WCAG 2.2, AA)."""
    assert min(contrast(colour, theme.background) for colour in (*theme.series, theme.fill, theme.emphasis)) >= 3
    assert min(contrast(colour, theme.background) for colour in (theme.ink, theme.muted)) >= 4.5


def test_as_many_shapes_and_dashes_as_colours() -> None:
    """Each series has a shape and a dash of its own."""
    assert len(set(SHAPES)) == len(set(DASHES)) == len(set(LIGHT.series)) == len(set(DARK.series)) == SERIES


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_neighbouring_bars_differ_in_lightness(theme: Theme) -> None:
    """Bars within and beyond the limit, depths of a tree, and positions side by side are 15 apart or more."""
    for colours in ((theme.fill, theme.emphasis), theme.steps, (*SHADES, SHADES[0])):
        assert all(abs(lightness(a) - lightness(b)) >= 15 for a, b in pairwise(colours))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_depths_fade(theme: Theme) -> None:
    """The deeper a topic stands, the closer its bar is to the background."""
    found = [abs(lightness(colour) - lightness(theme.background)) for colour in theme.steps]
    assert found == sorted(found, reverse=True)


def test_numbers_on_bars_can_be_read() -> None:
    """Light numbers stand on the dark shades, the first and the third, dark numbers on the others."""
    for at, shade in enumerate(SHADES):
        assert contrast(shade, LIGHT.background if at in {0, 2} else LIGHT.ink) >= 4.5


@pytest.mark.parametrize("value", [-1.0, -0.9, -0.8, -0.79, -0.4, 0.0, 0.3, 0.6, 0.69, 0.7, 0.8, 0.9, 1.0])
def test_numbers_in_cells_can_be_read(value: float) -> None:
    """Cells of a heatmap are mixed between the middle and an end; light or dark, their text has a contrast of 4."""
    end = LIGHT.low if value < 0 else LIGHT.high
    mixed = [
        round(int(LIGHT.middle[at : at + 2], 16) * (1 - abs(value)) + int(end[at : at + 2], 16) * abs(value))
        for at in (1, 3, 5)
    ]
    ink = LIGHT.ink if DARK_CELLS[0] < value < DARK_CELLS[1] else LIGHT.background
    assert contrast("#{:02X}{:02X}{:02X}".format(*mixed), ink) >= 4


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_there_is_one_weight_of_type(theme: Theme) -> None:
    """With two weights the fonts in a PDF, and so its bytes, may differ from one conversion to the next."""
    weights = [
        value
        for part in config(theme).values()
        if isinstance(part, dict)
        for name, value in part.items()
        if name.lower().endswith("fontweight")
    ]
    assert set(weights) == {"normal"}
