"""The prefix probe as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType

from exambench.outcomes import Unjudged
from exambench.probing.comparisons import ExactnessVerdict
from exambench.probing.prefix_measures import Measure, Measured
from exambench.probing.prefix_report import (
    AGAINST_CONTROL,
    EVERYTHING,
    HINT_EFFECT,
    Contrast,
    Estimate,
    PrefixReport,
    PrefixResult,
)
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, number, percent, percent_range, points, points_range
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.report.provenance import drawn, interval_note
from exambench.stats.intervals import Interval

NO_VALUE = "no continuation has a value"
NO_DIFFERENCE = "one side has no value"
MEANINGS = (
    "ROUGE-L F: harmonic mean of the shares of both texts, in tokens, that are a common subsequence.",
    "LCS ratio: longest common subsequence over the longer text, in characters without spaces.",
    "8-gram overlap: share of the original's runs of eight tokens that stand in the continuation.",
)


def terminal(report: PrefixReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: PrefixReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: PrefixReport) -> str:
    """Return one line for each mean and each difference, in full precision."""
    return csv_text(_records(report))


def as_json(report: PrefixReport) -> str:
    """Return the report as a JSON document with every continuation's measures, in full precision."""
    return json_text(
        {
            "benchmark": report.benchmark,
            "dataset": report.dataset_hash,
            "control": report.control,
            "judge": report.judge,
            "tokenizer": report.tokenizer,
            "min_tokens": report.min_tokens,
            "share": report.share,
            "notes": list(report.notes),
            **drawn(report.bootstrap),
            "models": [
                {
                    "model": result.model,
                    "asked": result.asked,
                    "not_asked": result.not_asked,
                    "continuations": len(result.measured),
                    "unjudged": result.unjudged,
                    "conclusions": {str(arm): str(said) for arm, said in result.conclusions.items()},
                    "means": [_estimate_as_json(each) for each in result.estimates],
                    "differences": [_contrast_as_json(each) for each in result.contrasts],
                    "items": [_measured_as_json(each) for each in result.measured],
                    "control_items": [_measured_as_json(each) for each in result.control],
                }
                for result in report.results
            ],
        }
    )


def _sections(report: PrefixReport) -> Iterator[Section]:
    notes = (
        *report.notes,
        f"Shown: the first {report.share:.0%} of the tokens ({report.tokenizer}), with the stem's pictures.",
        interval_note(report.bootstrap),
    )
    for place, result in enumerate(report.results):
        said = [f"{arm}: {words}." for arm, words in result.conclusions.items()] or ["There is no continuation yet."]
        yield Section(
            f"{result.model} continues stems of {report.benchmark}",
            (_means(report, result), *_differences(report, result)),
            (*said, *(notes if place == 0 else ())),
        )


def _means(report: PrefixReport, result: PrefixResult) -> Grid:
    by_row: dict[tuple[str, str, str], dict[Measure, Interval | None]] = {}
    for each in result.estimates:
        by_row.setdefault((each.benchmark, each.source, str(each.arm)), {})[each.measure] = each.interval
    notes = list(MEANINGS)
    if result.not_asked:
        notes.append(
            f"Not asked: {result.not_asked} of {result.asked}, whose stems have pictures; the model takes text."
        )
    missing = result.asked - result.not_asked - len(result.measured)
    if missing:
        notes.append(f"Without a reply: {missing} of {result.asked}. Run the same command again.")
    cut = sum(each.cut for each in result.measured)
    if cut:
        notes.append(f"Cut by the token limit: {cut} continuations.")
    if report.judge is not None:
        notes.append(f"Judge: {report.judge}. Unjudged: {result.unjudged}, in no mean of a verdict.")
    return Grid(
        "Means in percent",
        ("Items of", "source", "arm", *(str(kind).replace(" ", "\n", 1) for kind in report.measures)),
        tuple(
            (cell(name), cell(source), cell(arm), *(_mean_cell(values[kind]) for kind in report.measures))
            for (name, source, arm), values in by_row.items()
        ),
        labels=3,
        notes=tuple(notes),
    )


def _differences(report: PrefixReport, result: PrefixResult) -> Iterator[Grid]:
    by_row: dict[tuple[str, str, str], dict[Measure, Interval | None]] = {}
    for each in result.contrasts:
        arm = "" if each.arm is None else str(each.arm)
        by_row.setdefault((each.name, each.source, arm), {})[each.measure] = each.interval
    if by_row:
        yield Grid(
            "Differences in percentage points",
            ("Difference", "source", "arm", *(str(kind).replace(" ", "\n", 1) for kind in report.measures)),
            tuple(
                (cell(name), cell(source), cell(arm), *(_difference_cell(values[kind]) for kind in report.measures))
                for (name, source, arm), values in sorted(by_row.items(), key=lambda row: row[0][1] != EVERYTHING)
            ),
            labels=3,
            notes=(
                f"{HINT_EFFECT}: on the same items. {AGAINST_CONTROL}: on different items"
                + (f", those of {report.control}." if report.control else "."),
            ),
        )


def _mean_cell(found: Interval | None) -> Cell:
    if found is None:
        return no_value(NO_VALUE)
    return cell(percent(found.estimate), percent_range(found.low, found.high, 0), f"n={found.n}")


def _difference_cell(found: Interval | None) -> Cell:
    if found is None:
        return no_value(NO_DIFFERENCE)
    return cell(points(found.estimate), points_range(found.low, found.high, 0), f"n={found.n}")


def _records(report: PrefixReport) -> Iterator[dict[str, object]]:
    for result in report.results:
        first = {"benchmark": report.benchmark, "dataset": report.dataset_hash, "model": result.model}
        for mean in result.estimates:
            yield {**first, "statistic": "mean", **_estimate_as_json(mean)}
        for difference in result.contrasts:
            yield {**first, "statistic": "difference", **_contrast_as_json(difference)}


def _estimate_as_json(each: Estimate) -> dict[str, Any]:
    return {
        "items_of": each.benchmark,
        "source": each.source,
        "arm": str(each.arm),
        "measure": str(each.measure),
        **interval_as_json(each.interval),
    }


def _contrast_as_json(each: Contrast) -> dict[str, Any]:
    return {
        "difference": each.name,
        "source": each.source,
        "arm": None if each.arm is None else str(each.arm),
        "measure": str(each.measure),
        **interval_as_json(each.interval),
    }


def interval_as_json(found: Interval | None) -> dict[str, Any]:
    """Return an interval as JSON values; what does not exist is null, with n 0."""
    if found is None:
        return {"estimate": None, "low": None, "high": None, "n": 0}
    return {"estimate": number(found.estimate), "low": number(found.low), "high": number(found.high), "n": found.n}


def _measured_as_json(each: Measured) -> dict[str, Any]:
    match each.verdict:
        case ExactnessVerdict():
            verdict: object = asdict(each.verdict)
        case Unjudged(reason):
            verdict = {"unjudged": reason}
        case None:
            verdict = None
    return {
        "item": each.item_id,
        "source": each.source,
        "arm": str(each.arm),
        "rouge_l": each.rouge_l,
        "lcs_ratio": each.common,
        "8_gram_overlap": each.verbatim,
        "declined": each.declined,
        "cut": each.cut,
        "verdict": verdict,
    }
