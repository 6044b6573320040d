"""A panel of judges as terminal tables, as Markdown, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from rich.console import RenderableType

from exambench.analysis.agreement import TOTAL
from exambench.analysis.panel import PanelAnswer, PanelReport, PanelRun
from exambench.items import short
from exambench.report import grids
from exambench.report.agreement import stacked
from exambench.report.formatting import SHOWN_ROWS, csv_text, cut, json_text, number, plural
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.report.provenance import drawn, interval_note
from exambench.stats.intervals import Interval

NO_ANSWER: Final = "no answer that enough judges scored"
LONGEST_QUESTION: Final = 24


def terminal(report: PanelReport) -> RenderableType:
    """Return the panel for a terminal; of the answers, those first on which the judges are furthest apart."""
    return grids.terminal(_sections(report, SHOWN_ROWS))


def markdown(report: PanelReport) -> str:
    """Return the panel as Markdown tables."""
    return grids.markdown(_sections(report, SHOWN_ROWS))


def as_csv(report: PanelReport) -> str:
    """Return one line for each answer, in full precision, in the order of disagreement."""
    return csv_text(
        {
            **_place(report, answer),
            "mean": answer.mean,
            "median": answer.median,
            "spread": answer.spread,
            **{f"judge:{name}": number(score) for name, score in zip(_names(report), answer.totals, strict=True)},
        }
        for answer in report.answers
    )


def as_json(report: PanelReport) -> str:
    """Return the panel as a JSON document, in full precision; what does not exist is null and has a reason."""
    panel = report.panel
    return json_text(
        {
            "benchmark": panel.benchmark.name,
            "dataset": panel.benchmark.content_hash,
            "rubric": panel.rubric,
            "reference": panel.with_reference,
            "at_least": report.at_least,
            **drawn(report.bootstrap),
            "judges": [
                {
                    "judge": member.name,
                    "identity": member.identity,
                    "decoding": dict(member.decoding),
                    "images": member.sees_images,
                    "judgings": {run_id: judged.judging.judging_id for run_id, judged in member.runs.items()},
                }
                for member in panel.members
            ],
            "runs": [_run_as_json(report, run) for run in report.runs],
            "agreement": {
                dimension: [_coefficient(asdict(found)) for found in coefficients]
                for dimension, coefficients in report.agreement.items()
            },
            "answers": [
                {
                    **_place(report, answer),
                    "mean": answer.mean,
                    "median": answer.median,
                    "spread": answer.spread,
                    "scores": {
                        dimension: dict(zip(_names(report), map(number, scores), strict=True))
                        for dimension, scores in answer.scores.items()
                    },
                }
                for answer in report.answers
            ],
        }
    )


def _coefficient(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in {"question", "pair", "raters"}}


def _run_as_json(report: PanelReport, run: PanelRun) -> dict[str, Any]:
    return {
        "run": run.run.run_id,
        "model": run.run.model_name,
        "asked": run.asked,
        "answers": run.kept,
        "dimensions": {
            dimension: {"mean": _numbers(run.mean[dimension]), "median": _numbers(run.median[dimension])}
            for dimension in run.mean
        },
        "judges": {name: _numbers(found) for name, found in zip(_names(report), run.judges, strict=True)},
    }


def _numbers(found: Interval | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"estimate": found.estimate, "low": number(found.low), "high": number(found.high), "n": found.n}


def _place(report: PanelReport, answer: PanelAnswer) -> dict[str, object]:
    return {
        "run": answer.run.run_id,
        "model": answer.run.model_name,
        "item": answer.item_id,
        "trial": answer.trial,
        "question": report.panel.benchmark.by_id[answer.item_id].wording().question.text,
        "has_rationale": answer.has_rationale,
    }


def _names(report: PanelReport) -> list[str]:
    return [member.name for member in report.panel.members]


def _sections(report: PanelReport, most: int) -> Iterator[Section]:
    panel = report.panel
    sight = "with" if panel.with_reference else "without"
    yield Section(
        f"{panel.benchmark.title}: {plural(len(panel.members), 'judge')} as a panel",
        (_means(report), _axes(report)),
        (
            f"Judges: {', '.join(_names(report))}; rubric {panel.rubric}, {sight} the expert's rationale.",
            *_identities(report),
            *_sights(report),
            f"Only answers count that {_enough(report)} scored.",
        ),
    )
    yield Section("How far the judges agree", (_agreement(report),))
    yield Section("Where they are furthest apart: look at these first", (_answers(report, most),))


def _identities(report: PanelReport) -> Iterator[str]:
    """Yield who answers under a name, where it is not the name of one judge alone."""
    for member in report.panel.members:
        if member.name not in {judged.judge_name for judged in member.runs.values()}:
            decoding = ", ".join(f"{name} {value}" for name, value in sorted(member.decoding.items()))
            yield f"{member.name} is {member.identity}{f' with {decoding}' if decoding else ''}."


def _sights(report: PanelReport) -> Iterator[str]:
    blind = [member.name for member in report.panel.members if not member.sees_images]
    pictured = any(item.wording().images for item in report.panel.benchmark.items)
    if pictured and 0 < len(blind) < len(report.panel.members):
        yield f"The others see the pictures, {', '.join(blind)} no pictures."


def _enough(report: PanelReport) -> str:
    whole = len(report.panel.members)
    if report.at_least == whole:
        return "both judges" if whole == 2 else f"all {whole} judges"  # noqa: PLR2004 - what both means
    return f"at least {report.at_least} of {whole} judges"


def _means(report: PanelReport) -> Grid:
    return Grid(
        "Total",
        ("Model", "mean of\nthe judges", "median of\nthe judges", *_names(report), "answers\nof asked"),
        tuple(
            (
                _model(run),
                _mean(run.mean.get(TOTAL)),
                _mean(run.median.get(TOTAL)),
                *map(_mean, run.judges),
                cell(f"{run.kept} of {run.asked}"),
            )
            for run in report.runs
        ),
        notes=(
            "Mean over items of the mean, and of the median, of the judges; n items. Each judge on the same answers.",
            interval_note(report.bootstrap),
        ),
    )


def _axes(report: PanelReport) -> Grid:
    axes = report.panel.axes
    return Grid(
        "Axes, mean of the judges",
        ("Model", *(axis.replace("_", "\n") for axis in axes)),
        tuple((_model(run), *(_mean(run.mean.get(axis)) for axis in axes)) for run in report.runs),
    )


def _agreement(report: PanelReport) -> Grid:
    first = next(iter(report.agreement.values()))
    scored = sum(each.has_rationale for each in report.answers)
    return Grid(
        "Agreement",
        ("Dimension", *(found.name.replace(" (", "\n(") for found in first), "answers"),
        tuple(
            (cell(dimension), *map(stacked, found), cell(str(max((each.n_units for each in found), default=0))))
            for dimension, found in report.agreement.items()
        ),
        notes=(
            (
                f"Over {plural(scored, 'answer')} with a rationale; ICC needs a score of every judge. ICC(A,1): of a "
                "single judge's score; ICC(A,k): of the mean of the judges."
            ),
            (
                f"In brackets, {report.bootstrap.level:.0%} intervals over answers, {report.bootstrap.resamples:,} "
                f"resamples, seed {report.bootstrap.seed}; for ICC those of the F distribution below. Answers to one "
                "item, or of one model, resemble each other, so all of these are rather too narrow."
            ),
        ),
    )


def _answers(report: PanelReport, most: int) -> Grid:
    rows, notes = cut(report.answers, most, "answers")
    return Grid(
        "Answers by spread of the totals",
        ("Item", "Model", "Question", "spread", "mean", "median", *_names(report)),
        tuple(
            (
                cell(f"{each.item_id}, trial {each.trial}" if each.trial else each.item_id),
                cell(each.run.model_name),
                cell(_question(report, each)),
                cell(_points(each.spread)),
                cell(f"{each.mean:.2f}"),
                cell(_points(each.median)),
                *(cell(NOTHING if np.isnan(score) else _points(score)) for score in each.totals),
            )
            for each in rows
        ),
        labels=3,
        notes=("Spread: the highest total less the lowest.", *notes) if rows else (f"There is {NO_ANSWER}.",),
    )


def _points(value: float) -> str:
    """Return a total, which is a mean only where a judge was asked several times."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def _question(report: PanelReport, answer: PanelAnswer) -> str:
    words = " ".join(report.panel.benchmark.by_id[answer.item_id].wording().question.text.split())
    return words if len(words) <= LONGEST_QUESTION else f"{words[:LONGEST_QUESTION]}…"


def _model(run: PanelRun) -> Cell:
    return cell(run.run.model_name, f"{short(run.run.run_id)} {run.run.protocol_name}")


def _mean(interval: Interval | None) -> Cell:
    if interval is None:
        return no_value(NO_ANSWER)
    return cell(f"{interval.estimate:.2f}", f"{interval.low:.2f}–{interval.high:.2f}", f"n={interval.n}")
