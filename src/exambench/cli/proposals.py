"""What ``exambench build proposals`` and ``decide`` do: what a stage proposes, on a sheet for people, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.cli.building import record_of
from exambench.cli.draft_sheets import DRAFTS
from exambench.cli.label_sheets import labels_form
from exambench.cli.proposal_forms import IDENTIFIER, ProposalForm
from exambench.cli.rationale_sheets import RATIONALES
from exambench.cli.reading_sheets import readings_form
from exambench.cli.review_sheets import ITEMS
from exambench.cli.stem_sheets import stems_form
from exambench.cli.writing import write_texts
from exambench.construct.building import output_of
from exambench.construct.decisions import decisions_as_text
from exambench.construct.project import read_project
from exambench.construct.records import Change
from exambench.errors import DataError, Finding, show
from exambench.items import Item
from exambench.judging.returned_sheets import SheetTable, read_sheet
from exambench.judging.sheet_forms import SheetForm, identifiers_of, read_entries
from exambench.judging.sheet_writing import OneOf, SheetFile, wants_xlsx, write_sheet_files

STUDY: Final = "proposals"


@dataclass(frozen=True, slots=True)
class _Row:
    """The place of an item on the sheet."""

    answer_id: str
    study_id: str = STUDY
    rater: str = "sheet"


@dataclass(frozen=True, slots=True)
class _Proposals:
    """What a stage proposed, by item, the form of sheet that it takes, and the items that came out of it."""

    form: ProposalForm
    changes: Mapping[str, Change]
    items: Mapping[str, Item]


def write_proposals(folder: Path, stage: str, out: Path) -> list[str]:
    """Write a sheet of what a stage proposed; return what was done.

    Raises:
        ConfigError: There is no such stage, or the file is there already or has no name of a sheet.
        DataError: The stage has not run, or it proposed nothing.
    """
    xlsx = wants_xlsx(out)
    found = _proposals(folder, stage)
    form = found.form
    made = (form.row(change, found.items.get(name)) for name, change in found.changes.items())
    rows = tuple(row for row in made if row is not None)
    takes = OneOf(len(form.header) - 1, form.marks)
    sheet = SheetFile(out.stem, form.header, rows, form.widths, takes, ("decisions", form.explained))
    write_sheet_files(out.parent, {}, [sheet], xlsx=xlsx)
    return [f"{out}: {len(rows)} {'item' if len(rows) == 1 else 'items'} of the stage {stage} for people."]


def decide(folder: Path, stage: str, sheet: Path, out: Path) -> list[str]:
    """Bring a filled-in sheet back as decisions; those of other items stay. Return what was done.

    Where sheets show no decisions, since reviewers are blind, those of open rows stay too.

    Raises:
        ConfigError: There is no such stage, or the file cannot be written.
        DataError: The stage has not run, or the sheet has faults; every one is a finding, and nothing is written.
    """
    found = _proposals(folder, stage)
    form = found.form
    cells = _read(read_sheet(sheet, {IDENTIFIER}), found)
    marked = {name: form.decided(found.changes[name], each) for name, each in cells.items()}
    before = form.read(out) if out.exists() else {}
    new = {name: decided for name, decided in marked.items() if decided is not None}
    retracted = marked.keys() - new.keys() if form.shows_decisions else frozenset()
    kept = {name: decided for name, decided in before.items() if name not in retracted}
    write_texts({out: decisions_as_text({**kept, **new})})
    return [f"{out}: {form.told(list(new.values()))}, {len(marked) - len(new)} open."]


def _proposals(folder: Path, stage: str) -> _Proposals:
    record, project = record_of(folder, stage), read_project(folder)
    for form in (stems_form(record), RATIONALES, DRAFTS, ITEMS, labels_form(record), readings_form(record)):
        found = {change.item: change for change in record.changes if form.mark in change.details}
        if found:
            items = output_of(project, project.step(stage), record)
            return _Proposals(form, found, {item.id: item for item in items})
    raise DataError(
        Finding(
            f"the stage {record.name} proposed nothing",
            file=str(folder),
            allowed="a stage of the kind ingest, paraphrase, label, explicit, rationale, generate or verify "
            "that leaves something to people",
        )
    )


def _read(table: SheetTable, found: _Proposals) -> dict[str, dict[str, str]]:
    present = identifiers_of(table, IDENTIFIER)
    rows = [_Row(name) for name in found.changes if name in present]
    cells: dict[str, dict[str, str]] = {}
    columns = {column.header: column for column in found.form.columns}
    for entry in read_entries([table], rows, {STUDY: SheetForm(IDENTIFIER, columns)}):
        cells.setdefault(entry.answer_id, {})[entry.key] = entry.value
    findings = list(_faults(table, found, cells))
    if findings:
        raise DataError(*findings)
    return cells


def _faults(table: SheetTable, found: _Proposals, cells: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    for name, each in cells.items():
        for field, problem in found.form.faults(found.changes[name], found.items.get(name), each).items():
            yield Finding(
                problem=problem,
                file=table.file,
                item=show(name),
                field=field,
                remedy="Correct the sheet and bring it back again; nothing was written",
            )
