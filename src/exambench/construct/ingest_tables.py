"""Items and right answers in tables: CSV and XLSX, by a mapping of columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from exambench.construct.answer_keys import Keys, KeyTables, answers_in, keys_of_rows
from exambench.construct.checked import OPTIONS_OF_AN_ITEM, Place, details_of, with_contents
from exambench.construct.conventions import USUAL
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.joining import clean
from exambench.construct.key_rows import MOST_CHOICES
from exambench.construct.numbering import MOST_DIGITS, Part, named_part, part_of
from exambench.construct.reading_result import Reading
from exambench.construct.records import Action, Change
from exambench.construct.signs import LETTERS
from exambench.construct.table_cells import cells_of, check_once
from exambench.errors import ConfigError, DataError, Finding, show
from exambench.items import EXPLICIT, ChoiceKey, Content, FacetValue, Item, Wording

LONGEST_CELL: Final = 100_000
LONGEST_IDENTIFIER: Final = 200
LONGEST_SHOWN: Final = 1_000
MOST_SHOWN: Final = 20
"""Cells of a row, and characters of each, in the record."""
NUMBER_NAMES: Final = ("number", "no", "no.", "번호", "문항", "문제번호", "문항번호", "id")
PART_NAMES: Final = ("part", "과목", "교시", "section")
ANSWER_NAMES: Final = ("answer", "key", "정답", "답")
QUESTION_NAMES: Final = ("question", "stem", "문제", "질문", "문항내용")
CHOICE_NAMES: Final = (
    "choice{}",
    "choice {}",
    "choice_{}",
    "option{}",
    "option {}",
    "option_{}",
    "보기{}",
    "보기 {}",
    "선택지{}",
)

Row = Mapping[str, str]


def read_key_table(path: Path, heading: re.Pattern[str], signs: Mapping[str, int]) -> KeyTables:
    """Read right answers from a table.

    Its columns are the number and the answer, by their names or in this order, and by its name alone the part.

    Args:
        path: The table.
        heading: Pattern of the heading of a part, with a group ``part``; a cell may also be the bare number or name.
        signs: Signs that name options besides digits, and which.

    Raises:
        DataError: It cannot be read, or holds no answers.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    rows = cells_of(path)
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    number, answer, part = (_column(header, names) for names in (NUMBER_NAMES, ANSWER_NAMES, PART_NAMES))
    named = number is not None and answer is not None
    check_once(header, [header[place] for place in (number, answer, part) if place is not None], path)
    columns = (number, answer) if number is not None and answer is not None else (0, 1)
    pairs: list[tuple[Part | None, int, str]] = []
    for place, row in enumerate(rows[1 if named else 0 :], start=2 if named else 1):
        if len(row) <= max(columns) or not any(cell.strip() for cell in row):
            continue
        digits = row[columns[0]].strip().rstrip(".번")
        if not _is_number(digits):
            if place == 1:
                continue  # a header of other names
            raise DataError(
                Finding("is no number of an item", file=str(path), item=f"row {place}", value=show(row[columns[0]]))
            )
        of = _part(row[part], heading) if named and part is not None and part < len(row) else None
        pairs.append((of, int(digits), row[columns[1]]))
    whole = keys_of_rows(((number, text) for _, number, text in pairs), signs)
    if not any(whole.answers.values()):
        raise DataError(
            Finding(
                "holds no right answers", file=str(path), allowed="the columns number and answer", remedy="Check it"
            )
        )
    parts = {of for of, _, _ in pairs if of is not None}
    return KeyTables(
        whole,
        {of: keys_of_rows(((number, text) for each, number, text in pairs if each == of), signs) for of in parts},
    )


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _part(text: str, heading: re.Pattern[str]) -> Part | None:
    found = part_of(clean(text), heading)
    if found is not None:
        return found
    name = clean(text)
    return named_part(name) if name else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS


