"""Croissant 1.0 metadata of a release: its data files with their digests, and the fields of a record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any, Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.formats import Format
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
        of_each: Where its values stand in each element, if it is a list of objects.
        is_list: Whether it is a list of values.
    """

    kind: str
    path: str
    of_each: str = ""
    is_list: bool = False


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
        form: The format of its data.
        data: Its data files by name, the one that the fields are read from first.
        pictures: Its pictures.
    """

    project: Project
    version: str
    items: Sequence[Item]
    form: Format
    data: Mapping[str, bytes]
    pictures: Sequence[Image] = ()


def croissant(what: Described) -> Json:
    """Return the metadata: data files and pictures with what they are, and the fields of a record."""
    project, items = what.project, what.items
    name = next(iter(what.data))
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
        "recordSet": _of_paragraphs(name, items) if what.form == "scholarbench" else [_of_exam(name, items)],
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
    return _record_set("items", fields, file)


def _of_paragraphs(file: str, items: Sequence[Item]) -> list[Json]:
    """Return a set of the paragraphs, and one of each task: a paragraph may lack a task, and then has no such field."""
    there = {item.facets.get(TASK) for item in items}
    fields = {ID: _Field("sc:Integer", ID), **{name: _Field("sc:Text", name) for name in (CATEGORY, PARAGRAPH, FIELD)}}
    tasks = [_record_set(task, _of_task(task), file) for task in TASKS if task in there]
    return [_record_set("paragraphs", fields, file), *tasks]


def _of_task(task: str) -> dict[str, _Field]:
    names = ["summary_text"] if task == SUMMARIZATION else ["question", "answer", TOPIC]
    names += ["choices"] if task in {MULTIPLE_CHOICE, MULTIPLE_SELECT} else []
    identifier = _Field("sc:Text", f"{own_fields.FIELD}.{task}.{own_fields.ID}")
    return {
        ID: identifier,
        **{name: _Field("sc:Text", f"{task}.{name}", is_list=_is_list(task, name)) for name in names},
    }


def _is_list(task: str, name: str) -> bool:
    return name == "choices" or (name == "answer" and task == MULTIPLE_SELECT)


def _record_set(name: str, fields: Mapping[str, _Field], file: str) -> Json:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/{ID}"},
        "field": [_described(f"{name}/{field}", field, found, file) for field, found in fields.items()],
    }


def _described(identifier: str, name: str, field: _Field, file: str) -> Json:
    source: Json = {"fileObject": {"@id": file}, "extract": {"jsonPath": f"$[*].{field.path}"}}
    described = {"@type": "cr:Field", "@id": identifier, "name": name, "dataType": field.kind}
    if field.of_each:
        source |= {"transform": {"jsonPath": field.of_each}}
    return described | ({"repeated": True} if field.is_list or field.of_each else {}) | {"source": source}
