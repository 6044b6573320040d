"""The sheet of drafts that broke a rule: people mend them, so that they become items, or reject them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from exambench.cli.proposal_forms import IDENTIFIER, OPEN, Cells, ProposalForm, key_as_cell, one_of, version
from exambench.construct.decisions import Decision
from exambench.construct.draft_rules import right_choices
from exambench.construct.mended import DECIDED, VERSION, Mended, faults_of, read_mended
from exambench.construct.records import Change
from exambench.construct.reviewed import choices_from, numbered
from exambench.construct.written_drafts import LETTERS, Drafted, Task
from exambench.items import Content, Item
from exambench.judging.sheet_forms import Column, text_as_written

QUESTION: Final = "question"
CHOICES: Final = "choices"
ANSWER: Final = "answer"
TOPIC: Final = "topic"
REASONING: Final = "reasoning"
DECISION: Final = "decision"
EXPLAINED: Final = (
    "problems: which rules the draft breaks, after the last try; correct it here, or write the item anew.",
    "choices, each in a line after its number; answer: numbers of choices with commas between, true or false, a text.",
    "accepted: an item is made of the draft as it stands on this sheet.",
    "rejected: there is no such item.",
    "open: not decided yet.",
)
_BETWEEN: Final = re.compile(r"[,;\s]+")


def _row(change: Change, _item: Item | None) -> tuple[str, ...]:
    found = change.details.get(DECIDED)
    mended = None if found is None else Mended.model_validate(found)
    draft = mended.draft if mended is not None and mended.decision is Decision.ACCEPTED else _draft(change)
    right = right_choices(draft) if draft.choices else None
    answer = ", ".join(draft.answer) if right is None else ", ".join(map(str, right))
    return (
        change.item,
        version(str(change.details[VERSION])),
        str(change.details["passage"]),
        str(draft.task),
        "\n".join(map(str, change.details["problems"])),
        draft.question,
        numbered([Content(choice) for choice in draft.choices]),
        answer,
        draft.topic,
        draft.reasoning,
        OPEN if mended is None else str(mended.decision),
    )


def _faults(change: Change, _item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[DECISION] == OPEN:
        return {}
    if cells[VERSION] != version(str(change.details[VERSION])):
        return {VERSION: "the draft is another one since this sheet was written; take a new one"}
    return faults_of(_mended(change, cells))


def _decided(change: Change, cells: Cells) -> Mended | None:
    if cells[DECISION] == OPEN:
        return None
    return Mended.model_validate(_mended(change, cells).model_dump())


def _mended(change: Change, cells: Cells) -> Mended:
    """Return what a row says, not yet checked."""
    task = _draft(change).task
    is_accepted = cells[DECISION] == Decision.ACCEPTED
    return Mended.model_construct(
        decision=Decision(cells[DECISION]),
        seen=str(change.details[VERSION]),
        task=task,
        question=cells[QUESTION] if is_accepted else "",
        choices=(choices_from(cells[CHOICES]) or ()) if is_accepted else (),
        answer=_answer(task, cells[ANSWER]) if is_accepted else (),
        topic=cells[TOPIC] if is_accepted else "",
        reasoning=cells[REASONING] if is_accepted else "",
    )


def _answer(task: Task, text: str) -> tuple[str, ...]:
    """Return an answer as drafts have it: choices by their letters."""
    if task not in {Task.MULTIPLE_CHOICE, Task.MULTIPLE_SELECT}:
        return (text.lower() if task is Task.TRUE_FALSE else text,)
    letters = dict(zip(map(str, range(1, len(LETTERS) + 1)), LETTERS, strict=True))
    return tuple(letters.get(word, word) for word in _BETWEEN.split(text) if word)


def _draft(change: Change) -> Drafted:
    details = change.details
    return Drafted(
        Task(details["task"]),
        str(details[QUESTION]),
        tuple(details[CHOICES]),
        tuple(details[ANSWER]),
        str(details[TOPIC]),
        str(details[REASONING]),
    )


def _told(decided: Sequence[Mended]) -> str:
    counts = Counter(each.decision for each in decided)
    return ", ".join(f"{counts[decision]} {decision}" for decision in Decision)


DRAFTS: Final = ProposalForm(
    mark=VERSION,
    header=(
        IDENTIFIER,
        VERSION,
        "passage",
        "task",
        "problems",
        QUESTION,
        CHOICES,
        ANSWER,
        TOPIC,
        REASONING,
        DECISION,
    ),
    widths=(16, 18, 60, 14, 35, 45, 40, 25, 16, 45, 12),
    marks=(*Decision, OPEN),
    explained=EXPLAINED,
    columns=(
        Column(VERSION, "what the sheet had", text_as_written),
        Column(QUESTION, "a text", text_as_written),
        Column(CHOICES, "choices, each in a line with its number", text_as_written),
        Column(ANSWER, "numbers of choices, true or false, or a text", key_as_cell),
        Column(TOPIC, "a text", text_as_written),
        Column(REASONING, "a text", text_as_written),
        one_of(DECISION, (*Decision, OPEN)),
    ),
    row=_row,
    faults=_faults,
    decided=_decided,
    read=read_mended,
    told=_told,
)
