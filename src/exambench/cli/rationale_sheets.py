"""The sheet of rationales that a model drafted: adopted, revised a little or much, or the item discarded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
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
from exambench.construct.verification import (
    DECIDED,
    DRAFTED,
    SEEN,
    Revision,
    Verdict,
    Verified,
    faults_of,
    read_verified,
)
from exambench.items import Item
from exambench.judging.returned_sheets import Value
from exambench.judging.sheet_forms import Column, Fault, as_text, text_as_written

VERSION: Final = "version"
"""The column that tells which item and draft a row shows."""
ANSWERS: Final = "answers of the model"
RATIONALE: Final = "rationale"
REVISIONS: Final = "revisions"
KEY: Final = "corrected key"
REASON: Final = "reason"
VERDICT: Final = "verdict"
HEADERS: Final = {"rationale": RATIONALE, "revisions": REVISIONS, "key": KEY, "reason": REASON}
"""The columns of a decision's fields."""
EXPLAINED: Final = (
    "adopt: the item gets the drafted rationale as it is.",
    "minor: it gets the rationale as it stands in the column rationale, with small corrections.",
    "major: the same, where the reasoning itself had to be corrected, or was written anew.",
    "discard: the item leaves the benchmark; the column reason says why.",
    "open: not decided yet.",
    f"revisions, of minor and major, with commas between: {', '.join(Revision)}.",
    "corrected key: only where another answer is right, by what the choices are called; then the rationale is another.",
)

_BETWEEN: Final = re.compile(r"[,;\s]+")


def _row(change: Change, _item: Item | None) -> tuple[str, ...]:
    details = change.details
    found = details.get(DECIDED)
    decided = None if found is None else Verified.model_validate({SEEN: details[SEEN], **found})
    draft = str(details[DRAFTED] or "")
    answers = ["–" if answer is None else str(answer) for answer in details["answers"]]
    shown = (str(details["stem"]), str(details["choices"]), str(details["key"]), "\n".join(answers), draft)
    head = (change.item, version(str(details[SEEN])), *shown)
    if decided is None:
        return (*head, draft, "", "", "", OPEN)
    text = decided.rationale or draft
    return (*head, text, ", ".join(decided.revisions), decided.key, decided.reason, str(decided.verdict))


def _faults(change: Change, item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[VERDICT] == OPEN:
        return {}
    if cells[VERSION] != version(str(change.details[SEEN])):
        return {VERSION: "the item or its draft is another one since this sheet was written; take a new one"}
    found = _verified(change, cells)
    faults = {HEADERS[field]: problem for field, problem in faults_of(found).items()}
    draft = as_compared(str(change.details[DRAFTED] or ""))
    same = as_compared(cells[RATIONALE]) == draft
    if found.verdict is Verdict.ADOPT and not same:
        faults.setdefault(RATIONALE, "it is adopted and differs from the draft; a changed one is minor or major")
    if found.verdict in {Verdict.MINOR, Verdict.MAJOR} and same and draft:
        faults.setdefault(RATIONALE, "it is said to be revised and is the draft")
    if found.key and item is not None and key_from_text(found.key, item) is None:
        faults.setdefault(KEY, "this is no key of the item")
    if found.key and found.key == change.details["key"]:
        faults.setdefault(KEY, "this is the key already")
    return faults


def _decided(change: Change, cells: Cells) -> Verified | None:
    if cells[VERDICT] == OPEN:
        return None
    return Verified.model_validate(_verified(change, cells).model_dump())


def _verified(change: Change, cells: Cells) -> Verified:
    """Return what a row says, not yet checked."""
    verdict = Verdict(cells[VERDICT])
    text = {Verdict.ADOPT: str(change.details[DRAFTED] or ""), Verdict.DISCARD: ""}.get(verdict, cells[RATIONALE])
    discarded = verdict is Verdict.DISCARD
    return Verified.model_construct(
        verdict=verdict,
        seen=str(change.details[SEEN]),
        rationale=text,
        revisions=() if discarded else tuple(Revision(word) for word in _words(cells[REVISIONS])),
        key="" if discarded else cells[KEY],
        reason=cells[REASON],
    )


def _told(decided: Sequence[Verified]) -> str:
    counts = Counter(each.verdict for each in decided)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)


def _revisions(value: Value) -> str | Fault:
    words = _words(as_text(value).lower())
    if set(words) - set(Revision):
        return Fault("there is no such kind of revision")
    return ", ".join(dict.fromkeys(words))


def _words(text: str) -> list[str]:
    return [word for word in _BETWEEN.split(text) if word]


RATIONALES: Final = ProposalForm(
    mark=SEEN,
    header=(
        IDENTIFIER,
        VERSION,
        "question",
        "choices",
        "key",
        ANSWERS,
        "draft",
        RATIONALE,
        REVISIONS,
        KEY,
        REASON,
        VERDICT,
    ),
    widths=(10, 11, 45, 30, 8, 12, 50, 50, 20, 10, 25, 12),
    marks=(*Verdict, OPEN),
    explained=EXPLAINED,
    columns=(
        Column(VERSION, "what the sheet had", text_as_written),
        Column(RATIONALE, "a text", text_as_written),
        Column(REVISIONS, ", ".join(Revision), _revisions),
        Column(KEY, "what choices are called, or nothing", key_as_cell),
        Column(REASON, "a text", text_as_written),
        one_of(VERDICT, (*Verdict, OPEN)),
    ),
    row=_row,
    faults=_faults,
    decided=_decided,
    read=read_verified,
    told=_told,
)
