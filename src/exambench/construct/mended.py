"""Drafts that broke a rule, as people mended them; a decision holds for the paragraph and the draft that they saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

from exambench.configuration import validate
from exambench.construct.decisions import Decision, table_of_decisions
from exambench.construct.draft_rules import CHOICES, FEWEST_RIGHT, right_choices, truth_of
from exambench.construct.mentions import compact
from exambench.construct.written_drafts import Drafted, Task
from exambench.items import Item, digest
from exambench.text import strange_in

VERSION: Final = "draft version"
"""The detail of a record that tells which draft people see."""
VERSION_LENGTH: Final = 16
DECIDED: Final = "decided"
"""The detail that tells what people decided about it."""


class Mended(BaseModel):
    """A decision about a draft.

    Attributes:
        decision: Whether it becomes an item, as it stands here.
        seen: Digest of the paragraph and the draft when it was made.
        task: What it asks for.
        question: The question.
        choices: The choices.
        answer: The letters that are right, ``true`` or ``false``, the answer itself, or the summary.
        topic: What it is about.
        reasoning: How the answer is reached.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    decision: Decision
    seen: str
    task: Task
    question: str = ""
    choices: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    topic: str = ""
    reasoning: str = ""

    @model_validator(mode="after")
    def _is_an_item(self) -> Mended:
        faults = faults_of(self)
        if faults:
            raise ValueError("; ".join(f"{name}: {problem}" for name, problem in faults.items()))
        return self

    @property
    def draft(self) -> Drafted:
        """What becomes an item."""
        return Drafted(self.task, self.question, self.choices, self.answer, self.topic, self.reasoning)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, Mended]


def faults_of(mended: Mended) -> dict[str, str]:
    """Return what keeps an accepted draft from being an item, by field; the rules of form are people's to judge."""
    if mended.decision is Decision.REJECTED:
        return {}
    draft = mended.draft
    texts = {"question": draft.question, "choices": "".join(draft.choices), "answer": draft.text, "topic": draft.topic}
    faults = {
        name: f"characters that no text has, {strange!a}"
        for name, text in {**texts, "reasoning": draft.reasoning}.items()
        if (strange := strange_in(text))
    }
    if not draft.text.strip():
        faults["answer"] = "is missing"
    if draft.choices and not draft.task.offers_choices:
        faults["choices"] = "there is no place for any"
    if not draft.task.asks:
        needless = [name for name in ("question", "topic", "reasoning") if getattr(draft, name).strip()]
        return faults | dict.fromkeys(needless, "a summary has none")
    faults |= {name: "is missing" for name in ("question", "topic") if not getattr(draft, name).strip()}
    if draft.task is Task.TRUE_FALSE and truth_of(draft) is None:
        faults["answer"] = "is neither true nor false"
    if draft.task.offers_choices:
        faults |= _faults_of_choices(draft)
    return faults


def read_mended(path: Path) -> Mapping[str, Mended]:
    """Read decisions by the identifiers of items.

    Raises:
        ConfigError: A decision is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def seen(paragraph: Item, draft: Drafted | None) -> str:
    """Return the digest of a paragraph and what was written about it."""
    return digest([paragraph.passage, None if draft is None else _fields(draft)])[:VERSION_LENGTH]


def details_of(paragraph: Item, task: Task, draft: Drafted | None) -> dict[str, Any]:
    """Return what a record says of a draft: enough to mend it."""
    return {
        VERSION: seen(paragraph, draft),
        **_fields(Drafted(task) if draft is None else draft),
        "passage": paragraph.passage,
    }


def _fields(draft: Drafted) -> dict[str, Any]:
    return {
        "task": str(draft.task),
        "question": draft.question,
        "choices": list(draft.choices),
        "answer": list(draft.answer),
        "topic": draft.topic,
        "reasoning": draft.reasoning,
    }


def _faults_of_choices(draft: Drafted) -> dict[str, str]:
    if len(draft.choices) != CHOICES or len({compact(choice) for choice in draft.choices if choice}) != CHOICES:
        return {"choices": f"there are not {CHOICES} that differ"}
    right = set(right_choices(draft) or ())
    least, most = (1, 1) if draft.task is Task.MULTIPLE_CHOICE else (FEWEST_RIGHT, CHOICES - 1)
    if not least <= len(right) <= most:
        wanted = "one choice" if most == 1 else f"{least} to {most} choices"
        return {"answer": f"does not name {wanted}"}
    return {}
