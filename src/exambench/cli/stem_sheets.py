"""The sheet of stems that a model proposed: accepted as they stand there, rejected, or open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from exambench.cli.proposal_forms import IDENTIFIER, Cells, ProposalForm, one_of, version
from exambench.construct.decisions import ACCEPTED, PROPOSED, STEM, Decided, Decision, read_decisions
from exambench.construct.records import Action, Change
from exambench.construct.texts import CHOICE
from exambench.items import Content, Item, digest
from exambench.judging.sheet_forms import Column, text_as_written
from exambench.judging.sheets import KOREAN, text_of
from exambench.protocols import choices_of, stem_of

VERSION: Final = "version"
"""The column that tells which stem and proposal a row shows."""
QUESTION: Final = "proposed question"
DECISION: Final = "decision"


class Mark(StrEnum):
    """What may stand in the column of decisions."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OPEN = "open"


EXPLAINED: Final = (
    "accepted: the item gets the proposed question, as it stands on this sheet; it may be corrected here.",
    "rejected: the item keeps its question.",
    "open: not decided yet.",
)


def _row(change: Change, item: Item | None) -> tuple[str, ...] | None:
    if item is None:
        return None
    details = change.details
    mark = {Action.CHANGED: Mark.ACCEPTED, Action.NOTED: Mark.REJECTED}.get(change.action, Mark.OPEN)
    if ACCEPTED in details:
        mark = Mark.ACCEPTED
    return (
        item.id,
        version(_seen(change)),
        text_of(stem_of(Content(str(details[STEM])), item.passage), KOREAN),
        text_of(choices_of(item.wording(), CHOICE), KOREAN),
        "\n".join(map(str, details.get("problems", ()))),
        str(details.get(ACCEPTED) or details[PROPOSED] or ""),
        str(mark),
    )


def _faults(change: Change, _item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[DECISION] == Mark.OPEN:
        return {}
    if cells[VERSION] != version(_seen(change)):
        return {VERSION: "the question or the proposal is another one since this sheet was written; take a new one"}
    missing = cells[DECISION] == Mark.ACCEPTED and not cells[QUESTION].strip()
    return {QUESTION: "a question is accepted that is not there"} if missing else {}


def _seen(change: Change) -> str:
    """Return the digest of the stem and the proposal that people see."""
    return digest([change.details[STEM], change.details[PROPOSED]])


def _decided(change: Change, cells: Cells) -> Decided | None:
    stem, proposed = str(change.details[STEM]), str(change.details[PROPOSED] or "")
    match Mark(cells[DECISION]):
        case Mark.OPEN:
            return None
        case Mark.REJECTED:
            return Decided(decision=Decision.REJECTED, stem=stem, proposed=proposed)
        case Mark.ACCEPTED:
            return Decided(decision=Decision.ACCEPTED, stem=stem, question=cells[QUESTION], proposed=proposed)


def _told(decided: Sequence[Decided]) -> str:
    counts = Counter(each.decision for each in decided)
    return ", ".join(f"{counts[decision]} {decision}" for decision in Decision)


STEMS: Final = ProposalForm(
    mark=PROPOSED,
    header=(IDENTIFIER, VERSION, "question", "choices", "problems", QUESTION, DECISION),
    widths=(10, 11, 45, 30, 30, 45, 12),
    marks=tuple(Mark),
    explained=EXPLAINED,
    columns=(
        Column(VERSION, "what the sheet had", text_as_written),
        Column(QUESTION, "a text", text_as_written),
        one_of(DECISION, Mark),
    ),
    row=_row,
    faults=_faults,
    decided=_decided,
    read=read_decisions,
    told=_told,
)
