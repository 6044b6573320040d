"""Agreement as terminal tables, as Markdown, as CSV and as JSON: the same numbers, each with its interval and its n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.agreement import PAIRS, AgreementReport, DimensionAgreement
from exambench.analysis.coefficients import (
    ALPHA,
    BIAS,
    COHEN,
    FLEISS,
    LOWER_LIMIT,
    TAU,
    UPPER_LIMIT,
    Coefficient,
    Question,
)
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.report.provenance import drawn
from exambench.stats.agreement import IccForm, KappaWeights, Metric

LOWEST_SHOWN: Final = -10.0
"""Interval bounds of tiny samples go far below; in full they stand in CSV and JSON."""

_SHORT: Final = {
    **{ALPHA.format(metric): f"α {metric}" for metric in Metric},
    **{COHEN.format(weights): f"κ {weights}" for weights in KappaWeights},
    FLEISS: "Fleiss κ",
    TAU: "τ-b",
    BIAS: "bias",
    LOWER_LIMIT: "lower limit",
    UPPER_LIMIT: "upper limit",
}
_TOGETHER: Final = (*(ALPHA.format(metric) for metric in Metric), FLEISS)
_AGAINST: Final = (ALPHA.format(Metric.INTERVAL), IccForm.ABSOLUTE_SINGLE.value, TAU)
_LIMITS: Final = (BIAS, LOWER_LIMIT, UPPER_LIMIT)
_IN_POINTS: Final = frozenset(_LIMITS)
_PAIRWISE: Final = (*(COHEN.format(weights) for weights in KappaWeights), TAU)


def terminal(report: AgreementReport) -> RenderableType:
    """Return the report as Rich tables that fit 100 columns."""
    return grids.terminal(_sections(report))


def markdown(report: AgreementReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: AgreementReport) -> str:
    """Return one line for each coefficient, in full precision; an empty estimate comes with its reason."""
    return csv_text(
        record(report, dimension, coefficient)
        for dimension in report.dimensions
        for coefficient in dimension.coefficients
    )


def as_json(report: AgreementReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    document = {
        "ratings": report.content_hash,
        "judge": report.judge,
        **drawn(report.bootstrap),
        "dimensions": [dimension_as_json(dimension) for dimension in report.dimensions],
    }
    return json_text(document)


def dimension_as_json(dimension: DimensionAgreement) -> dict[str, Any]:
    """Return the coefficients of one dimension as JSON values, by the question that they answer."""
    return {
        "dimension": dimension.name,
        "total": dimension.is_total,
        "raters": list(dimension.raters),
        "n_units": dimension.n_units,
        "n_ratings": dimension.n_ratings,
        **{
            question.value: [
                {name: value for name, value in asdict(each).items() if name != "question"}
                for each in dimension.coefficients
                if each.question is question
            ]
            for question in Question
        },
    }


def record(report: AgreementReport, dimension: DimensionAgreement, coefficient: Coefficient) -> dict[str, object]:
    """Return one coefficient with where it comes from, in the order of the columns."""
    return {
        "ratings": report.content_hash,
        "dimension": dimension.name,
        "total": dimension.is_total,
        "question": coefficient.question.value,
        "coefficient": coefficient.name,
        "raters": " | ".join(coefficient.raters),
        "pair": coefficient.pair,
        "n_units": coefficient.n_units,
        "n_ratings": coefficient.n_ratings,
        "estimate": coefficient.estimate,
        "low": coefficient.low,
        "high": coefficient.high,
        "f_low": coefficient.f_low,
        "f_high": coefficient.f_high,
        **drawn(report.bootstrap),
        "undefined_resamples": coefficient.undefined_resamples,
        "reason": coefficient.reason,
    }


def _sections(report: AgreementReport) -> Iterator[Section]:
    draw = report.bootstrap
    intervals = (
        f"In brackets, {draw.level:.0%} intervals: from {draw.resamples:,} resamples of the units (items), seed "
        f"{draw.seed}; in a second line, for intraclass correlations, from the F distribution."
    )
    notes = [intervals, f"Digest of the ratings: {report.content_hash[:12]}."]
    if any(dimension.is_total for dimension in report.dimensions):
        notes.append("total: the sum over the dimensions, of the raters who rated an item on each of them.")
    raters = dict.fromkeys(rater for dimension in report.dimensions for rater in dimension.raters)
    people = ", ".join(rater for rater in raters if rater != report.judge)
    if report.judge is None:
        yield Section("Raters among themselves", tuple(_among(report)), (f"Raters: {people}.", *notes))
    else:
        yield Section("People among themselves", tuple(_among(report)), (f"People: {people}.", *notes))
        yield Section("The judge against people", tuple(_against(report)), (f"Judge: {report.judge}.",))


def _among(report: AgreementReport) -> Iterator[Grid]:
    alphas = [name for name in _TOGETHER if _occurs(report, name)]
    yield together(report, "Krippendorff α and Fleiss κ", Question.AMONG, alphas)
    yield together(
        report,
        "Intraclass correlation",
        Question.AMONG,
        [form.value for form in IccForm],
        "ICC(1,·): one-way; ICC(A,·): two-way, absolute agreement; ICC(C,·): two-way, consistency.",
        "ICC(·,1): of a single rating; ICC(·,k): of the mean of all raters. Units that lack a rating are left out.",
    )
    yield from _pairs(report, Question.AMONG)


def _against(report: AgreementReport) -> Iterator[Grid]:
    yield together(
        report,
        "The judge and the mean of the people who rated the unit",
        Question.AGAINST,
        _AGAINST,
    )
    yield together(
        report,
        "The judge less the mean of the people, in points (Bland and Altman)",
        Question.AGAINST,
        _LIMITS,
        "bias: the mean difference; the limits hold 95% of the differences if these are normal.",
    )
    yield from _pairs(report, Question.AGAINST)


def together(report: AgreementReport, title: str, question: Question, names: Sequence[str], *notes: str) -> Grid:
    """Return one row for each dimension, of coefficients over all raters at once."""
    rows = []
    for dimension in report.dimensions:
        found = {each.name: each for each in dimension.coefficients if each.question is question and not each.pair}
        measured = [found[name] for name in names if found[name].estimate is not None]
        n = cell(f"{measured[0].n_units:,}", f"{measured[0].n_ratings:,}") if measured else cell(NOTHING)
        rows.append((cell(dimension.name), n, *(stacked(found[name]) for name in names)))
    header = ("dimension", "units\nratings", *(_SHORT.get(name, name) for name in names))
    return Grid(title, header, tuple(rows), notes=notes)


def _pairs(report: AgreementReport, question: Question) -> Iterator[Grid]:
    """Return one row for each dimension and pair of raters; none where there is no pair."""
    rows = []
    left_out: dict[str, None] = {}
    for dimension in report.dimensions:
        pairs: dict[tuple[str, ...], dict[str, Coefficient]] = {}
        for each in dimension.coefficients:
            if each.question is question and each.pair:
                pairs.setdefault(each.raters, {})[each.name] = each
            elif each.question is question and each.name == PAIRS:
                left_out[f"{dimension.name}: {each.reason}."] = None
        for raters, found in pairs.items():
            units = max(each.n_units for each in found.values())
            values = (_in_line(found[name]) for name in _PAIRWISE)
            rows.append((cell(dimension.name), cell(" · ".join(raters)), cell(f"{units:,}"), *values))
    if rows or left_out:
        header = ("dimension", "pair", "units", *(_SHORT[name] for name in _PAIRWISE))
        yield Grid("Pair by pair", header, tuple(rows), labels=2, notes=tuple(left_out))


def _occurs(report: AgreementReport, name: str) -> bool:
    return any(each.name == name for each in report.dimensions[0].coefficients)


def stacked(found: Coefficient) -> Cell:
    """Return the value with its intervals below."""
    if found.estimate is None:
        return no_value(found.reason)
    write = _points if found.name in _IN_POINTS else _coefficient
    lines = [write(found.estimate, 3), _interval(write, found.low, found.high)]
    if found.f_low is not None and found.f_high is not None:
        lines.append(_interval(write, found.f_low, found.f_high))
    return Cell(tuple(lines), found.reason)


def _in_line(found: Coefficient) -> Cell:
    if found.estimate is None:
        return no_value(found.reason)
    return Cell((f"{_coefficient(found.estimate, 3)} {_interval(_coefficient, found.low, found.high)}",), found.reason)


def _interval(write: Callable[[float, int], str], low: float | None, high: float | None) -> str:
    return f"[{NOTHING}]" if low is None or high is None else f"[{write(low, 2)}, {write(high, 2)}]"


def _points(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}".replace("-", "−")


def _coefficient(value: float, digits: int) -> str:
    """Write a number that is at most 1 as the field does: without the 0 before the point, and short beyond −1."""
    if value < LOWEST_SHOWN:
        return f"<{_points(LOWEST_SHOWN, 0)}"
    text = _points(value, digits)
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else _points(value, digits - 1)
