"""The runs of a store: how far each has come, what became of its requests, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from rich.console import RenderableType

from exambench.models import ModelConfig, Price
from exambench.outcomes import OutcomeKind
from exambench.report import grids
from exambench.report.formatting import json_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.store import RunSummary

SHOWN_ID: Final = 8


def terminal(summaries: Sequence[RunSummary]) -> RenderableType:
    """Return the runs as a Rich table."""
    grid = Grid(
        title=f"{len(summaries)} runs",
        header=("Run", "Model", "Asked", *("answered", "outcomes", "tokens\nin, out", "cost", "time")),
        rows=tuple(_row(summary) for summary in summaries),
        labels=3,
    )
    return grids.terminal([Section("Runs", (grid,))])


def _row(summary: RunSummary) -> tuple[Cell, ...]:
    run = summary.run
    condition = " ".join(f"{name}={value}" for name, value in run.condition.items())
    return (
        cell(summary.run_id[:SHOWN_ID]),
        cell(run.model_name),
        cell(f"{run.benchmark} {run.dataset_hash[:SHOWN_ID]}", run.protocol_name, condition),
        cell(*_coverage(summary)),
        cell(*_outcomes(summary)),
        cell(_count(summary.usage.input_tokens), _count(summary.usage.output_tokens)),
        cell(_money(summary)),
        cell(str(timedelta(seconds=round(summary.wall_seconds)))),
    )


def as_json(summaries: Sequence[RunSummary]) -> str:
    """Return the runs as a JSON document."""
    return json_text([_as_json(summary) for summary in summaries])


def _as_json(summary: RunSummary) -> dict[str, Any]:
    run, usage = summary.run, summary.usage
    return {
        "run": summary.run_id,
        "benchmark": run.benchmark,
        "dataset": run.dataset_hash,
        "protocol": run.protocol_name,
        "condition": dict(run.condition),
        "model": run.model_name,
        "identity": run.identity,
        "planned": summary.planned,
        "answered": summary.answered,
        "failed": summary.failed,
        "unsupported": summary.unsupported,
        "open": summary.open,
        "outcomes": {
            parser: {str(kind): count for kind, count in kinds.items()} for parser, kinds in summary.outcomes.items()
        },
        "tokens": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cached": usage.cached_tokens,
            "reasoning": usage.reasoning_tokens,
            "unmetered_responses": summary.unmetered,
        },
        "cost": _cost(summary),
        "currency": None if (price := _price(summary)) is None else price.currency,
        "response_seconds": summary.seconds,
        "wall_seconds": summary.wall_seconds,
        "created_at": summary.created_at,
        "updated_at": summary.updated_at,
    }


def _coverage(summary: RunSummary) -> list[str]:
    asked = summary.planned - summary.unsupported
    lines = [f"{summary.answered}/{asked}"]
    if summary.failed:
        lines.append(f"{summary.failed} failed")
    if summary.unsupported:
        lines.append(f"{summary.unsupported} unsupported")
    return lines


def _outcomes(summary: RunSummary) -> list[str]:
    kinds: Mapping[OutcomeKind, int] = summary.outcomes.get(str(summary.run.protocol["strict"]), {})
    return [f"{count} {kind}" for kind, count in sorted(kinds.items())] or [NOTHING]


def _price(summary: RunSummary) -> Price | None:
    return ModelConfig.model_validate(summary.run.model).price


def _cost(summary: RunSummary) -> float | None:
    price = _price(summary)
    return None if price is None else price.of(summary.usage)


def _money(summary: RunSummary) -> str:
    price, cost = _price(summary), _cost(summary)
    return NOTHING if price is None or cost is None else f"{cost:.4f} {price.currency}"


def _count(tokens: int | None) -> str:
    return NOTHING if tokens is None else f"{tokens:,}"
