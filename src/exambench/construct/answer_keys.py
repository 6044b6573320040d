"""Which option is right: key tables in every usual form, at the end of a paper or in a file of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.key_rows import MOST_CHOICES, NO_SIGNS, SIGN, Pair, columns_of, is_key_row, is_scan, pairs_of
from exambench.construct.layout import Element
from exambench.construct.lines import Line, pieces_of, rows_of, text_of
from exambench.construct.numbering import Part, part_of
from exambench.construct.pages import Glyph
from exambench.construct.signs import LETTERS, MARKS

TITLE: Final = re.compile(
    r"[\[<〈【※■●]*\s*(?:제?\s*\d{1,2}\s*과\s*목\s*)?(?:가\s*답\s*안|정\s*답(?:\s*표|\s*지|\s*및\s*해\s*설|\s*과\s*해\s*설)?|답\s*안(?:\s*표)?|answers?(?:\s+keys?)?|key)"
    r"\s*[\]>〉】]*",
    re.IGNORECASE,
)
CELL: Final = 0.5
"""Ems between two cells of a row at least."""
_ATOM: Final = re.compile(r"\d+")
_BETWEEN: Final = re.compile(r"[,/·\s]+|및|또는")


@dataclass(frozen=True, slots=True)
class Keys:
    """What a key table says.

    Attributes:
        answers: For each number of an item, the options that are right.
        conflicts: Numbers for which it says two things.
        doubtful: Numbers whose reading is not sure, as in a scan.
    """

    answers: dict[int, tuple[int, ...]]
    conflicts: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class KeyTables:
    """What all key tables of a paper say.

    Attributes:
        whole: Whatever the part.
        parts: Under the heading of each part; nothing of what stands under none.
    """

    whole: Keys
    parts: Mapping[Part, Keys] = field(default_factory=dict)

    def of(self, part: Part | None, *, starts_anew: bool) -> Keys:
        """Return the keys for the items of a part.

        Args:
            part: The part.
            starts_anew: Whether numbers start anew in each part, so that a number alone names no item.
        """
        return self.parts.get(part, Keys({})) if starts_anew and part is not None else self.whole


def split_at_keys(
    elements: Sequence[Element], heading: re.Pattern[str] | None = None
) -> tuple[tuple[Element, ...], tuple[Element, ...]]:
    """Return the paper's items, and the key table at its end, which is empty where there is none.

    It begins at the last line that says so, and only there if numbers and answers follow; where nothing but keys stands
    before that line up to another one, at that.
    """
    end = len(elements)
    for place in range(len(elements) - 1, -1, -1):
        element = elements[place]
        if not isinstance(element, Line):
            continue
        named = heading is not None and part_of(element.text, heading) is not None
        is_title = TITLE.fullmatch(element.text) is not None
        if is_title and keys_in(elements[place + 1 : end], LETTERS).answers:
            end = place
        elif end < len(elements) and not (named or is_title or is_key_row(element.glyphs, LETTERS)):
            break
    return tuple(elements[:end]), tuple(elements[end:])


def keys_in(elements: Iterable[Element], signs: Mapping[str, int] = NO_SIGNS) -> Keys:
    """Read a key table; lines of a table are figures to the layout, and their letters are read here.

    Args:
        elements: The table.
        signs: Signs that name options besides digits, and which.
    """
    rows = tuple(_rows(elements))
    return _merged(pairs_of(rows, signs, scanned=is_scan(rows)))


def key_tables_in(
    elements: Iterable[Element], heading: re.Pattern[str], signs: Mapping[str, int], before: Part | None = None
) -> KeyTables:
    """Read key tables, those under the heading of a part as the part's own.

    Args:
        elements: The tables.
        heading: Pattern of a heading, with a group ``part``.
        signs: Signs that name options besides digits, and which.
        before: The part whose keys stand before the first heading.
    """
    rows = tuple(_rows(elements))
    scanned = is_scan(rows)
    by_part: dict[Part, list[Sequence[Glyph]]] = {}
    beside: dict[Part, list[Pair]] = {}
    part = before
    columns: tuple[Part, ...] = ()
    for row in rows:
        names = _parts_in(row, heading)
        if names:
            part, columns = (names[0], ()) if len(names) == 1 else (None, names)
        if columns:
            _take_columns(columns_of(row, signs, len(columns)), columns, beside)
        elif part is not None:
            by_part.setdefault(part, []).append(row)
    parts = {name: _in_order(_merged(pairs_of(found, signs, scanned=scanned))) for name, found in by_part.items()}
    return merged(
        [
            KeyTables(_merged(pairs_of(rows, signs, scanned=scanned)), parts),
            KeyTables(Keys({}), {name: _in_order(_merged(found)) for name, found in beside.items()}),
        ]
    )


def _parts_in(row: Sequence[Glyph], heading: re.Pattern[str]) -> tuple[Part, ...]:
    """Return the parts that a row names: one as a heading does, or several side by side, over columns of answers."""
    cells = [text_of(piece) for piece in pieces_of(row, CELL)]
    for texts in (text_of(row).split(), cells):
        names = [name for text in texts if (name := part_of(text, heading)) is not None]
        if len(names) > 1:
            return tuple(names)
    name = part_of(text_of(row), heading)
    return () if name is None else (name,)


def _take_columns(row: Pair | None, columns: Sequence[Part], found: dict[Part, list[Pair]]) -> None:
    """Take a row of one number with an answer for each part; any other says nothing."""
    if row is not None:
        number, answers, sure = row
        for part, answer in zip(columns, answers, strict=True):
            found.setdefault(part, []).append((number, (answer,), sure))


def _rows(elements: Iterable[Element]) -> Iterator[Sequence[Glyph]]:
    for element in elements:
        if isinstance(element, Figure):
            yield from rows_of(element.letters)
        else:
            yield element.glyphs


def _in_order(keys: Keys) -> Keys:
    """Return the keys of a part, all of them doubtful when the first is not that of its first item.

    Then a heading that spans several rows stands beside the middle one, and the rows above it are of this part.
    """
    if keys.answers and next(iter(keys.answers)) != min(keys.answers):
        return replace(keys, conflicts=frozenset(keys.answers))
    return keys


def merged(tables: Iterable[KeyTables]) -> KeyTables:
    """Return what several tables say together; a number that two of them name differently is a conflict."""
    found = tuple(tables)
    parts: dict[Part, Keys] = {}
    for table in found:
        for part, keys in table.parts.items():
            parts[part] = _together([parts[part], keys]) if part in parts else keys
    return KeyTables(_together([table.whole for table in found]), parts)


def _together(found: Sequence[Keys]) -> Keys:
    answers: dict[int, tuple[int, ...]] = {}
    conflicts = {number for keys in found for number in keys.conflicts}
    for keys in found:
        for number, answer in keys.answers.items():
            if answers.setdefault(number, answer) != answer:
                conflicts.add(number)
    return Keys(answers, frozenset(conflicts), frozenset(number for keys in found for number in keys.doubtful))


def keys_of_rows(rows: Iterable[tuple[int, str]], signs: Mapping[str, int] = NO_SIGNS) -> Keys:
    """Return the keys in rows of a number and an answer, such as ``3``, ``③`` or ``1, 3``."""
    return _merged((number, answers_in(text, signs), True) for number, text in rows)


def answers_in(text: str, signs: Mapping[str, int] = NO_SIGNS) -> tuple[int, ...]:
    """Return the options that an answer names.

    Args:
        text: The answer.
        signs: Signs that name options besides digits, and which.
    """
    marks = [MARKS[character] for character in text if character in MARKS]
    if marks:
        return tuple(marks)
    words = [SIGN.fullmatch(word) for word in _BETWEEN.split(text.strip()) if word]
    named = [signs.get(word[1]) if word else None for word in words]
    letters = [value for value in named if value is not None]
    if letters and len(letters) == len(named):
        return tuple(letters)
    return tuple(
        int(found) for found in _ATOM.findall(text) if len(found) == 1 and int(found) in range(1, MOST_CHOICES + 1)
    )


def _merged(pairs: Iterable[Pair]) -> Keys:
    answers: dict[int, tuple[int, ...]] = {}
    conflicts, doubtful = set(), set()
    for number, found, sure in pairs:
        if answers.setdefault(number, found) != found:
            conflicts.add(number)
        if not sure:
            doubtful.add(number)
    return Keys(answers, frozenset(conflicts), frozenset(doubtful))
