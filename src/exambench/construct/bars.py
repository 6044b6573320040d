"""Short rules that are part of a formula: bars of fractions, and lines over letters; lines under words are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.lines import MATH_FONTS
from exambench.construct.pages import Box, Glyph, Page, Region, Shape

THICKEST: Final = 2.0
"""Points down."""
LENGTHS: Final = (2.0, 160.0)
"""Points across."""
OVER: Final = (-0.1, 0.6)
"""Ems between the baseline of what stands over a bar, and the bar."""
UNDER: Final = (0.3, 1.0)
"""Ems between a bar and the baseline of what stands under it; the line under underlined words is farther."""
LEVEL: Final = 0.2
"""Ems between the baselines of two letters of one line at most."""
BESIDE: Final = 0.5
"""Ems between two words of one line at most."""


def bars_of(page: Page, figures: Sequence[Figure]) -> list[Region]:
    """Return the rules on a page that are of formulas in a font of text; those of figures and tables are not."""
    glyphs = [glyph for glyph in page.glyphs if glyph.baseline is not None and not glyph.text.isspace()]
    return [
        Region(page.number, drawing.box)
        for drawing in page.drawings
        if drawing.shape is Shape.LINES
        and drawing.box.height <= THICKEST
        and LENGTHS[0] <= drawing.box.width <= LENGTHS[1]
        and not any(figure.region.box.touches(drawing.box) for figure in figures)
        and _is_of_formula(drawing.box, glyphs)
    ]


def _is_of_formula(bar: Box, glyphs: Sequence[Glyph]) -> bool:
    across = [glyph for glyph in glyphs if bar.left - 1 <= glyph.box.middle[0] <= bar.right + 1]
    under = [glyph for glyph in across if _ems(glyph, bar.bottom, UNDER, -1)]
    over = [glyph for glyph in across if _ems(glyph, bar.top, OVER, 1)]
    is_marked = any(MATH_FONTS.search(glyph.font) for glyph in (*under, *over))
    return bool(under) and not is_marked and not any(_goes_on(glyph, bar, glyphs) for glyph in over)


def _ems(glyph: Glyph, height: float, between: tuple[float, float], sign: int) -> bool:
    """Tell whether a bar lies so many ems below a glyph's baseline; above it for the sign -1."""
    distance = sign * (height - (glyph.baseline or 0.0)) / glyph.size
    return between[0] <= distance <= between[1]


def _goes_on(glyph: Glyph, bar: Box, glyphs: Sequence[Glyph]) -> bool:
    """Tell whether the line of a glyph over a bar goes on beside the bar, as that of an underlined word does."""
    reach = BESIDE * glyph.size
    return any(
        abs((other.baseline or 0.0) - (glyph.baseline or 0.0)) <= LEVEL * glyph.size
        and not bar.left - 1 <= other.box.middle[0] <= bar.right + 1
        and bar.left - reach <= other.box.right
        and other.box.left <= bar.right + reach
        for other in glyphs
    )
