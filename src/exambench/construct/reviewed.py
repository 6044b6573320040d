"""What a reviewer says of an item that a model wrote; it holds for the item as it was seen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.benchmarks.scholarbench_format import TASK, TOPIC
from exambench.configuration import validate
from exambench.construct.decisions import table_of_decisions
from exambench.construct.key_texts import key_as_text, key_from_text
from exambench.construct.mentions import compact
from exambench.errors import ConfigError, Finding, show
from exambench.items import EXPLICIT, Content, Item, Wording, digest, facet_text
from exambench.text import strange_in

SEEN: Final = "version"
"""The detail of a record that tells which state of an item was reviewed."""
SEEN_LENGTH: Final = 16
PASSAGE: Final = "passage"
QUALITIES: Final = range(1, 6)
_NUMBERED: Final = re.compile(r"\s*(\d{1,2})\.\s*(.*)", re.DOTALL)


class Ruling(StrEnum):
    """What is to become of an item."""

    KEEP = "keep"
    CHANGE = "change"
    DROP = "drop"


class Reviewed(BaseModel):
    """The review of an item by one person: its paragraph, its answer, and, where that is right, the item as a whole.

    Attributes:
        ruling: What is to become of it.
        seen: Digest of the item as the reviewer saw it.
        fits: Whether the paragraph reflects what its paper is about.
        right: Whether the answer is right as it was seen, and the only one.
        quality: From 1 to 5; only where the answer is right.
        question: The question of a changed item.
        choices: Its choices.
        key: What is right, as the sheet has it.
        reasoning: How the answer is reached.
        reason: Why it is changed or dropped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruling: Ruling
    seen: str
    fits: bool
    right: bool
    quality: Annotated[int, Field(ge=QUALITIES.start, lt=QUALITIES.stop)] | None = None
    question: str = ""
    choices: tuple[str, ...] = ()
    key: str = ""
    reasoning: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Reviewed:
        faults = faults_of(self)
        if faults:
            raise ValueError("; ".join(f"{name}: {problem}" for name, problem in faults.items()))
        return self

    @property
    def outcome(self) -> tuple[object, ...]:
        """What it makes of an item; that of two reviews is the same where they do the same, for whatever reason."""
        if self.ruling is not Ruling.CHANGE:
            return (self.ruling,)
        texts = (self.question, *self.choices, self.key, self.reasoning)
        return (self.ruling, *(" ".join(text.split()) for text in texts))


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, Reviewed]


def faults_of(reviewed: Reviewed) -> dict[str, str]:
    """Return what of a review does not go together, by field."""
    faults: dict[str, str] = {}
    if reviewed.right and reviewed.quality is None:
        faults["quality"] = "is missing; an item whose answer is right is rated from 1 to 5"
    if not reviewed.right and reviewed.quality is not None:
        faults["quality"] = "an item whose answer is wrong is not rated"
    if reviewed.ruling is not Ruling.KEEP and not reviewed.reason.strip():
        faults["reason"] = "an item is changed or dropped without a reason"
    if reviewed.ruling is Ruling.KEEP and not reviewed.right:
        faults["ruling"] = "an item is kept whose answer is wrong; change or drop it"
    if reviewed.ruling is not Ruling.DROP and not reviewed.fits:
        faults["ruling"] = "an item stays whose paragraph does not fit; drop it"
    for name in ("question", "key", "reasoning", "reason"):
        if strange := strange_in(str(getattr(reviewed, name))):
            faults[name] = f"it has characters that no text has, {strange!a}"
    if strange := strange_in("".join(reviewed.choices)):
        faults["choices"] = f"they have characters that no text has, {strange!a}"
    elif len(set(map(compact, reviewed.choices))) < len(reviewed.choices):
        faults["choices"] = "two of them are the same"
    return faults


def read_reviewed(path: Path) -> Mapping[str, Reviewed]:
    """Read the reviews of one person by the identifiers of items.

    Raises:
        ConfigError: A review is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def seen(item: Item) -> str:
    """Return the digest of everything about an item that a reviewer sees."""
    return digest([item.content_hash, item.rationale, facet_text(item.facets.get(TOPIC, ""))])[:SEEN_LENGTH]


def shown_of(item: Item) -> dict[str, Any]:
    """Return what the sheet of an item shows; the record keeps it where the item is gone or is another one."""
    wording = item.wording()
    return {
        "task": facet_text(item.facets.get(TASK, "")),
        "topic": facet_text(item.facets.get(TOPIC, "")),
        "question": wording.question.text,
        "choices": numbered(wording.choices),
        "key": key_as_text(item.key, item),
        "reasoning": item.rationale,
        PASSAGE: item.passage,
    }


def numbered(choices: Sequence[Content]) -> str:
    """Return choices as a sheet shows them, each in a line of its own after its number."""
    return "\n".join(f"{number}. {choice.text}" for number, choice in enumerate(choices, start=1))


def choices_from(text: str) -> tuple[str, ...] | None:
    """Return the choices of a sheet, which may have several lines; ``None`` where they are not numbered from 1 on."""
    found: list[str] = []
    for line in text.splitlines():
        match = _NUMBERED.fullmatch(line)
        if match is not None and int(match[1]) == len(found) + 1:
            found.append(match[2].strip())
        elif not found and line.strip():
            return None
        elif line.strip():
            found[-1] = f"{found[-1]}\n{line.strip()}"
    return tuple(found)


def as_changed(item: Item, reviewed: Reviewed) -> Item:
    """Return an item as a reviewer changed it.

    Raises:
        ConfigError: What is right is no key of the changed item, or a choice is missing.
    """
    wording = item.wording()
    new = replace(
        item,
        wordings={
            **item.wordings,
            EXPLICIT: Wording(
                Content(reviewed.question, wording.question.images),
                tuple(replace(old, text=text) for old, text in zip(wording.choices, reviewed.choices, strict=False)),
                wording.labels,
            ),
        },
        rationale=reviewed.reasoning,
    )
    key = key_from_text(reviewed.key, new)
    if key is None or len(reviewed.choices) != len(wording.choices):
        raise ConfigError(
            Finding(
                problem="the changed item is none",
                item=show(item.id),
                field="key" if key is None else "choices",
                value=show(reviewed.key if key is None else list(reviewed.choices)),
                allowed=f"{len(wording.choices)} choices, and a key among them"
                if wording.choices
                else "a key of its kind",
                remedy="Correct the decision",
            )
        )
    return replace(new, key=key)
