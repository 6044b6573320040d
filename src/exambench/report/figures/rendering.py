"""From a specification to the bytes of a file, by vl-convert: no browser, no request to anywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import vl_convert

from exambench.report.figures.canonical import canonical_pdf, canonical_svg
from exambench.report.figures.figure import Figure
from exambench.report.figures.fonts import Font, drawable, texts_of

_NUMBERS: Final = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""], "minus": "-"}
"""d3's own way to write numbers, with a minus sign that every font has."""
SCALE: Final = 2.0
"""Pixels of a PNG for one pixel of the drawing."""


class FileFormat(StrEnum):
    """A format of files."""

    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


@dataclass(frozen=True)
class Drawing:
    """A figure that is ready to be converted.

    Attributes:
        specification: Vega-Lite JSON of whose texts the font has every sign.
        font: The font.
        replaced: Signs that the font does not have, and that stand as an empty box.
    """

    specification: str
    font: Font
    replaced: frozenset[str]

    @cached_property
    def svg(self) -> str:
        """The figure as SVG, from which the other formats are made."""
        _register(self.font.path.parent)
        return canonical_svg(vl_convert.vegalite_to_svg(self.specification, allowed_base_urls=[], show_warnings=False))

    def bytes_in(self, file_format: FileFormat) -> bytes:
        """Return the bytes of a file; the same figure, font and version of vl-convert give the same bytes."""
        match file_format:
            case FileFormat.SVG:
                return self.svg.encode("utf-8")
            case FileFormat.PNG:
                return bytes(vl_convert.svg_to_png(self.svg, scale=SCALE))
            case FileFormat.PDF:
                return canonical_pdf(bytes(vl_convert.svg_to_pdf(self.svg)))


def prepare(figure: Figure, font: Font) -> Drawing:
    """Return a figure ready to be converted with a font."""
    whole: dict[str, Any] = figure.spec()
    replaced = frozenset(sign for text in texts_of(_shown(whole)) for sign in font.lacks(text))
    found = drawable(whole, font)
    found["config"]["font"] = f"{font.family}, sans-serif"
    if font.lacks("−"):
        found["config"]["locale"] = {"number": _NUMBERS}
    return Drawing(json.dumps(found, ensure_ascii=False), font, replaced)


def _shown(specification: dict[str, Any]) -> dict[str, Any]:
    """Return what may show of a specification: all but the names of the fonts, and what is only read aloud."""
    return {name: value for name, value in specification.items() if name not in {"config", "description"}}


@cache
def _register(folder: Path) -> None:
    vl_convert.register_font_directory(str(folder))
