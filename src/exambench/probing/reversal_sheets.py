"""Sheets of reversals for readers: question, choices, key and both answers, without a trace of who gave them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from exambench.errors import StoreError, show
from exambench.exchange import Response
from exambench.items import Benchmark, ChoiceKey, digest
from exambench.judging.returned_sheets import SheetTable, Value
from exambench.judging.sheet_forms import Column, Fault, SheetForm, as_text, read_entries
from exambench.judging.sheet_writing import OneOf, SheetFile
from exambench.judging.sheets import KOREAN, text_of
from exambench.judging.subjects import key_text, subjects_of, without_names
from exambench.probing.reversals import Reversal
from exambench.probing.scheme import CodingScheme, scheme_from_json
from exambench.protocols import Shown, choices_of, condition_from, show_in_order
from exambench.store import CodeRow, CodingPlace, CodingRecord, RunRecord, Store

CHOICE: Final = "{{number}}. {{content}}"
WIDTHS: Final = (14, 45, 30, 8, 70, 70, 18, 40)
LONGEST_NOTE: Final = 4000

_HEADERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ko": ("답안 번호", "문제", "보기", "정답", "맞은 응답", "틀린 응답"),
        "en": ("answer id", "question", "choices", "key", "answer that is right", "answer that is wrong"),
    }
)
_REASONING: Final = MappingProxyType({"ko": "[생각]\n{}\n[응답]\n{}", "en": "[reasoning]\n{}\n[answer]\n{}"})
_NOTHING: Final = MappingProxyType({"ko": "(응답 없음)", "en": "(no text)"})


def sheets_of(
    coding_id: str, scheme: CodingScheme, cells: Mapping[Reversal, tuple[str, ...]], readers: Sequence[str], seed: int
) -> tuple[tuple[SheetFile, ...], tuple[CodingPlace, ...]]:
    """Return a sheet for each reader, in an order by lot of the reader's own, and the key of all sheets.

    Args:
        coding_id: With the reader it makes the identifiers, which tell nothing of item and model.
        scheme: The categories.
        cells: What :func:`reversal_cells` returns.
        readers: Who reads.
        seed: Seed of the lot.
    """
    headers = (*_HEADERS[_language(scheme)], scheme.code_header, scheme.note_header)
    sheets, key = [], []
    for reader in readers:
        order = sorted(cells, key=lambda each: (each.item_id, each.solver))
        random.Random(f"{seed}:{reader}").shuffle(order)  # noqa: S311 - an order, not a secret
        prefix = f"r{digest([coding_id, reader])[:8]}"
        places = [
            CodingPlace(f"{prefix}-{number:03d}", coding_id, reader, each.item_id, each.solver)
            for number, each in enumerate(order, start=1)
        ]
        key += places
        sheets.append(
            SheetFile(
                stem=f"reversals-{reader}",
                header=headers,
                rows=tuple((place.answer_id, *cells[each]) for place, each in zip(places, order, strict=True)),
                widths=WIDTHS,
                takes=OneOf(len(headers) - 2, tuple(code.key for code in scheme.codes)),
                explained=("codes", scheme.explained),
            )
        )
    return tuple(sheets), tuple(key)


def reversal_cells(
    store: Store, runs: tuple[RunRecord, RunRecord], benchmark: Benchmark, drawn: Sequence[Reversal], language: str
) -> dict[Reversal, tuple[str, ...]]:
    """Return what a reader sees of each item, in the order of the headers without the identifier.

    Items are shown as the models saw them. The whole of each model's first response stands there, what it thought
    before it answered too, for that is where things go wrong. The names of both models are hidden in what either wrote.

    Raises:
        StoreError: The store cannot be read, or a response is missing.
    """
    items = {each.item_id: benchmark.by_id[each.item_id] for each in drawn}
    names = {name for run in runs for subject in subjects_of(store, run, items) for name in subject.names}
    said = [dict(_first_responses(store, run, set(items))) for run in runs]
    condition = condition_from(runs[0].condition)
    orders = {row.item_id: row.order for row in store.planned(runs[0].run_id)}
    cells = {}
    for each in drawn:
        shown = show_in_order(items[each.item_id], condition, orders[each.item_id])
        answers = []
        for place in (each.solver, 1 - each.solver):
            response = said[place].get(each.item_id)
            if response is None:
                raise StoreError(f"run {runs[place].run_id} has no response to item {show(each.item_id)} any more")
            answers.append(without_names(_told(response, language), names))
        cells[each] = (
            text_of(shown.stem, language),
            text_of(choices_of(shown.wording, CHOICE), language),
            _key(shown),
            *answers,
        )
    return cells


def read_codes(
    tables: Sequence[SheetTable], places: Sequence[CodingPlace], codings: Sequence[CodingRecord]
) -> list[CodeRow]:
    """Return the codes on filled-in sheets, every place of each sheet coded.

    Raises:
        DataError: An identifier is unknown, belongs to another sheet, stands twice or is missing; a column is missing;
            a code is blank or unknown, or a note too long. Every such place is a finding.
    """
    forms = {record.coding_id: _form(scheme_from_json(record.scheme)) for record in codings}
    found: dict[str, dict[str, str]] = {}
    for entry in read_entries(tables, places, forms):
        found.setdefault(entry.answer_id, {})[entry.key] = entry.value
    return [CodeRow(answer_id, values["code"], values["note"]) for answer_id, values in found.items()]


def _key(shown: Shown) -> str:
    """Return what is right, a choice as it was called where the models saw it."""
    return (
        shown.called(shown.right)
        if isinstance(shown.item.key, ChoiceKey) and isinstance(shown.right, int)
        else (key_text(shown.item.key))
    )


def _form(scheme: CodingScheme) -> SheetForm:
    def code(value: Value) -> str | Fault:
        text = as_text(value).strip()
        if not text:
            return Fault("the code is missing")
        found = scheme.find(text)
        return Fault("there is no such code") if found is None else found.key

    def note(value: Value) -> str | Fault:
        text = as_text(value).strip()
        return text if len(text) <= LONGEST_NOTE else Fault(f"the note has more than {LONGEST_NOTE:,} characters")

    allowed = ", ".join(each.key for each in scheme.codes)
    return SheetForm(
        _HEADERS[_language(scheme)][0],
        {
            "code": Column(scheme.code_header, allowed, code),
            "note": Column(scheme.note_header, f"at most {LONGEST_NOTE:,} characters", note),
        },
    )


def _first_responses(store: Store, run: RunRecord, wanted: set[str]) -> Iterator[tuple[str, Response]]:
    seen: set[str] = set()
    for stored in store.responses(run.run_id):
        if stored.item_id in wanted and stored.item_id not in seen:
            seen.add(stored.item_id)
            yield stored.item_id, stored.response


def _told(response: Response, language: str) -> str:
    known = KOREAN if language == KOREAN else "en"
    text = (response.text or "").strip() or (response.refusal or "").strip() or _NOTHING[known]
    return _REASONING[known].format(response.reasoning.strip(), text) if response.reasoning else text


def _language(scheme: CodingScheme) -> str:
    return KOREAN if scheme.language == KOREAN else "en"
