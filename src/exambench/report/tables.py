"""Rankings as a terminal table, as Markdown, as CSV and as JSON: the same numbers, each with its n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from exambench.analysis.leaderboard import Cell, Ranking, Row
from exambench.parsing import PARSER_VERSION
from exambench.report.formatting import csv_text, json_text, percent
from exambench.report.grids import NOTHING, markdown_escape, markdown_row


def terminal(rankings: Sequence[Ranking]) -> RenderableType:
    """Return the rankings as Rich tables; each cell gives the accuracy in percent, its 95 % interval, and n."""
    return Group(*(_terminal_table(ranking) for ranking in rankings))


def markdown(rankings: Sequence[Ranking]) -> str:
    """Return the rankings as Markdown tables."""
    return "\n\n".join(_markdown_table(ranking) for ranking in rankings) + "\n"


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


def _terminal_table(ranking: Ranking) -> Table:
    table = Table(
        title=escape(_title(ranking)),
        caption=escape(" ".join(_notes(ranking))),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 1, 0),
    )
    table.add_column("#", justify="right")
    table.add_column("Model", overflow="fold", min_width=12)
    for axis in ranking.axes:
        table.add_column(axis.name, justify="right", no_wrap=True)
    table.add_column("format", justify="right", no_wrap=True)
    for row in ranking.rows:
        cells = ("\n".join(_cell_lines(row.cells[axis.name])) for axis in ranking.axes)
        table.add_row(_place(row), _model(row, escape(row.run.record.model_name)), *cells, _format_lines(row))
    chances = (percent(ranking.chance[axis.name]) for axis in ranking.axes)
    table.add_row("", "blind guess", *chances, "", style="dim")
    return table


def _cell_lines(cell: Cell) -> list[str]:
    if cell.accuracy is None:
        return [NOTHING]
    return [percent(cell.accuracy), f"{percent(cell.low, 0)}–{percent(cell.high, 0)}", f"n={cell.n}"]


def _format_lines(row: Row) -> str:
    """Return how many responses broke the format, and the accuracy when that is not insisted on."""
    total = sum(row.run.kinds.values())
    return f"{row.run.violations}/{total}\n{percent(row.lenient)}" if total else NOTHING


def _markdown_table(ranking: Ranking) -> str:
    header = ["#", "Model", *(axis.name for axis in ranking.axes), "Format violations", "Lenient accuracy"]
    lines = [f"**{_title(ranking)}**", "", markdown_row(header), markdown_row("---" for _ in header)]
    for row in ranking.rows:
        cells = (_markdown_cell(row.cells[axis.name]) for axis in ranking.axes)
        total = sum(row.run.kinds.values())
        name = markdown_escape(_model(row, row.run.record.model_name))
        lines.append(markdown_row([_place(row), name, *cells, f"{row.run.violations}/{total}", percent(row.lenient)]))
    chances = (percent(ranking.chance[axis.name]) for axis in ranking.axes)
    lines.append(markdown_row(["", "blind guess", *chances, "", ""]))
    return "\n".join([*lines, "", *_notes(ranking)])


def _markdown_cell(cell: Cell) -> str:
    if cell.accuracy is None:
        return NOTHING
    return f"{percent(cell.accuracy)} [{percent(cell.low)}, {percent(cell.high)}] n={cell.n}"


def _place(row: Row) -> str:
    return NOTHING if row.rank is None else f"{row.rank:g}"


def _model(row: Row, name: str) -> str:
    return name if row.complete else f"{name} (incomplete: {row.scored}/{row.expected})"


def _notes(ranking: Ranking) -> list[str]:
    run = ranking.rows[0].run
    notes = [
        f"Accuracy in percent, {ranking.bootstrap.level:.0%} bootstrap interval over items, n items.",
        "format: responses that broke the required format (they score 0), and the accuracy read leniently.",
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
