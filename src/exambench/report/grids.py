"""A table of text cells that the terminal and Markdown show alike; a cell without a value says why below the table."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

NOTHING: Final = "–"
LABEL_WIDTH: Final = 9

_MARKDOWN_SIGNS: Final = frozenset("\\`*_[<>|~#&")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell.

    Attributes:
        lines: What it says; several lines stand below each other in the terminal.
        reason: Why it has no value; it becomes a note.
    """

    lines: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        title: What it shows.
        header: Names of the columns; a name may have two lines.
        rows: Cells, as many in a row as columns.
        labels: How many columns, from the left, hold text; the others hold numbers.
        notes: Sentences below the table.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int = 1
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Tables that answer one question.

    Attributes:
        title: The question.
        grids: The tables.
        notes: Sentences above them.
    """

    title: str
    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()


def cell(*lines: str) -> Cell:
    """Return a cell of one or more lines."""
    return Cell(lines)


def no_value(reason: str) -> Cell:
    """Return a cell that has no value, with the reason."""
    return Cell((NOTHING,), reason)


def terminal(sections: Iterable[Section]) -> RenderableType:
    """Return sections for Rich, each under a line with its title."""
    parts: list[RenderableType] = []
    for section in sections:
        parts.append(Rule(_text(section.title, "bold"), align="left", style="bold"))
        parts += map(_text, section.notes)
        for grid in section.grids:
            parts += [Text(), _text(grid.title, "bold"), _table(grid)]
            parts += [_text(note, "dim") for note in _notes(grid, _marks(grid))]
        parts.append(Text())
    return Group(*parts)


def markdown(sections: Iterable[Section]) -> str:
    """Return sections as Markdown, each under a heading of the second level."""
    blocks = []
    for section in sections:
        blocks.append(f"## {markdown_escape(section.title)}")
        blocks += [markdown_escape(note) for note in section.notes]
        blocks += [_markdown_table(grid) for grid in section.grids]
    return "\n\n".join(blocks) + "\n"


def printable(text: str) -> str:
    """Return text with its control characters replaced, so that it cannot steer a terminal."""
    return "".join("\ufffd" if unicodedata.category(sign) == "Cc" else sign for sign in text)


def markdown_escape(text: str) -> str:
    """Return text that Markdown shows as it is inside a line, in a table's cell too."""
    return "".join(f"\\{sign}" if sign in _MARKDOWN_SIGNS else sign for sign in printable(text))


def _table(grid: Grid) -> Table:
    marks = _marks(grid)
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for position, name in enumerate(grid.header):
        if position < grid.labels:
            table.add_column(_text(name), overflow="fold", min_width=LABEL_WIDTH)
        else:
            table.add_column(_text(name), justify="right", overflow="fold")
    for row in grid.rows:
        table.add_row(*(_cell_text(each, marks) for each in row))
    return table


def _text(words: str, style: str = "") -> Text:
    """Return words as they are: no markup, no emoji codes, nothing that steers a terminal."""
    return Text("\n".join(map(printable, words.split("\n"))), style=style)


def _cell_text(found: Cell, marks: Mapping[str, str]) -> Text:
    """Return the lines of a cell below each other, with the mark of its note."""
    mark = f" {marks[found.reason]}" if found.reason else ""
    return Text("\n".join(map(printable, found.lines)) + mark)


def _markdown_table(grid: Grid) -> str:
    marks = _marks(grid)
    lines = [
        f"**{markdown_escape(grid.title)}**",
        "",
        markdown_row(markdown_escape(name.replace("\n", " ")) for name in grid.header),
        markdown_row("---" if position < grid.labels else "---:" for position in range(len(grid.header))),
    ]
    for row in grid.rows:
        texts = (" ".join(filter(None, (*each.lines, marks.get(each.reason, "")))) for each in row)
        lines.append(markdown_row(markdown_escape(text) for text in texts))
    notes = [markdown_escape(note) for note in _notes(grid, marks)]
    return "\n".join([*lines, "", "  \n".join(notes)] if notes else lines)


def markdown_row(cells: Iterable[str]) -> str:
    """Return cells as a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _marks(grid: Grid) -> dict[str, str]:
    """Number the reasons of a table in the order in which they first occur."""
    reasons = dict.fromkeys(each.reason for row in grid.rows for each in row if each.reason)
    return {reason: f"({number})" for number, reason in enumerate(reasons, start=1)}


def _notes(grid: Grid, marks: Mapping[str, str]) -> list[str]:
    return [*grid.notes, *(f"{mark} {reason}." for reason, mark in marks.items())]
