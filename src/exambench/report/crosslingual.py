"""Korean and English on the same items as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.analysis.crosslingual import CrosslingualReport, LanguagePair
from exambench.report import grids
from exambench.report.formatting import (
    SMALLEST_P,
    csv_text,
    json_text,
    p_value,
    percent,
    percent_range,
    points,
    points_range,
)
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.report.prefix import interval_as_json
from exambench.report.provenance import drawn, interval_note
from exambench.stats.intervals import Interval


def terminal(report: CrosslingualReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: CrosslingualReport) -> str:
    """Return the report as a Markdown table."""
    return grids.markdown(_sections(report))


def as_csv(report: CrosslingualReport) -> str:
    """Return one line for each model, in full precision."""
    first = {"benchmark": report.benchmark, "dataset": report.dataset_hash, "protocol": report.protocol}
    return csv_text({**first, **_flat(pair)} for pair in report.pairs)


def as_json(report: CrosslingualReport) -> str:
    """Return the report as a JSON document, in full precision."""
    return json_text(
        {
            "benchmark": report.benchmark,
            "dataset": report.dataset_hash,
            "protocol": report.protocol,
            "axis": report.axis,
            "translated": dict(report.translated),
            "used": list(report.used),
            **drawn(report.bootstrap),
            "models": [
                {
                    "model": pair.model,
                    "runs": {"korean": pair.runs[0], "english": pair.runs[1]},
                    "korean": interval_as_json(pair.korean),
                    "english": interval_as_json(pair.english),
                    "difference": interval_as_json(pair.difference),
                    **_counts(pair),
                    "only_korean_items": list(pair.only_korean),
                    "only_english_items": list(pair.only_english),
                }
                for pair in report.pairs
            ],
        }
    )


def _sections(report: CrosslingualReport) -> Iterator[Section]:
    grid = Grid(
        "Accuracy in percent, Δ = Korean − English in percentage points",
        ("Model", "n", "Korean", "English", "Δ", "both", "Ko\nonly", "En\nonly", "neither", "exact p", "p, Holm"),
        tuple(_row(pair) for pair in report.pairs),
        notes=(
            f"exact p: {report.pairs[0].test.method}, on the items that are right in one language alone.",
            interval_note(report.bootstrap),
            *(
                f"{pair.model}: {pair.left_out} translated items have no score in one of the languages."
                for pair in report.pairs
                if pair.left_out
            ),
        ),
    )
    states = ", ".join(f"{count} {state}" for state, count in report.translated.items())
    scope = "" if report.axis is None else f" · axis {report.axis}"
    yield Section(
        f"Korean and English · {report.benchmark} · {report.protocol}{scope}",
        (grid,),
        (f"Items with an English side: {states}. Used here: {' and '.join(report.used)}.",),
    )


def _row(pair: LanguagePair) -> tuple[Cell, ...]:
    counts = _counts(pair)
    names = ("both", "only_korean", "only_english", "neither")
    return (
        cell(pair.model),
        cell(f"{pair.difference.n}"),
        _mean(pair.korean),
        _mean(pair.english),
        cell(points(pair.difference.estimate), points_range(pair.difference.low, pair.difference.high)),
        *(cell(NOTHING if counts[name] is None else str(counts[name])) for name in names),
        cell(_p(pair.test.p_value)),
        cell(_p(pair.p_adjusted)),
    )


def _p(value: float) -> str:
    """Return a p-value as the published table has it: 1.43e−5 where it is small."""
    if value >= SMALLEST_P:
        return p_value(value)
    digits, _, exponent = f"{value:.2e}".partition("e")
    return f"{digits}e−{exponent.lstrip('-0')}"


def _mean(found: Interval) -> Cell:
    return cell(percent(found.estimate), percent_range(found.low, found.high, 0))


def _counts(pair: LanguagePair) -> dict[str, Any]:
    return {
        "both": None if pair.outcomes is None else pair.outcomes.both,
        "only_korean": pair.test.only_a,
        "only_english": pair.test.only_b,
        "neither": None if pair.outcomes is None else pair.outcomes.neither,
        "test": pair.test.method,
        "p": pair.test.p_value,
        "p_holm": pair.p_adjusted,
        "left_out": pair.left_out,
    }


def _flat(pair: LanguagePair) -> dict[str, object]:
    record: dict[str, object] = {"model": pair.model, "korean_run": pair.runs[0], "english_run": pair.runs[1]}
    for name, found in (("korean", pair.korean), ("english", pair.english), ("difference", pair.difference)):
        record |= {f"{name}_{part}": value for part, value in interval_as_json(found).items()}
    return record | _counts(pair)
