"""A release of a build: data, pictures, definition, datasheet, metadata and digests, frozen under a version."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any, Final

from exambench.benchmarks.definition import shipped_definitions
from exambench.benchmarks.kmetbench_format import PASSAGE
from exambench.construct.building import StageState, State
from exambench.construct.project import Project
from exambench.construct.records import Action, StageRecord, record_to_json
from exambench.errors import ConfigError, DataError, Finding, listed, show
from exambench.interop.exam_formats import kmetbench
from exambench.interop.exporting import PICTURES, Export, as_json, quoted
from exambench.items import Benchmark, Image, Item, facet_text
from exambench.probing.canary import FIELD, NotMarkableError, canary_of, guid_in, marked
from exambench.store.codec import item_to_json
from exambench.text import markdown_escape

SUMS: Final = "SHA256SUMS"
CROISSANT: Final = "http://mlcommons.org/croissant/1.0"
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")
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


@dataclass(frozen=True)
class Release:
    """What a release is made of.

    Attributes:
        project: The project.
        version: What the release is called.
        states: The project's stages, all of them current.
        items: What the last stage left.
        guid: Of the canary that every item carries.
    """

    project: Project
    version: str
    states: tuple[StageState, ...]
    items: tuple[Item, ...]
    guid: str

    @property
    def benchmark(self) -> Benchmark:
        """The items as a benchmark."""
        project = self.project
        return Benchmark(project.name, project.title, self.items, (), licence=project.licence)

    @property
    def records(self) -> tuple[StageRecord, ...]:
        """The records of the stages."""
        return tuple(each.record for each in self.states if each.record is not None)


def release_export(release: Release) -> Export:
    """Return all files of a release.

    Raises:
        ConfigError: The version cannot stand in a folder's name, or the project names no licence.
        DataError: A stage is not current, there are no items, or an item has no place in the format.
    """
    _check(release)
    data = kmetbench(release.benchmark)
    if data.left_out:
        raise DataError(
            *(
                Finding(reason, item=item, remedy="Drop or change the item in a stage before the release")
                for item, reason in data.left_out.items()
            )
        )
    name = f"{release.project.name}.json"
    text = _marked(data.files[name].decode("utf-8"), release)
    files = {
        name: text.encode("utf-8"),
        "benchmark.toml": _definition(release).encode("utf-8"),
        "DATASHEET.md": _datasheet(release).encode("utf-8"),
        **{f"records/{record.name}.json": as_json(record_to_json(record)) for record in release.records},
    }
    files["croissant.json"] = as_json(_croissant(release, files, data.pictures))
    sums = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    sums |= {f"{PICTURES}/{image.path}": image.sha256 or "" for image in data.pictures}
    files[SUMS] = "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items())).encode("utf-8")
    return Export(files, data.pictures)


def _marked(text: str, release: Release) -> str:
    try:
        return marked(text, ".json", canary_of(release.guid))
    except NotMarkableError as error:
        with_one = [item.id for item in release.items if guid_in(json.dumps(item_to_json(item)))]
        raise DataError(
            Finding(
                problem=f"the data cannot carry a canary: {error}",
                item=listed(with_one) or None,
                allowed="texts in which no canary stands",
                remedy="Drop the items in a stage before the release, or take the canary out of their source",
            )
        ) from error


def _check(release: Release) -> None:
    if not _VERSION.fullmatch(release.version):
        raise ConfigError(
            Finding(
                problem="cannot be the name of a release",
                field="VERSION",
                value=show(release.version),
                allowed="up to 40 letters, digits, dots, plus and minus signs",
                remedy="Name it as in 1.0",
            )
        )
    if not release.project.licence:
        raise ConfigError(
            Finding(
                problem="a release has to say under which licence it stands",
                field="licence",
                remedy="Name it in build.toml, as an SPDX expression or a phrase",
            )
        )
    if release.project.extends not in shipped_definitions():
        raise ConfigError(
            Finding(
                problem="there is no such benchmark to take axes and protocols from",
                field="extends",
                value=show(release.project.extends),
                allowed=", ".join(shipped_definitions()),
                remedy="Name one of these in build.toml",
            )
        )
    for each in release.states:
        if each.state is not State.CURRENT:
            raise DataError(
                Finding(f"the stage {each.step.name} is {each.state}", remedy="Run exambench build before the release")
            )


def _definition(release: Release) -> str:
    """Return the definition of the benchmark; a JSON string is a TOML string."""
    project = release.project
    values: dict[str, object] = {
        "extends": project.extends,
        "name": project.name,
        "title": project.title,
        "version": release.version,
        "licence": project.licence,
        "data": f"{project.name}.json",
    }
    if any(wording.images for item in release.items for wording in item.wordings.values()):
        values["images"] = PICTURES
    lines = [f"{name} = {quoted(value)}" for name, value in values.items()]
    return "\n".join((*lines, f"expected = [{{ where = {{}}, items = {len(release.items)} }}]")) + "\n"


def _datasheet(release: Release) -> str:
    project, benchmark = release.project, release.benchmark
    pictures = sum(bool(item.wording().images) for item in release.items)
    rationales = sum(bool(item.rationale) for item in release.items)
    blocks = [
        f"# {_line(project.title)} {release.version}",
        "\n".join(
            (
                f"- Items: {len(release.items):,}, {pictures:,} with pictures, {rationales:,} with a rationale",
                f"- Language: {project.language}",
                f"- Licence: {_line(project.licence)}",
                f"- Content hash: `{benchmark.content_hash}`",
                f"- Canary: `{canary_of(release.guid)}`",
            )
        ),
        "## Composition",
        _table(("Facet", "Value", "Items"), _facets(release.items)),
        "## How it was made",
        _table(
            ("Stage", "Kind", "In", "Added", "Changed", "Dropped", "Out", "For people", "Models"),
            [_stage_row(record) for record in release.records],
        ),
        "Why items were dropped, changed or left for people:",
        _table(("Stage", "What", "Why", "Items"), _reasons(release.records)),
        "`records/` holds what each stage did to every item. `SHA256SUMS` holds the digest of every file.",
        "## Use",
        (
            "It measures models that have not seen it. Every item carries the canary: whoever trains a model should "
            "leave out what contains it. A model that writes the canary has read the data."
        ),
        (
            "```console\n$ exambench check --benchmark benchmark.toml\n"
            "$ exambench run --benchmark benchmark.toml --model MODEL\n```"
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def _facets(items: Sequence[Item]) -> list[tuple[str, ...]]:
    counts = Counter((name, facet_text(value)) for item in items for name, value in item.facets.items())
    return [(name, value, str(count)) for (name, value), count in sorted(counts.items())]


def _stage_row(record: StageRecord) -> tuple[str, ...]:
    counted = (str(record.count(action)) for action in (Action.ADDED, Action.CHANGED, Action.DROPPED))
    people = str(record.count(Action.REVIEW))
    return (
        record.name,
        record.use,
        str(record.n_in),
        *counted,
        str(record.n_out),
        people,
        ", ".join(record.spending.models) or "–",
    )


def _reasons(records: Sequence[StageRecord]) -> list[tuple[str, ...]]:
    told = (Action.CHANGED, Action.DROPPED, Action.REVIEW)
    counts = Counter(
        (record.name, str(change.action), change.reason)
        for record in records
        for change in record.changes
        if change.action in told
    )
    return [(*what, str(count)) for what, count in counts.items()]


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(_line, line))} |" for line in lines)


def _line(text: str) -> str:
    """Return text in one line that Markdown shows as it is, in a cell of a table too."""
    return markdown_escape(" ".join(text.split()))


def _croissant(release: Release, files: Mapping[str, bytes], pictures: Sequence[Image]) -> dict[str, Any]:
    """Return Croissant 1.0 metadata: data file and pictures with what they are, and the fields of a record."""
    project, name = release.project, f"{release.project.name}.json"
    with_passages = all(item.passage for item in release.items)  # a field has to be in every record
    fields = {**_FIELDS, **({PASSAGE: _Field("sc:Text", PASSAGE)} if with_passages else {})}
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT,
        "name": project.name,
        "description": f"{project.title}: {len(release.items)} examination items.",
        "version": release.version,
        "license": project.licence,
        "inLanguage": project.language,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{len(files[name])} B",
                "encodingFormat": "application/json",
                "sha256": hashlib.sha256(files[name]).hexdigest(),
            },
            *([_pictures(pictures)] if pictures else []),
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "items",
                "name": "items",
                "key": {"@id": "items/id"},
                "field": [_described(field, found, name) for field, found in fields.items()],
            }
        ],
    }


def _pictures(pictures: Sequence[Image]) -> dict[str, Any]:
    kinds = {guess_type(image.path)[0] or "application/octet-stream" for image in pictures}
    return {
        "@type": "cr:FileSet",
        "@id": PICTURES,
        "name": PICTURES,
        "description": "Pictures, which the items name by their paths below this folder.",
        "includes": f"{PICTURES}/*",
        "encodingFormat": sorted(kinds),
    }


def _described(name: str, field: _Field, file: str) -> dict[str, Any]:
    source = {"fileObject": {"@id": file}, "extract": {"jsonPath": f"$[*].{field.path}"}}
    described = {"@type": "cr:Field", "@id": f"items/{name}", "name": name, "dataType": field.kind}
    if not field.of_each:
        return described | {"source": source}
    return described | {"repeated": True, "source": source | {"transform": {"jsonPath": field.of_each}}}
