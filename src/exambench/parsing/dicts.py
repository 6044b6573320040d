"""The dict answer of K-MetBench: ``{"정답": 2}``, strictly and leniently."""

from __future__ import annotations

import re
from typing import Final

from exambench.items import Wording
from exambench.outcomes import Flag
from exambench.parsing.claims import Nothing, Stated
from exambench.parsing.literals import Entry, Group, Literal, Number, dicts_with_key
from exambench.parsing.options import index_from_digits, index_from_integer, index_from_text
from exambench.parsing.statements import answer_in_value, last_statement, only_an_option
from exambench.parsing.visible import Read, Violation
from exambench.parsing.vocabulary import folded, options_of

ANSWER_KEY: Final = "정답"


def read_dict_strictly(text: str, wording: Wording) -> Read | Violation:
    """Read the index under the answer key of the last dict literal that has it."""
    return _index_of_last(dicts_with_key(text, ANSWER_KEY), wording)


def read_dict_leniently(text: str, wording: Wording) -> Read | Violation:
    """Read what the strict reader reads, else one explicit statement of the answer, else abstain."""
    entries = dicts_with_key(text, ANSWER_KEY)
    strict = _index_of_last(entries, wording)
    if isinstance(strict, Read):
        return strict
    options = options_of(wording)
    stated = last_statement(text[entries[-1].end :] if entries else text, options)
    if entries and isinstance(stated, Nothing):
        stated = answer_in_value(_as_text(entries[-1].values[-1]), options)
    if isinstance(stated, Stated):
        if len(stated.values) > 1:
            return Violation("several answers")
        finished = last_statement(_finished(text), options)
        may_go_on = not (isinstance(finished, Stated) and finished.values == stated.values)
        return Read(stated.values[0], stated.flags, may_go_on)
    if not isinstance(stated, Nothing):
        return Violation(stated.reason)
    readings = (only_an_option(text, options), index_from_text(text, wording), _labelled_option(text, wording))
    named = {reading for reading in readings if reading is not None}
    return Read(named.pop()) if len(named) == 1 else Violation("no explicit statement of the answer")


_END: Final = re.compile(r"[.!?。)\]}\"'*`](?=\s|\Z)|\n")
"""The end of a sentence, a line, or what stands in brackets."""


def _finished(text: str) -> str:
    """Return the text without the sentence in which it breaks off."""
    return text[: max((end.end() for end in _END.finditer(text)), default=0)]


_LABELLED: Final = re.compile(r"\s*+\(?([0-9]++)\)?\s*+(?:번\s*+)?(?:[.):]\s*+)?(\S.*)", re.DOTALL)


def _labelled_option(text: str, wording: Wording) -> int | None:
    """Return the index of the option whose number and text are all that the text says."""
    label = _LABELLED.fullmatch(folded(text))
    index = label and index_from_digits(label[1], wording)
    return index if label and index and index == index_from_text(label[2], wording) else None


def _index_of_last(entries: list[Entry], wording: Wording) -> Read | Violation:
    values = [value for entry in entries for value in entry.values]
    if not values:
        return Violation("no closed dict with the answer key")
    indices = [_index(value, wording) for value in values]
    last = indices[-1]
    if last is None:
        return Violation("the answer key does not hold the index of an option")
    flags = {Flag.EARLIER_ANSWER} if any(index != last for index in indices) else set()
    return Read(last, frozenset(flags))


def _index(value: Literal, wording: Wording) -> int | None:
    match value:
        case Number(text) | str(text):
            return index_from_integer(text, wording)
    return None


def _as_text(value: Literal) -> str:
    """Return a value as a model might have written it in a sentence; a list of one is its element."""
    match value:
        case Group(items) if len(items) == 1 and not isinstance(items[0], Group):
            return _as_text(items[0])
        case Number(text) | str(text):
            return text
    return ""
