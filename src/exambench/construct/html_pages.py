"""HTML pages as lines and figures, so that items in lists and tables are found as those on paper are."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from PIL import Image

from exambench.configuration import read_ordinary
from exambench.construct.figures import Figure
from exambench.construct.layout import Element, Layout, words_of
from exambench.construct.lines import Line
from exambench.construct.pages import Box, Glyph, Region, around
from exambench.engine.images import MOST_PIXELS, READABLE, read_picture, resolve
from exambench.errors import DataError, Finding, ImageError

SIZE: Final = 10.0
"""Points of a letter, on a page that nobody sees."""
PITCH: Final = 16.0
CELL: Final = 3
"""Ems between the cells of a row."""
LARGEST_FILE: Final = 50_000_000
ENDLESS: Final = float("inf")
"""Where a line would be folded: each is a paragraph of its own."""
_BLOCKS: Final = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    }
)
_HIDDEN: Final = frozenset(
    {"script", "style", "head", "template", "noscript", "math", "svg", "canvas", "object", "iframe"}
)
_DRAWN: Final = frozenset({"math", "svg", "canvas", "object", "embed", "iframe"})
"""What only a browser shows."""
_UNKNOWN: Final = "\ufffd"
"""A sign without a meaning, so that a person looks at the place."""
_SCRIPTS: Final = {"sup": "^", "sub": "_"}
_FIRST_MARK: Final = ord("①")
_MOST_MARKS: Final = 10
_LETTERS: Final = 26
_DIGITS: Final = 6
"""Of the longest number of a list's item."""


@dataclass(frozen=True, slots=True)
class HtmlPaper:
    """A page of HTML; also where its pictures come from.

    Attributes:
        layout: Its lines and figures.
        pictures: The files of its figures, in order.
    """

    layout: Layout
    pictures: tuple[Path, ...]

    def picture(self, region: Region, dpi: float) -> Image.Image:
        """Return the picture of a figure; a page of HTML has no other."""
        raise ImageError(Finding("a page of HTML has no picture of its own", value=f"{region} at {dpi} dpi"))

    def embedded(self, page_number: int, index: int) -> Image.Image | None:  # noqa: ARG002 - as every source has it
        """Return a picture as the file has it.

        Raises:
            ImageError: It is broken.
        """
        path = self.pictures[index]
        try:
            with Image.open(io.BytesIO(read_picture(path)), formats=READABLE) as found:
                if found.width * found.height > MOST_PIXELS:
                    raise ImageError(
                        Finding("the picture is too large", file=str(path), allowed=f"{MOST_PIXELS:,} pixels")
                    )
                return found.convert("L" if found.mode in {"1", "L"} else "RGB")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise ImageError(Finding(f"the picture cannot be read: {error}", file=str(path))) from None


def read_html(path: Path) -> HtmlPaper:
    """Read a page of HTML; pictures are files beside it.

    Raises:
        DataError: It cannot be read.
        ImageError: A picture is missing, or is not a file beside the page.
    """
    try:
        text = read_ordinary(path, LARGEST_FILE).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            Finding(f"cannot be read: {error}", file=str(path), allowed="HTML in UTF-8", remedy="Save it anew")
        ) from None
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end_line()
    if reader.hidden:
        raise DataError(
            Finding(
                "has an element that is never closed, so that nothing below it is shown",
                file=str(path),
                value=f"<{reader.hidden[0]}>",
                remedy="Close it",
            )
        )
    pictures: list[Path] = []
    findings: list[Finding] = []
    for name in reader.pictures:
        try:
            found = resolve(path.parent, name)
            read_picture(found)
            pictures.append(found)
        except ImageError as error:
            findings += error.findings
    if findings:
        raise ImageError(*findings)
    lines = [element for element in reader.elements if isinstance(element, Line)]
    layout = Layout(tuple(reader.elements), frozenset(), (), 1, ends_tell=True, words=words_of(lines))
    return HtmlPaper(layout, tuple(pictures))


