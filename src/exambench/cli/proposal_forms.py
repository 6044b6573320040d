"""What tells sheets of proposals apart: their columns, what people may mark, and what becomes of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from exambench.construct.records import Change
from exambench.items import Item, short
from exambench.judging.returned_sheets import Value
from exambench.judging.sheet_forms import Column, Fault, as_text, text_as_written

IDENTIFIER: Final = "item id"
OPEN: Final = "open"
"""The mark of what is not decided yet; an empty cell is one as well."""

Cells = Mapping[str, str]
"""What people filled in for an item, by the headers of the columns."""


@dataclass(frozen=True)
class ProposalForm:
    """A form of sheet on which people decide what a stage proposed.

    Attributes:
        mark: The detail by which a change in the stage's record is a proposal.
        header: Names of the columns; the last one takes the decision.
        widths: Of the columns, in characters.
        marks: What the last column takes.
        explained: What the marks mean.
        columns: What people fill in.
        row: Returns the cells of a proposal; ``None`` where there is nothing to decide any more. The item is ``None``
            where the stage dropped it.
        faults: Returns what of a row does not go together, by column.
        decided: Returns the decision in a row without faults; ``None`` where it is open.
        read: Reads a file of such decisions by the identifiers of items.
        told: Says how many decisions there are of each kind.
        shows_decisions: Whether a sheet shows what was decided before, so that an open row takes it back; of a sheet
            that does not an open row says nothing.
    """

    mark: str
    header: tuple[str, ...]
    widths: tuple[float, ...]
    marks: tuple[str, ...]
    explained: tuple[str, ...]
    columns: tuple[Column, ...]
    row: Callable[[Change, Item | None], tuple[str, ...] | None]
    faults: Callable[[Change, Item | None, Cells], Mapping[str, str]]
    decided: Callable[[Change, Cells], BaseModel | None]
    read: Callable[[Path], Mapping[str, BaseModel]]
    told: Callable[[Sequence[Any]], str]
    shows_decisions: bool = True


def version(seen: str) -> str:
    """Return the name of what a row shows; with a letter in front, or a spreadsheet may take it for a number."""
    return f"v{short(seen)}"


def one_of(header: str, marks: Iterable[str]) -> Column:
    """Return a column that takes one of some marks, in any case; an empty cell is open."""
    known = {str(mark) for mark in marks}

    def read(value: Value) -> str | Fault:
        text = as_text(value).strip().lower() or OPEN
        return text if text in known else Fault("there is no such decision")

    return Column(header, ", ".join(map(str, marks)), read)


def key_as_cell(value: Value) -> str | Fault:
    """Read a key; a spreadsheet may have made a number of it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return text_as_written(value)


def as_compared(text: str) -> str:
    """Return a text as it is compared: line ends and spaces are what spreadsheets change."""
    return " ".join(unicodedata.normalize("NFC", text).split())
