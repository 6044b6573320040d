"""Length bias of judges as terminal tables, as Markdown, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from exambench.analysis.trust.estimates import Estimate
from exambench.analysis.trust.length import JudgeLength, LengthAssociation, LengthReport
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, plural
from exambench.report.grids import Grid, Section, cell
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
    records,
    stacked,
    title_of,
)
from exambench.stats.resampling import Bootstrap

LENGTH = "characters (Unicode code points) of the rationale, without scratchpad and thinking"


def terminal(report: LengthReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: LengthReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: LengthReport) -> str:
    """Return one line for each judge, dimension and quantity, in full precision."""
    return csv_text(
        record
        for judge in report.judges
        for each in judge.dimensions
        for record in records(judge_record(judge.group), each.name, _quantities(each), report.bootstrap)
    )


def as_json(report: LengthReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    return json_text(
        {
            **drawn(report.bootstrap),
            "resampled": "items",
            "length": LENGTH,
            "judges": [
                {
                    **judge_as_json(judge.group),
                    "models": [judged.run.model_name for judged in judge.group.runs],
                    "answers": judge.answers,
                    "answers_right_or_wrong": judge.scored,
                    "items": judge.items,
                    "without_rationale": judge.without_rationale,
                    "characters": {"shortest": judge.shortest, "median": judge.median, "longest": judge.longest},
                    "dimensions": [
                        {
                            "dimension": each.name,
                            **{name: estimate_as_json(value) for name, value in _quantities(each).items()},
                        }
                        for each in judge.dimensions
                    ],
                    "summary": _summary(judge),
                }
                for judge in report.judges
            ],
        }
    )


def _quantities(found: LengthAssociation) -> dict[str, Estimate]:
    return {
        "spearman": found.spearman,
        "pearson_log2": found.pearson,
        "partial_given_right": found.given_right,
        "partial_given_right_and_model": found.given_right_and_model,
        "points_per_doubling": found.slope,
        "points_per_doubling_held": found.slope_held,
    }


def _sections(report: LengthReport) -> Iterator[Section]:
    for judge in report.judges:
        yield Section(title_of(judge.group), (_correlations(judge), _slopes(judge, report.bootstrap)))
    yield in_plain_words(map(_summary, report.judges))


def _correlations(judge: JudgeLength) -> Grid:
    return Grid(
        f"Score and length of {plural(judge.answers, 'rationale')} on {plural(judge.items, 'item')}",
        ("dimension", "Spearman", "Pearson", "partial:\nright", "partial:\nright, model"),
        tuple(
            (
                cell(each.name),
                *(
                    stacked(found)
                    for found in (each.spearman, each.pearson, each.given_right, each.given_right_and_model)
                ),
            )
            for each in judge.dimensions
        ),
        notes=(
            f"Length: {LENGTH}{_lengths(judge)}.",
            "Spearman: score and length; Pearson: score and log₂ length.",
            (
                f"partial: Pearson with right and wrong, then the model too, held constant, over {judge.scored:,} "
                "answers known to be right or wrong; so a better model's longer rationales do not pass for bias."
            ),
        ),
    )


def _lengths(judge: JudgeLength) -> str:
    return f"; {judge.shortest:,} to {judge.longest:,}, median {judge.median:,.0f}" if judge.answers else ""


def _slopes(judge: JudgeLength, bootstrap: Bootstrap) -> Grid:
    return Grid(
        "Points for each doubling of the length",
        ("dimension", "alone", "held constant"),
        tuple(
            (cell(each.name), stacked(each.slope, signed=True), stacked(each.slope_held, signed=True))
            for each in judge.dimensions
        ),
        notes=tuple(_notes(judge, bootstrap)),
    )


def _notes(judge: JudgeLength, bootstrap: Bootstrap) -> Iterator[str]:
    yield "held constant: with right and wrong, and the model where there are several, in the regression."
    yield interval_note(bootstrap, "the items, all answers to an item together")
    if judge.without_rationale:
        yield f"{plural(judge.without_rationale, 'answer')} without a rationale: left out."
    yield from identity_note(judge.group)
    yield decoding_note(judge.group.runs[0])


def _summary(judge: JudgeLength) -> str:
    name, total = judge.group.name, judge.total
    held = total.slope_held
    several = total.given_right_and_model.value is not None
    what = "right and wrong, and the model, held constant" if several else "right and wrong held constant"
    if held.value is None:
        return f"{name}: no association of score and length can be computed ({held.reason})."
    low, high = judge.group.total_scale
    side = "more" if held.value > 0 else "less"
    if held.covers_zero:
        return (
            f"{name}: with {what}, no effect of length can be told from chance; a rationale twice as long has between "
            f"{_range(held)} in total (of {low}–{high})."
        )
    return (
        f"{name} gives {amount(held.value)} {side} in total (of {low}–{high}) to a rationale twice as long, with {what}"
        f"{between(held, signed=True)}; longer rationales may also be better ones, "
        "which exambench trust padding tells apart."
    )


def _range(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return "unknown bounds"
    return f"{amount(found.low)} {'less' if found.low < 0 else 'more'} and {amount(found.high)} more"
