"""Which option is right: key tables in every usual form, at the end of a paper or in a file of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.layout import Element
from exambench.construct.lines import Line, is_gap, rows_of, text_of
from exambench.construct.numbering import Part, part_of
from exambench.construct.pages import Glyph
from exambench.construct.signs import LETTERS, MARKS

TITLE: Final = re.compile(
    r"[\[<〈【※■●]*\s*(?:제?\s*\d{1,2}\s*과\s*목\s*)?(?:가\s*답\s*안|정\s*답(?:\s*표|\s*지|\s*및\s*해\s*설|\s*과\s*해\s*설)?|답\s*안(?:\s*표)?|answers?(?:\s+keys?)?|key)"
    r"\s*[\]>〉】]*",
    re.IGNORECASE,
)
MOST_CHOICES: Final = 9
FEWEST: Final = 2
SURE: Final = 0.5
"""Confidence below which what a scan shows was guessed."""
NO_SIGNS: Final[Mapping[str, int]] = MappingProxyType({})
KEY_ROW: Final = 0.7
"""Part of the words of a row of a key table that are numbers and answers."""
_ATOM: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,4})[.:,)\]번]*")
_SIGN: Final = re.compile(r"[\[(]?(\D)[.,)\]]*")
_BOTH: Final = re.compile(r"[\[(]?(\d{1,4})[.:)\]번\-–]*[(]?(\D)[.,)]*")
"""A number and its answer without a blank."""
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


@dataclass(frozen=True, slots=True)
class _Atom:
    """A number or a mark in a row of a table."""

    value: int
    is_mark: bool
    sure: bool


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
        elif end < len(elements) and not (named or is_title or _is_key_row(element)):
            break
    return tuple(elements[:end]), tuple(elements[end:])


def _is_key_row(line: Line) -> bool:
    return len(_atoms(line.glyphs, LETTERS)) >= max(FEWEST, KEY_ROW * len(line.text.split()))


def keys_in(elements: Iterable[Element], signs: Mapping[str, int] = NO_SIGNS) -> Keys:
    """Read a key table; lines of a table are figures to the layout, and their letters are read here.

    Args:
        elements: The table.
        signs: Signs that name options besides digits, and which.
    """
    rows = tuple(_rows(elements))
    return _keys_of([_atoms_in(row, signs) for row in rows], is_scan=_is_scan(rows))


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
    is_scan = _is_scan(rows)
    found = [_atoms_in(row, signs) for row in rows]
    by_part: dict[Part, list[Sequence[_Atom]]] = {}
    part = before
    for row, atoms in zip(rows, found, strict=True):
        named = part_of(text_of(row), heading)
        part = part if named is None else named
        if part is not None:
            by_part.setdefault(part, []).append(atoms)
    parts = {name: _in_order(_keys_of(of_part, is_scan=is_scan)) for name, of_part in by_part.items()}
    return KeyTables(_keys_of(found, is_scan=is_scan), parts)


def _rows(elements: Iterable[Element]) -> Iterator[Sequence[Glyph]]:
    for element in elements:
        if isinstance(element, Figure):
            yield from rows_of(element.letters)
        else:
            yield element.glyphs


def _is_scan(rows: Sequence[Sequence[Glyph]]) -> bool:
    return any(glyph.is_marker for row in rows for glyph in row)


def _keys_of(rows: Sequence[Sequence[_Atom]], *, is_scan: bool) -> Keys:
    if is_scan:
        return _merged(pair for row in rows for pair in _repaired(row))
    return _merged(_pairs(rows))


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
    words = [_SIGN.fullmatch(word) for word in _BETWEEN.split(text.strip()) if word]
    named = [signs.get(word[1]) if word else None for word in words]
    letters = [value for value in named if value is not None]
    if letters and len(letters) == len(named):
        return tuple(letters)
    return tuple(int(found) for found in _ATOM.findall(text) if 1 <= int(found) <= MOST_CHOICES)


def _atoms_in(row: Sequence[Glyph], signs: Mapping[str, int]) -> list[_Atom]:
    """Return the numbers and marks of a row; letters count only in a row of hardly anything else."""
    atoms = _atoms(row, signs)
    return atoms if not signs or len(atoms) >= KEY_ROW * len(text_of(row).split()) else _atoms(row)


def _atoms(row: Sequence[Glyph], signs: Mapping[str, int] = NO_SIGNS) -> list[_Atom]:
    """Return numbers and marks from left to right; digits that touch are one number."""
    groups: list[list[Glyph]] = []
    before: Glyph | None = None
    for glyph in row:
        if glyph.text in MARKS or before is None or before.text in MARKS or is_gap(before, glyph):
            groups.append([])
        if glyph.text.isspace():
            groups.append([])
        else:
            groups[-1].append(glyph)
        before = glyph
    return [atom for group in groups if group for atom in _atoms_of(group, signs)]


def _atoms_of(group: Sequence[Glyph], signs: Mapping[str, int]) -> Iterator[_Atom]:
    """Yield what a word of a row says: a number, a mark, both, or nothing."""
    text, sure = "".join(glyph.text for glyph in group), all(glyph.confidence >= SURE for glyph in group)
    number, sign, both = (pattern.fullmatch(text) for pattern in (_NUMBER, _SIGN, _BOTH))
    if text in MARKS:
        yield _Atom(MARKS[text], is_mark=True, sure=sure)
    elif number:
        yield _Atom(int(number[1]), is_mark=False, sure=sure)
    elif sign and sign[1] in signs:
        yield _Atom(signs[sign[1]], is_mark=True, sure=sure)
    elif both and both[2] in signs:
        yield _Atom(int(both[1]), is_mark=False, sure=sure)
        yield _Atom(signs[both[2]], is_mark=True, sure=sure)


def _pairs(rows: Sequence[Sequence[_Atom]]) -> Iterable[tuple[int, tuple[int, ...], bool]]:
    """Yield numbers with their answers: side by side, or one row under the other."""
    above: Sequence[_Atom] = ()
    for row in rows:
        if _is_answers(row) and len(above) == len(row) and _counts_up([atom.value for atom in above], {1}):
            for number, answer in zip(above, row, strict=True):
                yield number.value, (answer.value,), number.sure and answer.sure
            above = ()
            continue
        if any(atom.is_mark for atom in row):
            yield from _beside(row)
        elif len(row) % 2 == 0 and _alternates(row):
            for number, answer in zip(row[::2], row[1::2], strict=True):
                yield number.value, (answer.value,), number.sure and answer.sure
        above = [] if any(atom.is_mark for atom in row) else row


def _beside(row: Sequence[_Atom]) -> Iterable[tuple[int, tuple[int, ...], bool]]:
    """Yield each number with the marks after it."""
    number: _Atom | None = None
    marks: list[_Atom] = []
    for atom in [*row, None]:
        if atom is not None and atom.is_mark:
            marks.append(atom)
            continue
        if number is not None and marks:
            yield number.value, tuple(mark.value for mark in marks), number.sure and all(mark.sure for mark in marks)
        number, marks = atom, []


def _repaired(row: Sequence[_Atom]) -> Iterable[tuple[int, tuple[int, ...], bool]]:
    """Yield the answers of a row of a scan: its numbers count up evenly, and those that were misread are put right.

    More than half of the numbers have to agree; otherwise the row says what was read.
    """
    cells: list[tuple[_Atom | None, _Atom]] = []
    number: _Atom | None = None
    for atom in row:
        if atom.is_mark:
            cells.append((number, atom))
            number = None
        else:
            number = atom
    read = [(place, number.value) for place, (number, _) in enumerate(cells) if number is not None]
    votes = Counter(
        (step, start - step * place)
        for place, start in read
        for later, stop in read
        if later > place
        for step, rest in [divmod(stop - start, later - place)]
        if step > 0 and not rest
    )
    (step, base), _ = votes.most_common(1)[0] if votes else ((0, 0), 0)
    agreed = {place for place, value in read if step and value == base + step * place}
    for place, (found, mark) in enumerate(cells):
        if 2 * len(agreed) > len(cells):
            yield base + step * place, (mark.value,), place in agreed and mark.sure
        elif found is not None:
            yield found.value, (mark.value,), False


def _is_answers(row: Sequence[_Atom]) -> bool:
    return len(row) >= FEWEST and (
        all(atom.is_mark for atom in row) or all(not atom.is_mark and 1 <= atom.value <= MOST_CHOICES for atom in row)
    )


def _alternates(row: Sequence[_Atom]) -> bool:
    """Tell whether a row without marks is numbers and answers in turn: the numbers count up evenly."""
    numbers, answers = [atom.value for atom in row[::2]], [atom.value for atom in row[1::2]]
    steps = {after - before for before, after in pairwise(numbers)}
    return (
        len(steps) <= 1 and all(step > 0 for step in steps) and all(1 <= answer <= MOST_CHOICES for answer in answers)
    )


def _counts_up(numbers: Sequence[int], steps: set[int]) -> bool:
    return {after - before for before, after in pairwise(numbers)} <= steps


def _merged(pairs: Iterable[tuple[int, tuple[int, ...], bool]]) -> Keys:
    answers: dict[int, tuple[int, ...]] = {}
    conflicts, doubtful = set(), set()
    for number, found, sure in pairs:
        if answers.setdefault(number, found) != found:
            conflicts.add(number)
        if not sure:
            doubtful.add(number)
    return Keys(answers, frozenset(conflicts), frozenset(doubtful))
