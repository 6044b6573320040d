"""What rows of a key table say: numbers of items, and the answers beside or below them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from types import MappingProxyType
from typing import Final

from exambench.construct.lines import is_gap, text_of
from exambench.construct.pages import Glyph
from exambench.construct.signs import MARKS

MOST_CHOICES: Final = 9
FEWEST: Final = 2
SURE: Final = 0.5
"""Confidence below which what a scan shows was guessed."""
KEY_ROW: Final = 0.7
"""Part of the words of a row of a key table that are numbers and answers."""
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,4})[.:,)\]번]*")
SIGN: Final = re.compile(r"[\[(]?(\D)[.,)\]]*")
_BOTH: Final = re.compile(r"[\[(]?(\d{1,4})[.:)\]번\-–]*[(]?(\D)[.,)]*")
"""A number and its answer without a blank."""
NO_SIGNS: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Atom:
    """A number or a mark in a row of a table."""

    value: int
    is_mark: bool
    sure: bool


Pair = tuple[int, tuple[int, ...], bool]
"""A number of an item, the options that are right, and whether that is sure."""


def is_scan(rows: Iterable[Sequence[Glyph]]) -> bool:
    """Tell whether rows are of a scan, whose marks are known by their shape."""
    return any(glyph.is_marker for row in rows for glyph in row)


def pairs_of(rows: Sequence[Sequence[Glyph]], signs: Mapping[str, int], *, scanned: bool) -> Iterator[Pair]:
    """Yield what rows of a key table say.

    Args:
        rows: Glyphs of each row, from left to right.
        signs: Signs that name options besides digits, and which; they count only in rows of hardly anything else.
        scanned: Whether the table is of a scan.
    """
    found = [_atoms(row, signs if is_key_row(row, signs) else NO_SIGNS) for row in rows]
    if scanned:
        for atoms in found:
            yield from _repaired(atoms)
    else:
        yield from _pairs(found)


def columns_of(row: Sequence[Glyph], signs: Mapping[str, int], count: int) -> Pair | None:
    """Return what a row of a number and of one answer in each of several columns says; ``None`` for any other row."""
    atoms = _atoms(row, signs if is_key_row(row, signs) else NO_SIGNS)
    if len(atoms) != 1 + count or atoms[0].is_mark:
        return None
    number, *answers = atoms
    is_whole = all(answer.is_mark for answer in answers) or not any(answer.is_mark for answer in answers)
    if not is_whole or not all(1 <= answer.value <= MOST_CHOICES for answer in answers):
        return None
    return number.value, tuple(answer.value for answer in answers), all(atom.sure for atom in (number, *answers))


def is_key_row(row: Sequence[Glyph], signs: Mapping[str, int]) -> bool:
    """Tell whether a row is hardly anything but numbers and answers."""
    return len(_atoms(row, signs)) >= max(FEWEST, KEY_ROW * len(text_of(row).split()))


def _atoms(row: Sequence[Glyph], signs: Mapping[str, int]) -> list[_Atom]:
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
    number, sign, both = (pattern.fullmatch(text) for pattern in (_NUMBER, SIGN, _BOTH))
    if text in MARKS:
        yield _Atom(MARKS[text], is_mark=True, sure=sure)
    elif number:
        yield _Atom(int(number[1]), is_mark=False, sure=sure)
    elif sign and sign[1] in signs:
        yield _Atom(signs[sign[1]], is_mark=True, sure=sure)
    elif both and both[2] in signs:
        yield _Atom(int(both[1]), is_mark=False, sure=sure)
        yield _Atom(signs[both[2]], is_mark=True, sure=sure)


def _pairs(rows: Sequence[Sequence[_Atom]]) -> Iterator[Pair]:
    """Yield numbers with their answers: side by side, or one row under the other."""
    above: Sequence[_Atom] = ()
    for row, below in zip_longest(rows, rows[1:], fillvalue=()):
        if _is_answers(row) and len(above) == len(row) and _counts_up([atom.value for atom in above], {1}):
            for number, answer in zip(above, row, strict=True):
                yield number.value, (answer.value,), number.sure and answer.sure
            above = ()
            continue
        if any(atom.is_mark for atom in row):
            yield from _beside(row)
        elif len(row) % 2 == 0 and _alternates(row) and not _are_numbers(row, below):
            for number, answer in zip(row[::2], row[1::2], strict=True):
                yield number.value, (answer.value,), number.sure and answer.sure
        above = [] if any(atom.is_mark for atom in row) else row


def _are_numbers(row: Sequence[_Atom], below: Sequence[_Atom]) -> bool:
    """Tell whether a row counts up, over a row of as many marks, or of digits that are not numbers that go on."""
    if not row or len(below) != len(row) or not _counts_up([atom.value for atom in row], {1}):
        return False
    goes_on = _alternates(below) and below[0].value == row[0].value + 1
    return all(atom.is_mark for atom in below) or (_is_answers(below) and not goes_on)


def _beside(row: Sequence[_Atom]) -> Iterator[Pair]:
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


def _repaired(row: Sequence[_Atom]) -> Iterator[Pair]:
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
