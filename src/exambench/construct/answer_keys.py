"""Which option is right: key tables in every usual form, at the end of a paper or in a file of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exambench.construct.figures import Figure
from exambench.construct.layout import Element
from exambench.construct.lines import MARKS, Line, is_gap, rows_of
from exambench.construct.pages import Glyph

TITLE: Final = re.compile(
    r"[\[<〈【※■●]*\s*(?:가\s*답\s*안|정\s*답(?:\s*표|\s*지|\s*및\s*해\s*설|\s*과\s*해\s*설)?|답\s*안(?:\s*표)?|answers?(?:\s+keys?)?|key)"
    r"\s*[\]>〉】]*",
    re.IGNORECASE,
)
MOST_CHOICES: Final = 9
FEWEST: Final = 2
SURE: Final = 0.5
"""Confidence below which what a scan shows was guessed."""
_ATOM: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,4})[.:,)\]번]*")


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
class _Atom:
    """A number or a mark in a row of a table."""

    value: int
    is_mark: bool
    sure: bool


def split_at_keys(elements: Sequence[Element]) -> tuple[tuple[Element, ...], tuple[Element, ...]]:
    """Return the paper's items, and the key table at its end, which is empty where there is none.

    It begins at the last line that says so, and only there if numbers and answers follow.
    """
    for place in range(len(elements) - 1, -1, -1):
        element = elements[place]
        if isinstance(element, Line) and TITLE.fullmatch(element.text) and keys_in(elements[place + 1 :]).answers:
            return tuple(elements[:place]), tuple(elements[place + 1 :])
    return tuple(elements), ()


def keys_in(elements: Iterable[Element]) -> Keys:
    """Read a key table; lines of a table are figures to the layout, and their letters are read here."""
    rows: list[list[Glyph]] = []
    for element in elements:
        if isinstance(element, Figure):
            rows += rows_of(element.letters)
        else:
            rows.append(list(element.glyphs))
    if any(glyph.is_marker for row in rows for glyph in row):
        return _merged(pair for row in rows for pair in _repaired(_atoms(row)))
    return _merged(_pairs([_atoms(row) for row in rows]))


def keys_of_rows(rows: Iterable[tuple[int, str]]) -> Keys:
    """Return the keys in rows of a number and an answer, such as ``3``, ``③`` or ``1, 3``."""
    return _merged((number, answers_in(text), True) for number, text in rows)


def answers_in(text: str) -> tuple[int, ...]:
    """Return the options that an answer names."""
    marks = [MARKS[character] for character in text if character in MARKS]
    return tuple(marks or [int(found) for found in _ATOM.findall(text) if 1 <= int(found) <= MOST_CHOICES])


def _atoms(row: Sequence[Glyph]) -> list[_Atom]:
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
    found = []
    for group in groups:
        text, sure = "".join(glyph.text for glyph in group), all(glyph.confidence >= SURE for glyph in group)
        if text in MARKS:
            found.append(_Atom(MARKS[text], is_mark=True, sure=sure))
        elif number := _NUMBER.fullmatch(text):
            found.append(_Atom(int(number[1]), is_mark=False, sure=sure))
    return found


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
