"""What ``exambench build proposals`` and ``decide`` do: stems that a model proposed, on a sheet, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from exambench.cli.building import record_of
from exambench.cli.writing import write_texts
from exambench.construct.building import output_of
from exambench.construct.decisions import ACCEPTED, PROPOSED, STEM, Decided, Decision, decisions_as_text, read_decisions
from exambench.construct.project import read_project
from exambench.construct.records import Action, Change, StageRecord
from exambench.errors import DataError, Finding, show
from exambench.items import Item
from exambench.judging.returned_sheets import SheetTable, Value, read_sheet
from exambench.judging.sheet_forms import (
    Column,
    Fault,
    SheetForm,
    as_text,
    identifiers_of,
    read_entries,
    text_as_written,
)
from exambench.judging.sheet_writing import OneOf, SheetFile, write_sheet_files
from exambench.judging.sheets import KOREAN, text_of
from exambench.protocols import choices_of

IDENTIFIER: Final = "item id"
QUESTION: Final = "proposed question"
DECISION: Final = "decision"
CHOICE: Final = "{{number}}. {{content}}"
STUDY: Final = "proposals"


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


@dataclass(frozen=True, slots=True)
class _Row:
    """The place of an item on the sheet."""

    answer_id: str
    study_id: str = STUDY
    rater: str = "sheet"


def write_proposals(folder: Path, stage: str, out: Path) -> list[str]:
    """Write a sheet of what a stage proposed; return what was done.

    Raises:
        ConfigError: There is no such stage, or the file is there already.
        DataError: The stage has not run, or it proposed nothing.
    """
    record = record_of(folder, stage)
    project = read_project(folder)
    items = {item.id: item for item in output_of(project, project.step(stage), record)}
    proposals = _proposals(record, folder)
    header = (IDENTIFIER, "question", "choices", "problems", QUESTION, DECISION)
    rows = tuple(_row(change, items[name]) for name, change in proposals.items() if name in items)
    widths = (10, 45, 30, 30, 45, 12)
    takes = OneOf(len(header) - 1, tuple(Mark))
    sheet = SheetFile(out.stem, header, rows, widths, takes, ("decisions", EXPLAINED))
    write_sheet_files(out.parent, {}, [sheet], xlsx=out.suffix.lower() == ".xlsx")
    return [f"{out}: {len(rows)} proposals of the stage {stage}."]


def decide(folder: Path, stage: str, sheet: Path, out: Path) -> list[str]:
    """Bring a filled-in sheet back as decisions; those of other items stay. Return what was done.

    Raises:
        ConfigError: There is no such stage, or the file cannot be written.
        DataError: The stage has not run, or the sheet has faults; every one is a finding, and nothing is written.
    """
    proposals = _proposals(record_of(folder, stage), folder)
    marked = _read(read_sheet(sheet, {IDENTIFIER}), proposals)
    before = dict(read_decisions(out)) if out.exists() else {}
    kept = {name: decided for name, decided in before.items() if name not in marked}
    new = {name: decided for name, decided in marked.items() if decided is not None}
    write_texts({out: decisions_as_text(kept | new)})
    counts = [sum(each.decision is decision for each in new.values()) for decision in Decision]
    return [f"{out}: {counts[0]} accepted, {counts[1]} rejected, {len(marked) - len(new)} open."]


def _proposals(record: StageRecord, folder: Path) -> dict[str, Change]:
    found = {change.item: change for change in record.changes if PROPOSED in change.details}
    if not found:
        raise DataError(
            Finding(
                f"the stage {record.name} proposed nothing",
                file=str(folder),
                allowed="a stage that proposes stems, as paraphrase and explicit do",
            )
        )
    return found


def _row(change: Change, item: Item) -> tuple[str, ...]:
    details = change.details
    mark = {Action.CHANGED: Mark.ACCEPTED, Action.NOTED: Mark.REJECTED}.get(change.action, Mark.OPEN)
    if ACCEPTED in details:
        mark = Mark.ACCEPTED
    return (
        item.id,
        str(details[STEM]),
        text_of(choices_of(item.wording(), CHOICE), KOREAN),
        "\n".join(map(str, details.get("problems", ()))),
        str(details.get(ACCEPTED) or details[PROPOSED] or ""),
        str(mark),
    )


def _read(table: SheetTable, proposals: Mapping[str, Change]) -> dict[str, Decided | None]:
    present = identifiers_of(table, IDENTIFIER)
    columns = {
        QUESTION: Column(QUESTION, "a text", text_as_written),
        DECISION: Column(DECISION, ", ".join(Mark), _mark),
    }
    rows = [_Row(name) for name in proposals if name in present]
    cells: dict[str, dict[str, str]] = {}
    for entry in read_entries([table], rows, {STUDY: SheetForm(IDENTIFIER, columns)}):
        cells.setdefault(entry.answer_id, {})[entry.key] = entry.value
    findings = list(_faults(table, cells))
    if findings:
        raise DataError(*findings)
    return {name: _decided(found, str(proposals[name].details[STEM])) for name, found in cells.items()}


def _faults(table: SheetTable, cells: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    for name, found in cells.items():
        if found[DECISION] == Mark.ACCEPTED and not found[QUESTION].strip():
            yield Finding(
                problem="a question is accepted that is not there",
                file=table.file,
                item=show(name),
                field=QUESTION,
                remedy="Write it into the sheet, or reject it; nothing was written",
            )


def _decided(cells: Mapping[str, str], stem: str) -> Decided | None:
    match Mark(cells[DECISION]):
        case Mark.OPEN:
            return None
        case Mark.REJECTED:
            return Decided(decision=Decision.REJECTED, stem=stem)
        case Mark.ACCEPTED:
            return Decided(decision=Decision.ACCEPTED, stem=stem, question=cells[QUESTION])


def _mark(value: Value) -> str | Fault:
    text = as_text(value).strip().lower() or Mark.OPEN
    return str(text) if text in set(Mark) else Fault("there is no such decision")
