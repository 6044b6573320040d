"""Where the items of a paper begin: by the sequence of their numbers, under the headings of parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.layout import Element
from exambench.construct.lines import Line

INDENT: Final = 1.6
"""Ems from the edge of a column within which a number stands."""
GAP_COST: Final = 0.2
MOST_COST: Final = 5.0
LONGEST_HEADING: Final = 60
_NUMBER: Final = re.compile(r"(?:문(?:제|항)?\s*|[Qq]\.?\s*)?(\d{1,3})\s*(?:[.．)번]|\s문\.)(?!\d)")
_READ_NUMBER: Final = re.compile(r"(\d{1,3})\s*[.．,)번](?!\d)")
"""The same in a scan, where a full stop may look like a comma."""
_PASSAGE: Final = re.compile(r"[\[［〔(※]*\s*(\d{1,3})\s*(?:번)?\s*[~∼～\-–—]\s*(\d{1,3})\s*(?:번)?\s*[\]］〕)]")


@dataclass(frozen=True, slots=True)
class Start:
    """A line that begins an item.

    Attributes:
        place: Position in the stream.
        number: The item's number.
        length: Characters of the line, spaces apart, that are the number.
    """

    place: int
    number: int
    length: int


@dataclass(frozen=True, slots=True)
class Section:
    """What belongs to one item.

    Attributes:
        number: The item's number.
        elements: Its lines and figures, the first line without the number.
        part: The part by the heading before it.
        passage: Lines and figures before it that are for several items, this one among them.
        repeated: Whether its number stands at another line too.
    """

    number: int
    elements: tuple[Element, ...]
    part: int | None
    passage: tuple[Element, ...] = ()
    repeated: bool = False


def sections_of(elements: Sequence[Element], heading: re.Pattern[str]) -> tuple[Section, ...]:
    """Cut a stream into items; what stands before the first one is left out."""
    candidates = _candidates(elements)
    starts = _sequence(candidates)
    if not starts:
        return ()
    often = Counter(start.number for start in candidates)
    sections: list[Section] = []
    part = _part_before(elements[: starts[0].place], heading)
    passage = _passage_in(elements[: starts[0].place], (range(0), ()))
    for start, after in zip(starts, [*(start.place for start in starts[1:]), len(elements)], strict=True):
        own, next_part, found = _own(elements[start.place : after], heading)
        own = (_without_number(own[0], start.length), *own[1:])
        common = passage[1] if start.number in passage[0] else ()
        sections.append(Section(start.number, own, part, common, often[start.number] > 1))
        part = part if next_part is None else next_part
        passage = found if found[1] else passage
    return tuple(sections)


def _candidates(elements: Sequence[Element]) -> list[Start]:
    found = []
    for place, element in enumerate(elements):
        if isinstance(element, Figure) or element.box.left - element.start > INDENT * element.size:
            continue
        match = (_NUMBER if element.glyphs[0].font else _READ_NUMBER).match(element.text)
        if match:
            found.append(Start(place, int(match[1]), len("".join(match[0].split()))))
    return found


def _sequence(candidates: Sequence[Start]) -> list[Start]:
    """Return those that form the best sequence: as many as possible, and as few numbers missing as possible."""
    best: list[tuple[float, int | None]] = []
    for place, start in enumerate(candidates):
        value, before = 1.0 - min(MOST_COST, GAP_COST * max(0, start.number - 1)) / 2, None
        for at in range(place - 1, -1, -1):
            gap = start.number - candidates[at].number - 1
            if gap >= 0 and best[at][0] + 1 - min(MOST_COST, GAP_COST * gap) > value:
                value, before = best[at][0] + 1 - min(MOST_COST, GAP_COST * gap), at
        best.append((value, before))
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
) -> tuple[tuple[Element, ...], int | None, tuple[range, tuple[Element, ...]]]:
    """Return what is the item's, the part that a heading after it begins, and a passage for the next items."""
    end, part = len(elements), None
    passage: tuple[range, tuple[Element, ...]] = (range(0), ())
    for place, element in enumerate(elements[1:], start=1):
        if isinstance(element, Figure):
            continue
        found = _heading(element, heading)
        if found is not None:
            end, part = min(end, place), found
        elif _PASSAGE.match(element.text):
            end = min(end, place)
            passage = _passage_in(elements[place:], passage)
            break
    return tuple(elements[:end]), part, passage


def _heading(line: Line, heading: re.Pattern[str]) -> int | None:
    match = heading.match(line.text) if len(line.text) <= LONGEST_HEADING else None
    return None if match is None else int(match["part"])


def _part_before(elements: Sequence[Element], heading: re.Pattern[str]) -> int | None:
    parts = [_heading(element, heading) for element in elements if isinstance(element, Line)]
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
