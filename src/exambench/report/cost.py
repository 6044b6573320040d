"""What runs took, as a terminal table, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.cost import PER_QUESTIONS, Money, RunCost
from exambench.exchange import Usage
from exambench.items import short
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, percent
from exambench.report.grids import Cell, Grid, Section, cell, no_value

NOTES: Final = (
    "n: responses, each trial counted; new: those that arrived in this run's wall time, the others were there before.",
    "Money: of all n, at the prices in the model file. ≥: a lower bound, since some responses don't say their tokens.",
    "Wall time depends on how many requests were in flight. GPU-hours: wall time × GPUs × 100 / new responses.",
    "Exam: wall minutes for the questions of one sitting, and their share of the minutes that people have.",
)
NOT_PRICED: Final = "the model file has no [price]"
NOT_METERED: Final = "no response says how many tokens it took"
NOT_ASKED: Final = "no response arrived while this run was on, so no time was spent on any"
NOT_SERVED: Final = "the model file doesn't say on how many GPUs the model runs ([serving])"
NOT_TIMED: Final = "the benchmark doesn't say how long people have"


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


def tokens_cell(count: int | None, unmetered: int, n: int, *below: str) -> Cell:
    """Return a sum of tokens, marked as a lower bound where some responses don't say theirs.

    Args:
        count: The sum; ``None`` where no response says.
        unmetered: Responses that don't say.
        n: All responses.
        below: Further lines.
    """
    if count is None:
        return no_value(NOT_METERED)
    reason = f"{unmetered:,} of {n:,} responses don't say how many tokens they took" if unmetered else ""
    return Cell((_at_least(f"{count:,}", unmetered > 0), *below), reason)


def money_cell(money: Money | None, usage: Usage, *below: str) -> Cell:
    """Return an amount of money, marked as a lower bound where it is one.

    Args:
        money: The amount; ``None`` where there is none.
        usage: The tokens it is for, which tell why there is none.
        below: Further lines.
    """
    if money is None:
        return no_value(NOT_METERED if None in (usage.input_tokens, usage.output_tokens) else NOT_PRICED)
    return cell(_at_least(f"{money.amount:.4g} {money.currency}", money.at_least), *below)


def _at_least(amount: str, at_least: bool) -> str:  # noqa: FBT001 - says what is true of the amount
    return f"≥ {amount}" if at_least else amount


def _record(run: RunCost) -> dict[str, Any]:
    usage, money = run.usage, run.money
    return {
        **run.origin,
        "title": run.benchmark,
        "run": run.run_id,
        "model": run.model,
        "n": run.n,
        "received": run.received,
        "unmetered": run.unmetered,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "money": money and money.amount,
        "currency": money and money.currency,
        "money_is_lower_bound": money and money.at_least,
        "money_per_100": run.money_per_100,
        "wall_seconds": run.wall_seconds,
        "gpu": run.gpu,
        "gpus": run.gpus,
        "gpu_hours_per_100": run.gpu_hours_per_100,
        "exam_items": run.exam_items,
        "exam_minutes": run.exam_minutes,
        "minutes_per_exam": run.minutes_per_exam,
        "share_of_time_limit": run.share_of_time_limit,
    }


def _section(runs: Sequence[RunCost]) -> Section:
    grid = Grid(
        title="What each run took; on the second line money and wall time for 100 questions",
        header=("Model", "Asked", "n", "tokens in", "tokens out", "money", "wall time", "GPU-h/100", "exam, min"),
        rows=tuple(_row(run) for run in runs),
        labels=2,
        notes=NOTES,
    )
    return Section("Cost", (grid,))


def _row(run: RunCost) -> tuple[Cell, ...]:
    usage = run.usage
    return (
        cell(run.model, short(run.run_id)),
        _asked(run),
        cell(f"{run.n:,}", f"{run.received:,} new"),
        tokens_cell(usage.input_tokens, run.unmetered, run.n, *_of_them(usage.cached_tokens, "cached")),
        tokens_cell(usage.output_tokens, run.unmetered, run.n, *_of_them(usage.reasoning_tokens, "reasoning")),
        money_cell(run.money, usage, *([] if run.money_per_100 is None else [f"{run.money_per_100:.4g}"])),
        _wall(run),
        _gpu(run),
        _exam(run),
    )


def _asked(run: RunCost) -> Cell:
    protocol, _, digest = run.origin["protocol"].rpartition(" ")
    dataset = f"{run.origin['benchmark']} {short(run.origin['dataset'])}"
    return cell(dataset, f"{protocol} {short(digest)}", run.origin["condition"])


def _of_them(count: int | None, kind: str) -> tuple[str, ...]:
    return () if count is None else (f"{count:,} {kind}",)


def _wall(run: RunCost) -> Cell:
    total = str(timedelta(seconds=round(run.wall_seconds)))
    if run.seconds_per_question is None:
        return cell(total)
    return cell(total, f"{run.seconds_per_question * PER_QUESTIONS:.1f} s")


def _gpu(run: RunCost) -> Cell:
    if run.gpus is None:
        return no_value(NOT_SERVED)
    if run.gpu_hours_per_100 is None:
        return no_value(NOT_ASKED)
    return cell(f"{run.gpu_hours_per_100:.3g}", f"{run.gpus} × {run.gpu or 'GPU'}")


def _exam(run: RunCost) -> Cell:
    if run.exam_items is None:
        return no_value(NOT_TIMED)
    if run.minutes_per_exam is None:
        return no_value(NOT_ASKED)
    lines = [f"{run.minutes_per_exam:.1f}"]
    if run.exam_minutes is not None:
        lines.append(f"{percent(run.share_of_time_limit)}% of {run.exam_minutes:g}")
    return cell(*lines)
