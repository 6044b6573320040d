"""The format of ScholarBench: JSON or JSONL, an object for each paragraph, with up to five tasks about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from types import MappingProxyType
from typing import Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.data_files import duplicate_ids, read_array_or_lines, unknown_fields
from exambench.benchmarks.fields import FieldReader
from exambench.errors import Finding, Severity, show
from exambench.items import (
    EXPLICIT,
    NEEDS_PASSAGE,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    FacetValue,
    Item,
    Key,
    TextKey,
    Wording,
)

SUMMARIZATION: Final = "summarization"
SHORT_ANSWER: Final = "short_answer"
MULTIPLE_CHOICE: Final = "multiple_choice"
MULTIPLE_SELECT: Final = "multiple_select"
TRUE_FALSE: Final = "true_false"
TASKS: Final = (SUMMARIZATION, SHORT_ANSWER, MULTIPLE_CHOICE, MULTIPLE_SELECT, TRUE_FALSE)
"""The tasks, as an object has them."""
ID: Final = "id"
OTHER_ID: Final = "pid"
CATEGORY: Final = "category"
PARAGRAPH: Final = "paragraph"
TOPIC: Final = "topic"
TASK: Final = "task"
"""Names of fields of an object and of facets of an item."""
CANARY: Final = "canary"
FIELDS: Final = frozenset({ID, OTHER_ID, CATEGORY, PARAGRAPH, *TASKS, CANARY, own_fields.FIELD})
TRUTH_VALUES: Final[Mapping[str, bool]] = MappingProxyType(
    {"참": True, "true": True, "1": True, "거짓": False, "false": False, "0": False}
)
"""How the files write them, in small letters."""
_LABELLED: Final = re.compile(r"\s*\(?([A-Za-z])[).]\s*(.*)", re.DOTALL)
_LETTER: Final = re.compile(r"\s*\(?([A-Za-z])(?:[).](.*))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """What the tasks of an object have in common."""

    name: str
    text: str
    category: str
    own: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


def read_items(path: Path) -> tuple[tuple[Item, ...], tuple[Finding, ...]]:
    """Read every task of every paragraph as an item of its own, called ``PARAGRAPH-TASK``; tasks may be missing.

    The paragraph is the item's passage. A summary has no stem, and cannot stand without its passage. Facets are
    ``category``, ``task``, ``paragraph`` and, but for summaries, ``topic``. What the field ``exambench`` says of an
    item (:mod:`exambench.benchmarks.own_fields`) comes before that.

    Returns:
        The usable items in the order of the file, and everything that is wrong, errors and warnings.

    Raises:
        DataError: The file cannot be read at all, or is neither a JSON array nor JSONL.
    """
    entries = read_array_or_lines(path)
    file = str(path)
    findings: list[Finding] = []
    items: list[Item] = []
    for position, entry in enumerate(entries, start=1):
        found, problems = read_paragraph(entry, file, position)
        items += found
        findings += problems
    return tuple(items), (*findings, *duplicate_ids(items, file), *unknown_fields(entries, FIELDS, file))


def read_paragraph(entry: object, file: str, position: int) -> tuple[list[Item], list[Finding]]:
    """Read the tasks of one object.

    Args:
        entry: The object, as JSON has it.
        file: Path of its file, for messages.
        position: Its place in the file, from 1.

    Returns:
        The usable items, and everything that is wrong.
    """
    if not isinstance(entry, dict):
        finding = Finding("is not an object", file=file, item=f"#{position}", value=show(entry), allowed="an object")
        return [], [finding]
    fields = FieldReader({**entry, PARAGRAPH: paragraph_text(entry.get(PARAGRAPH))}, file, position)
    name, category, text = fields.identifier(ID), _needed(fields, CATEGORY), _needed(fields, PARAGRAPH)
    own = entry.get(own_fields.FIELD, {})
    if not isinstance(own, dict) or not own.keys() <= entry.keys() & set(TASKS):
        allowed = "an object for each task of the paragraph"
        fields.error(own_fields.FIELD, "is not by task", value=own, allowed=allowed, remedy="Correct the value")
    if fields.has_errors or name is None:
        return [], fields.findings
    paragraph = _Paragraph(name, text, category, own)
    items, findings = [], fields.findings
    for task in TASKS:
        if task in entry:
            item, problems = _read_task(paragraph, task, entry[task], file)
            items += [] if item is None else [item]
            findings += problems
    return items, findings


def paragraph_text(value: object) -> object:
    """Return a paragraph that is a list of sections as one text; what is something else stays as it is."""
    if not isinstance(value, list):
        return value
    sections = []
    for section in value:
        if not isinstance(section, dict):
            return value
        text = section.get("text")
        lines = [section.get("section"), *(text if isinstance(text, list) else [text])]
        if not all(isinstance(line, str | None) for line in lines):
            return value
        sections.append("\n".join(line for line in lines if line))
    return "\n\n".join(sections)


def _read_task(paragraph: _Paragraph, task: str, body: object, file: str) -> tuple[Item | None, Sequence[Finding]]:
    identifier = f"{paragraph.name}-{task}"
    if not isinstance(body, dict):
        finding = Finding(
            "is not an object", file=file, item=identifier, field=task, value=show(body), allowed="an object"
        )
        return None, [finding]
    fields = FieldReader({**body, ID: identifier}, file, 0)
    fields.identifier(ID)
    facets: dict[str, FacetValue] = {CATEGORY: paragraph.category, TASK: task, PARAGRAPH: paragraph.name}
    stem = ""
    choices: tuple[str, ...] = ()
    if task == SUMMARIZATION:
        key: Key | None = TextKey(_needed(fields, "summary_text"))
        facets[NEEDS_PASSAGE] = True
    else:
        stem, facets[TOPIC] = _needed(fields, "question"), fields.text(TOPIC)
        chooses = task in {MULTIPLE_CHOICE, MULTIPLE_SELECT}
        choices = tuple(_choices(fields, body.get("choices"))) if chooses else ()
        if len(set(choices)) < len(choices):
            fields.warn("choices", "has a choice twice", value=list(choices), allowed="each once", remedy="Correct it")
        key = None if chooses and not choices else _key(fields, task, body.get("answer"), choices)
    if fields.has_errors or key is None:
        return None, fields.findings
    wording = Wording(Content(stem), tuple(map(Content, choices)))
    item = Item(identifier, {EXPLICIT: wording}, key, facets, passage=paragraph.text)
    if task not in paragraph.own:
        return item, fields.findings
    whole, problems = own_fields.completed(item, paragraph.own[task], task, file, fixed=TASK)
    return whole, [*fields.findings, *problems]


def _needed(fields: FieldReader, field: str) -> str:
    before = len(fields.findings)
    text = fields.text(field)
    is_told = any(finding.severity is Severity.ERROR for finding in fields.findings[before:])
    if not text.strip() and not is_told:
        fields.error(field, "is missing", value=text, allowed="a text", remedy="Add the field")
    return text


def _choices(fields: FieldReader, value: object) -> Iterator[str]:
    """Yield the choices without the letters before them, which have to be those of their places."""
    texts = value if isinstance(value, list) else []
    if not 2 <= len(texts) <= len(ascii_lowercase) or not all(isinstance(text, str) for text in texts):  # noqa: PLR2004 - one choice is no choice
        fields.error("choices", "is no list of choices", value=value, allowed='["a) …", "b) …"]', remedy="Correct it")
        return
    found = [_LABELLED.fullmatch(text) for text in texts]
    labels = [match[1].lower() for match in found if match is not None]
    if labels and labels != list(ascii_lowercase[: len(texts)]):
        if len(labels) == len(texts):
            problem = "are not in the order of their letters"
            fields.error("choices", problem, value=value, allowed="a, b, c, …", remedy="Put them in order")
            return
        found = [None] * len(texts)  # a choice that begins as if it had a letter, among others that have none
    for place, (text, match) in enumerate(zip(texts, found, strict=True), start=1):
        words = text if match is None else match[2]
        clean = fields.cleaned(words.strip(), f"choices[{place}]")
        if not clean:
            fields.error(f"choices[{place}]", "is empty", value=text, allowed="a text", remedy="Fill it in")
        yield clean


def _key(fields: FieldReader, task: str, value: object, choices: Sequence[str]) -> Key | None:
    """Return what is right; ``None`` after the fault was recorded."""
    match task:
        case "short_answer":
            return TextKey(_needed(fields, "answer"))
        case "true_false":
            truth = TRUTH_VALUES.get(str(value).strip().lower())
            if truth is not None:
                return BooleanKey(truth)
            allowed = ", ".join(TRUTH_VALUES)
        case _:
            named = _letters(value)
            indices = [ascii_lowercase.index(letter) + 1 for letter, _ in named]
            is_set = task == MULTIPLE_SELECT
            if indices and max(indices) <= len(choices) and (is_set or len(indices) == 1):
                for index, (_, words) in zip(indices, named, strict=True):
                    _compare(fields, words, choices[index - 1])
                return ChoiceSetKey(frozenset(indices)) if is_set else ChoiceKey(indices[0])
            allowed = '["a", "c"]' if is_set else "a letter among those of the choices"
    fields.error("answer", "names no answer", value=value, allowed=allowed, remedy="Correct the value")
    return None


def _letters(value: object) -> list[tuple[str, str]]:
    """Return the letters that an answer names, in small, and the words after each; none where one part names none."""
    parts = value if isinstance(value, list) else [value]
    matches = [_LETTER.fullmatch(part) if isinstance(part, str) else None for part in parts]
    named = [(match[1].lower(), match[2] or "") for match in matches if match is not None]
    return named if len(named) == len(parts) else []


def _compare(fields: FieldReader, words: str, choice: str) -> None:
    """Warn where an answer has other words after its letter than the choice: the letter may be wrong."""
    if words.strip() and fields.cleaned(words.strip(), "answer") != choice:
        problem = "has other words after a letter than its choice"
        fields.warn("answer", problem, value=words.strip(), allowed=show(choice), remedy="Correct letter or words")
