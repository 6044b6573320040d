"""The datasheet of a release, in Markdown: composition, format, origin, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exambench.benchmarks import own_fields
from exambench.benchmarks.scholarbench_format import PARAGRAPH
from exambench.construct.generated_items import PAPER
from exambench.construct.records import Action, StageRecord
from exambench.interop.origins import languages, papers, prompts
from exambench.interop.release import Release, Said
from exambench.interop.release_forms import ASKED
from exambench.items import Item, facet_text
from exambench.probing.canary import canary_of
from exambench.text import markdown_escape

NAMES: Final = (PAPER, PARAGRAPH)
"""Facets that name what an item is about; their values are counted, not listed."""


def datasheet(release: Release, said: Said) -> str:
    """Return the datasheet of a release."""
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
