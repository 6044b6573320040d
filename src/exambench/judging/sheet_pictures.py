"""The pictures of items in scoring sheets: small enough for a spreadsheet, in columns beside the question."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from PIL import Image as Pixels

from exambench.engine.images import prepare, read_picture, resolve
from exambench.errors import Finding, ImageError
from exambench.items import Image
from exambench.judging.sheets import ScoringSheet
from exambench.models import Capabilities

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

BESIDE: Final = 2
"""Pictures stand behind as many columns: identifier and question."""
LARGEST_SIDE: Final = 1200
"""Pixels of the longer side of a picture as it is in the file, for those who enlarge it."""
MOST_BYTES: Final = 400_000
"""Of one picture."""
MOST_BYTES_OF_SHEET: Final = 32 * 2**20
"""Of all pictures of a sheet, which must still be read when it comes back."""
SHOWN_SIZE: Final = (360, 300)
"""Most pixels, across and down, that a picture takes on the screen."""
HIGHEST_ROW: Final = 409
"""Points; a spreadsheet has no higher rows."""

_FEWEST_BYTES: Final = 1024
_PIXELS_A_CHARACTER: Final = 7
_POINTS_A_PIXEL: Final = 0.75
_POINTS_A_LINE: Final = 15
_MARGIN: Final = 4
_WIDE_FROM: Final = "\u1100"
"""From here on most characters are as wide as two letters."""


@dataclass(frozen=True, slots=True)
class SheetPicture:
    """A picture as PNG or JPEG.

    Attributes:
        data: The encoded picture.
        width: Pixels.
        height: Pixels.
    """

    data: bytes
    width: int
    height: int

    @property
    def shown(self) -> tuple[int, int]:
        """Pixels across and down on the screen: never enlarged, and its proportions are kept."""
        across, down = SHOWN_SIZE
        scale = min(1.0, across / self.width, down / self.height)
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))


Pictures = Mapping[str, SheetPicture]
NONE: Final[Pictures] = MappingProxyType({})


def read_pictures(root: Path, images: Sequence[Image]) -> dict[str, SheetPicture]:
    """Return pictures fit for a sheet, by their paths.

    Args:
        root: The folder that the paths are relative to.
        images: The pictures, each as often as it stands in one sheet: together they stay within the limit.

    Raises:
        ImageError: A picture is missing, outside of the folder, unreadable, or not the one that the models saw.
    """
    most = max(_FEWEST_BYTES, min(MOST_BYTES, MOST_BYTES_OF_SHEET // max(1, len(images))))
    limits = Capabilities(images=True, max_image_side=LARGEST_SIDE, max_image_bytes=most)
    return {image.path: _read(resolve(root, image.path), image, limits) for image in dict.fromkeys(images)}


def with_columns(sheet: ScoringSheet) -> ScoringSheet:
    """Return a sheet with an empty column beside the question for each picture that a row may have."""
    names = tuple(sheet.picture_header.format(number) for number in range(1, columns_of(sheet) + 1))
    blank = ("",) * len(names)
    return replace(
        sheet,
        header=(*sheet.header[:BESIDE], *names, *sheet.header[BESIDE:]),
        rows=tuple((*row[:BESIDE], *blank, *row[BESIDE:]) for row in sheet.rows),
    )


def columns_of(sheet: ScoringSheet) -> int:
    """Return how many pictures a row has at most."""
    return max(map(len, sheet.pictures), default=0)


def place_pictures(table: Worksheet, sheet: ScoringSheet, pictures: Pictures, widths: Sequence[float]) -> None:
    """Put the pictures of each row into their columns, and make the row as high as they and its text need.

    Args:
        table: The sheet of a workbook, its text written, with the columns of :func:`with_columns`.
        sheet: The sheet, with those columns.
        pictures: What :func:`read_pictures` returns.
        widths: Width of each column, in characters.
    """
    from openpyxl.drawing.image import Image as Drawing  # noqa: PLC0415 - an optional part

    for number, (row, paths) in enumerate(zip(sheet.rows, sheet.pictures, strict=True), start=2):
        highest = 0
        for column, path in enumerate(paths, start=BESIDE + 1):
            drawing = Drawing(io.BytesIO(pictures[path].data))
            drawing.width, drawing.height = pictures[path].shown
            table.add_image(drawing, table.cell(number, column).coordinate)
            highest = max(highest, round(drawing.height * _POINTS_A_PIXEL) + _MARGIN)
        if highest:
            table.row_dimensions[number].height = min(HIGHEST_ROW, max(highest, _points_of(row, widths)))


def picture_width() -> float:
    """Return the width of a column of pictures, in characters."""
    return math.ceil((SHOWN_SIZE[0] + _MARGIN) / _PIXELS_A_CHARACTER)


def _read(path: Path, image: Image, limits: Capabilities) -> SheetPicture:
    if image.sha256 is not None and hashlib.sha256(read_picture(path)).hexdigest() != image.sha256:
        raise ImageError(
            Finding(
                problem="this is not the picture that the models saw",
                file=str(path),
                remedy="Name the folder of the pictures that the run was made with: --images",
            )
        )
    found = prepare(path, limits)
    if found.mime != "image/webp":
        return SheetPicture(found.data, found.width, found.height)
    return _as_png(found.data, limits.max_image_bytes)


def _as_png(data: bytes, most: int) -> SheetPicture:
    """Return a picture as PNG, which every spreadsheet shows, at half its size until it is small enough."""
    with Pixels.open(io.BytesIO(data)) as picture:
        shrunk = picture.convert("RGB")
    while True:
        buffer = io.BytesIO()
        shrunk.save(buffer, format="PNG")
        if buffer.tell() <= most:
            return SheetPicture(buffer.getvalue(), *shrunk.size)
        shrunk = shrunk.resize((max(1, shrunk.width // 2), max(1, shrunk.height // 2)), Pixels.Resampling.LANCZOS)


def _points_of(row: Sequence[str], widths: Sequence[float]) -> int:
    """Return about how high the text of a row is."""
    return max(
        sum(math.ceil(max(1, _width(line)) / width) for line in text.split("\n")) * _POINTS_A_LINE
        for text, width in zip(row, widths, strict=False)
    )


def _width(line: str) -> int:
    return sum(2 if sign >= _WIDE_FROM else 1 for sign in line)
