"""The letters of ScholarBench: one letter, or a list of them."""

from __future__ import annotations

import re
from typing import Final

from exambench.items import Wording
from exambench.parsing.claims import Nothing, Stated
from exambench.parsing.literals import list_of_strings
from exambench.parsing.options import LETTERS, index_from_integer
from exambench.parsing.phrases import before_explanation, without_leading_phrase
from exambench.parsing.statements import last_statement, only_an_option
from exambench.parsing.visible import Read, Violation
from exambench.parsing.vocabulary import folded, letters_of

_NO_LETTER: Final = Violation("no one letter of an option")
_NO_LETTERS: Final = Violation("no list of letters of options")
_SEVERAL: Final = Violation("several letters where one is asked")


def read_letter_strictly(text: str, wording: Wording) -> Read | Violation:
    """Read a bare letter."""
    letter = _letter(text.strip(), wording)
    return _NO_LETTER if letter is None else Read(letter)


def read_letter_leniently(text: str, wording: Wording) -> Read | Violation:
    """Read one letter with its bracket, its text, in a list of one, or in an explicit statement."""
    strict = read_letter_strictly(text, wording)
    if isinstance(strict, Read):
        return strict
    letters = _letters_leniently(text, wording)
    if isinstance(letters, Violation):
        return letters
    return Read(letters[0]) if len(letters) == 1 else _SEVERAL


def read_letters_strictly(text: str, wording: Wording) -> Read | Violation:
    """Read a Python or JSON list of letters; the result is sorted, each letter once."""
    strings = list_of_strings(text)
    letters = [_letter(string.strip(), wording) for string in strings or ()]
    known = {letter for letter in letters if letter is not None}
    return _NO_LETTERS if not known or None in letters else Read(tuple(sorted(known)))


def read_letters_leniently(text: str, wording: Wording) -> Read | Violation:
    """Read several letters from a list, an enumeration, lines that begin with a letter, or a statement."""
    strict = read_letters_strictly(text, wording)
    if isinstance(strict, Read):
        return strict
    letters = _letters_leniently(text, wording)
    return letters if isinstance(letters, Violation) else Read(letters)


def _letter(written: str, wording: Wording) -> str | None:
    if wording.labels:
        index = index_from_integer(written, wording)
        return None if index is None else LETTERS[index - 1]
    letter = written.lower()
    return letter if len(letter) == 1 and letter in LETTERS[: len(wording.choices) or len(LETTERS)] else None


_FENCE: Final = "```"
_FENCE_LANGUAGE: Final = re.compile(r"[a-z]*+")
_BRACKETED: Final = re.compile(r"\[[^\[\]]*+\]|\{[^{}]*+\}|\([^()]*+\)")
_ITEM: Final = r"\(?\s*+[\"']?([A-Za-z])(?![A-Za-z])[\"']?(?:\s*+\))?"
_ENUMERATION: Final = re.compile(
    rf"{_ITEM}(?:\s*+(?:(?<=\))(?=\()|,\s*and\b|[,;·&]|와|과|및|그리고|\band\b)\s*+{_ITEM})*+\s*+,?\s*+\.?", re.VERBOSE
)
_LABEL: Final = re.compile(r"(?:[-•*]\s+)?\(?([A-Za-z])(?:\)|\.(?=\s|\Z)|\Z)\s*(.*)", re.DOTALL)
_LABEL_INSIDE: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]\)")
_REJECTION: Final = re.compile(
    r"틀[리린렸림]|오답|아니|아닌|옳지|맞지|적절하지|제외|\b(?:not|wrong|incorrect|false|eliminated|excluded)\b|n't",
    re.IGNORECASE,
)


def _letters_leniently(text: str, wording: Wording) -> tuple[str, ...] | Violation:
    stated = last_statement(text, letters_of(wording))
    listed = _listed(text, wording)
    if isinstance(stated, Stated):
        letters = tuple(sorted(str(value) for value in stated.values))
        return letters if listed in {None, letters} else Violation("two different answers")
    if listed is not None:
        return listed
    return _NO_LETTER if isinstance(stated, Nothing) else Violation(stated.reason)


def _listed(text: str, wording: Wording) -> tuple[str, ...] | None:
    """Return the letters of a text that consists of them, but for an explanation that follows."""
    bare = without_leading_phrase(folded(before_explanation(_unfenced(text))).strip())
    alone = only_an_option(bare, letters_of(wording))
    letters = [str(alone)] if alone is not None else _enumerated(bare) or _labelled(bare)
    if letters is None:
        return None
    known = [_letter(letter, wording) for letter in letters]
    return None if None in known else tuple(sorted({letter for letter in known if letter is not None}))


def _unfenced(text: str) -> str:
    """Return what stands in a code fence that is all of the text, else the text."""
    inner = text.strip()
    if len(inner) < 2 * len(_FENCE) or not (inner.startswith(_FENCE) and inner.endswith(_FENCE)):
        return text
    inner = inner.removeprefix(_FENCE).removesuffix(_FENCE)
    head, newline, rest = inner.partition("\n")
    return rest if newline and _FENCE_LANGUAGE.fullmatch(head.strip()) else inner


def _enumerated(plain: str) -> list[str] | None:
    """Return the letters of a text that only lists letters, in brackets or not."""
    inner = plain[1:-1].strip().rstrip(",") if _BRACKETED.fullmatch(plain) else plain
    if not _ENUMERATION.fullmatch(inner):
        return None
    return re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", inner)


def _labelled(plain: str) -> list[str] | None:
    """Return the labels of a text whose every line is an option with its label; none of a rejected one."""
    letters: list[str] = []
    for line in filter(None, map(str.strip, plain.split("\n"))):
        label = _LABEL.fullmatch(line)
        if label is None or _REJECTION.search(label[2]) or _LABEL_INSIDE.search(label[2]):
            return None
        letters.append(label[1])
    return letters or None
