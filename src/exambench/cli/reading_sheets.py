"""The sheet of what ``ingest`` leaves to people: doubtful items, those held back, and numbers that are missing."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import partial
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
from exambench.construct.checked import (
    DECIDED,
    READING,
    Checked,
    Known,
    Place,
    Ruling,
    faults_at,
    place_of,
    read_checked,
)
from exambench.construct.joining import clean
from exambench.construct.numbering import named_part
from exambench.construct.records import Change, StageRecord
from exambench.construct.reviewed import choices_from, numbered
from exambench.items import Content, Item
from exambench.judging.sheet_forms import Column, text_as_written

VERSION: Final = "version"
DOUBTS: Final = "doubts"
PLACE: Final = "place"
PART: Final = "part"
QUESTION: Final = "question"
CHOICES: Final = "choices"
KEY: Final = "key"
REASON: Final = "reason"
DECISION: Final = "decision"
SHOWN: Final = (PART, QUESTION, CHOICES, KEY)
"""What people may correct."""
EXPLAINED: Final = (
    "doubts: why people have to look; place: pictures of it, in the project's folder, and their pages.",
    "part, question, choices and key: what was read, as far as it was; choices stand each in a line after its number.",
    "⟦formula …⟧ and ⟦picture …⟧ stand for the pictures whose file names begin so: keep, move or delete them.",
    "right: the item is what was read.",
    "corrected: the item is what stands here now.",
    "drop: there is no such item; the column reason says why.",
    "open: not decided yet.",
)


def readings_form(record: StageRecord) -> ProposalForm:
    """Return the sheet of a stage that reads a paper; choices are counted, and pictures known, by its record."""
    return ProposalForm(
        mark=READING,
        header=(IDENTIFIER, VERSION, DOUBTS, PLACE, *SHOWN, REASON, DECISION),
        widths=(12, 11, 30, 30, 8, 60, 50, 6, 25, 12),
        marks=(*Ruling, OPEN),
        explained=EXPLAINED,
        columns=(
            Column(VERSION, "what the sheet had", text_as_written),
            Column(PART, "a part of the exam, or nothing", key_as_cell),
            Column(QUESTION, "a text", text_as_written),
            Column(CHOICES, "choices, each in a line with its number", text_as_written),
            Column(KEY, "the number of a choice", key_as_cell),
            Column(REASON, "a text", text_as_written),
            one_of(DECISION, (*Ruling, OPEN)),
        ),
        row=_row,
        faults=partial(_faults, Known.of(record.changes, record.facts)),
        decided=_decided,
        read=read_checked,
        told=_told,
    )


def _row(change: Change, _item: Item | None) -> tuple[str, ...]:
    place, details = place_of(change.details), change.details
    said = details.get(DECIDED)
    checked = None if said is None else Checked.model_validate({"seen": place.version, **said})
    return (
        change.item,
        version(place.version),
        str(details.get(DOUBTS, change.reason)),
        "\n".join(f"pictures/{name}, page {page}" for name, page in place.regions),
        *_shown(place, checked),
        "" if checked is None else checked.reason,
        OPEN if checked is None else str(checked.ruling),
    )


def _shown(place: Place, checked: Checked | None = None) -> tuple[str, ...]:
    """Return what people may correct: as it was read, or as they did."""
    if checked is None or checked.ruling is not Ruling.CORRECTED:
        key = ", ".join(map(str, place.answers))
        return (_part_as_cell(place.part), place.question, _choices_as_cell(place.choices), key)
    return (
        _part_as_cell(place.part if checked.part is None else checked.part),
        checked.question,
        _choices_as_cell(checked.choices),
        "" if checked.key is None else str(checked.key),
    )


def _choices_as_cell(choices: Sequence[str]) -> str:
    return numbered([Content(choice) for choice in choices])


def _part_as_cell(part: int | str | None) -> str:
    return "" if part is None else str(part)


def _faults(known: Known, change: Change, _item: Item | None, cells: Cells) -> dict[str, str]:
    if cells[DECISION] == OPEN:
        return {}
    place = place_of(change.details)
    if cells[VERSION] != version(place.version):
        return {VERSION: "something else was read there since this sheet was written; take a new one"}
    checked = _checked(change, cells)
    faults = {
        DECISION if field == "ruling" else field: each for field, each in faults_at(place, checked, known).items()
    }
    shown = dict(zip(SHOWN, _shown(place), strict=True))
    if not cells[PART].strip():
        shown[PART] = ""
    changed = [name for name in SHOWN if as_compared(cells[name]) != as_compared(shown[name])]
    if checked.ruling is Ruling.RIGHT and changed:
        faults.setdefault(changed[0], "it is right and differs from what was read; what is mended is marked corrected")
    if checked.ruling is Ruling.CORRECTED and not changed and not faults:
        faults[DECISION] = "it is said to be corrected, and nothing is"
    return faults


def _decided(change: Change, cells: Cells) -> Checked | None:
    if cells[DECISION] == OPEN:
        return None
    return Checked.model_validate(_checked(change, cells).model_dump())


def _checked(change: Change, cells: Cells) -> Checked:
    """Return what a row says, not yet checked."""
    place, ruling = place_of(change.details), Ruling(cells[DECISION])
    is_corrected = ruling is Ruling.CORRECTED
    return Checked.model_construct(
        ruling=ruling,
        seen=place.version,
        question=clean(cells[QUESTION]) if is_corrected else "",
        choices=tuple(map(clean, choices_from(cells[CHOICES]) or ())) if is_corrected else (),
        key=_key(cells[KEY]) if is_corrected else None,
        part=_part(cells[PART], place) if is_corrected else None,
        reason=cells[REASON],
    )


def _key(text: str) -> int | None:
    """Return the choice that a cell names, which may be a circled digit; ``None`` where it names none."""
    digit = unicodedata.normalize("NFKC", text).strip()
    return int(digit) if len(digit) == 1 and digit in "123456789" else None


def _part(text: str, place: Place) -> int | str | None:
    """Return the part that a cell names; ``None`` where it is that of the place, or none."""
    name = clean(text)
    return None if not name or name == clean(_part_as_cell(place.part)) else named_part(name)


def _told(decided: Sequence[Checked]) -> str:
    counts = Counter(each.ruling for each in decided)
    return ", ".join(f"{counts[ruling]} {ruling}" for ruling in Ruling)
