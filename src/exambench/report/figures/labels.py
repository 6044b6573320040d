"""Names that others wrote, as labels: one line of bounded width, no sign that steers or reorders, each label once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from rich.cells import cell_len

from exambench.text import printable, storable

LABEL_CELLS: Final = 36
"""Width of a label in cells: a Hangul syllable takes two, a Latin letter one."""
READ_SIGNS: Final = 2048
"""Signs of a text that are looked at: far more than are shown, and few enough for any text."""
ELLIPSIS: Final = "…"


def cleaned(text: str) -> str:
    """Return text that JSON, fonts and readers can take: composed, with U+FFFD for what steers or cannot be stored."""
    return printable(unicodedata.normalize("NFC", storable(text)))


def label(text: str, cells: int = LABEL_CELLS) -> str:
    """Return text cleaned and in at most so many cells; the middle goes, for names differ at both ends."""
    short = cleaned(text if len(text) <= READ_SIGNS else f"{text[: READ_SIGNS // 2]}{text[-READ_SIGNS // 2 :]}")
    if cell_len(short) <= cells:
        return short
    room = cells - 1
    head = _fitting(short, room - room // 2)
    tail = _fitting(short[::-1], room // 2)[::-1]
    return f"{head}{ELLIPSIS}{tail}"


def labels_of(names: Sequence[str], cells: int = LABEL_CELLS) -> tuple[str, ...]:
    """Return one label for each name, no two alike: those that would be are numbered."""
    taken: set[str] = set()
    found = []
    for name in names:
        chosen = next(each for each in _numbered(name, cells) if each not in taken)
        taken.add(chosen)
        found.append(chosen)
    return tuple(found)


def wrapped(text: str, cells: int) -> list[str]:
    """Return text in lines of at most so many cells, broken between words; a longer word stands alone."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and cell_len(longer) > cells:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _numbered(name: str, cells: int) -> Iterator[str]:
    yield label(name, cells)
    for number in count(2):
        mark = f" ({number})"
        yield label(name, cells - len(mark)) + mark


def _fitting(text: str, cells: int) -> str:
    """Return the longest beginning that fits, with no accent cut from its letter."""
    width = 0
    for place, sign in enumerate(text):
        width += cell_len(sign)
        if width > cells:
            return text[:place]
    return text
