"""The marks of options, ① to ⑩ and their like, and the runs that they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from exambench.construct.lines import MARKS, Line
from exambench.construct.pages import Box

APART: Final = 0.9
"""Ems of blank before a mark that stands apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark.

    Attributes:
        line: Which of the item's lines it is in.
        glyph: Which of that line's glyphs it is.
        value: What it says; ``None`` when that cannot be read.
        stands_apart: Whether it begins the line, or a wide blank is before it.
        page: Number of its page.
        box: Where on it.
    """

    line: int
    glyph: int
    value: int | None
    stands_apart: bool
    page: int
    box: Box


def marks_of(lines: Sequence[Line]) -> list[Mark]:
    """Return the marks at the beginning of a line or after a space, in reading order."""
    found = []
    for number, line in enumerate(lines):
        end: float | None = None
        spaced = True
        for place, glyph in enumerate(line.glyphs):
            if glyph.text.isspace():
                spaced = True
                continue
            value = MARKS.get(glyph.text)
            if value is not None or glyph.is_marker:
                blank = float("inf") if end is None else glyph.box.left - end
                if spaced or blank > APART * glyph.size / 2:
                    found.append(Mark(number, place, value, blank > APART * glyph.size, line.page, glyph.box))
            end, spaced = glyph.box.right, False
    return found


def runs_of(marks: Sequence[Mark]) -> list[tuple[Mark, ...]]:
    """Return the runs of marks that count up from 1; one that cannot be read counts as the next."""
    runs: list[list[Mark]] = []
    for mark in marks:
        if runs and mark.value in {None, len(runs[-1]) + 1}:
            runs[-1].append(mark)
        elif mark.value in {None, 1}:
            runs.append([mark])
    return [tuple(run) for run in runs]
