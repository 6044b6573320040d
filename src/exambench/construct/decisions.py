"""What people decided about stems and choices that a model proposed; a decision holds for those that they saw."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from exambench.configuration import read_ordinary, validate
from exambench.construct.choice_wordings import DecidedChoices, folded, texts_of
from exambench.construct.records import Action, Change
from exambench.construct.texts import Text
from exambench.errors import DataError, Finding
from exambench.items import EXPLICIT, Item
from exambench.stats.intervals import wilson_interval
from exambench.text import strange_in

PROPOSED: Final = "proposed"
STEM: Final = "stem"
ACCEPTED: Final = "accepted"
"""Names of what a record says of a proposal: the model's stem, the item's, and the one that people accepted."""
PROPOSED_CHOICES: Final = "proposed choices"
CHOICES: Final = "choices"
ACCEPTED_CHOICES: Final = "accepted choices"
"""The same of choices, where such were proposed."""


class Decision(StrEnum):
    """What a person says of a proposal."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Decided(BaseModel):
    """A decision.

    Attributes:
        decision: What was decided.
        stem: The stem of the item when it was.
        question: The stem that was accepted, as the person left it.
        proposed: What the model had proposed; empty where it is not known.
        choices: What was decided of the choices; ``None`` where none were proposed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    decision: Decision
    stem: str
    question: str = ""
    proposed: str = ""
    choices: DecidedChoices | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Decided:
        is_accepted = self.decision is Decision.ACCEPTED
        if is_accepted and not self.question.strip() and (self.stem.strip() or self.choices is None):
            raise ValueError("what was accepted is missing")
        if self.choices is not None and bool(self.choices.accepted) is not is_accepted:
            raise ValueError("choices are accepted with their stem, and only with it")
        if strange := strange_in(self.question):
            raise ValueError(f"what was accepted has characters that no text has, {strange!a}")
        return self

    @property
    def is_corrected(self) -> bool:
        """Whether the person changed what was proposed before accepting it."""
        if self.decision is not Decision.ACCEPTED:
            return False
        is_another = bool(self.proposed) and folded(self.question) != folded(self.proposed)
        return is_another or (self.choices is not None and self.choices.is_corrected)

    def outdated(self, item: Item) -> str:
        """Return in a clause what of an item is another one since the decision; nothing where it still holds."""
        wording = item.wording()
        if self.stem != wording.question.text:
            return "its stem is another one since people decided"
        if self.choices is not None and self.choices.before != texts_of(wording):
            return "its choices are others since people decided"
        return ""


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, Decided]


def read_decisions(path: Path) -> Mapping[str, Decided]:
    """Read decisions by the identifiers of items.

    Raises:
        ConfigError: A decision is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def table_of_decisions(path: Path) -> object:
    """Read a file of decisions of any kind, as JSON values that are still to be checked.

    Raises:
        DataError: The file cannot be read.
    """
    try:
        return json.loads(read_ordinary(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            Finding(
                problem=f"cannot be read: {' '.join(str(error).split())}",
                file=str(path),
                allowed="what exambench build decide writes",
            )
        ) from error


def facts_of_decisions(decisions: Mapping[str, Decided], items: Sequence[Item]) -> dict[str, Any]:
    """Return of how many items people checked what was proposed, and of how many they corrected it.

    The share is K-MetBench's (section 3.1: 14.88 % of the paraphrased items were refined by a person), of those that
    were checked, with Wilson's 95 % interval.

    Args:
        decisions: What people decided, by item.
        items: The items that something was proposed for, as they were before.
    """
    used = [found for item in items if (found := decisions.get(item.id)) and not found.outdated(item)]
    corrected = sum(found.is_corrected for found in used)
    share = wilson_interval(corrected, len(used)) if used else None
    return {
        "checked_by_people": len(used),
        "corrected_by_people": corrected,
        "corrected_share": None if share is None else share.estimate,
        "corrected_low": None if share is None else share.low,
        "corrected_high": None if share is None else share.high,
        "decisions_not_used": len(decisions) - len(used),
    }


def decisions_as_text(decisions: Mapping[str, BaseModel]) -> str:
    """Return decisions of any kind as a file of them has them."""
    table = {item: decided.model_dump(mode="json") for item, decided in sorted(decisions.items())}
    return json.dumps(table, ensure_ascii=False, indent=1) + "\n"


def details_of(item: Item, found: Text) -> dict[str, Any]:
    """Return what a record says of a proposal: enough to decide on it."""
    problems = {"problems": list(found.problems)} if found.problems else {}
    return {STEM: item.wording().question.text, PROPOSED: found.text, "tries": found.tries, **problems}


def as_decided(
    item: Item, details: Mapping[str, Any], decided: Decided | None, before: str
) -> tuple[Item, Change] | None:
    """Return what people made of a proposal; ``None`` where they have not decided.

    Args:
        item: The item.
        details: What the record says of the proposal.
        decided: The decision about it.
        before: What the wording is called that the item had.
    """
    if decided is None:
        return None
    if outdated := decided.outdated(item):
        return item, Change(item.id, Action.REVIEW, outdated, details)
    if decided.decision is Decision.REJECTED:
        return item, Change(item.id, Action.NOTED, "people rejected what was proposed", details)
    accepted: dict[str, Any] = {ACCEPTED: decided.question}
    choices = texts_of(item.wording())
    if decided.choices is not None:
        choices = decided.choices.accepted
        accepted[ACCEPTED_CHOICES] = list(choices)
    changed = with_texts(item, decided.question, choices, before)
    action = Action.NOTED if changed == item else Action.CHANGED
    what = "another stem" if decided.choices is None else "another wording"
    return changed, Change(item.id, action, f"people accepted {what}", {**details, **accepted})


def with_stem(item: Item, stem: str, before: str) -> Item:
    """Return an item with another stem, and the wording that it had under a name; one of that name stays."""
    return with_texts(item, stem, texts_of(item.wording()), before)


def with_texts(item: Item, stem: str, choices: Sequence[str], before: str) -> Item:
    """Return an item with another stem and other choices, as many as it has; see :func:`with_stem`.

    A choice that differs in nothing but spaces is as it was.
    """
    wording = item.wording()
    new = replace(
        wording,
        question=replace(wording.question, text=stem),
        choices=tuple(
            old if folded(old.text) == folded(text) else replace(old, text=text)
            for old, text in zip(wording.choices, choices, strict=True)
        ),
    )
    return item if new == wording else replace(item, wordings={before: wording, **item.wordings, EXPLICIT: new})
