"""Items and right answers in tables: CSV and XLSX, by a mapping of columns."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from exambench.construct.answer_keys import Keys, answers_in, keys_of_rows
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.joining import clean
from exambench.construct.reading_result import Reading
from exambench.construct.records import Action, Change
from exambench.errors import ConfigError, DataError, Finding, MissingExtraError, show
from exambench.items import EXPLICIT, ChoiceKey, Content, FacetValue, Item, Wording

TABLES: Final = frozenset({".csv", ".tsv", ".xlsx"})
MOST_ROWS: Final = 100_000
LONGEST_CELL: Final = 100_000
LETTERS: Final = "ABCDEFGHI"
HANGUL_LETTERS: Final = "가나다라마바사아자"
NUMBER_NAMES: Final = ("number", "no", "no.", "번호", "문항", "문제번호", "문항번호", "id")
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


def read_key_table(path: Path) -> Keys:
    """Read right answers from a table whose columns are the number and the answer, by their names or in this order.

    Raises:
        DataError: It cannot be read, or holds no answers.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    rows = cells_of(path)
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    number = next((header.index(name) for name in NUMBER_NAMES if name in header), None)
    answer = next((header.index(name) for name in ANSWER_NAMES if name in header), None)
    named = number is not None and answer is not None
    columns = (number, answer) if number is not None and answer is not None else (0, 1)
    pairs = []
    for place, row in enumerate(rows[1 if named else 0 :], start=2 if named else 1):
        if len(row) <= max(columns) or not any(cell.strip() for cell in row):
            continue
        digits = row[columns[0]].strip().rstrip(".번")
        if not digits.isdecimal():
            if place == 1:
                continue  # a header of other names
            raise DataError(
                Finding("is no number of an item", file=str(path), item=f"row {place}", value=show(row[columns[0]]))
            )
        pairs.append((int(digits), row[columns[1]]))
    keys = keys_of_rows(pairs)
    if not any(keys.answers.values()):
        raise DataError(
            Finding(
                "holds no right answers", file=str(path), allowed="the columns number and answer", remedy="Check it"
            )
        )
    return keys


def read_table_paper(path: Path, settings: IngestSettings, keys: Keys | None) -> Reading:
    """Read items from a table: one a row.

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
    items: list[Item] = []
    changes: list[Change] = []
    confidence: dict[str, float] = {}
    seen: set[str] = set()
    for place, values in enumerate(cells[1:], start=2):
        row = dict(zip(header, values, strict=False))
        if not any(value.strip() for value in values):
            continue
        name = f"{settings.prefix}{_text(row, columns.get('number')) or place - 1}"
        item, faults = _item(name, row, columns, settings, keys)
        if name in seen:
            faults = [*faults, "its number stands in another row too"]
            name, item = f"{name} (row {place})", None
        seen.add(name)
        if item is None:
            changes.append(Change(name, Action.REVIEW, "; ".join(faults), {"row": place, "cells": list(values)[:20]}))
        else:
            items.append(item)
            confidence[name] = 1.0
    facts = {"read as": "table", "rows": len(cells) - 1, "held back": len(changes)}
    return Reading(tuple(items), tuple(changes), facts, confidence)


def _item(
    name: str, row: Row, columns: Mapping[str, Any], settings: IngestSettings, keys: Keys | None
) -> tuple[Item | None, list[str]]:
    stem = _text(row, columns["question"])
    choices = [text for column in columns["choices"] if (text := _text(row, column))]
    faults = [] if stem else ["the stem is empty"]
    if len(choices) != settings.choices:
        faults.append(f"it has {len(choices)} options where {settings.choices} are expected")
    if keys is None:
        answers = _answers(_text(row, columns["answer"]), choices)
    else:
        number = _text(row, columns.get("number"))
        answers = keys.answers.get(int(number), ()) if number.isdecimal() else ()
    if len(answers) != 1:
        faults.append("several answers are named as right" if answers else "no right answer was found")
    elif answers[0] > len(choices):
        faults.append("the right answer is none of its options")
    part = _text(row, columns.get("part"))
    if faults:
        return None, faults
    facets: dict[str, FacetValue] = {} if settings.part is None else {"part": settings.part}
    if part:
        facets["part"] = int(part) if part.isdecimal() else part
    item = Item(
        id=name,
        wordings={EXPLICIT: Wording(Content(stem), tuple(map(Content, choices)))},
        key=ChoiceKey(answers[0]),
        facets=facets | {"modality": "text"} | settings.facets,
        rationale=_text(row, columns.get("rationale")),
        source=settings.source or settings.paper.name,
    )
    return item, []


def _answers(text: str, choices: Sequence[str]) -> tuple[int, ...]:
    """Return the options that an answer names: by number, by letter, or by what it says."""
    if text in choices:
        return tuple(place for place, choice in enumerate(choices, start=1) if choice == text)
    for letters in (LETTERS, HANGUL_LETTERS):
        if len(text) == 1 and text.upper() in letters:
            return (letters.index(text.upper()) + 1,)
    return answers_in(text)


def _columns(header: Sequence[str], settings: IngestSettings, path: Path, *, needs_answer: bool) -> dict[str, Any]:
    """Return the columns of fields: those that the settings name, else those of usual names."""
    by_name = {name.lower(): name for name in header}

    def usual(names: Sequence[str]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    choices = [usual([name.format(n) for name in CHOICE_NAMES]) for n in range(1, settings.choices + 1)]
    columns: dict[str, Any] = {
        "number": usual(NUMBER_NAMES),
        "question": usual(QUESTION_NAMES),
        "choices": choices,
        "answer": usual(ANSWER_NAMES),
        "part": usual(("part", "과목")),
        "rationale": usual(("rationale", "해설")),
    } | settings.fields
    needed = {"question": columns["question"], **({"answer": columns["answer"]} if needs_answer else {})}
    listed = columns["choices"] if isinstance(columns["choices"], list) else [columns["choices"]]
    needed |= {f"choices[{n}]": name for n, name in enumerate(listed, start=1)}
    columns["choices"] = listed
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


def cells_of(path: Path) -> list[list[str]]:
    """Return the cells of a table as text.

    Raises:
        DataError: It cannot be read, or has too many rows.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    rows = _workbook(path) if path.suffix.lower() == ".xlsx" else _delimited(path)
    if len(rows) > MOST_ROWS:
        raise DataError(Finding(f"has more than {MOST_ROWS} rows", file=str(path), remedy="Split it"))
    return rows


def _delimited(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        return list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from None


def _workbook(path: Path) -> list[list[str]]:
    try:
        import openpyxl  # noqa: PLC0415 - an optional part
        from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("sheets", "reading XLSX files") from error
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            found = []
            for values in book.worksheets[0].iter_rows(values_only=True):
                found.append(["" if value is None else _plain(value) for value in values])
                if len(found) > MOST_ROWS:
                    break
            return found
        finally:
            book.close()
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile, InvalidFileException, SyntaxError) as error:
        raise _unreadable(path, error) from None


def _plain(value: object) -> str:
    """Return a cell as text; numbers that are whole without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        Finding(
            f"cannot be read: {' '.join(str(error).split())[:200]}",
            file=str(path),
            allowed="CSV in UTF-8, or XLSX",
            remedy="Save it anew",
        )
    )
