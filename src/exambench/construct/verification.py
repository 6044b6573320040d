"""What experts decided about drafted rationales; a decision holds for the item and the draft that they saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from exambench.configuration import validate
from exambench.construct.decisions import table_of_decisions
from exambench.construct.drafting import Draft
from exambench.construct.key_texts import key_as_text, key_from_text
from exambench.construct.records import Action, Change
from exambench.construct.texts import CHOICE
from exambench.errors import ConfigError, Finding, show
from exambench.exchange import ImagePart, Part
from exambench.items import Item, Key, digest, key_as_pair
from exambench.protocols import choices_of, stem_of
from exambench.text import strange_in

DRAFTED: Final = "drafted"
DECIDED: Final = "decided"
SEEN: Final = "seen"
"""Names of what a record says of a draft: its text, what experts decided, and the digest of what they see."""
REASONING: Final = "reasoning"
"""The facet of items that have a rationale."""


class Verdict(StrEnum):
    """What an expert says of a draft."""

    ADOPT = "adopt"
    MINOR = "minor"
    MAJOR = "major"
    DISCARD = "discard"


class Revision(StrEnum):
    """What was revised."""

    TERMINOLOGY = "terminology"
    UNITS = "units"
    REWRITING = "rewriting"
    SUPPLEMENT = "supplement"
    POLISH = "polish"


class Verified(BaseModel):
    """A decision of an expert.

    Attributes:
        verdict: What was decided.
        seen: Digest of the item and the draft that the expert saw.
        rationale: The text that the item gets; empty where it is discarded.
        revisions: What was revised.
        key: What is right after all, as the sheet has it; empty where the key stays.
        reason: Why the item is discarded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Verdict
    seen: str
    rationale: str = ""
    revisions: tuple[Revision, ...] = ()
    key: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Verified:
        faults = faults_of(self)
        if faults:
            raise ValueError("; ".join(f"{name}: {problem}" for name, problem in faults.items()))
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, Verified]


def faults_of(decided: Verified) -> dict[str, str]:
    """Return what of a decision does not go together, by field."""
    faults: dict[str, str] = {}
    if decided.verdict is Verdict.DISCARD:
        if not decided.reason.strip():
            faults["reason"] = "an item is discarded without a reason"
        return faults
    if not decided.rationale.strip():
        faults["rationale"] = "there is no rationale"
    if strange := strange_in(decided.rationale):
        faults["rationale"] = f"it has characters that no text has, {strange!a}"
    if decided.verdict is Verdict.ADOPT and decided.revisions:
        faults["revisions"] = "a rationale that was adopted has no revisions"
    if decided.verdict is Verdict.ADOPT and decided.key:
        faults["key"] = "another key needs another rationale than the one that was adopted"
    if decided.verdict is not Verdict.ADOPT and not decided.revisions:
        faults["revisions"] = "it is not said what was revised"
    return faults


def read_verified(path: Path) -> Mapping[str, Verified]:
    """Read decisions by the identifiers of items.

    Raises:
        ConfigError: A decision is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def details_of(draft: Draft) -> dict[str, Any]:
    """Return what a record says of a draft: enough to decide on it, when the item is gone too."""
    wording = draft.item.wording()
    return {
        "stem": _text(stem_of(wording.question, draft.item.passage)),
        "choices": _text(choices_of(wording, CHOICE)),
        "key": key_as_text(draft.item.key, draft.item),
        DRAFTED: draft.rationale,
        "answers": list(draft.answers),
        SEEN: seen(draft),
    }


def seen(draft: Draft) -> str:
    """Return the digest of an item, its key included, and its draft."""
    return digest([draft.item.content_hash, draft.rationale])


def as_verified(draft: Draft, decided: Verified) -> tuple[Item | None, tuple[Change, ...]]:
    """Return what experts made of an item, ``None`` where they discarded it, and what is to be said of it.

    Raises:
        ConfigError: The corrected key is no key of this item.
    """
    item = draft.item
    details = details_of(draft) | {DECIDED: decided.model_dump(mode="json", exclude={SEEN}, exclude_defaults=True)}
    if decided.verdict is Verdict.DISCARD:
        return None, (Change(item.id, Action.DROPPED, "experts discarded it", {"why": decided.reason, **details}),)
    reason = "experts adopted a rationale" if decided.verdict is Verdict.ADOPT else "experts revised a rationale"
    key = _key(item, decided)
    new = replace(item, rationale=decided.rationale, key=key, facets={**item.facets, REASONING: True})
    changes = [Change(item.id, Action.CHANGED, reason, details)]
    if key_as_pair(key) != key_as_pair(item.key):
        sides = {"before": key_as_text(item.key, item), "after": key_as_text(key, item)}
        changes.append(Change(item.id, Action.CHANGED, "experts repaired its key", sides))
    return new, tuple(changes)


def _key(item: Item, decided: Verified) -> Key:
    if not decided.key:
        return item.key
    key = key_from_text(decided.key, item)
    if key is None:
        raise ConfigError(
            Finding(
                problem="this is no key of the item",
                item=show(item.id),
                field="key",
                value=show(decided.key),
                allowed="choices by what they are called on the sheet, or true or false",
                remedy="Correct the decision",
            )
        )
    return key


def _text(parts: list[Part]) -> str:
    """Return parts as text, pictures by their paths."""
    return "".join(f"\n[{part.image.path}]" if isinstance(part, ImagePart) else part.text for part in parts).strip("\n")
