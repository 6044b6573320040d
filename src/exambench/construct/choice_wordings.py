"""Choices in other words: whether they can take the places of an item's, and what people decided of them. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import combinations

from pydantic import BaseModel, ConfigDict, model_validator

from exambench.items import Wording
from exambench.text import strange_in


class DecidedChoices(BaseModel):
    """What a person decided of an item's choices.

    Attributes:
        before: The choices of the item when it was.
        accepted: Those that were accepted, as the person left them; empty where they were rejected.
        proposed: Those that the model had proposed; empty where none could be read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: tuple[str, ...]
    accepted: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _fit(self) -> DecidedChoices:
        problem = fault_of_choices(self.before, self.accepted) if self.accepted else ""
        if problem:
            raise ValueError(problem)
        if strange := strange_in("".join(self.accepted)):
            raise ValueError(f"the choices have characters that no text has, {strange!a}")
        return self

    @property
    def is_corrected(self) -> bool:
        """Whether the person changed what was proposed before accepting it."""
        return bool(self.accepted and self.proposed) and list(map(folded, self.accepted)) != list(
            map(folded, self.proposed)
        )


def folded(text: str) -> str:
    """Return a text as it is compared: line ends and spaces are what spreadsheets change."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def texts_of(wording: Wording) -> tuple[str, ...]:
    """Return the texts of the choices; one that is a picture alone has an empty one."""
    return tuple(choice.text for choice in wording.choices)


def fault_of_choices(before: Sequence[str], after: Sequence[str]) -> str:
    """Return in a clause why texts cannot take the places of an item's choices; nothing where they can."""
    if len(after) != len(before):
        return f"there are not {len(before)} choices, each in a line after its number"
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        if old.strip() and not new.strip():
            return f"choice {number} is empty"
    old_texts, new_texts = list(map(folded, before)), list(map(folded, after))
    for one, other in combinations(range(len(before)), 2):
        if new_texts[one] == new_texts[other] and old_texts[one] != old_texts[other]:
            return f"choices {one + 1} and {other + 1} became equal"
    return ""
