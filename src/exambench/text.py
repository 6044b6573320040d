"""Text that others wrote: what can be stored of it, and how it may stand in a message."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

REPLACEMENT: Final = "\ufffd"
_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: control, format (bidirectional overrides and isolates among them), lone surrogates, line and
paragraph breaks."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Format characters that spell words and compose emoji."""
_MARKDOWN_SIGNS: Final = frozenset("\\`*_[<>|~#&")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_FORMULA: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_LIKE_A_CELL: Final = re.compile(rf"'+{_FORMULA.pattern}")
"""What :func:`as_cell` makes of a formula, or looks like it."""
_STRANGE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LEFT_OPEN: Final = re.compile(r"\s*(?:…|\.\.\.)[\s.…]*")
_PASSWORD: Final = re.compile(r"://[^\s'\"]+@")
_QUERY: Final = re.compile(r"(://[^\s?'\"]*)\?[^\s'\"]+")


def is_storable(text: str) -> bool:
    """Tell whether every file and database can hold the text: PostgreSQL has no NUL, UTF-8 no lone surrogates."""
    return _UNSTORABLE.search(text) is None


def storable(text: str) -> str:
    """Return the text with U+FFFD in place of each character that cannot be stored."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def strange_in(text: str) -> str:
    """Return the characters, each once, that no text for people has: controls, half characters, reordering marks.

    Tabs and line ends are none of them; nor are those that join letters.
    """
    return "".join(dict.fromkeys(_STRANGE.findall(text)))


def is_left_open(text: str) -> bool:
    """Tell whether a text is the dots by which prompts show where one has to stand: their form, given back as it is."""
    return _LEFT_OPEN.fullmatch(text) is not None


def escaped(text: str) -> str:
    """Return the text in one line that no terminal obeys: what is not printable stands as its Python escape."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def printable(text: str) -> str:
    """Return text with all signs replaced that would steer a terminal, reorder a line, or break it."""
    if text.isprintable():  # nothing of the categories is, and nearly every text of ours is
        return text
    return "".join(REPLACEMENT if _steers(sign) else sign for sign in text)


def _steers(sign: str) -> bool:
    return unicodedata.category(sign) in _STEERING and sign not in _JOINERS


def markdown_escape(text: str) -> str:
    """Return text that Markdown shows as it is inside a line, in a table's cell too."""
    return "".join(f"\\{sign}" if sign in _MARKDOWN_SIGNS else sign for sign in printable(text))


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet would take the text for a formula, or for a signed number, and evaluate it."""
    return _FORMULA.match(text) is not None


def as_cell(text: str) -> str:
    """Return text for a cell of a CSV file: what a spreadsheet would evaluate begins with an apostrophe.

    So does what would be taken for such a cell when it comes back; see :func:`from_cell`.
    """
    return f"'{text}" if is_formula(text) or _LIKE_A_CELL.match(text) else text


def as_text_cell(text: str) -> str:
    """Return text for a cell that is text by its type, from which :func:`from_cell` returns it too."""
    return f"'{text}" if _LIKE_A_CELL.match(text) else text


def from_cell(cell: str) -> str:
    """Return the text from which :func:`as_cell` or :func:`as_text_cell` made a cell."""
    return cell[1:] if _LIKE_A_CELL.match(cell) else cell


def without_secrets(text: str) -> str:
    """Return the text without what its addresses may carry in secret: users, passwords, queries."""
    return _QUERY.sub(r"\1?…", _PASSWORD.sub("://…@", text))
