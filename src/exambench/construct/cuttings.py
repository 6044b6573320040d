"""Pictures cut out of a paper, in the project's folder of pictures, named by their content."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from PIL import Image, ImageOps

from exambench.construct.figures import Figure
from exambench.construct.files import write_whole
from exambench.construct.formulas import Formula
from exambench.construct.pages import Region
from exambench.items import Image as ItemImage

FORMULA_DPI: Final = 300
REVIEW_DPI: Final = 150
OVERHANG: Final = 0.1
"""Points by which letters of a formula stand out of their boxes; more would show the letters beside it."""
MARGIN: Final = 6.0
"""Points around what a person has to look at."""
_SPACE: Final = 12
"""Pixels around a formula, and between the pieces of one that was broken over lines."""


class Source(Protocol):
    """Where pictures are cut out of."""

    def picture(self, region: Region, dpi: float) -> Image.Image:
        """Return a part of a page."""
        ...

    def embedded(self, page_number: int, index: int) -> Image.Image | None:
        """Return a picture as it was put in."""
        ...


class Cuttings:
    """Cuts pictures out of a paper.

    Args:
        source: The paper.
        folder: Where pictures go.
        dpi: Least resolution of figures.
    """

    def __init__(self, source: Source, folder: Path, dpi: int) -> None:
        self._source = source
        self._folder = folder
        self._dpi = dpi

    def figure(self, figure: Figure) -> ItemImage:
        """Return a figure: the picture as it was put in, or what the page shows there, at least as finely."""
        if figure.index is not None:
            found = self._source.embedded(figure.region.page, figure.index)
            if found is not None:
                return self._kept(found)
        return self._kept(self._source.picture(figure.region, self._dpi))

    def formula(self, formula: Formula) -> ItemImage:
        """Return a formula; pieces on several lines are put side by side."""
        found = [
            self._source.picture(Region(region.page, region.box.grown(OVERHANG)), FORMULA_DPI)
            for region in formula.regions
        ]
        return self._kept(ImageOps.expand(_beside(found), border=_SPACE, fill="white"))

    def region(self, region: Region) -> ItemImage:
        """Return a part of a page for people."""
        return self._kept(self._source.picture(Region(region.page, region.box.grown(MARGIN)), REVIEW_DPI))

    def _kept(self, picture: Image.Image) -> ItemImage:
        content = io.BytesIO()
        picture.save(content, format="PNG", optimize=False)
        sha256 = hashlib.sha256(content.getvalue()).hexdigest()
        name = f"{sha256[:32]}.png"
        path = self._folder / name
        if not path.is_file() or path.read_bytes() != content.getvalue():
            write_whole(path, content.getvalue())
        return ItemImage(name, sha256)


def _beside(pictures: Sequence[Image.Image]) -> Image.Image:
    if len(pictures) == 1:
        return pictures[0]
    width = sum(picture.width for picture in pictures) + _SPACE * (len(pictures) - 1)
    height = max(picture.height for picture in pictures)
    whole = Image.new("RGB", (width, height), "white")
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, height - picture.height))
        left += picture.width + _SPACE
    return whole
