"""PDF files through pypdfium2: their glyphs and drawings, and pictures of their regions."""

from __future__ import annotations

import ctypes
import math
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image

from exambench.construct.pages import HYPHEN, Box, Drawing, Glyph, Page, Region, Shape
from exambench.errors import DataError, Finding, MissingExtraError

POINTS: Final = 72
"""In an inch."""
LARGEST_PAGE: Final = 14_400
"""Points of a page in either direction at most, as the format has it."""
SMALLEST_PAGE: Final = 2
MOST_PAGES: Final = 2000
MOST_GLYPHS: Final = 200_000
"""On one page."""
MOST_PIXELS: Final = 50_000_000
"""Of one picture of a region."""
LARGEST_FILE: Final = 1_000_000_000
NO_NAME: Final = "unnamed"
"""A font that the file gives no name."""
RAISED: Final = 0.2
"""Ems above the baseline at which the ink of an exponent begins."""
LOWERED: Final = 0.36
"""Ems above the baseline that the ink of an index reaches at most."""
STEEPEST: Final = 0.1
"""Sine of the angle by which upright letters are turned at most."""
WHITE: Final = 250
"""Of 255, what each part of a colour has at least that nobody sees on paper."""
TALLEST: Final = 1.15
"""Ems of a line's height, where the size of a font is not that on the page."""
_NAME_LENGTH: Final = 256
_BROKEN_AT: Final = 2
"""What the library makes of a hyphen at the end of a line."""
_GENERATED: Final = 1
_SPACE: Final = 0x20
_HIGH: Final = range(0xD800, 0xDC00)
_LOW: Final = range(0xDC00, 0xE000)


