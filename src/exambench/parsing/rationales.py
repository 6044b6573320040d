"""The rationale in a response: what the model gives as its reasons, without what it thought to itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.parsing.dicts import ANSWER_KEY
from exambench.parsing.literals import Group, Literal, dicts_with_key
from exambench.parsing.visible import visible_text
from exambench.text import storable

RATIONALE_KEY: Final = "생성된_추론_근거"
_FENCE: Final = re.compile(r"^[ \t]*```[a-zA-Z]*[ \t]*$", re.MULTILINE)


class RationaleForm(StrEnum):
    """Where a rationale was found."""

    FIELD = "field"
    """Under its key in the dict, as the protocol asks."""
    PROSE = "prose"
    """In the visible text, outside of the dict with the answer."""
    NONE = "none"
    """Nowhere: the response gives no reasons."""


@dataclass(frozen=True, slots=True)
class Rationale:
    """What a model gives as its reasons.

    Attributes:
        text: The reasons; empty when there are none.
        form: Where they were found.
    """

    text: str
    form: RationaleForm


def read_rationale(text: str | None) -> Rationale:
    """Return the rationale in a response.

    Thinking and the scratchpad are no part of it. The last dict with the rationale's key counts; a response without
    one is taken at its visible words, the dict with the answer left out, and so is a dict that was cut off. Escapes of
    characters that no request can carry stand as U+FFFD.

    Args:
        text: The text of the response; ``None`` for ``content: null``.
    """
    visible = visible_text(text or "")
    entries = dicts_with_key(visible, RATIONALE_KEY)
    if entries:
        found = visible_text(storable(_words(entries[-1].values[-1]))).strip()
        return Rationale(found, RationaleForm.FIELD if found else RationaleForm.NONE)
    prose = _FENCE.sub("", _without_answers(visible)).strip()
    return Rationale(prose, RationaleForm.PROSE if prose else RationaleForm.NONE)


def _words(value: Literal) -> str:
    """Return a string as it is, and a list of strings one a line."""
    match value:
        case str():
            return value
        case Group(items):
            return "\n".join(item for item in items if isinstance(item, str))
    return ""


def _without_answers(text: str) -> str:
    """Return the text without the dict literals that hold an answer."""
    kept: list[str] = []
    end = 0
    for entry in sorted(dicts_with_key(text, ANSWER_KEY), key=lambda entry: entry.start):
        if entry.start >= end:
            kept.append(text[end : entry.start])
            end = entry.end
    return "".join([*kept, text[end:]])
