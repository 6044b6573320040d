"""A release of a build: data, pictures, definition, datasheet, metadata and digests, frozen under a version."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.definition import shipped_definitions
from exambench.benchmarks.formats import Format
from exambench.benchmarks.scholarbench_format import PARAGRAPH
from exambench.construct.building import StageState, State
from exambench.construct.generated_items import PAPER
from exambench.construct.project import Project
from exambench.construct.records import Action, StageRecord, record_to_json
from exambench.errors import ConfigError, DataError, Finding, listed, show
from exambench.interop.croissant import Described, croissant
from exambench.interop.exporting import PICTURES, Export, as_json, quoted
from exambench.interop.origins import languages, papers, prompts
from exambench.interop.release_forms import ASKED, beside, data_of, form_of, lost, tasks_of
from exambench.items import Benchmark, Item, facet_text
from exambench.probing.canary import NotMarkableError, canary_of, guid_in, marked
from exambench.store.codec import item_to_json
from exambench.text import markdown_escape

SUMS: Final = "SHA256SUMS"
RECORD: Final = "records/_release.json"
"""What was done to the items when they were released; no stage can be called so."""
NAMES: Final = (PAPER, PARAGRAPH)
"""Facets that name what an item is about; their values are counted, not listed."""
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")


@dataclass(frozen=True, slots=True)
class Said:
    """How the data says the items.

    Attributes:
        lost: What it does not say, and of how many items.
        beside: What it says where other programs do not look, likewise.
    """

    lost: Mapping[str, int]
    beside: Mapping[str, int]


@dataclass(frozen=True)
class Release:
    """What a release is made of.

    Attributes:
        project: The project.
        version: What the release is called.
        states: The project's stages, all of them current.
        items: What the last stage left.
        guid: Of the canary that every record carries.
        wanted: The format of the data; that of the items when ``None``.
    """

    project: Project
    version: str
    states: tuple[StageState, ...]
    items: tuple[Item, ...]
    guid: str
    wanted: Format | None = None

    @property
    def form(self) -> Format:
        """The format of the data."""
        return self.wanted or form_of(self.items)

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
        DataError: A stage is not current, there are no items, or an item has no place in the format or would be read
            as another one.
    """
    _check(release)
    export = data_of(release.benchmark, release.form)
    data = {
        name: _marked(content.decode("utf-8"), Path(name).suffix, release).encode("utf-8")
        for name, content in export.files.items()
    }
    first = data[f"{release.project.name}.json"]
    said = Said(
        lost=lost(first, release.form, release.items),
        beside=beside(first) if release.form == "scholarbench" else {},
    )
    files = {
        **data,
        "benchmark.toml": _definition(release).encode("utf-8"),
        "DATASHEET.md": _datasheet(release, said).encode("utf-8"),
        **{f"records/{record.name}.json": as_json(record_to_json(record)) for record in release.records},
        RECORD: as_json(_record(release, said)),
    }
    what = Described(release.project, release.version, release.items, data, export.pictures)
    files["croissant.json"] = as_json(croissant(what))
    sums = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    sums |= {f"{PICTURES}/{image.path}": image.sha256 or "" for image in export.pictures}
    files[SUMS] = "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items())).encode("utf-8")
    return Export(files, export.pictures)


def _marked(text: str, suffix: str, release: Release) -> str:
    try:
        return marked(text, suffix, canary_of(release.guid))
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
    is_exam = release.form == "kmetbench"
    values: dict[str, object] = {
        **({"extends": project.extends} if is_exam else {}),
        "name": project.name,
        "title": project.title,
        "version": release.version,
        "licence": project.licence,
        "data": f"{project.name}.json",
    }
    if any(wording.images for item in release.items for wording in item.wordings.values()):
        values["images"] = PICTURES
    lines = [f"{name} = {quoted(value)}" for name, value in values.items()]
    expected = f"expected = [{{ where = {{}}, items = {len(release.items)} }}]\n"
    return "\n".join((*lines, expected)) + ("" if is_exam else tasks_of(release.items, project.language))


