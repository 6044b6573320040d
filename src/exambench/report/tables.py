"""Rankings as a terminal table, as Markdown, as CSV and as JSON: the same numbers, each with its n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType

from exambench.analysis.leaderboard import Cell as AxisCell
from exambench.analysis.leaderboard import Ranking, Row
from exambench.parsing import PARSER_VERSION
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, percent, percent_range, rank_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell


def terminal(rankings: Sequence[Ranking]) -> RenderableType:
    """Return the rankings as Rich tables; each cell gives the accuracy in percent, its 95 % interval, and n."""
    return grids.terminal(_sections(rankings))


def markdown(rankings: Sequence[Ranking]) -> str:
    """Return the rankings as Markdown tables."""
    return grids.markdown(_sections(rankings))


def _sections(rankings: Sequence[Ranking]) -> Iterator[Section]:
    return (Section(_title(ranking), (_grid(ranking),)) for ranking in rankings if ranking.rows)


def as_csv(rankings: Sequence[Ranking]) -> str:
    """Return one line for each run and axis, in full precision."""
    return csv_text(_records(rankings))


def as_json(rankings: Sequence[Ranking]) -> str:
    """Return the rankings as a JSON document, in full precision."""
    document = [
        {
            "benchmark": ranking.rows[0].run.record.benchmark,
            "protocol": ranking.rows[0].run.record.protocol_name,
            "condition": dict(ranking.rows[0].run.record.condition),
            "scope": ranking.scope,
            "items": len(ranking.items),
            "level": ranking.bootstrap.level,
            "resamples": ranking.bootstrap.resamples,
            "seed": ranking.bootstrap.seed,
            "chance": dict(ranking.chance),
            "rows": [_row_as_json(row) for row in ranking.rows],
        }
        for ranking in rankings
        if ranking.rows
    ]
    return json_text(document)


def _row_as_json(row: Row) -> dict[str, Any]:
    record = row.run.record
    return {
        "run": row.run.run_id,
        "model": record.model_name,
        "identity": record.identity,
        "dataset": record.dataset_hash,
        "protocol_hash": record.protocol_hash,
        "parser": record.protocol["strict"],
        "parser_version": PARSER_VERSION,
        "trials": row.run.trials,
        "rank": row.rank,
        "complete": row.complete,
        "scored": row.scored,
        "expected": row.expected,
        "outcomes": {str(kind): count for kind, count in sorted(row.run.kinds.items())},
        "lenient_accuracy": row.lenient,
        "axes": {
            name: {"n": cell.n, "accuracy": cell.accuracy, "low": cell.low, "high": cell.high}
            for name, cell in row.cells.items()
        },
    }


def _records(rankings: Sequence[Ranking]) -> Iterator[dict[str, object]]:
    for ranking in rankings:
        for row in ranking.rows:
            record = row.run.record
            for axis in ranking.axes:
                cell = row.cells[axis.name]
                yield {
                    "benchmark": record.benchmark,
                    "dataset": record.dataset_hash,
                    "protocol": record.protocol_name,
                    "condition": " ".join(f"{name}={value}" for name, value in record.condition.items()),
                    "scope": ranking.scope,
                    "run": row.run.run_id,
                    "model": record.model_name,
                    "rank": row.rank,
                    "complete": row.complete,
                    "scored": row.scored,
                    "expected": row.expected,
                    "format_violations": row.run.violations,
                    "axis": axis.name,
                    "n": cell.n,
                    "accuracy": cell.accuracy,
                    "low": cell.low,
                    "high": cell.high,
                    "chance": ranking.chance[axis.name],
                }


def _title(ranking: Ranking) -> str:
    run = ranking.rows[0].run
    condition = ", ".join(f"{name} {value}" for name, value in run.record.condition.items())
    return f"{run.benchmark.title} · {run.record.protocol_name} · {condition} · {ranking.scope}"


def _grid(ranking: Ranking) -> Grid:
    """Return one row a run and one column an axis; the last row is what guessing gets."""
    rows = [
        (
            cell(_model(row)),
            cell(_place(row)),
            *(_axis_cell(row.cells[axis.name]) for axis in ranking.axes),
            _format_cell(row),
        )
        for row in ranking.rows
    ]
    chances = (cell(percent(ranking.chance[axis.name])) for axis in ranking.axes)
    return Grid(
        title="Accuracy in percent",
        header=("Model", "rank", *(axis.name for axis in ranking.axes), "format"),
        rows=(*rows, (cell("blind guess"), cell(""), *chances, cell(""))),
        notes=tuple(_notes(ranking)),
    )


def _axis_cell(found: AxisCell) -> Cell:
    if found.accuracy is None or found.low is None or found.high is None:
        return cell(NOTHING)
    return cell(percent(found.accuracy), percent_range(found.low, found.high, 0), f"n={found.n}")


def _format_cell(row: Row) -> Cell:
    """Return how many responses broke the format, and the accuracy when that is not insisted on."""
    total = sum(row.run.kinds.values())
    return cell(f"{row.run.violations}/{total}", percent(row.lenient)) if total else cell(NOTHING)


def _place(row: Row) -> str:
    return NOTHING if row.rank is None else rank_text(row.rank)


def _model(row: Row) -> str:
    name = row.run.record.model_name
    return name if row.complete else f"{name} (incomplete: {row.scored}/{row.expected})"


def _notes(ranking: Ranking) -> list[str]:
    run = ranking.rows[0].run
    notes = [
        f"With the {ranking.bootstrap.level:.0%} bootstrap interval over items, and the number of items n.",
        "Format: responses that broke the required format (they score 0), and the accuracy read leniently.",
        f"Dataset {run.record.dataset_hash[:12]}, parser {run.record.protocol['strict']} {PARSER_VERSION}.",
    ]
    if run.benchmark.pass_mark is not None:
        passed = [row.run.record.model_name for row in ranking.rows if _passes(row, run.benchmark.pass_mark)]
        notes.append(f"Pass mark {run.benchmark.pass_mark:.0%}: {', '.join(passed) or 'nobody'} passes.")
    if any(not row.complete for row in ranking.rows):
        notes.append("Incomplete runs have no place; run the same command again to complete them.")
    return notes


def _passes(row: Row, mark: float) -> bool:
    overall = next(iter(row.cells.values()))
    return row.complete and overall.accuracy is not None and overall.accuracy >= mark
