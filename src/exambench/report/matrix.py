"""The analysis of a foreign matrix as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.console import RenderableType

from exambench.analysis.matrix_analysis import MatrixAnalysis
from exambench.report import comparison, diagnosis, grids, items
from exambench.report.formatting import SHOWN_ROWS, csv_text, json_text
from exambench.report.grids import Section
from exambench.report.provenance import record_of


def terminal(analysis: MatrixAnalysis) -> RenderableType:
    """Return the analysis as Rich tables that fit 100 columns; long ones are cut, and say so."""
    return grids.terminal(_sections(analysis, SHOWN_ROWS))


def markdown(analysis: MatrixAnalysis) -> str:
    """Return the analysis as Markdown tables."""
    return grids.markdown(_sections(analysis, None))


def as_csv(analysis: MatrixAnalysis) -> str:
    """Return all numbers in full precision; the column ``section`` says what a line is."""
    return csv_text(_records(analysis))


def as_json(analysis: MatrixAnalysis) -> str:
    """Return the analysis as a JSON document, in full precision."""
    return json_text(
        {
            "diagnosis": diagnosis.document(analysis.diagnosis),
            "pairs": None if analysis.pairs is None else [*comparison.pair_records(analysis.pairs)],
            "comparison": None if analysis.comparison is None else comparison.document(analysis.comparison),
            "items": items.document(analysis.items),
        }
    )


def _sections(analysis: MatrixAnalysis, most: int | None) -> Iterator[Section]:
    yield from diagnosis.overall_sections(analysis.diagnosis, most)
    if analysis.pairs is None:
        yield Section("Pairs", (), ("One model alone has no rank and no pairs.",))
    else:
        level = analysis.diagnosis.bootstrap.level
        yield Section("Pairs", (comparison.pairs_grid(analysis.pairs, most, level),))
    if analysis.comparison is not None:
        yield _without_notes_on(analysis, comparison.section(analysis.comparison, most))
    yield _without_notes_on(analysis, items.section(analysis.items, most))


def _without_notes_on(analysis: MatrixAnalysis, section: Section) -> Section:
    """Leave out what the first section says of the matrix already."""
    return replace(section, notes=tuple(note for note in section.notes if note not in analysis.table.notes))


def _records(analysis: MatrixAnalysis) -> Iterator[dict[str, object]]:
    yield from diagnosis.records(analysis.diagnosis)
    if analysis.pairs is not None:
        for record in comparison.pair_records(analysis.pairs):
            yield record_of(analysis.table, "pair") | record
    if analysis.comparison is not None:
        yield from comparison.records(analysis.comparison)
    yield from items.records(analysis.items)
