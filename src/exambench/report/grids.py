"""A table of text cells that the terminal and Markdown show alike; a cell without a value says why below the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from exambench.text import markdown_escape, printable

NOTHING: Final = "–"
LABEL_WIDTH: Final = 9
BETWEEN: Final = 2
LINE_ROOM: Final = 4
LABEL_ROOM: Final = 14

_WORD: Final = re.compile(r"\S+\s*|\s+")
_PART: Final = re.compile(r"[^/_.:@+-]*[/_.:@+-]+\s*|[^/_.:@+-]+")
"""What stands between the separators of a name, each with its separator."""


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


def side_by_side(grid: Grid, width: int) -> tuple[Grid, ...]:
    """Return a table, cut into several between its columns of numbers where it would not fit a width.

    Every part has all columns of text; the notes stand below the last one.
    """
    names = [max(map(cell_len, grid.header[place].split("\n"))) for place in range(len(grid.header))]
    cells = [
        max((cell_len(line) for row in grid.rows for line in row[place].lines), default=0)
        for place in range(len(names))
    ]
    widths = [max(pair) + BETWEEN for pair in zip(names, cells, strict=True)]
    texts = [min(text, LABEL_ROOM + BETWEEN) for text in widths[: grid.labels]]
    portions = list(_portions(widths, range(grid.labels, len(widths)), width - sum(texts)))
    return tuple(
        replace(
            grid,
            header=tuple(grid.header[place] for place in (*range(grid.labels), *portion)),
            rows=tuple(tuple(row[place] for place in (*range(grid.labels), *portion)) for row in grid.rows),
            notes=grid.notes if number == len(portions) else (),
        )
        for number, portion in enumerate(portions, start=1)
    )


def _portions(widths: Sequence[int], places: Iterable[int], most: int) -> Iterator[list[int]]:
    portion: list[int] = []
    for place in places:
        if portion and sum(widths[other] for other in portion) + widths[place] > most:
            yield portion
            portion = []
        portion.append(place)
    yield portion


@dataclass(frozen=True, slots=True)
class _Screen:
    """Sections for Rich, which says how wide the terminal is."""

    sections: tuple[Section, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for section in self.sections:
            title = _text(section.title, "bold")
            fits = title.cell_len + LINE_ROOM <= options.max_width
            yield Rule(title, align="left", style="bold") if fits else title
            yield from map(_text, section.notes)
            for whole in section.grids:
                for grid in side_by_side(whole, options.max_width):
                    yield from (Text(), _text(grid.title, "bold"), _table(grid))
                    yield from (_text(note, "dim") for note in _notes(grid, _marks(grid)))
            yield Text()


def terminal(sections: Iterable[Section]) -> RenderableType:
    """Return sections for Rich, each under a line with its title; a table that is too wide becomes several."""
    return _Screen(tuple(sections))


def markdown(sections: Iterable[Section]) -> str:
    """Return sections as Markdown, each under a heading of the second level."""
    blocks = []
    for section in sections:
        blocks.append(f"## {markdown_escape(section.title)}")
        blocks += [markdown_escape(note) for note in section.notes]
        blocks += [_markdown_table(grid) for grid in section.grids]
    return "\n\n".join(blocks) + "\n"


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
        table.add_row(
            *(
                _Label(_cell_lines(each, marks)) if place < grid.labels else Text("\n".join(_cell_lines(each, marks)))
                for place, each in enumerate(row)
            )
        )
    return table


@dataclass(frozen=True, slots=True)
class _Label:
    """Lines of text that break at blanks, in a long word after its separators, and anywhere only where they must."""

    lines: tuple[str, ...]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = max(map(cell_len, self.lines), default=0)
        return Measurement(min(longest, LABEL_WIDTH), longest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("\n".join(part for line in self.lines for part in _folded(line, options.max_width)))


def _folded(line: str, width: int) -> Iterator[str]:
    current = ""
    for piece in _pieces(line, width):
        if current and cell_len(current + piece.rstrip()) > width:
            yield current.rstrip()
            current = ""
        current += piece
    yield current.rstrip()


def _pieces(line: str, width: int) -> Iterator[str]:
    """Yield the words of a line with the blanks behind them, too long ones in pieces."""
    for word in _WORD.findall(line):
        if cell_len(word.rstrip()) <= width:
            yield word
            continue
        for part in _PART.findall(word):
            yield from [part] if cell_len(part.rstrip()) <= width else chop_cells(part, width)


def _text(words: str, style: str = "") -> Text:
    """Return words as they are: no markup, no emoji codes, nothing that steers a terminal."""
    return Text("\n".join(map(printable, words.split("\n"))), style=style)


def _cell_lines(found: Cell, marks: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of a cell, with the mark of its note."""
    mark = f" {marks[found.reason]}" if found.reason else ""
    *first, last = map(printable, found.lines or ("",))
    return (*first, last + mark)


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
