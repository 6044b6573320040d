"""The marks of options, in whatever kind a paper has them, and the runs that they form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.construct.lines import Line
from exambench.construct.pages import Box, around
from exambench.construct.signs import CIRCLED, Style, styles_at

APART: Final = 0.9
"""Ems of blank before a mark that stands apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark.

    Attributes:
        line: Which of the item's lines it is in.
        glyph: Which of that line's glyphs it begins at.
        end: The glyph after it.
        value: What it says; ``None`` when that cannot be read.
        stands_apart: Whether it begins the line, or a wide blank is before it.
        page: Number of its page.
        box: Where on it.
    """

    line: int
    glyph: int
    end: int
    value: int | None
    stands_apart: bool
    page: int
    box: Box

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in reading order."""
        return self.line, self.glyph


def marks_by_style(lines: Sequence[Line]) -> Mapping[Style, list[Mark]]:
    """Return the marks of each kind at the beginning of a line or after a space, in reading order."""
    found: dict[Style, list[Mark]] = defaultdict(list)
    for number, line in enumerate(lines):
        end: float | None = None
        spaced = True
        for place, glyph in enumerate(line.glyphs):
            if glyph.text.isspace():
                spaced = True
                continue
            blank = float("inf") if end is None else glyph.box.left - end
            if spaced or blank > APART * glyph.size / 2:
                readings: Sequence[tuple[Style, int | None, int]] = styles_at(line.glyphs, place)
                if glyph.is_marker and not readings:
                    readings = [(CIRCLED, None, place + 1)]
                for style, value, after in readings:
                    box = around(each.box for each in line.glyphs[place:after])
                    found[style].append(
                        Mark(number, place, after, value, blank > APART * glyph.size, line.page, box),
                    )
            end, spaced = glyph.box.right, False
    return found


def marks_of(lines: Sequence[Line], style: Style = CIRCLED) -> list[Mark]:
    """Return the marks of one kind."""
    return list(marks_by_style(lines).get(style, ()))


def runs_of(marks: Sequence[Mark]) -> list[tuple[Mark, ...]]:
    """Return the runs of marks that count up from 1; one that cannot be read counts as the next."""
    runs: list[list[Mark]] = []
    for mark in marks:
        if runs and mark.value in {None, len(runs[-1]) + 1}:
            runs[-1].append(mark)
        elif mark.value in {None, 1}:
            runs.append([mark])
    return [tuple(run) for run in runs]


def text_of_mark(lines: Sequence[Line], mark: Mark) -> str:
    """Return a mark as it stands in its line."""
    return "".join(glyph.text for glyph in lines[mark.line].glyphs[mark.glyph : mark.end]) or "○"
