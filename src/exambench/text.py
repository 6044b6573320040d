"""Text that others wrote: what can be stored of it, and how it may stand in a message."""

from __future__ import annotations

import re
from typing import Final

REPLACEMENT: Final = "\ufffd"
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_FORMULA: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_PASSWORD: Final = re.compile(r"://[^\s'\"]+@")
_QUERY: Final = re.compile(r"(://[^\s?'\"]*)\?[^\s'\"]+")


def is_storable(text: str) -> bool:
    """Tell whether every file and database can hold the text: PostgreSQL has no NUL, UTF-8 no lone surrogates."""
    return _UNSTORABLE.search(text) is None


def storable(text: str) -> str:
    """Return the text with U+FFFD in place of each character that cannot be stored."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def escaped(text: str) -> str:
    """Return the text in one line that no terminal obeys: what is not printable stands as its Python escape."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet would take the text for a formula, or for a signed number, and evaluate it."""
    return _FORMULA.match(text) is not None


def as_cell(text: str) -> str:
    """Return text for a cell of a CSV file: what a spreadsheet would evaluate begins with an apostrophe."""
    return f"'{text}" if is_formula(text) else text


def without_secrets(text: str) -> str:
    """Return the text without what its addresses may carry in secret: users, passwords, queries."""
    return _QUERY.sub(r"\1?…", _PASSWORD.sub("://…@", text))
