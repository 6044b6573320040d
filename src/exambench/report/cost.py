"""What runs took, as a terminal table, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.cost import PER_QUESTIONS, RunCost
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, percent
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell

SHORT_ID: Final = 8
NOTES: Final = (
    "n: responses, each trial counted. Money: at the prices in the model file.",
    "≥: a lower bound, since some responses don't say their tokens.",
    "Wall time depends on how many requests were in flight. GPU-hours: wall time × GPUs × 100 / n.",
    "Exam: wall minutes for the questions of one sitting, and their share of the minutes that people have.",
)


def terminal(runs: Sequence[RunCost]) -> RenderableType:
    """Return the costs as a Rich table that fits 100 columns."""
    return grids.terminal([_section(runs)])


def markdown(runs: Sequence[RunCost]) -> str:
    """Return the costs as a Markdown table."""
    return grids.markdown([_section(runs)])


def as_csv(runs: Sequence[RunCost]) -> str:
    """Return one line for each run, in full precision."""
    return csv_text(_record(run) for run in runs)


def as_json(runs: Sequence[RunCost]) -> str:
    """Return the costs as a JSON document, in full precision."""
    return json_text([_record(run) for run in runs])


def _record(run: RunCost) -> dict[str, Any]:
    record = asdict(run)
    usage = record.pop("usage")
    return record | {
        **usage,
        "money_per_100": run.money_per_100,
        "gpu_hours_per_100": run.gpu_hours_per_100,
        "minutes_per_exam": run.minutes_per_exam,
        "share_of_time_limit": run.share_of_time_limit,
    }


def _section(runs: Sequence[RunCost]) -> Section:
    grid = Grid(
        title="What each run took; on the second line money and wall time for 100 questions",
        header=("Model", "n", "tokens in", "tokens out", "money", "wall time", "GPU-h/100", "exam, min"),
        rows=tuple(_row(run) for run in runs),
        notes=NOTES,
    )
    return Section("Cost", (grid,))


def _row(run: RunCost) -> tuple[Cell, ...]:
    usage = run.usage
    return (
        cell(run.model, f"{run.run_id[:SHORT_ID]} {run.benchmark}"),
        cell(f"{run.n:,}"),
        _tokens(run, usage.input_tokens, usage.cached_tokens, "cached"),
        _tokens(run, usage.output_tokens, usage.reasoning_tokens, "reasoning"),
        _money(run),
        cell(str(timedelta(seconds=round(run.wall_seconds))), _wall_per_100(run)),
        _gpu(run),
        _exam(run),
    )


def _tokens(run: RunCost, count: int | None, of_them: int | None, kind: str) -> Cell:
    reason = f"{run.unmetered:,} of {run.n:,} responses don't say how many tokens they took" if run.unmetered else ""
    if count is None:
        return Cell((NOTHING,), reason)
    lines = (_at_least(run, f"{count:,}"), *([] if of_them is None else [f"{of_them:,} {kind}"]))
    return Cell(lines, reason)


def _at_least(run: RunCost, amount: str) -> str:
    return f"≥ {amount}" if run.unmetered else amount


def _money(run: RunCost) -> Cell:
    if run.money is None or run.money_per_100 is None:
        return cell(NOTHING)
    return cell(_at_least(run, f"{run.money:.4g} {run.currency}"), f"{run.money_per_100:.4g}")


def _wall_per_100(run: RunCost) -> str:
    return f"{run.wall_seconds * PER_QUESTIONS / run.n:.1f} s" if run.n else NOTHING


def _gpu(run: RunCost) -> Cell:
    if run.gpu_hours_per_100 is None:
        return cell(NOTHING)
    return cell(f"{run.gpu_hours_per_100:.3g}", f"{run.gpus} × {run.gpu or 'GPU'}")


def _exam(run: RunCost) -> Cell:
    if run.minutes_per_exam is None:
        return cell(NOTHING)
    lines = [f"{run.minutes_per_exam:.1f}"]
    if run.exam_minutes is not None:
        lines.append(f"{percent(run.share_of_time_limit)}% of {run.exam_minutes:g}")
    return cell(*lines)
