"""Where the items of a paper begin: by the sequence of their numbers, under the headings of parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.layout import Element
from exambench.construct.lines import Line

INDENT: Final = 1.6
"""Ems from the edge of a column within which a number stands."""
GAP_COST: Final = 0.2
MOST_COST: Final = 5.0
LONGEST_HEADING: Final = 60
MOST_DIGITS: Final = 9
"""Of the number of a part."""
MIXED: Final = "any"
"""Numbers of whatever shape; also those of a scan, where shapes are not sure."""
SHAPES: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "1.": re.compile(r"(\d{1,3})\s*[.．](?!\d)"),
        "1)": re.compile(r"(\d{1,3})\s*[)）](?!\d)"),
        "1번": re.compile(r"(\d{1,3})\s*(?:번(?!\d)|\s문\.)"),
        "문 1.": re.compile(r"(?:문(?:제|항)?|[Qq](?:uestion)?\.?|[Nn]o\.?)\s*(\d{1,3})(?:\s*[.．)）번:](?!\d)|\s|$)"),
        "[1]": re.compile(r"[\[［【〔<〈]\s*(?:문(?:제|항)?\s*)?(\d{1,3})\s*번?\s*[\]］】〕>〉]"),
        "(1)": re.compile(r"[(（]\s*(\d{1,3})\s*[)）]"),
    }
)
"""Numbers of items by their shape."""
_READ_NUMBER: Final = re.compile(r"(\d{1,3})\s*[.．,)번](?!\d)")
"""The same in a scan, where a full stop may look like a comma."""
_PASSAGE: Final = re.compile(r"[\[［〔(※]*\s*(\d{1,3})\s*(?:번)?\s*[~∼～\-–—]\s*(\d{1,3})\s*(?:번)?\s*[\]］〕)]")
_ENDS: Final = (".", "?", "!", ",")
"""What a sentence ends in, and a heading does not."""
_ROMAN: Final = MappingProxyType(
    {
        name: place
        for place, name in enumerate(
            ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"], start=1
        )
    }
)

Part = int | str
"""What a heading calls a part: a number, or a word."""


@dataclass(frozen=True, slots=True)
class Start:
    """A line that begins an item.

    Attributes:
        place: Position in the stream.
        number: The item's number.
        length: Characters of the line, spaces apart, that are the number.
        shape: Its shape.
    """

    place: int
    number: int
    length: int
    shape: str


@dataclass(frozen=True, slots=True)
class Section:
    """What belongs to one item.

    Attributes:
        number: The item's number.
        elements: Its lines and figures, the first line without the number.
        part: The part by the heading before it.
        passage: Lines and figures before it that are for several items, this one among them.
        repeated: Whether its number stands at another line too.
        inside: Numbers of the same shape that begin other lines of it.
        left_out: Text between a heading after it and the next item, which belongs to neither.
        following: Number of the item after it, in the same part.
        above: The line or figure right above it, which is not its own.
        below: That right below it.
    """

    number: int
    elements: tuple[Element, ...]
    part: Part | None
    passage: tuple[Element, ...] = ()
    repeated: bool = False
    inside: tuple[int, ...] = ()
    left_out: str = ""
    following: int | None = None
    above: tuple[Element, ...] = ()
    below: tuple[Element, ...] = ()


def sections_of(elements: Sequence[Element], heading: re.Pattern[str], shape: str = MIXED) -> tuple[Section, ...]:
    """Cut a stream into items, numbered in one sequence; what stands before the first one is left out."""
    candidates = [start for start in starts_in(elements) if shape in {MIXED, start.shape}]
    starts = _sequence(candidates)
    if not starts:
        return ()
    often = Counter(start.number for start in candidates)
    sections: list[Section] = []
    part = _part_before(elements[: starts[0].place], heading)
    passage = _passage_in(elements[: starts[0].place], (range(0), ()))
    ends = [*((start.place, start.number) for start in starts[1:]), (len(elements), None)]
    for start, (after, following) in zip(starts, ends, strict=True):
        own, next_part, found, rest = _own(elements[start.place : after], heading)
        own = (_without_number(own[0], start.length), *own[1:])
        sections.append(
            Section(
                number=start.number,
                elements=own,
                part=part,
                passage=passage[1] if start.number in passage[0] else (),
                repeated=often[start.number] > 1,
                inside=tuple(each.number for each in candidates if start.place < each.place < after),
                left_out=rest,
                following=following,
                above=tuple(elements[max(0, start.place - 1) : start.place]),
                below=tuple(elements[after : after + 1]),
            )
        )
        part = part if next_part is None else next_part
        passage = found if found[1] else passage
    return tuple(sections)


def streams_of(
    elements: Sequence[Element], heading: re.Pattern[str], before: Part | None = None
) -> dict[Part | None, list[Element]]:
    """Return what stands under the headings of each part, the headings themselves first.

    Args:
        elements: A stream.
        heading: Pattern of a heading, with a group ``part``.
        before: The part of what stands before the first heading.
    """
    found: dict[Part | None, list[Element]] = {}
    part = before
    for element in elements:
        named = part_of(element.text, heading) if isinstance(element, Line) else None
        part = part if named is None else named
        found.setdefault(part, []).append(element)
    return found


def part_of(text: str, heading: re.Pattern[str]) -> Part | None:
    """Return the part that a line begins; ``None`` where it is no heading."""
    match = heading.match(text) if len(text) <= LONGEST_HEADING and not text.endswith(_ENDS) else None
    name = "".join(filter(str.isprintable, match["part"] or "")).strip() if match else ""
    return named_part(name) if name else None


def named_part(name: str) -> Part:
    """Return a part by its name: a number, in Arabic or Roman digits, or a word."""
    is_number = name.isascii() and name.isdecimal() and len(name) <= MOST_DIGITS
    return int(name) if is_number else _ROMAN.get(name.upper(), name)


def starts_in(elements: Iterable[Element]) -> list[Start]:
    """Return the lines that begin with a number as an item does, of every shape."""
    found = []
    for place, element in enumerate(elements):
        if isinstance(element, Figure) or element.box.left - element.start > INDENT * element.size:
            continue
        text = element.text
        if not element.glyphs[0].font:
            if match := _READ_NUMBER.match(text):
                found.append(Start(place, int(match[1]), len("".join(match[0].split())), MIXED))
            continue
        for shape, pattern in SHAPES.items():
            if match := pattern.match(text):
                found.append(Start(place, int(match[1]), len("".join(match[0].split())), shape))
                break
    return found


def _sequence(candidates: Sequence[Start]) -> list[Start]:
    """Return those that form the best sequence: as many as possible, and as few numbers missing as possible."""
    best: list[tuple[float, int | None]] = []
    ends: dict[int, int] = {}
    for place, start in enumerate(candidates):
        value, before = 1.0 - min(MOST_COST, GAP_COST * max(0, start.number - 1)) / 2, -1
        for number, at in ends.items():
            reached = best[at][0] + 1 - min(MOST_COST, GAP_COST * (start.number - number - 1))
            if number < start.number and (reached > value or (reached == value and at > before >= 0)):
                value, before = reached, at
        best.append((value, before if before >= 0 else None))
        if start.number not in ends or best[ends[start.number]][0] <= value:
            ends[start.number] = place
    if not best:
        return []
    last: int | None = max(range(len(best)), key=lambda place: best[place][0])
    chosen = []
    while last is not None:
        chosen.append(candidates[last])
        last = best[last][1]
    return chosen[::-1]


def _own(
    elements: Sequence[Element], heading: re.Pattern[str]
) -> tuple[tuple[Element, ...], Part | None, tuple[range, tuple[Element, ...]], str]:
    """Return what is the item's, the part that a heading after it begins, a passage for the next items, and the rest.

    The rest is text below a heading that is neither a heading nor a passage.
    """
    end: int = len(elements)
    part: Part | None = None
    passage: tuple[range, tuple[Element, ...]] = (range(0), ())
    rest: list[str] = []
    for place, element in enumerate(elements[1:], start=1):
        if isinstance(element, Figure):
            continue
        found = part_of(element.text, heading)
        if found is not None:
            end, part = min(end, place), found
        elif _PASSAGE.match(element.text):
            end = min(end, place)
            passage = _passage_in(elements[place:], passage)
            break
        elif part is not None:
            rest.append(element.text)
    return tuple(elements[:end]), part, passage, " ".join(rest)


def _part_before(elements: Sequence[Element], heading: re.Pattern[str]) -> Part | None:
    parts = [part_of(element.text, heading) for element in elements if isinstance(element, Line)]
    return next((part for part in reversed(parts) if part is not None), None)


def _passage_in(
    elements: Sequence[Element], otherwise: tuple[range, tuple[Element, ...]]
) -> tuple[range, tuple[Element, ...]]:
    for place, element in enumerate(elements):
        match = _PASSAGE.match(element.text) if isinstance(element, Line) else None
        if match and int(match[1]) < int(match[2]):
            return range(int(match[1]), int(match[2]) + 1), tuple(elements[place:])
    return otherwise


def _without_number(element: Element, length: int) -> Element:
    """Return a line without the characters of its number."""
    if isinstance(element, Figure):
        return element
    glyphs = list(element.glyphs)
    while length and glyphs:
        glyph = glyphs.pop(0)
        if glyph.text.isspace():
            continue
        if len(glyph.text) > length:
            glyphs.insert(0, replace(glyph, text=glyph.text[length:]))
            break
        length -= len(glyph.text)
    while glyphs and glyphs[0].text.isspace():
        glyphs.pop(0)
    return replace(element, glyphs=tuple(glyphs))
