"""Translations on a sheet for people to check, and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.construct.entries import Translated
from exambench.construct.texts import CHOICE
from exambench.construct.translating import Draft
from exambench.construct.translation_rules import Translation, violations
from exambench.errors import DataError, Finding, show
from exambench.items import Item, ReviewState
from exambench.judging.returned_sheets import SheetTable, Value
from exambench.judging.sheet_forms import (
    Column,
    Fault,
    SheetForm,
    as_text,
    identifiers_of,
    read_entries,
    text_as_written,
)
from exambench.judging.sheet_writing import OneOf, SheetFile
from exambench.judging.sheets import KOREAN, text_of
from exambench.protocols import choices_of, stem_of

IDENTIFIER: Final = "item id"
ORIGINAL: Final = "question"
QUESTION: Final = "English question"
STATE: Final = "state"


class Decision(StrEnum):
    """What a person says of a translation."""

    DRAFT = "draft"
    CHECKED = "checked"
    REJECTED = "rejected"


EXPLAINED: Final = (
    "checked: it says what the original says; it is used in paired analysis.",
    "draft: not checked yet.",
    "rejected: it cannot be used; the item has no English side.",
    "The English cells may be corrected. Numbers, units, formulas and the number of choices must stay.",
)


@dataclass(frozen=True, slots=True)
class _Row:
    """The place of an item on the sheet."""

    answer_id: str
    study_id: str = "translation"
    rater: str = "sheet"


def review_sheet(stem: str, drafts: Sequence[Draft]) -> SheetFile:
    """Return a sheet of translations: original, what is wrong by rule, English, state.

    Args:
        stem: Name of its file without the suffix.
        drafts: The translations.
    """
    most = max((len(draft.item.wording().choices) for draft in drafts), default=0)
    header = (IDENTIFIER, ORIGINAL, "choices", "problems", QUESTION, *_choice_headers(most), STATE)
    rows = []
    for draft in drafts:
        wording = draft.item.wording()
        english = draft.translation or Translation("")
        choices = (*english.choices, *[""] * most)[:most]
        state = Decision.REJECTED if draft.problems else Decision.DRAFT
        rows.append(
            (
                draft.item.id,
                _original(draft.item),
                text_of(choices_of(wording, CHOICE), KOREAN),
                "\n".join(draft.problems),
                english.question,
                *choices,
                str(state),
            )
        )
    widths = (10, 45, 30, 30, 45, *[25] * most, 12)
    return SheetFile(stem, header, tuple(rows), widths, OneOf(len(header) - 1, tuple(Decision)), ("states", EXPLAINED))


def read_review(table: SheetTable, items: Mapping[str, Item]) -> tuple[dict[str, Translated | None], tuple[str, ...]]:
    """Return what people made of translations, by item, and which of them were checked against a rule.

    Args:
        table: The sheet.
        items: The items by identifier; a sheet may have some of them.

    Raises:
        DataError: An item is unknown or stands twice, or beside the question of another one; a column is missing, a
            state is none, a text is missing, there are not as many choices as the item has, or a draft breaks a rule.
            Every such place is a finding.
    """
    most = max((len(item.wording().choices) for item in items.values()), default=0)
    present = {as_text(cell) for _, cells in table.rows for cell in cells}
    rows = [_Row(item_id) for item_id in items if item_id in identifiers_of(table, IDENTIFIER)]
    columns = {
        QUESTION: Column(QUESTION, "a text", text_as_written),
        **{name: Column(name, "a text", text_as_written) for name in _choice_headers(most) if name in present},
        STATE: Column(STATE, ", ".join(Decision), _state),
        **({ORIGINAL: Column(ORIGINAL, "a text", text_as_written)} if ORIGINAL in present else {}),
    }
    found: dict[str, dict[str, str]] = {}
    for entry in read_entries([table], rows, {"translation": SheetForm(IDENTIFIER, columns)}):
        found.setdefault(entry.answer_id, {})[entry.key] = entry.value
    findings = [_finding(table, item_id, problem) for item_id, problem in _mixed_up(found, items)]
    told: list[str] = []
    reviewed: dict[str, Translated | None] = {}
    for item_id, cells in found.items():
        decision = Decision(cells[STATE])
        if decision is Decision.REJECTED:
            reviewed[item_id] = None
            continue
        translation, faults = _translation(items[item_id], cells)
        problems = violations(items[item_id].wording(), translation)
        if faults or (problems and decision is Decision.DRAFT):
            findings += [_finding(table, item_id, problem) for problem in (*faults, *(() if faults else problems))]
            continue
        told += [f"item {item_id}: checked although: {problem}" for problem in problems]
        reviewed[item_id] = Translated(translation, ReviewState(str(decision)))
    if findings:
        raise DataError(*findings)
    return reviewed, tuple(told)


def _mixed_up(found: Mapping[str, Mapping[str, str]], items: Mapping[str, Item]) -> Iterator[tuple[str, str]]:
    """Yield the items that stand beside the question of another one, with whose it is: their rows were mixed up."""
    questions = {item_id: _folded(_original(item)) for item_id, item in items.items()}
    owners = {question: item_id for item_id, question in questions.items()}
    for item_id, cells in found.items():
        beside = _folded(cells.get(ORIGINAL, ""))
        if beside in owners and beside != questions[item_id]:
            yield item_id, f"the question beside it is that of item {owners[beside]}"


def _original(item: Item) -> str:
    return text_of(stem_of(item.wording().question, item.passage), KOREAN)


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", text).split())


def _translation(item: Item, cells: Mapping[str, str]) -> tuple[Translation, tuple[str, ...]]:
    wording = item.wording()
    texts = [cells.get(name, "") for name in _choice_headers(len(wording.choices))]
    beyond = [name for name in cells if name.startswith("English choice") and name not in _choice_headers(len(texts))]
    faults = [f"there is no {name.removeprefix('English ')}" for name in beyond if cells[name]]
    places = [("question", wording.question.text, cells[QUESTION])]
    places += [
        (f"choice {number}", content.text, text)
        for number, (content, text) in enumerate(zip(wording.choices, texts, strict=True), start=1)
    ]
    faults += [f"the English {place} is missing" for place, korean, text in places if korean.strip() and not text]
    return Translation(cells[QUESTION], tuple(texts)), tuple(faults)


def _choice_headers(count: int) -> tuple[str, ...]:
    return tuple(f"English choice {number}" for number in range(1, count + 1))


def _state(value: Value) -> str | Fault:
    text = as_text(value).strip().lower()
    if not text:
        return Fault("the state is missing")
    return text if text in set(Decision) else Fault("there is no such state")


def _finding(table: SheetTable, item_id: str, problem: str) -> Finding:
    return Finding(
        problem=problem.rstrip("."),
        file=table.file,
        item=show(item_id),
        remedy="Correct the sheet and import it again; nothing was written",
    )


def lines_of(drafts: Sequence[Draft]) -> Iterator[str]:
    """Yield a line for each item that is left to people, with what is wrong."""
    for draft in drafts:
        if draft.problems:
            yield f"item {draft.item.id}: {' '.join(draft.problems)}"
