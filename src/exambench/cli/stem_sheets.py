"""The sheet of stems and choices that a model proposed: accepted as they stand there, rejected, or open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final

from exambench.cli.proposal_forms import IDENTIFIER, Cells, ProposalForm, one_of, version
from exambench.construct.choice_wordings import DecidedChoices, fault_of_choices
from exambench.construct.decisions import (
    ACCEPTED,
    ACCEPTED_CHOICES,
    CHOICES,
    PROPOSED,
    PROPOSED_CHOICES,
    STEM,
    Decided,
    Decision,
    read_decisions,
)
from exambench.construct.records import Action, Change, StageRecord
from exambench.construct.reviewed import choices_from, numbered
from exambench.construct.texts import CHOICE
from exambench.items import Content, Item, Wording, digest
from exambench.judging.sheet_forms import Column, text_as_written
from exambench.judging.sheets import KOREAN, text_of
from exambench.protocols import choices_of, stem_of

VERSION: Final = "version"
"""The column that tells which wording and proposal a row shows."""
QUESTION: Final = "proposed question"
NEW_CHOICES: Final = "proposed choices"
DECISION: Final = "decision"
HEADER: Final = (IDENTIFIER, VERSION, "question", "choices", "problems", QUESTION, DECISION)
HEADER_WITH_CHOICES: Final = (*HEADER[:-1], NEW_CHOICES, DECISION)


class Mark(StrEnum):
    """What may stand in the column of decisions."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OPEN = "open"


_MARKS: Final[Mapping[Action, Mark]] = MappingProxyType({Action.CHANGED: Mark.ACCEPTED, Action.NOTED: Mark.REJECTED})
EXPLAINED: Final = (
    "accepted: the item gets the proposed question, as it stands on this sheet; it may be corrected here.",
    "rejected: the item keeps its question.",
    "open: not decided yet.",
)
EXPLAINED_WITH_CHOICES: Final = (
    "accepted: the item gets the proposed question and choices, as they stand on this sheet; both may be corrected.",
    "proposed choices: all of them, each in a line after its number; empty where the choices stay as they are.",
    "rejected: the item keeps its question and its choices.",
    "open: not decided yet.",
)


def _row(header: Sequence[str], change: Change, item: Item | None) -> tuple[str, ...] | None:
    if item is None:
        return None
    details = change.details
    cells = {
        IDENTIFIER: item.id,
        VERSION: version(_seen(change)),
        "question": text_of(stem_of(Content(str(details[STEM])), item.passage), KOREAN),
        "choices": text_of(choices_of(_before(change, item.wording()), CHOICE), KOREAN),
        "problems": "\n".join(map(str, details.get("problems", ()))),
        QUESTION: str(details.get(ACCEPTED) or details[PROPOSED] or ""),
        NEW_CHOICES: _as_numbered(details.get(ACCEPTED_CHOICES) or details.get(PROPOSED_CHOICES) or ()),
        DECISION: str(_mark(change)),
    }
    return tuple(cells[name] for name in header)


def _mark(change: Change) -> Mark:
    if change.action is Action.REVIEW:
        return Mark.OPEN
    return Mark.ACCEPTED if ACCEPTED in change.details else _MARKS.get(change.action, Mark.OPEN)


def _before(change: Change, wording: Wording) -> Wording:
    """Return the wording with the choices that the proposal was made of."""
    texts = change.details.get(CHOICES)
    if texts is None:
        return wording
    choices = zip(wording.choices, map(str, texts), strict=True)
    return replace(wording, choices=tuple(replace(choice, text=text) for choice, text in choices))


def _as_numbered(choices: Sequence[object]) -> str:
    return numbered([Content(str(text)) for text in choices])


def _faults(change: Change, _item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[DECISION] == Mark.OPEN:
        return {}
    if cells[VERSION] != version(_seen(change)):
        return {VERSION: "the question or the proposal is another one since this sheet was written; take a new one"}
    if cells[DECISION] == Mark.REJECTED:
        return {}
    faults: dict[str, str] = {}
    if str(change.details[STEM]).strip() and not cells[QUESTION].strip():
        faults[QUESTION] = "a question is accepted that is not there"
    before, text = change.details.get(CHOICES), cells.get(NEW_CHOICES, "")
    if before is None and text.strip():
        faults[NEW_CHOICES] = "its choices stay as they are, and there are others here; leave the cell empty"
    problem = "" if before is None else fault_of_choices(list(map(str, before)), choices_from(text) or ())
    return {**faults, **({NEW_CHOICES: problem} if problem else {})}


def _seen(change: Change) -> str:
    """Return the digest of what people see: the stem and the proposal, and the choices where such are proposed."""
    names = (STEM, PROPOSED, *((CHOICES, PROPOSED_CHOICES) if CHOICES in change.details else ()))
    return digest([change.details[name] for name in names])


def _decided(change: Change, cells: Cells) -> Decided | None:
    stem, proposed = str(change.details[STEM]), str(change.details[PROPOSED] or "")
    match Mark(cells[DECISION]):
        case Mark.OPEN:
            return None
        case Mark.REJECTED:
            choices = _decided_choices(change, ())
            return Decided(decision=Decision.REJECTED, stem=stem, proposed=proposed, choices=choices)
        case Mark.ACCEPTED:
            choices = _decided_choices(change, choices_from(cells.get(NEW_CHOICES, "")) or ())
            return Decided(
                decision=Decision.ACCEPTED, stem=stem, question=cells[QUESTION], proposed=proposed, choices=choices
            )


def _decided_choices(change: Change, accepted: tuple[str, ...]) -> DecidedChoices | None:
    if CHOICES not in change.details:
        return None
    before, proposed = (tuple(map(str, change.details[name])) for name in (CHOICES, PROPOSED_CHOICES))
    return DecidedChoices(before=before, accepted=accepted, proposed=proposed)


def _told(decided: Sequence[Decided]) -> str:
    counts = Counter(each.decision for each in decided)
    return ", ".join(f"{counts[decision]} {decision}" for decision in Decision)


def stems_form(record: StageRecord) -> ProposalForm:
    """Return the form for what a stage proposed: with a column for choices where it proposed such."""
    return STEMS_AND_CHOICES if any(PROPOSED_CHOICES in change.details for change in record.changes) else STEMS


STEMS: Final = ProposalForm(
    mark=PROPOSED,
    header=HEADER,
    widths=(10, 11, 45, 30, 30, 45, 12),
    marks=tuple(Mark),
    explained=EXPLAINED,
    columns=(
        Column(VERSION, "what the sheet had", text_as_written),
        Column(QUESTION, "a text", text_as_written),
        one_of(DECISION, Mark),
    ),
    row=partial(_row, HEADER),
    faults=_faults,
    decided=_decided,
    read=read_decisions,
    told=_told,
)
STEMS_AND_CHOICES: Final = replace(
    STEMS,
    header=HEADER_WITH_CHOICES,
    widths=(*STEMS.widths[:-1], 30, STEMS.widths[-1]),
    explained=EXPLAINED_WITH_CHOICES,
    columns=(*STEMS.columns, Column(NEW_CHOICES, "choices, each in a line after its number", text_as_written)),
    row=partial(_row, HEADER_WITH_CHOICES),
)