def read_table_paper(path: Path, settings: IngestSettings, keys: KeyTables | None) -> Reading:
    """Read items from a table: one a row; where numbers start anew in each part, identifiers carry the part.

    Args:
        path: The table.
        settings: Of the stage; ``fields`` names the columns.
        keys: Right answers from a file of their own, if there is one.

    Raises:
        ConfigError: A column that is needed is missing.
        DataError: The table cannot be read.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    cells = cells_of(path)
    if not cells:
        raise DataError(Finding("holds no rows", file=str(path), remedy="Check the file"))
    header = [cell.strip() for cell in cells[0]]
    columns = _columns(header, settings, path, needs_answer=keys is None)
    check_once(header, [*columns["choices"], *(name for field, name in columns.items() if field != "choices")], path)
    items: list[Item] = []
    changes: list[Change] = []
    confidence: dict[str, float] = {}
    order: list[str] = []
    seen: set[str] = set()
    rows = [
        (place, dict(zip(header, values, strict=False)), values)
        for place, values in enumerate(cells[1:], start=2)
        if any(value.strip() for value in values)
    ]
    anew = _starts_anew([row for _, row, _ in rows], columns)
    for place, row, values in rows:
        part = _text(row, columns.get("part")) if anew else ""
        number = _text(row, columns.get("number")) or str(place - 1)
        name = f"{settings.prefix}{part}-{number}" if part else f"{settings.prefix}{number}"
        of_part = None if keys is None else keys.of(_part(part, re.compile(settings.heading)), starts_anew=anew)
        found, faults = _place(row, columns, settings, of_part)
        if len(name) > LONGEST_IDENTIFIER or not name.isprintable():
            faults = [*faults, f"its number is none: allowed are {LONGEST_IDENTIFIER} printable characters"]
            name = f"{settings.prefix}row {place}"
        if name in seen:
            faults = [*faults, "its number stands in another row too"]
            name = f"{name} (row {place})"
        seen.add(name)
        order.append(name)
        if faults:
            shown = {"row": place, "cells": [value[:LONGEST_SHOWN] for value in values[:MOST_SHOWN]]}
            changes.append(Change(name, Action.REVIEW, "; ".join(faults), shown | details_of(found)))
        else:
            items.append(_item(name, found))
            confidence[name] = 1.0
    facts = {
        "read as": "table",
        "rows": len(cells) - 1,
        "held back": len(changes),
        OPTIONS_OF_AN_ITEM: settings.count or len(columns["choices"]),
    }
    return Reading(tuple(items), tuple(changes), facts, confidence, tuple(order))


def _starts_anew(rows: Sequence[Row], columns: Mapping[str, Any]) -> bool:
    """Tell whether a number stands in several rows, each of another part."""
    numbers = [_text(row, columns.get("number")) for row in rows]
    parts = [_text(row, columns.get("part")) for row in rows]
    return len(set(numbers)) < len(numbers) and len(set(parts)) > 1 and all(numbers) and all(parts)


def _place(
    row: Row, columns: Mapping[str, Any], settings: IngestSettings, keys: Keys | None
) -> tuple[Place, list[str]]:
    """Return what stands in a row, and what keeps it from being an item."""
    stem = _text(row, columns["question"])
    choices = [text for column in columns["choices"] if (text := _text(row, column))]
    faults = [] if stem else ["the stem is empty"]
    expected = settings.count or len(columns["choices"])
    if len(choices) != expected:
        faults.append(f"it has {len(choices)} options where {expected} are expected")
    if keys is None:
        answers = _answers(_text(row, columns["answer"]), choices)
    else:
        number = _text(row, columns.get("number"))
        answers = keys.answers.get(int(number), ()) if _is_number(number) else ()
    if len(answers) != 1:
        faults.append("several answers are named as right" if answers else "no right answer was found")
    elif answers[0] > len(choices):
        faults.append("the right answer is none of its options")
    part = _text(row, columns.get("part"))
    facets: dict[str, FacetValue] = {} if settings.part is None else {"part": settings.part}
    if part:
        facets["part"] = int(part) if _is_number(part) else part
    found = Place(
        answers=tuple(answers),
        facets=facets | {"modality": "text"} | settings.facets,
        source=settings.source or settings.paper.name,
        rationale=_text(row, columns.get("rationale")),
    )
    return with_contents(found, Content(stem), [Content(choice) for choice in choices]), faults


def _item(name: str, found: Place) -> Item:
    return Item(
        id=name,
        wordings={EXPLICIT: Wording(Content(found.question), tuple(map(Content, found.choices)))},
        key=ChoiceKey(found.answers[0]),
        facets=found.facets or {},
        rationale=found.rationale,
        source=found.source,
    )


def _answers(text: str, choices: Sequence[str]) -> tuple[int, ...]:
    """Return the options that an answer names: by number, by letter, or by what it says."""
    if text in choices:
        return tuple(place for place, choice in enumerate(choices, start=1) if choice == text)
    return answers_in(text, LETTERS)


def _columns(header: Sequence[str], settings: IngestSettings, path: Path, *, needs_answer: bool) -> dict[str, Any]:
    """Return the columns of fields: those that the settings name, else those of usual names."""
    by_name = {name.lower(): name for name in header}

    def usual(names: Sequence[str]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    found = [usual([name.format(n) for name in CHOICE_NAMES]) for n in range(1, MOST_CHOICES + 1)]
    last = settings.count or max((n for n, name in enumerate(found, start=1) if name is not None), default=USUAL)
    columns: dict[str, Any] = {
        "number": usual(NUMBER_NAMES),
        "question": usual(QUESTION_NAMES),
        "choices": found[:last],
        "answer": usual(ANSWER_NAMES),
        "part": usual(PART_NAMES),
        "rationale": usual(("rationale", "해설")),
    } | {field: name for field, name in settings.fields.model_dump().items() if name is not None}
    asked = {"question", *(["answer"] if needs_answer else []), *settings.fields.model_fields_set} - {"choices"}
    needed = {field: columns[field] for field in sorted(asked)}
    needed |= {f"choices[{n}]": name for n, name in enumerate(columns["choices"], start=1)}
    wrong = [
        Finding(
            "the table has no such column",
            file=str(path),
            field=f"fields.{field}",
            value=None if name is None else show(name),
            allowed=", ".join(header)[:400],
            remedy="Name the column in the stage's settings: fields = { … }",
        )
        for field, name in needed.items()
        if name not in header
    ]
    if wrong:
        raise ConfigError(*wrong)
    return columns


def _text(row: Row, column: str | None) -> str:
    return "" if column is None else clean(row.get(column, "")[:LONGEST_CELL])
