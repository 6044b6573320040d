"""A meta-evaluation as terminal tables, as Markdown, as CSV and as JSON: our figures, and the paper's beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.agreement import TOTAL
from exambench.analysis.coefficients import ALPHA, BIAS, LOWER_LIMIT, TAU, UPPER_LIMIT, Question
from exambench.analysis.meta_report import PAPER, ConditionAgreement, MetaReport, ModelPlace
from exambench.report import agreement as tables
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, plural, rank_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.report.provenance import drawn
from exambench.stats.agreement import IccForm, Metric

_ALPHA: Final = ALPHA.format(Metric.INTERVAL)
_ICC: Final = IccForm.ABSOLUTE_SINGLE.value
_OVER_ANSWERS: Final = "answers"
_OVER_MODELS: Final = "models"


def terminal(report: MetaReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: MetaReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: MetaReport) -> str:
    """Return one line for each coefficient and for each model's ranks, in full precision."""
    return csv_text(_records(report))


def as_json(report: MetaReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    return json_text(
        {
            "study": report.study.study_id,
            "benchmark": report.study.benchmark,
            "dataset": report.study.dataset_hash,
            "judge": report.judge,
            "judgings": list(report.study.judgings),
            "raters": list(report.raters),
            "raters_without_scores": list(report.missing),
            "answers": report.answers,
            "sample": dict(report.study.sample),
            **drawn(report.bootstrap),
            "conditions": [_condition_as_json(report, condition) for condition in report.conditions],
            "published": [
                {"source": PAPER, "dimension": dimension, "coefficient": name, "reference": seen, "value": value}
                for (dimension, name, seen), value in report.published.items()
            ],
        }
    )


def _condition_as_json(report: MetaReport, condition: ConditionAgreement) -> dict[str, Any]:
    return {
        "reference": condition.with_reference,
        "unjudged": condition.unjudged,
        "dimensions": [
            {
                **tables.dimension_as_json(dimension),
                "over_models": {
                    name: value
                    for name, value in asdict(condition.over_models[dimension.name]).items()
                    if name != "question"
                },
                "published": {
                    name: report.published.get((dimension.name, name, condition.with_reference))
                    for name in (_ALPHA, _ICC, TAU)
                },
            }
            for dimension in condition.agreement.dimensions
        ],
        "models": [asdict(place) | {"change": place.change} for place in condition.models],
    }


def _records(report: MetaReport) -> Iterator[dict[str, object]]:
    for condition in report.conditions:
        first = {"study": report.study.study_id, "reference": condition.with_reference}
        for dimension in condition.agreement.dimensions:
            for over, found in (
                *((_OVER_ANSWERS, each) for each in dimension.coefficients),
                (_OVER_MODELS, condition.over_models[dimension.name]),
            ):
                known = report.published.get((dimension.name, found.name, condition.with_reference))
                ours = found.question is Question.AGAINST and not found.pair
                is_papers = ours and (found.name == TAU) == (over == _OVER_MODELS)
                record = tables.record(condition.agreement, dimension, found)
                yield {**first, "over": over, **record, "published": known if is_papers else None}
        for place in condition.models:
            yield {
                **first,
                "over": _OVER_MODELS,
                "dimension": TOTAL,
                "model": place.name,
                "run": place.run_id,
                "n_units": place.n,
                "people": place.people,
                "judge": place.judge,
                "people_rank": place.people_rank,
                "judge_rank": place.judge_rank,
                "rank_change": place.change,
            }


def _sections(report: MetaReport) -> Iterator[Section]:
    own = report.conditions[0]
    yield Section(
        f"{report.judge} beside {plural(len(report.raters), 'person').replace('persons', 'people')}",
        (_agreement(report, own),),
        (
            (
                f"Study {report.study.study_id} on {report.study.benchmark}: {plural(report.answers, 'answer')} of "
                f"{plural(len(own.models), 'model')}, scored by {', '.join(report.raters)}."
            ),
            *([f"Not in yet: the scores of {', '.join(report.missing)}."] if report.missing else []),
            (
                f"In brackets, {report.bootstrap.level:.0%} intervals from {report.bootstrap.resamples:,} resamples, "
                f"seed {report.bootstrap.seed}: of answers, each for itself, and of models for τ-b over models; in "
                "a second line, for ICC, from the F distribution."
            ),
        ),
    )
    for other in report.conditions[1:]:
        yield Section(f"The same judge {_seen(other)}", (_agreement(report, other),))
    yield Section(
        "Models as people and as the judge see them",
        (_over_models(report), *(_ranks(condition) for condition in report.conditions)),
    )
    yield Section(
        "People among themselves",
        (
            tables.together(
                own.agreement,
                "All people together",
                Question.AMONG,
                (_ALPHA, _ICC, IccForm.ABSOLUTE_MEAN.value),
                "ICC(A,1): of a single person's score; ICC(A,k): of the mean of all people.",
            ),
        ),
    )


def _agreement(report: MetaReport, condition: ConditionAgreement) -> Grid:
    """Return one row a dimension: the judge and the people's mean, over answers."""
    rows = []
    has_paper = any((_ALPHA, condition.with_reference) == place[1:] for place in report.published)
    for dimension in condition.agreement.dimensions:
        found = {
            each.name: each for each in dimension.coefficients if each.question is Question.AGAINST and not each.pair
        }
        paper = (report.published.get((dimension.name, name, condition.with_reference)) for name in (_ALPHA, _ICC))
        alpha, icc = (cell(NOTHING if value is None else _short(value)) for value in paper)
        rows.append(
            (
                cell(dimension.name),
                cell(f"{found[_ALPHA].n_units:,}"),
                tables.stacked(found[_ALPHA]),
                alpha,
                tables.stacked(found[_ICC]),
                icc,
                *(tables.stacked(found[name]) for name in (BIAS, LOWER_LIMIT, UPPER_LIMIT)),
            )
        )
    unjudged = (
        [f"{plural(condition.unjudged, 'answer')} without a verdict: in no figure."] if condition.unjudged else []
    )
    return Grid(
        f"The judge and the people's mean, the judge {_seen(condition)}",
        ("dimension", "n", "α interval", "paper", "ICC(A,1)", "paper", "bias", "lower\nlimit", "upper\nlimit"),
        tuple(rows),
        notes=(
            *unjudged,
            "bias: the judge less the people's mean, in points, with the limits of Bland and Altman.",
            *([f"paper: {PAPER}; other models, people and answers."] if has_paper else []),
        ),
    )


def _over_models(report: MetaReport) -> Grid:
    rows = []
    for condition in report.conditions:
        for dimension, found in condition.over_models.items():
            paper = report.published.get((dimension, TAU, condition.with_reference))
            rows.append(
                (
                    cell(_seen(condition)),
                    cell(dimension),
                    cell(f"{found.n_units:,}"),
                    tables.stacked(found),
                    cell(NOTHING if paper is None else _short(paper)),
                )
            )
    return Grid(
        "τ-b of the models' means",
        ("the judge", "dimension", "models", "τ-b", "paper"),
        tuple(rows),
        labels=2,
    )


def _ranks(condition: ConditionAgreement) -> Grid:
    return Grid(
        f"Ranks by mean total, the judge {_seen(condition)}",
        ("model", "n", "people", "judge", "people's\nrank", "judge's\nrank", "change"),
        tuple(_rank_row(place) for place in condition.models),
        notes=("change: places that a model gains with the judge.",),
    )


def _rank_row(place: ModelPlace) -> tuple[Cell, ...]:
    means = (cell(NOTHING if value is None else f"{value:.2f}") for value in (place.people, place.judge))
    places = (cell(NOTHING if rank is None else rank_text(rank)) for rank in (place.people_rank, place.judge_rank))
    change = place.change
    shown = NOTHING if change is None else f"{change:+g}".replace("-", "−") if change else "0"
    return (cell(place.name), cell(f"{place.n:,}"), *means, *places, cell(shown))


def _seen(condition: ConditionAgreement) -> str:
    return f"{'with' if condition.with_reference else 'without'} the expert's rationale"


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").replace("0.", ".", 1)
