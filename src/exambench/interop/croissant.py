"""Croissant 1.0 metadata of a release: its data files with their digests, and the fields of a record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any, Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.kmetbench_format import PASSAGE
from exambench.benchmarks.scholarbench_format import (
    CATEGORY,
    ID,
    MULTIPLE_CHOICE,
    MULTIPLE_SELECT,
    PARAGRAPH,
    SUMMARIZATION,
    TASK,
    TASKS,
    TOPIC,
)
from exambench.construct.project import Project
from exambench.interop.exporting import PICTURES
from exambench.interop.origins import languages
from exambench.items import Image, Item
from exambench.probing.canary import FIELD

CROISSANT: Final = "http://mlcommons.org/croissant/1.0"
KINDS: Final = {".json": "application/json", ".jsonl": "application/jsonlines"}
"""Media types of data files."""
_CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet"),
            *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
            "transform",
        )
    },
}
"""The context of Croissant 1.0, as its own programs write it."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a record, as Croissant describes it.

    Attributes:
        kind: Its type.
        path: Where it stands in a record.
        of_each: Where its values stand in each element, if it is a list.
    """

    kind: str
    path: str
    of_each: str = ""


_FIELDS: Final[Mapping[str, _Field]] = {
    "id": _Field("sc:Text", "id"),
    "question": _Field("sc:Text", "question.text"),
    "question_image": _Field("sc:Text", "question.image"),
    "choices": _Field("sc:Text", "choices", of_each="text"),
    "choice_images": _Field("sc:Text", "choices", of_each="image"),
    "answer": _Field("sc:Integer", "answer"),
    "part": _Field("sc:Integer", "part"),
    "multimodal": _Field("sc:Boolean", "multimodal"),
    "korean": _Field("sc:Boolean", "korean"),
    "rationale": _Field("sc:Text", "rationale"),
    "source": _Field("sc:Text", "source"),
    "source_id": _Field("sc:Text", "source_id"),
    FIELD: _Field("sc:Text", FIELD),
}

Json = dict[str, Any]


@dataclass(frozen=True)
class Described:
    """What is described.

    Attributes:
        project: Whose release it is.
        version: What the release is called.
        items: Its items.
        data: Its data files by name: a JSON array, and with ScholarBench's format the same in lines.
        pictures: Its pictures.
    """

    project: Project
    version: str
    items: Sequence[Item]
    data: Mapping[str, bytes]
    pictures: Sequence[Image] = ()


def croissant(what: Described) -> Json:
    """Return the metadata: data files and pictures with what they are, and the fields of a record."""
    project, items = what.project, what.items
    array, *lines = what.data
    spoken = languages(items, project.language)
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT,
        "name": project.name,
        "description": f"{project.title}: {len(items)} examination items.",
        "version": what.version,
        "license": project.licence,
        "inLanguage": list(spoken) if len(spoken) > 1 else spoken[0],
        "distribution": [
            *(_file(name, content) for name, content in what.data.items()),
            *([_pictures(what.pictures)] if what.pictures else []),
        ],
        "recordSet": [_of_paragraphs(lines[0], items) if lines else _of_exam(array, items)],
    }


def _file(name: str, content: bytes) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": KINDS[name[name.rindex(".") :]],
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _pictures(pictures: Sequence[Image]) -> Json:
    kinds = {guess_type(image.path)[0] or "application/octet-stream" for image in pictures}
    return {
        "@type": "cr:FileSet",
        "@id": PICTURES,
        "name": PICTURES,
        "description": "Pictures, which the items name by their paths below this folder.",
        "includes": f"{PICTURES}/*",
        "encodingFormat": sorted(kinds),
    }


def _of_exam(file: str, items: Sequence[Item]) -> Json:
    with_passages = all(item.passage for item in items)  # a field has to be in every record
    fields = {**_FIELDS, **({PASSAGE: _Field("sc:Text", PASSAGE)} if with_passages else {})}
    return _record_set("items", [_described("items", name, field, file) for name, field in fields.items()])


def _of_paragraphs(file: str, items: Sequence[Item]) -> Json:
    """Return a record for each paragraph, read line by line, where a record may lack a field: a task, here."""
    there = {item.facets.get(TASK) for item in items}
    fields = [
        _column(file, "sc:Integer", ID),
        *(_column(file, "sc:Text", name) for name in (CATEGORY, PARAGRAPH, FIELD)),
    ]
    for task in TASKS:
        if task in there:
            fields.append(_column(file, "sc:Text", own_fields.FIELD, task, own_fields.ID))
            fields += [_column(file, "sc:Text", task, name) for name in _names(task)]
    return _record_set("paragraphs", fields)


def _names(task: str) -> tuple[str, ...]:
    if task == SUMMARIZATION:
        return ("summary_text",)
    choices = ("choices",) if task in {MULTIPLE_CHOICE, MULTIPLE_SELECT} else ()
    return ("question", *choices, "answer", TOPIC)


def _column(file: str, kind: str, column: str, *path: str) -> Json:
    """Return a field of a file of lines: a column, or what a path leads to in its values."""
    name = "_".join(path if column == own_fields.FIELD else (column, *path))
    is_list = path[-1:] == ("choices",) or (column, *path) == (MULTIPLE_SELECT, "answer")
    source: Json = {"fileObject": {"@id": file}, "extract": {"column": column}}
    source |= {"transform": {"jsonPath": ".".join(path)}} if path else {}
    return _field("paragraphs", name, kind, source, {"repeated": True} if is_list else {})


def _record_set(name: str, fields: Sequence[Json]) -> Json:
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "key": {"@id": f"{name}/{ID}"}, "field": list(fields)}


def _described(record_set: str, name: str, field: _Field, file: str) -> Json:
    source: Json = {"fileObject": {"@id": file}, "extract": {"jsonPath": f"$[*].{field.path}"}}
    if not field.of_each:
        return _field(record_set, name, field.kind, source, {})
    return _field(record_set, name, field.kind, source | {"transform": {"jsonPath": field.of_each}}, {"repeated": True})


def _field(record_set: str, name: str, kind: str, source: Json, more: Json) -> Json:
    described = {"@type": "cr:Field", "@id": f"{record_set}/{name}", "name": name, "dataType": kind}
    return described | more | {"source": source}
