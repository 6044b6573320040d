"""A probe of a judge as terminal tables, as Markdown, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.analysis.trust.probes import Effect, ProbeReport
from exambench.report import grids
from exambench.report.formatting import csv_text, equals, json_text, number, p_value, percent, plural
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.report.provenance import drawn
from exambench.report.trust.common import (
    amount,
    between,
    decoding_note,
    estimate_as_json,
    in_plain_words,
    interval_note,
    seen,
    shown,
    stacked,
)


def terminal(report: ProbeReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: ProbeReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: ProbeReport) -> str:
    """Return one line for each dimension, in full precision."""
    first = _source(report) | {"pairs": report.pairs, **_counts(report), **drawn(report.bootstrap)}
    return csv_text(first | _effect_as_json(effect) for effect in report.effects)


def as_json(report: ProbeReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    sample = report.sample
    return json_text(
        {
            **_source(report),
            **drawn(report.bootstrap),
            "resampled": "items",
            "sample": {
                "answers": len(sample.places),
                "pool": sample.pool,
                "seed": sample.seed,
                "judge_trials": sample.trials,
                "left_out": dict(sample.left_out),
            },
            "pairs": report.pairs,
            **_counts(report),
            "effects": [_effect_as_json(effect) for effect in report.effects],
            "summary": _summary(report),
        }
    )


def _source(report: ProbeReport) -> dict[str, Any]:
    judged = report.judged
    return {
        "probe": report.sample.probe,
        "change": report.sample.change,
        "benchmark": judged.run.benchmark,
        "dataset": judged.run.dataset_hash,
        "run": judged.run.run_id,
        "model": judged.run.model_name,
        "judge": judged.judge_name,
        "judge_identity": judged.judging.identity,
        "rubric_hash": judged.judging.rubric_hash,
        "reference": judged.with_reference,
        "images": judged.judging.sees_images,
        "judging_as_written": judged.judging.judging_id,
        "judging_changed": report.changed_judging,
    }


def _counts(report: ProbeReport) -> dict[str, Any]:
    return {
        "dropped_unjudged_as_written": report.unjudged_as_written,
        "dropped_unjudged_changed": report.unjudged_changed,
        "open": report.open,
    }


def _effect_as_json(effect: Effect) -> dict[str, Any]:
    return {
        "dimension": effect.name,
        "mean_as_written": number(effect.as_written),
        "mean_changed": number(effect.changed),
        **estimate_as_json(effect.difference),
        "raised": effect.raised,
        "lowered": effect.lowered,
        "p": effect.p_value,
        "p_holm": effect.p_holm,
    }


def _sections(report: ProbeReport) -> Iterator[Section]:
    judged = report.judged
    title = f"{judged.run.benchmark}, {judged.run.model_name} judged by {judged.judge_name}, {report.sample.change}"
    yield Section(title, (_grid(report),))
    yield in_plain_words([_summary(report)])


def _grid(report: ProbeReport) -> Grid:
    return Grid(
        f"Scores after the change less scores as written, {plural(report.pairs, 'pair')}",
        ("dimension", "items", "as\nwritten", "changed", "difference", "raised,\nlowered %", "p"),
        tuple(
            (
                cell(effect.name),
                cell(f"{effect.difference.n:,}"),
                _mean(effect.as_written),
                _mean(effect.changed),
                stacked(effect.difference, signed=True),
                _shares(effect),
                cell(p_value(effect.p_holm)),
            )
            for effect in report.effects
        ),
        notes=tuple(_notes(report)),
    )


def _notes(report: ProbeReport) -> Iterator[str]:
    sample = report.sample
    yield (
        f"Sample: {plural(len(sample.places), 'answer')} of {sample.pool:,}, seed {sample.seed}; "
        f"each side judged {_times(sample.trials)} {seen(report.judged)}."
    )
    yield "difference: mean over items, in points; raised, lowered: share of items, the others score the same."
    yield "p: exact sign test over items, of the axes with Holm's adjustment; the total stands for itself."
    yield interval_note(report.bootstrap, "the items")
    dropped = report.unjudged_as_written + report.unjudged_changed
    if dropped:
        yield (
            f"{plural(dropped, 'pair')} dropped, for a verdict could not be read: {report.unjudged_as_written} as "
            f"written, {report.unjudged_changed} only after the change."
        )
    if report.open:
        yield f"{plural(report.open, 'pair')} {_wait(report.open)} for a reply; run the same command again for them."
    for reason, count in sample.left_out.items():
        yield f"Left out of the pool: {plural(count, 'answer')}, {reason}."
    yield decoding_note(report.judged)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _wait(count: int) -> str:
    return "waits" if count == 1 else "wait"


def _mean(value: float | None) -> Cell:
    return cell(NOTHING if value is None else shown(value))


def _shares(effect: Effect) -> Cell:
    n = effect.difference.n
    return cell(percent(effect.raised / n), percent(effect.lowered / n)) if n else cell(NOTHING)


def _summary(report: ProbeReport) -> str:
    name, total, change = report.judged.judge_name, report.total, report.sample.change
    found = total.difference
    if found.value is None:
        return f"{name}, {change}: nothing can be said, for there is no pair of verdicts."
    low, high = report.total_scale
    counts = f"{total.raised} of {plural(found.n, 'item')} raised, {total.lowered} lowered, p {equals(total.p_value)}"
    if found.low is None:
        return f"{name}, {change}: a single item, {shown(found.value, signed=True)} points; too few pairs to judge by."
    if found.value == 0.0 and total.raised == total.lowered == 0:
        return f"{name}, {change}: it gives every one of {plural(found.n, 'item')} the same total as before."
    if found.covers_zero:
        return (
            f"{name}, {change}: no effect can be told from chance: {shown(found.value, signed=True)} points in total "
            f"(of {low}–{high}){between(found, signed=True)}, {counts}."
        )
    side = "more" if found.value > 0 else "less"
    return (
        f"{name} gives {amount(found.value)} {side} in total (of {low}–{high}) for the same answers {change}"
        f"{between(found, signed=True)}: {counts}."
    )
