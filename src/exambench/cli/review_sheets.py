"""The sheet of items that a model wrote: each reviewer fills in one, without seeing what the others say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from exambench.cli.proposal_forms import (
    IDENTIFIER,
    OPEN,
    Cells,
    ProposalForm,
    as_compared,
    key_as_cell,
    one_of,
    version,
)
from exambench.construct.key_texts import key_from_text
from exambench.construct.records import Change
from exambench.construct.reviewed import (
    PASSAGE,
    QUALITIES,
    SEEN,
    Reviewed,
    Ruling,
    choices_from,
    faults_of,
    read_reviewed,
    shown_of,
)
from exambench.construct.verifying import REVIEWER
from exambench.items import Item
from exambench.judging.returned_sheets import Value
from exambench.judging.sheet_forms import Column, Fault, as_text, text_as_written

VERSION: Final = "version"
FITS: Final = "paragraph fits"
RIGHT: Final = "answer is right"
QUALITY: Final = "quality"
QUESTION: Final = "question"
CHOICES: Final = "choices"
KEY: Final = "key"
REASONING: Final = "reasoning"
REASON: Final = "reason"
DECISION: Final = "decision"
SHOWN: Final = (QUESTION, CHOICES, KEY, REASONING)
"""What the sheet shows and a reviewer may change, by the names that a record has for it too."""
HEADERS: Final = {
    "fits": FITS,
    "right": RIGHT,
    "quality": QUALITY,
    "reason": REASON,
    "ruling": DECISION,
    **{name: name for name in SHOWN},
}
"""The columns of a review's fields."""
YES: Final = "yes"
NO: Final = "no"
EXPLAINED: Final = (
    "Review the items whose column reviewer says all, and those with your number.",
    "paragraph fits, yes or no: the paragraph is about what its paper is about, and holds what the answer needs.",
    "answer is right, yes or no: it is right as shown, and no other answer is; the reasoning leads to it.",
    "quality, 1 to 5: only where the answer is right; 5 is an item that you would put into the examination as it is.",
    "keep: the item stays as it is.",
    "change: it stays as you have corrected it in question, choices, key and reasoning; the column reason says why.",
    "No question speaks of the study, its authors or the text, and a short answer is the only one that is right.",
    "drop: it leaves the benchmark; the column reason says why.",
    "open: not decided yet.",
)


def _row(change: Change, item: Item | None) -> tuple[str, ...]:
    shown = _shown(change, item)
    return (
        change.item,
        version(str(change.details[SEEN])),
        str(change.details[REVIEWER]),
        *(shown[name] for name in (PASSAGE, "task", "topic", *SHOWN)),
        "",
        "",
        "",
        "",
        OPEN,
    )


def _shown(change: Change, item: Item | None) -> dict[str, str]:
    """Return what was reviewed: the item as the record has it, where it is gone or another one by now."""
    kept = {} if item is None else shown_of(item)
    return {name: str(value) for name, value in {**kept, **change.details}.items()}


def _faults(change: Change, item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[DECISION] == OPEN:
        return {}
    if cells[VERSION] != version(str(change.details[SEEN])):
        return {VERSION: "the item is another one since this sheet was written; take a new one"}
    missing = {name: "is not filled in" for name in (FITS, RIGHT) if cells[name] == OPEN}
    if missing:
        return missing
    found, shown = _reviewed(change, cells), _shown(change, item)
    faults = {HEADERS[field]: problem for field, problem in faults_of(found).items()}
    changed = [name for name in SHOWN if _as_compared(name, cells[name]) != _as_compared(name, shown[name])]
    if found.ruling is Ruling.KEEP and changed:
        faults.setdefault(changed[0], "it is kept and differs from what was shown; a changed one is marked change")
    if found.ruling is Ruling.CHANGE:
        faults |= _faults_of_change(shown, cells, found, changed)
    if found.ruling is Ruling.CHANGE and item is not None and key_from_text(found.key, item) is None:
        faults.setdefault(KEY, "this is no key of the item")
    return faults


def _faults_of_change(
    shown: Mapping[str, str], cells: Cells, found: Reviewed, changed: Sequence[str]
) -> dict[str, str]:
    wanted = choices_from(shown[CHOICES]) or ()
    if not changed:
        return {DECISION: "it is said to be changed, and nothing is"}
    if not found.question.strip() and shown[QUESTION].strip():
        return {QUESTION: "is empty"}
    choices = choices_from(cells[CHOICES])
    if choices is None or len(choices) != len(wanted) or not all(choice.strip() for choice in choices):
        return {CHOICES: f"there are not {len(wanted)} choices, each in a line with its number"}
    return {}


def _as_compared(name: str, value: object) -> str:
    """Return a cell as it is compared; a spreadsheet writes truth values in capitals."""
    text = as_compared(str(value))
    return text.lower() if name == KEY else text


def _decided(change: Change, cells: Cells) -> Reviewed | None:
    if cells[DECISION] == OPEN:
        return None
    return Reviewed.model_validate(_reviewed(change, cells).model_dump())


def _reviewed(change: Change, cells: Cells) -> Reviewed:
    """Return what a row says, not yet checked."""
    ruling = Ruling(cells[DECISION])
    changes = ruling is Ruling.CHANGE
    return Reviewed.model_construct(
        ruling=ruling,
        seen=str(change.details[SEEN]),
        fits=cells[FITS] == YES,
        right=cells[RIGHT] == YES,
        quality=int(cells[QUALITY]) if cells[QUALITY] else None,
        question=cells[QUESTION] if changes else "",
        choices=(choices_from(cells[CHOICES]) or ()) if changes else (),
        key=cells[KEY] if changes else "",
        reasoning=cells[REASONING] if changes else "",
        reason=cells[REASON],
    )


def _told(decided: Sequence[Reviewed]) -> str:
    counts = Counter(each.ruling for each in decided)
    return ", ".join(f"{counts[ruling]} {ruling}" for ruling in Ruling)


def _quality(value: Value) -> str | Fault:
    """Read a rating; nothing where there is none."""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else as_text(value).strip()
    if text and text not in set(map(str, QUALITIES)):
        return Fault("is no rating")
    return text


ITEMS: Final = ProposalForm(
    mark=REVIEWER,
    header=(
        IDENTIFIER,
        VERSION,
        REVIEWER,
        PASSAGE,
        "task",
        "topic",
        *SHOWN,
        FITS,
        RIGHT,
        QUALITY,
        REASON,
        DECISION,
    ),
    widths=(16, 11, 10, 60, 14, 16, 45, 40, 12, 45, 10, 10, 8, 25, 12),
    marks=(*Ruling, OPEN),
    explained=EXPLAINED,
    columns=(
        Column(VERSION, "what the sheet had", text_as_written),
        Column(QUESTION, "a text", text_as_written),
        Column(CHOICES, "choices, each in a line with its number", text_as_written),
        Column(KEY, "numbers of choices, true or false, or a text", key_as_cell),
        Column(REASONING, "a text", text_as_written),
        one_of(FITS, (YES, NO, OPEN)),
        one_of(RIGHT, (YES, NO, OPEN)),
        Column(QUALITY, f"a whole number from {QUALITIES.start} to {QUALITIES.stop - 1}, or nothing", _quality),
        Column(REASON, "a text", text_as_written),
        one_of(DECISION, (*Ruling, OPEN)),
    ),
    row=_row,
    faults=_faults,
    decided=_decided,
    read=read_reviewed,
    told=_told,
    shows_decisions=False,
)