def _record(release: Release, said: Said) -> dict[str, Any]:
    return {
        "version": release.version,
        "format": release.form,
        "items": len(release.items),
        "content_hash": release.benchmark.content_hash,
        "in_own_field": dict(said.beside),
        "lost": dict(said.lost),
    }


def _datasheet(release: Release, said: Said) -> str:
    project, benchmark = release.project, release.benchmark
    pictures = sum(bool(item.wording().images) for item in release.items)
    rationales = sum(bool(item.rationale) for item in release.items)
    blocks = [
        f"# {_line(project.title)} {release.version}",
        "\n".join(
            (
                f"- Items: {len(release.items):,}, {pictures:,} with pictures, {rationales:,} with a rationale",
                f"- Language: {_line(', '.join(languages(release.items, project.language)))}",
                f"- Licence: {_line(project.licence)}",
                f"- Content hash: `{benchmark.content_hash}`",
                f"- Canary: `{canary_of(release.guid)}`",
            )
        ),
        "## Composition",
        _table(("Facet", "Value", "Items"), _facets(release.items)),
        *_format(release, said),
        *_papers(release),
        "## How it was made",
        _table(
            ("Stage", "Kind", "In", "Added", "Changed", "Dropped", "Out", "For people", "Models"),
            [_stage_row(record) for record in release.records],
        ),
        "Why items were dropped, changed or left for people:",
        _table(("Stage", "What", "Why", "Items"), _reasons(release.records)),
        *_prompts(release),
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
        *([] if release.form == "kmetbench" else [_tasks()]),
    ]
    return "\n\n".join(blocks) + "\n"


def _format(release: Release, said: Said) -> Iterator[str]:
    """Yield in which format the data is, what of it other programs pass over, and what it does not say."""
    name = release.project.name
    yield "## Format"
    if release.form == "kmetbench":
        yield f"`{name}.json` is in K-MetBench's format."
    else:
        yield (
            f"`{name}.json` and `{name}.jsonl` hold the same paragraphs with their tasks, in ScholarBench's format. "
            f"What that has no place for is in the field `{own_fields.FIELD}` of each paragraph, by task. Programs "
            "that read ScholarBench's fields alone pass over it and know nothing of:"
        )
        yield _counts(said.beside)
    if said.lost:
        yield "The format has no place for some of what the build knows of the items. Not in the data are:"
        yield _counts(said.lost)
    else:
        yield "Read back, the data gives the items of the build with all their labels, sources and rationales."


def _tasks() -> str:
    others = ", ".join(f"`--protocol {task}`" for task in ASKED)
    return f"Each task is asked in a run of its own: {others}. There is no protocol for summaries, nor a score."


def _counts(counts: Mapping[str, int]) -> str:
    return _table(("What", "Items"), [(what, str(count)) for what, count in counts.items()])


def _papers(release: Release) -> Iterator[str]:
    """Yield the papers that items are about, if there are any."""
    rows = papers(release.records, release.items)
    if rows:
        yield "## Papers"
        yield f"The facet `{PAPER}` of an item names its paper; its `source` says what the paper is."
        yield _table(("Paper", "Title", "Journal", "Year", "Licence", "Items"), rows)


def _prompts(release: Release) -> Iterator[str]:
    """Yield what models were asked with, if any was."""
    rows = prompts(release.records)
    if rows:
        yield "What models were asked with:"
        yield _table(("Stage", "Kind", "Models", "Prompt", "SHA-256"), rows)


def _facets(items: Sequence[Item]) -> list[tuple[str, ...]]:
    counts = Counter((name, facet_text(value)) for item in items for name, value in item.facets.items())
    rows: list[tuple[str, ...]] = [
        (*what, str(count)) for what, count in sorted(counts.items()) if what[0] not in NAMES
    ]
    for name in NAMES:
        values = [count for (facet, _), count in counts.items() if facet == name]
        rows += [(name, f"{len(values):,} different", str(sum(values)))] if values else []
    return rows


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
