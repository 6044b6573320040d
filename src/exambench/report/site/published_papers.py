"""What a site shows of the papers that its reader asked for: pages, where they are from, and a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from exambench.benchmarks.published import KMetBench, ScholarBench, Source
from exambench.report.site.boards import Sheet
from exambench.report.site.material import Material
from exambench.report.site.published_sheets import FILE, published_sheets
from exambench.report.site.published_tables import shown_tables, table_sheets


@dataclass(frozen=True)
class PublishedPaper:
    """A paper as a site shows it.

    Attributes:
        key: Its name in addresses and among files.
        sources: Where each of its tables is from.
        sheets: Its pages; none of them is a ranking with runs.
        records: What it prints, as records of a table.
    """

    key: str
    sources: tuple[Source, ...]
    sheets: tuple[Sheet, ...]
    records: tuple[Mapping[str, object], ...]


def papers_of(material: Material) -> tuple[PublishedPaper, ...]:
    """Return the papers of a site, as they were named."""
    return tuple(map(_paper, material.published))


def _paper(data: KMetBench | ScholarBench) -> PublishedPaper:
    return _kmetbench(data) if isinstance(data, KMetBench) else _scholarbench(data)


def _kmetbench(data: KMetBench) -> PublishedPaper:
    sources = tuple(source for source in data.sources if source.file == FILE)
    return PublishedPaper(sources[0].paper, sources, published_sheets(data), tuple(map(asdict, data.leaderboard)))


def _scholarbench(data: ScholarBench) -> PublishedPaper:
    tables = shown_tables(data)
    sources = tuple(source for source, _ in tables)
    records = tuple({"table": source.label} | asdict(row) for source, rows in tables for row in rows)
    return PublishedPaper(sources[0].paper, sources, table_sheets(data), records)
