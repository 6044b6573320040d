"""What people decided about stems that a model proposed; a decision holds for the stem that they saw."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from exambench.configuration import read_ordinary, validate
from exambench.construct.records import Action, Change
from exambench.construct.texts import Text
from exambench.errors import DataError, Finding
from exambench.items import EXPLICIT, Content, Item
from exambench.stats.intervals import wilson_interval
from exambench.text import strange_in

PROPOSED: Final = "proposed"
STEM: Final = "stem"
ACCEPTED: Final = "accepted"
"""Names of what a record says of a proposal: the model's stem, the item's, and the one that people accepted."""


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
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    decision: Decision
    stem: str
    question: str = ""
    proposed: str = ""

    @model_validator(mode="after")
    def _says_what(self) -> Decided:
        if self.decision is Decision.ACCEPTED and not self.question.strip():
            raise ValueError("what was accepted is missing")
        if strange := strange_in(self.question):
            raise ValueError(f"what was accepted has characters that no text has, {strange!a}")
        return self

    @property
    def is_corrected(self) -> bool:
        """Whether the person changed what was proposed before accepting it."""
        return (
            self.decision is Decision.ACCEPTED
            and bool(self.proposed)
            and _folded(self.question) != _folded(self.proposed)
        )


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


def _folded(text: str) -> str:
    """Return a text as it is compared: line ends and spaces are what spreadsheets change."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def facts_of_decisions(decisions: Mapping[str, Decided], items: Sequence[Item]) -> dict[str, Any]:
    """Return how many stems people checked, and of how many they corrected what was proposed.

    The share is K-MetBench's (section 3.1: 14.88 % of the paraphrased items were refined by a person), of those that
    were checked, with Wilson's 95 % interval.

    Args:
        decisions: What people decided, by item.
        items: The items that a stem was proposed for, as they were before.
    """
    used = [found for item in items if (found := decisions.get(item.id)) and found.stem == item.wording().question.text]
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


def as_decided(item: Item, found: Text, decided: Decided | None, before: str) -> tuple[Item, Change] | None:
    """Return what people made of a proposal; ``None`` where they have not decided.

    Args:
        item: The item.
        found: The proposal.
        decided: The decision about it.
        before: What the wording is called that the item had.
    """
    if decided is None:
        return None
    details = details_of(item, found)
    stem = item.wording().question.text
    if decided.stem != stem:
        return item, Change(item.id, Action.REVIEW, "its stem is another one since people decided", details)
    if decided.decision is Decision.REJECTED:
        return item, Change(item.id, Action.NOTED, "people rejected what was proposed", details)
    changed = with_stem(item, decided.question, before)
    action = Action.NOTED if changed == item else Action.CHANGED
    return changed, Change(item.id, action, "people accepted another stem", details | {ACCEPTED: decided.question})


def with_stem(item: Item, stem: str, before: str) -> Item:
    """Return an item with another stem, and the wording that it had under a name; one of that name stays."""
    wording = item.wording()
    if stem == wording.question.text:
        return item
    new = replace(wording, question=Content(stem, wording.question.images))
    return replace(item, wordings={before: wording, **item.wordings, EXPLICIT: new})