@dataclass(frozen=True, slots=True)
class Frame:
    """What is seen of a page, in points from the lower left corner of its file, and by how much it is turned.

    Attributes:
        left: Left edge.
        bottom: Lower edge.
        right: Right edge.
        top: Upper edge.
        turn: Degrees clockwise by which a reader turns it: 0, 90, 180 or 270.
    """

    left: float
    bottom: float
    right: float
    top: float
    turn: int = 0

    def point(self, across: float, up: float) -> tuple[float, float]:
        """Return a point as a reader sees it, in points from the upper left corner: across, down."""
        match self.turn:
            case 90:
                return up - self.bottom, across - self.left
            case 180:
                return self.right - across, up - self.bottom
            case 270:
                return self.top - up, self.right - across
            case _:
                return across - self.left, self.top - up

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return a rectangle likewise."""
        (one, two), (three, four) = self.point(left, bottom), self.point(right, top)
        return Box(min(one, three), min(two, four), max(one, three), max(two, four))

    def shows(self, place: Box) -> bool:
        """Tell whether any of a rectangle, as a reader sees it, lies on the page."""
        sides = (self.right - self.left, self.top - self.bottom)
        width, height = sides if self.turn in {0, 180} else sides[::-1]
        return place.touches(Box(0, 0, width, height))


class Pdf:
    """An open PDF file; :func:`open_pdf` makes it.

    Args:
        path: Where it is, for messages.
        document: pypdfium2's document.
    """

    def __init__(self, path: Path, document: Any) -> None:  # noqa: ANN401 - of a package that is optional
        self.path = path
        self._document = document

    def __len__(self) -> int:
        return len(self._document)

    def pages(self) -> Iterator[Page]:
        """Yield the pages in order.

        Raises:
            DataError: A page cannot be read.
        """
        for index in range(len(self._document)):
            with self._page(index) as page:
                yield self._read(index, page)

    def picture(self, region: Region, dpi: float) -> Image.Image:
        """Return a part of a page as a picture without transparency; what of it lies outside of the page is left out.

        Raises:
            DataError: The page cannot be drawn.
        """
        with self._page(region.page - 1) as page:
            width, height = page.get_size()
            left, right = _within(region.box.left, region.box.right, width)
            top, bottom = _within(region.box.top, region.box.bottom, height)
            crop = (left, height - bottom, width - right, top)
            scale = min(dpi / POINTS, (MOST_PIXELS / ((right - left) * (bottom - top))) ** 0.5)
            drawn: Image.Image = page.render(scale=scale, crop=crop, fill_color=(255, 255, 255, 255)).to_pil()
            return drawn.convert("RGB")

    def embedded(self, page_number: int, index: int) -> Image.Image | None:
        """Return a picture of the file as it was put in, and ``None`` where the page shows it otherwise.

        It does when the picture is turned, mirrored or masked, or has more pixels than are reasonable.
        """
        with self._page(page_number - 1) as page:
            for place, found in enumerate(page.get_objects()):
                if place == index and found.level == 0 and page.get_rotation() == 0:
                    return self._as_put_in(found)
        return None

    @contextmanager
    def _page(self, index: int) -> Iterator[Any]:
        pdfium = _pdfium()
        try:
            page = self._document[index]
        except pdfium.PdfiumError as error:
            raise _broken(self.path, f"page {index + 1} cannot be read: {error}") from None
        try:
            yield page
        except pdfium.PdfiumError as error:
            raise _broken(self.path, f"page {index + 1} cannot be read: {error}") from None
        finally:
            page.close()

    def _read(self, index: int, page: Any) -> Page:  # noqa: ANN401
        width, height = page.get_size()
        if not SMALLEST_PAGE <= min(width, height) <= max(width, height) <= LARGEST_PAGE:
            raise _broken(self.path, f"page {index + 1} measures {width:.6g} × {height:.6g} points", "Leave it out")
        left, bottom, right, top = page.get_bbox()
        frame = Frame(left, bottom, right, top, page.get_rotation())
        text = page.get_textpage()
        try:
            glyphs = tuple(_glyphs(text, frame, self.path, index + 1))
        finally:
            text.close()
        return Page(index + 1, width, height, glyphs, tuple(_drawings(page, frame)))

    def _as_put_in(self, found: Any) -> Image.Image | None:  # noqa: ANN401
        raw = _pdfium().raw
        matrix = found.get_matrix()
        upright = matrix.b == matrix.c == 0 and matrix.a > 0 and matrix.d > 0
        width, height = found.get_px_size()
        if not upright or width * height > MOST_PIXELS or raw.FPDFPageObj_HasTransparency(found):
            return None
        picture: Image.Image = found.get_bitmap().to_pil()
        return picture.convert("L" if picture.mode in {"1", "L"} else "RGB")


@contextmanager
def open_pdf(path: Path) -> Iterator[Pdf]:
    """Open a PDF file.

    Raises:
        DataError: It is missing, too large, encrypted, broken, or has no pages.
        MissingExtraError: The extra ``construct`` is not installed.
    """
    pdfium = _pdfium()
    try:
        state = path.stat()
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(state.st_mode):
        raise _broken(path, "is no ordinary file")
    if state.st_size > LARGEST_FILE:
        raise _broken(path, f"is larger than {LARGEST_FILE} bytes")
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise _broken(path, "is encrypted", "Save it without a password") from None
        raise _broken(path, f"is no PDF file that can be read: {error}") from None
    try:
        if not len(document):
            raise _broken(path, "has no pages")
        if len(document) > MOST_PAGES:
            raise _broken(path, f"has more than {MOST_PAGES} pages", "Split it")
        yield Pdf(path, document)
    finally:
        document.close()


def _pdfium() -> Any:  # noqa: ANN401 - of a package that is optional
    try:
        import pypdfium2  # noqa: PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError("construct", "reading PDF files") from error
    return pypdfium2


def _glyphs(text: Any, frame: Frame, path: Path, number: int) -> Iterator[Glyph]:  # noqa: ANN401
    raw = _pdfium().raw
    count = text.count_chars()
    if count > MOST_GLYPHS:
        raise _broken(path, f"page {number} has more than {MOST_GLYPHS} characters")
    name, flags = ctypes.create_string_buffer(_NAME_LENGTH), ctypes.c_int()
    across, up = ctypes.c_double(), ctypes.c_double()
    high = 0
    for place in range(count):
        code = raw.FPDFText_GetUnicode(text, place)
        if raw.FPDFText_IsGenerated(text, place) == _GENERATED and code != _SPACE:
            continue  # the ends of lines as the library sees them; its spaces are blanks that it measured
        if code in _HIGH:
            high = code
            continue
        if code == _BROKEN_AT and raw.FPDFText_IsHyphen(text, place):
            code = ord(HYPHEN)
        if code in _LOW and high:
            code = 0x10000 + (high - _HIGH.start) * 0x400 + code - _LOW.start
        high = 0
        raw.FPDFText_GetFontInfo(text, place, name, _NAME_LENGTH, ctypes.byref(flags))
        box = frame.box(*text.get_charbox(place, loose=True))
        size = raw.FPDFText_GetFontSize(text, place)
        size = size if size > 1 else box.height
        font = name.value.decode("utf-8", "replace").partition("+")
        is_unknown = code == 0 or code in _HIGH or code in _LOW or raw.FPDFText_HasUnicodeMapError(text, place) == 1
        character = "\ufffd" if is_unknown else chr(code)
        raw.FPDFText_GetCharOrigin(text, place, ctypes.byref(across), ctypes.byref(up))
        _, baseline = frame.point(across.value, up.value)
        ink = frame.box(*text.get_charbox(place))
        yield Glyph(
            text=character,
            box=box,
            size=size,
            font=font[2] or font[0] or NO_NAME,
            baseline=baseline,
            is_script=_is_script(character, ink, baseline, min(size, box.height / TALLEST)),
            is_hidden=not character.isspace() and (not frame.shows(box) or _is_hidden(text, place)),
            is_turned=abs(math.sin(raw.FPDFText_GetCharAngle(text, place) + math.radians(frame.turn))) > STEEPEST,
        )


def _is_script(character: str, ink: Box, baseline: float, em: float) -> bool:
    """Tell whether a font draws a digit or letter raised or lowered, of its full size though it is.

    The ink of Latin letters and digits begins at the baseline or below, and rises to at least the height of an x.
    """
    if not (character.isascii() and character.isalnum() and ink.height > 0):
        return False
    return baseline - ink.bottom > RAISED * em or baseline - ink.top < LOWERED * em


def _is_hidden(text: Any, place: int) -> bool:  # noqa: ANN401
    """Tell whether a character is white, or in the file for searching alone, as under a scan that a machine read."""
    raw = _pdfium().raw
    colour = [ctypes.c_uint() for _ in range(4)]
    if raw.FPDFText_GetFillColor(text, place, *map(ctypes.byref, colour)):
        *light, opacity = (part.value for part in colour)
        if opacity == 0 or min(light) >= WHITE:
            return True
    found = raw.FPDFText_GetTextObject(text, place)
    return bool(found) and raw.FPDFTextObj_GetTextRenderMode(found) == raw.FPDF_TEXTRENDERMODE_INVISIBLE


def _drawings(page: Any, frame: Frame) -> Iterator[Drawing]:  # noqa: ANN401
    raw = _pdfium().raw
    shapes = {raw.FPDF_PAGEOBJ_IMAGE: Shape.PICTURE, raw.FPDF_PAGEOBJ_PATH: Shape.LINES}
    for index, found in enumerate(page.get_objects()):
        shape = shapes.get(found.type)
        if shape is None:
            continue
        bounds, within = found.get_bounds(), found.container
        while within is not None:  # what is in a form has the form's coordinates
            bounds, within = within.get_matrix().on_rect(*bounds), within.container
        yield Drawing(shape, frame.box(*bounds), index)


def _within(start: float, end: float, size: float) -> tuple[float, float]:
    """Return the part of a stretch that lies on a page, at least a point of it."""
    start = min(max(0.0, start), size - 1)
    return start, max(start + 1, min(end, size))


def _broken(path: Path, problem: str, remedy: str | None = None) -> DataError:
    return DataError(Finding(problem, file=str(path), remedy=remedy or "Get the file again, or another copy of it"))
