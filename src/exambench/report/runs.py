"""The runs of a store: how far each has come, what became of its requests, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from exambench.models import ModelConfig, Price
from exambench.outcomes import OutcomeKind
from exambench.report.formatting import json_text
from exambench.report.grids import NOTHING
from exambench.store import RunSummary


def terminal(summaries: Sequence[RunSummary]) -> Table:
    """Return the runs as a Rich table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Run", "Benchmark", "Protocol", "Model"):
        table.add_column(name, overflow="fold")
    for name in ("Answered", "Outcomes", "Tokens in/out", "Cost", "Time"):
        table.add_column(name, justify="right")
    for summary in summaries:
        run = summary.run
        condition = " ".join(f"{name}={value}" for name, value in run.condition.items())
        table.add_row(
            summary.run_id[:8],
            f"{escape(run.benchmark)}\n{run.dataset_hash[:8]}",
            f"{escape(run.protocol_name)}\n{escape(condition)}",
            escape(run.model_name),
            _coverage(summary),
            _outcomes(summary),
            f"{_count(summary.usage.input_tokens)}\n{_count(summary.usage.output_tokens)}",
            _money(summary),
            str(timedelta(seconds=round(summary.wall_seconds))),
        )
    return table


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


def _coverage(summary: RunSummary) -> str:
    asked = summary.planned - summary.unsupported
    lines = [f"{summary.answered}/{asked}"]
    if summary.failed:
        lines.append(f"{summary.failed} failed")
    if summary.unsupported:
        lines.append(f"{summary.unsupported} unsupported")
    return "\n".join(lines)


def _outcomes(summary: RunSummary) -> str:
    kinds: Mapping[OutcomeKind, int] = summary.outcomes.get(str(summary.run.protocol["strict"]), {})
    return "\n".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or NOTHING


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
