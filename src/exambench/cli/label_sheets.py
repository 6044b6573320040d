"""The sheet of items that people label; it does not show what models said, so that people are not led by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from exambench.cli.proposal_forms import IDENTIFIER, Cells, ProposalForm, version
from exambench.construct.label_decisions import ASKED, VERSION, LabelDecision, read_label_decisions
from exambench.construct.label_sets import LabelSet
from exambench.construct.records import Change, StageRecord
from exambench.construct.texts import CHOICE
from exambench.errors import listed
from exambench.items import Item
from exambench.judging.returned_sheets import Value
from exambench.judging.sheet_forms import Column, Fault, as_text, text_as_written
from exambench.judging.sheets import KOREAN, text_of
from exambench.protocols import choices_of, stem_of

LABEL: Final = "label"
SEEN: Final = "version"
"""The column that tells which item and question a row shows."""


def labels_form(record: StageRecord) -> ProposalForm:
    """Return the sheet of a stage that labels: its last column takes one of the stage's labels, or any short phrase.

    Every row says what is asked, as the models were told, and what may be answered: a CSV file has no other place.
    """
    asked: Mapping[str, Any] = record.facts.get(ASKED, {})
    allowed, about = asked.get("labels"), str(asked.get("about", ""))
    labels = LabelSet(None if allowed is None else tuple(map(str, allowed)), "")
    named = "a short phrase" if labels.allowed is None else listed(labels.allowed)
    asked_for = f"{about}: {named}"

    def row(change: Change, item: Item | None) -> tuple[str, ...] | None:
        return None if item is None else _row(change, item, asked_for)

    def faults(change: Change, _item: Item | None, cells: Cells) -> dict[str, str]:
        if not cells[LABEL].strip():
            return {}
        if cells[SEEN] != version(str(change.details[VERSION])):
            return {SEEN: "the item or the question is another one since this sheet was written; take a new one"}
        return {} if labels.find(cells[LABEL]) is not None else {LABEL: f"this is no label; the labels are {named}"}

    def decided(change: Change, cells: Cells) -> LabelDecision | None:
        found = labels.find(cells[LABEL])
        return None if found is None else LabelDecision(label=found, seen=str(change.details[VERSION]))

    return ProposalForm(
        mark=VERSION,
        header=(IDENTIFIER, SEEN, "question", "choices", "asked", LABEL),
        widths=(10, 11, 60, 40, 30, 20),
        marks=labels.allowed or (),
        explained=(
            about,
            *(str(asked.get("listing", "")).splitlines() or (f"label: {named}.",)),
            "An empty cell is not decided yet.",
        ),
        columns=(Column(SEEN, "what the sheet had", text_as_written), Column(LABEL, named, _label)),
        row=row,
        faults=faults,
        decided=decided,
        read=read_label_decisions,
        told=_told,
    )


def _row(change: Change, item: Item, asked_for: str) -> tuple[str, ...]:
    wording = item.wording()
    return (
        item.id,
        version(str(change.details[VERSION])),
        text_of(stem_of(wording.question, item.passage), KOREAN),
        text_of(choices_of(wording, CHOICE), KOREAN),
        asked_for,
        str(change.details[LABEL]) if LABEL in change.details else "",
    )


def _label(value: Value) -> str | Fault:
    """Read a label; of a number such as 1.1 nobody knows whether it was 1.10 before a spreadsheet took it for one."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else Fault("a spreadsheet made a number of it")
    return as_text(value).strip()


def _told(decided: Sequence[LabelDecision]) -> str:
    counts = Counter(each.label for each in decided)
    return ", ".join(f"{count} {label}" for label, count in counts.most_common()) or "no label"
