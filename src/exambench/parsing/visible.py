"""What of a response counts: its visible text, and the frame that every parser shares."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exambench.items import Wording
from exambench.outcomes import Answered, AnswerValue, Flag, ParseResult, Truncated, Unparsed
from exambench.parsing.unicode import normal_form

Parser = Callable[[str | None, str | None, Wording], ParseResult]
"""A parser takes the text, the finish reason and the wording that the model saw."""

CUT_AT_LIMIT: Final = "length"
"""The finish reason of a response that was cut."""

# Thinking goes first: a model may well think about the scratchpad that it was asked for.
_REASONING_TAGS: Final = tuple(
    (re.compile(rf"<\s*/\s*{name}\s*>", re.IGNORECASE), re.compile(rf"<\s*{name}\s*>", re.IGNORECASE))
    for name in ("think", "scratchpad")
)


@dataclass(frozen=True, slots=True)
class Read:
    """An answer that was read from visible text.

    Attributes:
        value: The answer.
        flags: What is worth knowing about it.
        may_go_on: Whether the text breaks off in the sentence that states it, so that more of it could say otherwise.
    """

    value: AnswerValue
    flags: frozenset[Flag] = frozenset()
    may_go_on: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """Visible text without an answer in the format that is asked for."""

    reason: str


Reader = Callable[[str, Wording], Read | Violation]
"""Reads visible text; knows nothing of finish reasons."""


def visible_text(text: str) -> str:
    """Return the text in NFC without the reasoning that stands in it.

    Everything up to the last ``</think>`` goes, whether or not a tag opens it; after an unclosed ``<think>`` nothing
    is left. Then the same for ``<scratchpad>``.
    """
    visible = normal_form("NFC", text)
    for closing, opening in _REASONING_TAGS:
        visible = visible[max((tag.end() for tag in closing.finditer(visible)), default=0) :]
        if opening.search(visible):
            return ""
    return visible


def parser_of(read: Reader) -> Parser:
    """Return the parser that applies a reader to the visible text and minds where the response was cut."""

    def parse(text: str | None, finish_reason: str | None, wording: Wording) -> ParseResult:
        reading = _read(read, text, wording)
        cut = finish_reason == CUT_AT_LIMIT
        if isinstance(reading, Violation):
            return Truncated() if cut else Unparsed(reading.reason)
        if cut and reading.may_go_on:
            return Truncated()
        flags = reading.flags | {Flag.LENGTH_LIMIT} if cut else reading.flags
        return Answered(reading.value, tuple(sorted(flags)))

    return parse


def _read(read: Reader, text: str | None, wording: Wording) -> Read | Violation:
    if text is None:
        return Violation("no content")
    visible = visible_text(text)
    return read(visible, wording) if visible.strip() else Violation("nothing visible")
