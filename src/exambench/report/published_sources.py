"""The files of published figures, with their origin, as terminal table, Markdown, CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import RenderableType

from exambench.analysis.published import Paper
from exambench.benchmarks.published import Published
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, plural
from exambench.report.grids import Grid, Section, cell


def terminal(published: Published) -> RenderableType:
    """Return the files as a Rich table that fits 100 columns."""
    return grids.terminal([_section(published)])


def markdown(published: Published) -> str:
    """Return the files as a Markdown table."""
    return grids.markdown([_section(published)])


def as_csv(published: Published) -> str:
    """Return one line a file, with units and notes."""
    return csv_text(_records(published))


def as_json(published: Published) -> str:
    """Return the files as a JSON document, with units and notes."""
    return json_text(_records(published))


def _records(published: Published) -> list[dict[str, Any]]:
    return [asdict(source) | {"rows": published.row_count(source)} for source in published.sources]


def _section(published: Published) -> Section:
    rows = tuple(
        (
            cell(Paper(source.paper).benchmark),
            cell(source.file),
            cell(f"{source.label}, {source.where}"),
            cell(source.caption),
            cell(f"{published.row_count(source):,}"),
        )
        for source in published.sources
    )
    header = ("Paper", "File", "Source", "Content", "Rows")
    return Section("Published figures", (Grid(plural(len(rows), "file"), header, rows, labels=4),))
