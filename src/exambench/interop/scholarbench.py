"""The published format of ScholarBench: an object for each paragraph, with the tasks that there are about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.scholarbench_format import (
    CATEGORY,
    ID,
    MULTIPLE_CHOICE,
    MULTIPLE_SELECT,
    OTHER_ID,
    PARAGRAPH,
    SHORT_ANSWER,
    SUMMARIZATION,
    TASK,
    TASKS,
    TOPIC,
    TRUE_FALSE,
    read_paragraph,
)
from exambench.interop.exporting import Export, as_json, as_jsonl, nothing_left
from exambench.items import Benchmark, BooleanKey, ChoiceKey, ChoiceSetKey, Item, TextKey, facet_text

KEYS: Final = {
    SUMMARIZATION: TextKey,
    SHORT_ANSWER: TextKey,
    MULTIPLE_CHOICE: ChoiceKey,
    MULTIPLE_SELECT: ChoiceSetKey,
    TRUE_FALSE: BooleanKey,
}
"""The kind of key that a task has."""
MOST_CHOICES: Final = 4
"""Programs that read the format know the letters a to d."""
_HANGUL: Final = re.compile(r"[가-힣]")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,17}")

Tasks = Mapping[str, Item]


def scholarbench(benchmark: Benchmark) -> Export:
    """Return a benchmark in ScholarBench's format: ``NAME.json``, an array, and ``NAME.jsonl`` with the same objects.

    Items with the facets ``paragraph``, ``category`` and ``task`` become the tasks of their paragraph, in the order in
    which paragraphs come. A paragraph that lacks a task has no such field, as in the published files. Of several items
    of one task the last goes in: a later round of generation builds on the one before. Objects are numbered where an
    identifier of a paragraph is no number, for programs that read the format take no other; the identifier is ``pid``.

    Raises:
        DataError: No item has the form that this format takes.
    """
    grouped = _grouped(benchmark)
    return _export(benchmark.name, _objects(grouped), grouped.left_out)


def whole_scholarbench(benchmark: Benchmark) -> Export:
    """Return the same, with all that the published fields have no place for in the field ``exambench`` of each object.

    That is the identifier of each item, its labels, its source, its rationale, other wordings, and the question of a
    summary. Programs for the published files name the fields that they read, and pass over this one.

    Raises:
        DataError: No item has the form that this format takes.
    """
    grouped = _grouped(benchmark)
    objects = _objects(grouped)
    for made, tasks in zip(objects, grouped.paragraphs.values(), strict=True):
        published = {item.facets[TASK]: item for item in read_paragraph(made, "", 1)[0]}
        made[own_fields.FIELD] = {
            task: own_fields.own_fields(tasks[task], published.get(task)) for task in TASKS if task in tasks
        }
    return _export(benchmark.name, objects, grouped.left_out)


@dataclass(frozen=True, slots=True)
class _Grouped:
    """The items by paragraph and task, and why others are left out, by identifier."""

    paragraphs: Mapping[str, Tasks]
    left_out: Mapping[str, str]


def _grouped(benchmark: Benchmark) -> _Grouped:
    left_out: dict[str, str] = {}
    paragraphs: dict[str, dict[str, Item]] = {}
    for item in benchmark.items:
        name = facet_text(item.facets.get(PARAGRAPH, ""))
        tasks = paragraphs.get(name, {})
        reason = _against(item) or _against_others(item, tasks)
        if reason:
            left_out[item.id] = reason
            continue
        task = str(item.facets[TASK])
        if task in tasks:
            left_out[tasks[task].id] = f"item {item.id}, a later one, is the {task} of its paragraph"
        paragraphs.setdefault(name, tasks)[task] = item
    if not paragraphs:
        raise nothing_left("scholarbench", left_out)
    return _Grouped(paragraphs, left_out)


def _objects(grouped: _Grouped) -> list[dict[str, Any]]:
    korean = _is_korean(grouped.paragraphs)
    numbers = _numbers(grouped.paragraphs)
    return [numbers[name] | _object(tasks, korean=korean) for name, tasks in grouped.paragraphs.items()]


def _export(name: str, objects: Sequence[Mapping[str, Any]], left_out: Mapping[str, str]) -> Export:
    return Export({f"{name}.json": as_json(objects), f"{name}.jsonl": as_jsonl(objects)}, (), left_out)


def _against(item: Item) -> str:
    """Return why the format has no place for an item; nothing if it has."""
    task = item.facets.get(TASK)
    if not isinstance(task, str) or task not in TASKS:
        return f"its facet {TASK} is none of {', '.join(TASKS)}"
    if not item.passage or PARAGRAPH not in item.facets:
        return "it belongs to no paragraph"
    if CATEGORY not in item.facets:
        return "it has no category"
    return _against_task(item, task)


def _against_task(item: Item, task: str) -> str:
    """Return why an item is no such task; nothing if it is."""
    wording = item.wording()
    if not isinstance(item.key, KEYS[task]):
        return f"its key is not of the kind of {task}"
    if wording.images:
        return "the format has no pictures"
    if task != SUMMARIZATION and not wording.question.text.strip():
        return "it has no question"
    if isinstance(item.key, ChoiceKey | ChoiceSetKey) and len(wording.choices) > MOST_CHOICES:
        return f"the format has at most {MOST_CHOICES} choices"
    return ""


def _against_others(item: Item, tasks: Tasks) -> str:
    """Return why an item does not go with the others of its paragraph; nothing if it does."""
    other = next(iter(tasks.values()), item)
    if (item.passage, item.facets[CATEGORY]) != (other.passage, other.facets[CATEGORY]):
        return f"item {other.id} has another text or category for the same paragraph"
    return ""


def _is_korean(paragraphs: Mapping[str, Tasks]) -> bool:
    """Tell whether most paragraphs are Korean: truth values are written in one language in a file."""
    texts = [next(iter(tasks.values())).passage for tasks in paragraphs.values()]
    return 2 * sum(_HANGUL.search(text) is not None for text in texts) > len(texts)


def _numbers(names: Mapping[str, Tasks]) -> Mapping[str, dict[str, Any]]:
    """Return by paragraph the fields that name it."""
    if all(_NUMBER.fullmatch(name) for name in names):
        return {name: {ID: int(name)} for name in names}
    return {name: {ID: number, OTHER_ID: name} for number, name in enumerate(names, start=1)}


def _object(tasks: Tasks, *, korean: bool) -> dict[str, Any]:
    item = next(iter(tasks.values()))
    about = {CATEGORY: facet_text(item.facets[CATEGORY]), PARAGRAPH: item.passage}
    return about | {task: _body(tasks[task], korean=korean) for task in TASKS if task in tasks}


def _body(item: Item, *, korean: bool) -> dict[str, Any]:
    asked = {"question": item.wording().question.text}
    topic = {TOPIC: facet_text(item.facets.get(TOPIC, ""))}
    choices = [f"{ascii_lowercase[place]}) {choice.text}" for place, choice in enumerate(item.wording().choices)]
    match item.key:
        case TextKey(text) if item.facets[TASK] == SUMMARIZATION:
            return {"summary_text": text}
        case TextKey(text):
            return asked | {"answer": text} | topic
        case ChoiceKey(index):
            return asked | {"choices": choices, "answer": ascii_lowercase[index - 1]} | topic
        case ChoiceSetKey(indices):
            return asked | {"choices": choices, "answer": [ascii_lowercase[n - 1] for n in sorted(indices)]} | topic
        case BooleanKey(value):
            words = ("참", "거짓") if korean else ("True", "False")
            return asked | {"answer": words[0] if value else words[1]} | topic
