"""The numbers of a site as files, and how to cite it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from exambench import __version__
from exambench.items import short
from exambench.protocols.condition import condition_text
from exambench.report import cost, diagnosis, tables
from exambench.report.formatting import csv_text
from exambench.report.site.material import Material
from exambench.report.site.published_papers import papers_of
from exambench.report.site.rendering import Page
from exambench.report.site.safe_text import safe_name
from exambench.text import storable

FOLDER: Final = "downloads"
CITATION: Final = "citation.bib"
_BIBTEX: Final[Mapping[str, str]] = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}
_NOT_IN_KEYS: Final = re.compile("[^a-z0-9]+")


def downloads_page(material: Material) -> Page:
    """Return the page that lists the files."""
    names = [*_tables(material)]
    return Page(
        path="downloads.html",
        template="downloads.html",
        heading="downloads",
        content={
            "files": [(name, f"file_{name.partition('.')[0].replace('-', '_')}") for name in names],
            "bibtex": bibtex(material),
        },
    )


def download_files(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield the files, as paths and bytes."""
    for name, table in _tables(material).items():
        yield f"{FOLDER}/{name}", storable(table()).encode()
    yield f"{FOLDER}/{CITATION}", bibtex(material).encode()


def bibtex(material: Material) -> str:
    """Return how to cite each ranking: what it is about, the dataset and the protocol by their hashes, the program."""
    entries = []
    for board in material.boards:
        record, datasets = board.ranking.group.runs[0].record, board.ranking.group.datasets
        entries.append(
            _entry(
                f"exambench-{record.benchmark}-{board.key}",
                {
                    "title": f"{board.ranking.group.runs[0].benchmark.title}: leaderboard, {board.ranking.scope}",
                    "howpublished": f"exambench {__version__}",
                    "note": f"dataset{'s' if len(datasets) > 1 else ''} {', '.join(map(short, datasets))}, "
                    f"protocol {record.protocol_name} {short(record.protocol_hash)}, "
                    f"{condition_text(record.condition)}, runs: {len(board.ranking.rows)}",
                },
            )
        )
    sources = [paper.sources[0] for paper in papers_of(material)]
    entries += [_entry(source.paper, {"title": source.title, "note": source.reference}) for source in sources]
    return "\n".join(entries)


def _tables(material: Material) -> dict[str, Callable[[], str]]:
    """Return the tables by their file names; each is made when it is written."""
    rankings = [board.ranking for board in material.boards]
    diagnoses = [board.diagnosis for board in material.boards]
    taken = list(material.costs.values())
    found: dict[str, Callable[[], str]] = {}
    if rankings:
        found["rankings.csv"] = partial(tables.as_csv, rankings)
        found["rankings.json"] = partial(tables.as_json, rankings)
        found["diagnosis.csv"] = partial(diagnosis.as_csv, diagnoses)
        found["diagnosis.json"] = partial(diagnosis.as_json, diagnoses)
    if taken:
        found["cost.csv"] = partial(cost.as_csv, taken)
        found["cost.json"] = partial(cost.as_json, taken)
    for paper in papers_of(material):
        found[f"published-{paper.key}.csv"] = partial(csv_text, paper.records)
    return found


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{_bibtex(value)}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{_NOT_IN_KEYS.sub('-', key.lower()).strip('-')},", *lines, "}", ""])


def _bibtex(text: str) -> str:
    return "".join(_BIBTEX.get(sign, sign) for sign in safe_name(text))
