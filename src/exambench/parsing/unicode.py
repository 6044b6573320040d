"""Unicode as models write it: normal forms, invisible characters, numbers in circles."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Final, Literal

INVISIBLE: Final = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0f\ufeff"
"""Format characters that a reader doesn't see, as the inside of a character class."""

_INVISIBLE_RUN: Final = re.compile(f"[{INVISIBLE}]+")


def normal_form(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Return the text in a Unicode normal form, in linear time.

    Python sorts combining marks by insertion, which takes hours for a long hostile run of them. Sorting each run
    by canonical class beforehand is what the normal form does anyway (Unicode Standard Annex 15) and leaves Python
    nothing to move.
    """
    if unicodedata.is_normalized(form, text):
        return text
    runs = groupby(text, key=lambda character: unicodedata.combining(character) > 0)
    ordered = (
        "".join(sorted(run, key=unicodedata.combining)) if combining else "".join(run) for combining, run in runs
    )
    return unicodedata.normalize(form, "".join(ordered))


def without_invisible(text: str) -> str:
    """Return the text without the characters that a reader doesn't see."""
    return _INVISIBLE_RUN.sub("", text)


def _enclosed(first: str, names: range | str) -> dict[int, str]:
    return {ord(first) + offset: f"({name})" for offset, name in enumerate(names)}


ENCLOSED: Final = (
    _enclosed("①", range(1, 21))
    | _enclosed("⑴", range(1, 21))
    | _enclosed("⓵", range(1, 11))
    | _enclosed("❶", range(1, 11))
    | _enclosed("➀", range(1, 11))
    | _enclosed("➊", range(1, 11))
    | _enclosed("⒜", "abcdefghijklmnopqrstuvwxyz")
    | _enclosed("Ⓐ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    | _enclosed("ⓐ", "abcdefghijklmnopqrstuvwxyz")
)
"""Translation of enclosed numbers and letters to parentheses, which keeps ``①③`` apart from ``13``."""
