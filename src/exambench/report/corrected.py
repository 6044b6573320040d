"""Judge-corrected means as terminal tables, as Markdown, as CSV and as JSON, with what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.corrected_means import CorrectedDimension, CorrectedReport, CorrectedRow
from exambench.analysis.sampling import Sampling
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, number, plural
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.stats.intervals import Interval

NO_PEOPLE: Final = "people scored none of its answers"
NO_INTERVAL: Final = "too few answers"

ASSUMPTIONS: Final = {
    Sampling.RANDOM: (
        "The answers that people scored were drawn at random from each model's: the intervals need no assumption about "
        "the judge."
    ),
    Sampling.STRATIFIED: (
        "ASSUMED, not known: that the judge errs on the sampled answers as on all. Their items were chosen for "
        "difficulty and for the spread of the judge's scores, most items could not be drawn, and no weights mend that. "
        "A sample that needs no such assumption: exambench meta sample --sampling random"
    ),
}


def terminal(report: CorrectedReport) -> RenderableType:
    """Return the means for a terminal."""
    return grids.terminal([_section(report)])


def markdown(report: CorrectedReport) -> str:
    """Return the means as Markdown tables."""
    return grids.markdown([_section(report)])


def as_csv(report: CorrectedReport) -> str:
    """Return one line for each dimension and model, in full precision."""
    return csv_text(
        {"study": report.study.study_id, "sampling": str(report.sampling), "dimension": dimension.name, **_numbers(row)}
        for dimension in report.dimensions
        for row in dimension.rows
    )


def as_json(report: CorrectedReport) -> str:
    """Return the means as a JSON document, in full precision; what does not exist is null and has a reason."""
    return json_text(
        {
            "study": report.study.study_id,
            "benchmark": report.study.benchmark,
            "dataset": report.study.dataset_hash,
            "judge": report.study.judge_name,
            "judgings": list(report.study.judgings),
            "sampling": str(report.sampling),
            "assumption": ASSUMPTIONS[report.sampling],
            "raters": list(report.raters),
            "raters_without_scores": list(report.missing),
            "changed_since_the_draw": list(report.changed),
            "level": report.level,
            "models": [
                {
                    "run": each.run_id,
                    "model": each.name,
                    "answers": len(each.items),
                    "answers_of_people": each.n_people,
                    "without_rationale": each.without_rationale,
                    "unjudged": each.unjudged,
                }
                for each in report.models
            ],
            "dimensions": [
                {"dimension": dimension.name, "rows": [_numbers(row) for row in dimension.rows]}
                for dimension in report.dimensions
            ],
        }
    )


def _numbers(row: CorrectedRow) -> dict[str, Any]:
    found = row.corrected
    return {
        "run": row.run_id,
        "model": row.name,
        "corrected": None if found is None else found.mean.estimate,
        "low": None if found is None else number(found.mean.low),
        "high": None if found is None else number(found.mean.high),
        "standard_error": None if found is None else found.mean.standard_error,
        "method": None if found is None else found.mean.method,
        "correction": None if found is None else found.correction,
        "weight": None if found is None else found.weight,
        "judge": None if row.judge is None else row.judge.estimate,
        "judge_low": None if row.judge is None else row.judge.low,
        "judge_high": None if row.judge is None else row.judge.high,
        "people": row.people,
        "n_people": row.n_people,
        "n_judge": row.n_judge,
        "reason": row.reason,
    }


def _section(report: CorrectedReport) -> Section:
    study = report.study
    return Section(
        f"What people would score on average, from {study.judge_name} and {', '.join(report.raters)}",
        tuple(_grid(dimension) for dimension in report.dimensions),
        tuple(_notes(report)),
    )


def _notes(report: CorrectedReport) -> Iterator[str]:
    study = report.study
    answers = sum(each.n_people for each in report.models)
    yield (
        f"Study {study.study_id} on {study.benchmark}: people scored {plural(answers, 'answer')} of "
        f"{plural(len(report.models), 'model')}."
    )
    if report.missing:
        yield f"Not in yet: the scores of {', '.join(report.missing)}."
    yield ASSUMPTIONS[report.sampling]
    yield (
        f"Corrected: λ · the judge's mean on all answers + the mean of (people − λ · judge) on the sample, with "
        f"{report.level:.0%} intervals from Student's t. Each row has its own λ, so the axes do not add up to the "
        "total. Judge alone: its interval is right only if the judge is."
    )
    yield (
        "All models together: each counts as its answers, and answers to one item may resemble each other. People: the "
        "mean of those named, on the answers that they were given."
    )
    left_out = [
        f"{each.name} {each.without_rationale} without reasons, {each.unjudged} without a verdict"
        for each in report.models
        if each.without_rationale or each.unjudged
    ]
    if left_out:
        yield f"In no mean here, items per model: {'; '.join(left_out)}."
    if report.changed:
        yield (
            f"Since the sample was drawn the number of judged answers has changed: {', '.join(report.changed)}. The "
            "sample was drawn from those of then."
        )


def _grid(dimension: CorrectedDimension) -> Grid:
    return Grid(
        dimension.name,
        ("Model", "corrected", "judge\nalone", "people", "correction", "weight λ\nof judge", "people\nof judged"),
        tuple(_cells(row) for row in dimension.rows),
    )


def _cells(row: CorrectedRow) -> tuple[Cell, ...]:
    found = row.corrected
    return (
        cell(row.name),
        no_value(row.reason) if found is None else _interval(found.mean),
        no_value(NO_INTERVAL) if row.judge is None else _interval(row.judge),
        no_value(NO_PEOPLE) if row.people is None else cell(f"{row.people:.2f}"),
        no_value(row.reason) if found is None else cell(f"{found.correction:+.2f}".replace("-", "−")),
        no_value(row.reason) if found is None else cell(f"{found.weight:.2f}"),
        cell(f"{row.n_people} of {row.n_judge}"),
    )


def _interval(interval: Interval) -> Cell:
    return cell(f"{interval.estimate:.2f}", f"{interval.low:.2f}–{interval.high:.2f}")