@dataclass(slots=True)
class _List:
    """A list that is open: its tag, what numbers its items, and the number of the last one."""

    tag: str
    kind: str
    count: int


def _place(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and int(text[:_DIGITS]) > 0 and len(text) <= _DIGITS else otherwise


class _Reader(HTMLParser):
    """Collects lines and figures."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.pictures: list[str] = []
        self._text: list[str] = []
        self.hidden: list[str] = []
        self._lists: list[_List] = []
        self._ordered = 0
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Begin a line, an item of a list, a cell, or place a picture."""
        found = dict(attrs)
        self._hide(tag, found)
        if tag in _BLOCKS:
            self.end_line()
        if tag in {"ol", "ul"}:
            self._ordered += tag == "ol"
            self._lists.append(_List(tag, found.get("type") or "1", _place(found.get("start"), 1) - 1))
        elif tag == "li" and self._lists:
            self._begin_item(found.get("value"))
        elif tag == "tr":
            self._cells = 0
        elif tag in {"td", "th"}:
            self._begin_cell()
        elif tag == "img":
            self._picture(found.get("src") or "")
        elif tag in _SCRIPTS:
            self._text.append(f"${_SCRIPTS[tag]}{{")

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if tag in self.hidden:
            del self.hidden[len(self.hidden) - 1 - self.hidden[::-1].index(tag) :]
        if tag in _BLOCKS:
            self.end_line()
        if tag in {"ol", "ul"} and self._lists:
            self._ordered -= self._lists.pop().tag == "ol"
        elif tag in _SCRIPTS:
            self._text.append("}$")

    def handle_data(self, data: str) -> None:
        """Take text; white space in a page of HTML is a space."""
        if not self.hidden:
            before, after = (" " if data[place].isspace() else "" for place in (0, -1))
            self._text.append(f"{before}{' '.join(data.split())}{after}")

    def end_line(self) -> None:
        """Make a line of the text so far."""
        text, self._text = "".join(self._text), []
        if not text.strip():
            return
        top, left = PITCH * (len(self.elements) + 1), 0.0
        glyphs = []
        for letter in text.strip():
            if letter == "\t":
                left += CELL * SIZE
                continue
            glyphs.append(Glyph(letter, Box(left, top, left + SIZE, top + SIZE), SIZE, "HTML"))
            left += SIZE
        box = around(glyph.box for glyph in glyphs)
        self.elements.append(Line(0, box, tuple(glyphs), 0.0, ENDLESS))

    def _hide(self, tag: str, found: Mapping[str, str | None]) -> None:
        """Leave out what is no text; what a person sees otherwise, or not at all, leaves a sign."""
        is_formula = tag == "script" and "math" in (found.get("type") or "")
        is_unseen = "hidden" in found or "display:none" in "".join((found.get("style") or "").split()).lower()
        if not self.hidden and (tag in _DRAWN or is_formula or is_unseen):
            self._text.append(_UNKNOWN)
        if tag == "body":
            self.hidden.clear()
        if tag in _HIDDEN:
            self.hidden.append(tag)

    def _begin_cell(self) -> None:
        if self._cells == 1 and "".join(self._text).strip().isdecimal():
            self._text.append(".")
        self._text.append("\t")
        self._cells += 1

    def _begin_item(self, value: str | None) -> None:
        within = self._lists[-1]
        within.count = _place(value, within.count + 1)
        if within.tag == "ol" and within.kind in {"A", "a"} and within.count <= _LETTERS:
            self._text.append(f"{chr(ord(within.kind) + within.count - 1)}. ")
        elif within.tag == "ol" and self._ordered == 1:
            self._text.append(f"{within.count}. ")
        elif within.count <= _MOST_MARKS and len(self._lists) > 1:
            self._text.append(f"{chr(_FIRST_MARK + within.count - 1)} ")

    def _picture(self, source: str) -> None:
        self.end_line()
        top = PITCH * (len(self.elements) + 1)
        self.pictures.append(source)
        region = Region(0, Box(SIZE, top, 2 * SIZE, top + SIZE))
        self.elements.append(Figure(region, len(self.pictures) - 1))
