"""Where the sentences of a text begin and end, in Korean and English. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

ABBREVIATIONS: Final = frozenset(
    {
        "al", "approx", "ca", "cf", "ch", "col", "corp", "dept", "dr", "ed", "eds", "e.g", "eq", "eqs", "etc", "fig",
        "figs", "i.e", "inc", "jr", "ltd", "mr", "mrs", "ms", "no", "nos", "op", "p", "pp", "prof", "ref", "refs",
        "sec", "sect", "sr", "st", "suppl", "tab", "univ", "viz", "vol", "vs",
    }
)  # fmt: skip
"""Words whose full stop ends no sentence; single letters, as of initials, are others."""

_END: Final = re.compile(
    r"""
      \n\s*                                              # the end of a paragraph
    | (?<![.?!…。？！]) [.?!…。？！]++ ["'”’」』)\]]*+ (?: \s+ | \Z )
    | (?<=[다요까죠음임됨함]) [.?!] (?=[가-힣])    # a space that a file has lost
    """,
    re.VERBOSE,
)
_LAST_WORD: Final = re.compile(r"[^\s(\[\"'“‘]*\Z")
_LONGEST_WORD: Final = 40


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text.

    Attributes:
        start: Place of its first character.
        end: Place after its last one.
    """

    start: int
    end: int

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start


def sentences_of(text: str) -> tuple[Span, ...]:
    """Return the sentences of a text in order, white space at their ends left out.

    A full stop after an abbreviation, an initial or the number of a list ends none, and neither does one before a small
    Latin letter.
    """
    found = []
    start = 0
    for end in [*_ends(text), len(text)]:
        piece = text[start:end]
        left = len(piece) - len(piece.lstrip())
        right = len(piece.rstrip())
        if right > left:
            found.append(Span(start + left, start + right))
        start = end
    return tuple(found)


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        if "\n" in match[0] or not _goes_on(text, match):
            yield match.end()


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Tell whether the sentence goes on after what looks like its end."""
    if match.end() < len(text) and text[match.end()].isascii() and text[match.end()].islower():
        return True
    if not match[0].startswith(".") or match[0].startswith(".."):
        return False
    before = text[max(0, match.start() - _LONGEST_WORD) : match.start()]
    last = _LAST_WORD.search(before)
    word = "" if last is None else last[0]
    is_initial = len(word) == 1 and word.isascii() and word.isalpha() and match.end() < len(text)
    return is_initial or word.lower() in ABBREVIATIONS or _is_number_of_list(text, match.start(), word)


def _is_number_of_list(text: str, place: int, word: str) -> bool:
    """Tell whether a number stands alone at the beginning of a line."""
    begin = place - len(word)
    return word.isdecimal() and (begin == 0 or text[begin - 1] == "\n")
