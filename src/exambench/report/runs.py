"""The runs of a store: how far each has come, what became of its requests, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.cost import money_of
from exambench.errors import show
from exambench.items import short
from exambench.models import ModelConfig
from exambench.outcomes import OutcomeKind
from exambench.protocols.condition import condition_text
from exambench.report import grids
from exambench.report.cost import money_cell, tokens_cell
from exambench.report.formatting import json_text, plural
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.store import JudgingKind, JudgingRecord, JudgingTally, RunSummary

SHOWN_REASONS: Final = 10
NOT_ASKED: Final = JudgingTally(0, 0, 0)


def terminal(
    summaries: Sequence[RunSummary],
    judgings: Sequence[JudgingRecord] = (),
    tallies: Mapping[str, JudgingTally] = MappingProxyType({}),
) -> RenderableType:
    """Return the runs as a Rich table, and their judgings as another.

    Args:
        summaries: The runs.
        judgings: What judges were asked about them.
        tallies: How far each judging has come, by its identifier.
    """
    grid = Grid(
        title=plural(len(summaries), "run"),
        header=("Run", "Model", "Asked", *("answered", "outcomes", "tokens\nin, out", "cost", "time")),
        rows=tuple(_row(summary) for summary in summaries),
        labels=3,
    )
    judged = _judgings(summaries, judgings, tallies)
    return grids.terminal([Section("Runs", (grid, judged) if judged.rows else (grid,))])


def _judgings(
    summaries: Sequence[RunSummary], judgings: Sequence[JudgingRecord], tallies: Mapping[str, JudgingTally]
) -> Grid:
    """Return one row a judging, in the order of the runs."""
    rows = [
        (
            cell(short(summary.run_id)),
            cell(summary.run.model_name),
            cell(record.judge_name, short(record.judging_id)),
            cell(*_what(record)),
            cell(*_progress(tallies.get(record.judging_id, NOT_ASKED))),
        )
        for summary in summaries
        for record in judgings
        if record.run_id == summary.run_id
    ]
    return Grid(plural(len(rows), "judging"), ("Run", "Model", "Judge", "Of what", "judged"), tuple(rows), labels=4)


def _what(record: JudgingRecord) -> list[str]:
    if record.kind is JudgingKind.ANSWER:
        return ["free answers", record.rubric_name]
    seen = "with" if record.with_reference else "without"
    return [f"rationales, {seen} the expert's", record.rubric_name]


def _progress(tally: JudgingTally) -> list[str]:
    lines = [f"{tally.judged}/{tally.asked}"]
    lines += [f"{tally.unjudged} unjudged"] if tally.unjudged else []
    return [*lines, f"{tally.open} open"] if tally.open else lines


def _row(summary: RunSummary) -> tuple[Cell, ...]:
    run = summary.run
    return (
        cell(short(summary.run_id)),
        cell(run.model_name),
        cell(f"{run.benchmark} {short(run.dataset_hash)}", run.protocol_name, condition_text(run.condition)),
        cell(*_coverage(summary)),
        cell(*_outcomes(summary)),
        _tokens(summary),
        money_cell(money_of(summary), summary.usage),
        cell(str(timedelta(seconds=round(summary.wall_seconds)))),
    )


def _tokens(summary: RunSummary) -> Cell:
    """Return the tokens that went in above those that came out."""
    counts = (summary.usage.input_tokens, summary.usage.output_tokens)
    above, below = (tokens_cell(count, summary.unmetered, summary.answered) for count in counts)
    return Cell((*above.lines, *below.lines), above.reason or below.reason)


def as_json(
    summaries: Sequence[RunSummary],
    judgings: Sequence[JudgingRecord] = (),
    tallies: Mapping[str, JudgingTally] = MappingProxyType({}),
) -> str:
    """Return the runs as a JSON document, each with its judgings; see :func:`terminal`."""
    return json_text(
        [
            {
                **_as_json(summary),
                "judgings": [
                    _judging_as_json(record, tallies.get(record.judging_id, NOT_ASKED))
                    for record in judgings
                    if record.run_id == summary.run_id
                ],
            }
            for summary in summaries
        ]
    )


def _judging_as_json(record: JudgingRecord, tally: JudgingTally) -> dict[str, Any]:
    return {
        "judging": record.judging_id,
        "judge": record.judge_name,
        "kind": str(record.kind),
        "rubric": record.rubric_name,
        "rubric_hash": record.rubric_hash,
        "condition": dict(record.condition),
        "asked": tally.asked,
        "judged": tally.judged,
        "unjudged": tally.unjudged,
        "open": tally.open,
    }


def _as_json(summary: RunSummary) -> dict[str, Any]:
    run, usage = summary.run, summary.usage
    model, money = ModelConfig.model_validate(run.model), money_of(summary)
    return {
        "run": summary.run_id,
        "benchmark": run.benchmark,
        "dataset": run.dataset_hash,
        "protocol": run.protocol_name,
        "protocol_hash": run.protocol_hash,
        "condition": dict(run.condition),
        "model": run.model_name,
        "identity": run.identity,
        "size_b": model.size_b,
        "korean": model.korean,
        "proprietary": model.proprietary,
        "released": model.released,
        "planned": summary.planned,
        "answered": summary.answered,
        "received": summary.received,
        "failed": summary.failed,
        "failed_for": [
            {"reason": show(reason), "count": count} for reason, count in islice(summary.reasons.items(), SHOWN_REASONS)
        ],
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
        "cost": money and money.amount,
        "cost_is_lower_bound": money and money.at_least,
        "currency": money and money.currency,
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
