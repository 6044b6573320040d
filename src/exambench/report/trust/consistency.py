"""Self-consistency of judges as terminal tables, as Markdown, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.analysis.trust.consistency import Consistency, ConsistencyReport, DimensionConsistency, JudgeConsistency
from exambench.analysis.trust.estimates import Estimate
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, percent, percent_range, plural
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.report.provenance import drawn
from exambench.report.trust.common import (
    amount,
    between,
    decoding_note,
    estimate_as_json,
    identity_note,
    in_plain_words,
    interval_note,
    judge_as_json,
    judge_record,
    model_cell,
    records,
    shown,
    stacked,
    title_of,
)
from exambench.stats.resampling import Bootstrap


def terminal(report: ConsistencyReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: ConsistencyReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: ConsistencyReport) -> str:
    """Return one line for each run (or all together), dimension and quantity, in full precision."""
    return csv_text(_records(report))


def as_json(report: ConsistencyReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    return json_text(
        {
            **drawn(report.bootstrap),
            "resampled": "answers",
            "judges": [
                {
                    **judge_as_json(judge.group),
                    "runs": [_as_json(found) for found in judge.runs],
                    "pooled": None if judge.pooled is None else _as_json(judge.pooled),
                    "summary": _summary(judge),
                }
                for judge in report.judges
            ],
        }
    )


def _as_json(found: Consistency) -> dict[str, Any]:
    return {
        "judgings": [judged.judging.judging_id for judged in found.judged],
        "runs": [judged.run.run_id for judged in found.judged],
        "models": [judged.run.model_name for judged in found.judged],
        "judge_trials": found.trials,
        "answers": found.answers,
        "answers_judged_once": found.single,
        "unjudged": found.unjudged,
        "without_rationale": found.without_rationale,
        "dimensions": [
            {
                "dimension": each.name,
                **{name: estimate_as_json(value) for name, value in _quantities(each).items()},
            }
            for each in found.dimensions
        ],
    }


def _quantities(found: DimensionConsistency) -> dict[str, Estimate]:
    return {"alpha_interval": found.alpha, "mean_sd": found.spread, "identical": found.identical}


def _records(report: ConsistencyReport) -> Iterator[dict[str, object]]:
    for judge in report.judges:
        for found in (*judge.runs, *([judge.pooled] if judge.pooled else [])):
            one = found.judged[0] if len(found.judged) == 1 else None
            first = {
                **judge_record(judge.group),
                "model": "all" if one is None else one.run.model_name,
                "run": "all" if one is None else one.run.run_id,
                "judging": "all" if one is None else one.judging.judging_id,
                "judge_trials": found.trials,
                "unjudged": found.unjudged,
            }
            for each in found.dimensions:
                yield from records(first, each.name, _quantities(each), report.bootstrap)


def _sections(report: ConsistencyReport) -> Iterator[Section]:
    for judge in report.judges:
        yield Section(title_of(judge.group), tuple(_grids(judge, report.bootstrap)))
    yield in_plain_words(map(_summary, report.judges))


def _grids(judge: JudgeConsistency, bootstrap: Bootstrap) -> Iterator[Grid]:
    several = judge.pooled is not None
    title = "All runs together" if several else f"Repeats of {judge.runs[0].judged[0].run.model_name}"
    yield Grid(
        title,
        ("dimension", "n", "trials", "α interval", "mean SD", "identical, %"),
        tuple(
            (
                cell(each.name),
                cell(f"{judge.overall.answers:,}"),
                cell(f"{judge.overall.trials}"),
                stacked(each.alpha),
                stacked(each.spread),
                _share(each.identical),
            )
            for each in judge.overall.dimensions
        ),
        notes=tuple(_notes(judge, bootstrap)),
    )
    if several:
        yield Grid(
            "The total, run by run",
            ("model", "n", "trials", "α interval", "mean SD", "identical, %"),
            tuple(
                (
                    model_cell(found.judged[0]),
                    cell(f"{found.answers:,}"),
                    cell(f"{found.trials}"),
                    stacked(found.total.alpha),
                    stacked(found.total.spread),
                    _share(found.total.identical),
                )
                for found in judge.runs
            ),
            notes=("α of one run is mostly lower than that of all: answers of one model differ less.",),
        )


def _notes(judge: JudgeConsistency, bootstrap: Bootstrap) -> Iterator[str]:
    found = judge.overall
    yield "n: answers with at least two verdicts; trials: verdicts on one answer at most."
    yield "mean SD: mean over answers of the standard deviation of one answer's scores, in points."
    yield "identical: share of answers with one and the same score in every trial, with Wilson's interval."
    yield interval_note(bootstrap, "the answers")
    if judge.pooled is not None:
        yield "Answers to one item resemble each other, so intervals over several runs are rather too narrow."
    if found.single:
        yield f"{plural(found.single, 'answer')} with one verdict or none: in no figure."
    if found.unjudged:
        yield f"{plural(found.unjudged, 'verdict')} could not be read (unjudged): in no figure."
    if found.without_rationale:
        yield f"{plural(found.without_rationale, 'answer')} without a rationale: left out, since the rubric fixes them."
    yield from identity_note(judge.group)
    yield decoding_note(judge.group.runs[0])


def _share(found: Estimate) -> Cell:
    if found.value is None:
        return no_value(found.reason)
    if found.low is None or found.high is None:
        return Cell((percent(found.value),), found.reason)
    return cell(percent(found.value), percent_range(found.low, found.high))


def _summary(judge: JudgeConsistency) -> str:
    found = judge.overall
    total, name = found.total, judge.group.name
    if total.identical.value is None or total.spread.value is None:
        return f"{name} judged no answer twice: nothing can be said of its consistency."
    text = (
        f"Asked again, {name} gives {percent(total.identical.value, 0)} % of {plural(found.answers, 'answer')} the "
        f"same total in every trial; on average its totals of one answer differ by a standard deviation of "
        f"{amount(total.spread.value)}"
    )
    if total.alpha.value is None:
        return f"{text}."
    return f"{text} (α = {shown(total.alpha.value)}{between(total.alpha).replace(' (', ', ').rstrip(')')})."
