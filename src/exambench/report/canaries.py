"""Where a canary was found: terminal table, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.probing.canary import SHORTEST
from exambench.probing.canary_search import CanarySearch, SearchedOutputs
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text
from exambench.report.grids import NOTHING, Grid, Section, cell


def terminal(report: CanarySearch) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: CanarySearch) -> str:
    """Return the report as a Markdown table."""
    return grids.markdown(_sections(report))


def as_csv(report: CanarySearch) -> str:
    """Return one line for each run and task."""
    return csv_text({"guid": report.guid, **_summary(each)} for each in report.searched)


def as_json(report: CanarySearch) -> str:
    """Return the report as a JSON document with every hit."""
    return json_text(
        {
            "guid": report.guid,
            "found": report.found,
            "searched": [
                {
                    **_summary(each),
                    "hits": [
                        {
                            "item": hit.item_id,
                            "trial": hit.trial,
                            "digits": hit.trace.digits,
                            "whole": hit.trace.whole,
                            "in_prompt": hit.trace.asked,
                        }
                        for hit in each.hits
                    ],
                }
                for each in report.searched
            ],
        }
    )


def _sections(report: CanarySearch) -> Iterator[Section]:
    said = (
        "A model wrote it without being shown it: it has read the marked data."
        if report.found
        else "No model wrote it. One that has read the marked data may still not write it."
    )
    grid = Grid(
        "Outputs that hold the GUID or the beginning of it",
        ("Model", "what", "id", "outputs", "whole", "beginning", "longest\ndigits", "prompt\nhas it"),
        tuple(_row(each) for each in report.searched),
        labels=3,
        notes=(
            f"beginning: {SHORTEST} hexadecimal digits or more, not all; by chance at one place in 4 thousand million.",
        ),
    )
    yield Section(f"Canary {report.guid}", (grid,), (said,))


def _row(each: SearchedOutputs) -> tuple[grids.Cell, ...]:
    summary = _summary(each)
    names = ("outputs", "whole", "beginning", "longest_digits", "in_prompt")
    shown = (str(summary[name] or NOTHING) for name in names)
    return (cell(each.model), cell(each.kind), cell(each.identifier), *map(cell, shown))


def _summary(each: SearchedOutputs) -> dict[str, Any]:
    whole = sum(hit.trace.whole for hit in each.unprompted)
    return {
        "kind": each.kind,
        "id": each.identifier,
        "model": each.model,
        "outputs": each.outputs,
        "whole": whole,
        "beginning": len(each.unprompted) - whole,
        "longest_digits": max((hit.trace.digits for hit in each.unprompted), default=0),
        "in_prompt": len(each.hits) - len(each.unprompted),
    }
