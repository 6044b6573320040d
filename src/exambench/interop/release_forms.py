"""The format of a release's data, chosen by its items, and whether what is written reads back as what was built."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.formats import Format, read_items
from exambench.benchmarks.scholarbench_format import (
    CATEGORY,
    MULTIPLE_CHOICE,
    MULTIPLE_SELECT,
    PARAGRAPH,
    SHORT_ANSWER,
    SUMMARIZATION,
    TASK,
    TOPIC,
    TRUE_FALSE,
)
from exambench.errors import DataError, Finding, Severity
from exambench.interop.exam_formats import kmetbench
from exambench.interop.exporting import Export, quoted
from exambench.interop.scholarbench import whole_scholarbench
from exambench.items import NEEDS_PASSAGE, Benchmark, Content, FacetValue, Item, facet_text, key_as_pair

PUBLISHED: Final = frozenset({CATEGORY, NEEDS_PASSAGE, TASK, TOPIC})
"""Facets of ScholarBench's fields, but that a summary has no topic."""
ASKED: Final = (MULTIPLE_CHOICE, MULTIPLE_SELECT, TRUE_FALSE, SHORT_ANSWER)
"""The tasks that the definition of a release has protocols for; the first that there is heads it."""
MOST_AXES: Final = 20
"""Categories that are reported on one by one."""
_FOLDER: Final = Path(__file__).parent


def form_of(items: Sequence[Item]) -> Format:
    """Return the format that items are of: ScholarBench's where every one is about a paragraph, else K-MetBench's."""
    return "scholarbench" if items and all(PARAGRAPH in item.facets for item in items) else "kmetbench"


def data_of(benchmark: Benchmark, form: Format) -> Export:
    """Return the data files of a benchmark in a format; none of its items is left out.

    Raises:
        DataError: The format has no place for an item; each one is a finding.
    """
    export = whole_scholarbench(benchmark) if form == "scholarbench" else kmetbench(benchmark)
    if export.left_out:
        raise DataError(
            *(
                Finding(reason, item=item, remedy="Drop or change the item in a stage before, or name another format")
                for item, reason in export.left_out.items()
            )
        )
    return export


def lost(data: bytes, form: Format, items: Sequence[Item]) -> Mapping[str, int]:
    """Return what of the items the data does not say, with the number of items that lose it.

    Args:
        data: The content of the data file.
        form: Its format.
        items: The items that it has to hold, each with all that its content hash is made of.

    Raises:
        DataError: An item cannot be read, or is read as another one; each fault is a finding.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_bytes(data)
        found, findings = read_items(path, form)
    errors = [replace(each, file=None) for each in findings if each.severity is Severity.ERROR]
    by_id = {item.id: item for item in found}
    changed = [item.id for item in items if item.id not in by_id or _content(item) != _content(by_id[item.id])]
    if errors or changed or len(found) != len(items):
        raise DataError(*errors, *map(_is_another, changed))
    return dict(sorted(Counter(what for item in items for what in _missing(item, by_id[item.id])).items()))


def beside(data: bytes) -> Mapping[str, int]:
    """Return what data in ScholarBench's format says in our own field alone, with the number of items it says it of."""
    return dict(sorted(Counter(_names(json.loads(data))).items()))


def tasks_of(items: Sequence[Item], language: str) -> str:
    """Return how a definition ends whose items are tasks of ScholarBench: axes by category, a protocol for each task.

    Args:
        items: The items; there is an axis for each of their categories, unless there are too many to show.
        language: ISO 639 code of the language to ask in; English where it is not Korean.
    """
    name = "ko" if language == "ko" else "en"
    protocols = (_FOLDER / f"scholarbench_protocols_{name}.toml").read_text(encoding="utf-8")
    there = {item.facets.get(TASK) for item in items}
    headline = next((task for task in ASKED if task in there), ASKED[0])
    categories = dict.fromkeys(item.facets[CATEGORY] for item in items)
    axes = [_axis("accuracy", "Accuracy", "정확도")]
    if len(categories) <= MOST_AXES:
        axes += [_axis(facet_text(each), facet_text(each), facet_text(each), [each]) for each in categories]
    return "\n".join((f'format = "scholarbench"\nheadline = "{headline}"\n', *axes, protocols))


def _axis(name: str, english: str, korean: str, categories: Sequence[FacetValue] = ()) -> str:
    lines = [
        "[[axes]]",
        f"name = {quoted(name)}",
        f"titles = {{ en = {quoted(english)}, ko = {quoted(korean)} }}",
        *([f"where = {{ {CATEGORY} = {quoted(categories)} }}"] if categories else []),
    ]
    return "\n".join(lines) + "\n"


def _names(objects: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in objects:
        for own in each[own_fields.FIELD].values():
            yield from own.keys() - {own_fields.FACETS, own_fields.WORDINGS}
            facets = own.get(own_fields.FACETS, {})
            published = PUBLISHED - {TOPIC} if facets.get(TASK) == SUMMARIZATION else PUBLISHED
            yield from (f"facet {name}" for name in facets.keys() - published)
            yield from (f"wording {name}" for name in own.get(own_fields.WORDINGS, {}))


def _missing(item: Item, found: Item) -> Iterator[str]:
    for name, value in item.facets.items():
        other = found.facets.get(name)
        if type(other) is not type(value) or other != value:
            yield f"facet {name}"
    if item.rationale != found.rationale:
        yield own_fields.RATIONALE
    if item.source != found.source:
        yield own_fields.SOURCE


def _content(item: Item) -> object:
    """Return what an item's content hash is made of; pictures by their paths, since no file is read."""
    wordings = {
        name: [_seen(content) for content in (wording.question, *wording.choices)]
        for name, wording in item.wordings.items()
    }
    return item.passage, key_as_pair(item.key), wordings


def _seen(content: Content) -> object:
    return content.text, [image.path for image in content.images]


def _is_another(name: str) -> Finding:
    return Finding(
        "the format cannot hold the item as it is: it would be read as another one",
        item=name,
        allowed="texts in NFC without spaces around choices, and nothing that the format has no field for",
        remedy="Drop or change the item in a stage before, or name another format",
    )
