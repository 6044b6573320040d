"""The options of an item, as an answer may name them: by number, by letter, by their text."""

from __future__ import annotations

import re
from typing import Final

from exambench.items import Wording
from exambench.parsing.unicode import INVISIBLE, normal_form, without_invisible

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

_LONGEST_INDEX: Final = 9
"""Digits of the largest index that is read where the number of options is not known."""

_LETTERS_OF_UNKNOWN_OPTIONS: Final = 5
"""Letters A to E are read where the number of options is not known."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_LEADING: Final = re.compile(rf"\A[\s{INVISIBLE}]+")
_WEAK_EDGES: Final = " \t\n\"'“”‘’「」『』`*.。"


def stripped(text: str) -> str:
    """Return the text without white space and invisible characters at its ends."""
    return _LEADING.sub("", _LEADING.sub("", text)[::-1])[::-1]


def index_from_digits(digits: str, wording: Wording) -> int | None:
    """Return the index that decimal digits name, or ``None`` when no option has it, or options have other labels.

    Never converts a huge number: Python refuses more than 4,300 digits.
    """
    if digits.startswith("-") or wording.labels:
        return None
    significant = digits.lstrip("+").lstrip("0")
    if not 0 < len(significant) <= _LONGEST_INDEX:
        return None
    index = int(significant)
    return index if not wording.choices or index <= len(wording.choices) else None


def index_from_integer(text: str, wording: Wording) -> int | None:
    """Return the index that a string names which compatibility folding turns into nothing but an integer.

    Where options have other labels than numbers, the string must be one of these, in whatever case.
    """
    folded = stripped(normal_form("NFKC", text))
    if wording.labels:
        return index_from_label(folded, wording)
    return index_from_digits(folded, wording) if _INTEGER.fullmatch(folded) else None


def index_from_label(folded: str, wording: Wording) -> int | None:
    """Return the index of the option with this label (in compatibility form), or ``None`` when no option has it."""
    labels = [normal_form("NFKC", label).casefold() for label in wording.labels]
    return labels.index(folded.casefold()) + 1 if folded.casefold() in labels else None


def has_korean_labels(wording: Wording) -> bool:
    """Tell whether the options are called by Korean consonants."""
    return bool(wording.labels) and not wording.labels[0].isascii()


def index_from_letter(letter: str, wording: Wording) -> int | None:
    """Return the index of the option with this letter, whatever its case, or ``None`` when no option has it.

    Options are called by letters as well as by numbers, unless they have other labels.
    """
    if has_korean_labels(wording):
        return None
    index = LETTERS.find(letter.lower()) + 1
    limit = len(wording.choices) or _LETTERS_OF_UNKNOWN_OPTIONS
    return index if 1 <= index <= limit else None


def comparable(text: str) -> str:
    """Return text such that two ways to write the same words are equal."""
    folded = without_invisible(normal_form("NFKC", text)).casefold()
    return " ".join(folded.split()).strip(_WEAK_EDGES)


def index_from_text(text: str, wording: Wording) -> int | None:
    """Return the index of the one option with this text; ``None`` for none or several."""
    wanted = comparable(text)
    indices = [index for index, choice in enumerate(wording.choices, 1) if comparable(choice.text) == wanted]
    return indices[0] if wanted and len(indices) == 1 else None
