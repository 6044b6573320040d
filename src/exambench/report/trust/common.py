"""What the reports about a judge share: cells, sentences and records of estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from exambench.analysis.trust.estimates import Estimate
from exambench.analysis.trust.judges import JudgedGroup
from exambench.analysis.verdicts import JudgedRun
from exambench.items import short
from exambench.report.grids import Cell, Section, cell, no_value
from exambench.report.provenance import drawn
from exambench.stats.resampling import Bootstrap

PLAIN_TITLE: Final = "In plain words"


def stacked(found: Estimate, digits: int = 2, *, signed: bool = False) -> Cell:
    """Return an estimate above its interval; a dash and the reason where there is none."""
    if found.value is None:
        return no_value(found.reason)
    value = shown(found.value, digits, signed=signed)
    if found.low is None or found.high is None:
        return Cell((value,), found.reason)
    low, high = (shown(bound, digits, signed=signed) for bound in (found.low, found.high))
    return cell(value, f"{low} to {high}")


def shown(value: float, digits: int = 2, *, signed: bool = False) -> str:
    """Return a number with a true minus sign, and a plus sign where it is a difference; zero has none."""
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("+-")


def between(found: Estimate, digits: int = 2, *, signed: bool = False) -> str:
    """Return an interval for a sentence, in brackets; nothing where there is none."""
    if found.low is None or found.high is None:
        return ""
    low, high = (shown(bound, digits, signed=signed) for bound in (found.low, found.high))
    return f" ({low} to {high})"


def amount(value: float) -> str:
    """Return points without a sign, for a sentence: ``1 point``, ``0.40 points``."""
    text = f"{abs(value):.2f}"
    return "1 point" if text == "1.00" else f"{text} points"


def in_plain_words(sentences: Iterable[str]) -> Section:
    """Return the section that ends a report."""
    return Section(PLAIN_TITLE, (), tuple(sentences))


def title_of(group: JudgedGroup) -> str:
    """Return which judge of which benchmark."""
    judged = group.runs[0]
    return f"{judged.run.benchmark}, judged by {group.name} {seen(judged)}"


def seen(judged: JudgedRun) -> str:
    """Return whether the judge saw the expert's rationale."""
    return f"{'with' if judged.with_reference else 'without'} the expert's rationale"


def decoding_note(judged: JudgedRun) -> str:
    """Return how the judge draws its tokens, and by which rubric it judges."""
    decoding = ", ".join(f"{name} {value}" for name, value in sorted(judged.judging.decoding.items()))
    return f"Rubric {judged.judging.rubric_name}; decoding of the judge: {decoding or 'as its endpoint has it'}."


def identity_note(group: JudgedGroup) -> tuple[str, ...]:
    """Return who answers, where the name alone does not say which judge is meant."""
    return () if group.name == group.judging.judge_name else (f"{group.name} is {group.judging.identity}.",)


def model_cell(judged: JudgedRun) -> Cell:
    """Return the model with its run."""
    return cell(judged.run.model_name, short(judged.run.run_id))


def interval_note(bootstrap: Bootstrap, over: str) -> str:
    """Return how intervals were drawn as a sentence."""
    return (
        f"Intervals: {bootstrap.level:.0%}, percentiles of {bootstrap.resamples:,} bootstrap resamples of {over}, "
        f"seed {bootstrap.seed}."
    )


def estimate_as_json(found: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON values; null with a reason where there is none."""
    return {
        "n": found.n,
        "estimate": found.value,
        "low": found.low,
        "high": found.high,
        "undefined_resamples": found.undefined_resamples,
        "reason": found.reason or None,
    }


def judge_as_json(group: JudgedGroup) -> dict[str, Any]:
    """Return the judge, the rubric and the condition as JSON values."""
    record, run = group.judging, group.runs[0].run
    return {
        "benchmark": run.benchmark,
        "dataset": run.dataset_hash,
        "judge": record.judge_name,
        "judge_identity": record.identity,
        "judge_decoding": dict(record.decoding),
        "rubric": record.rubric_name,
        "rubric_hash": record.rubric_hash,
        "reference": record.with_reference,
        "images": record.sees_images,
    }


def judge_record(group: JudgedGroup) -> dict[str, object]:
    """Return the first columns of a CSV record."""
    record, run = group.judging, group.runs[0].run
    return {
        "benchmark": run.benchmark,
        "dataset": run.dataset_hash,
        "judge": record.judge_name,
        "rubric_hash": record.rubric_hash,
        "reference": record.with_reference,
        "images": record.sees_images,
    }


def records(
    first: Mapping[str, object], name: str, quantities: Mapping[str, Estimate], bootstrap: Bootstrap
) -> Iterable[dict[str, object]]:
    """Yield a CSV record for each quantity of a dimension."""
    for quantity, found in quantities.items():
        yield {**first, "dimension": name, "quantity": quantity, **estimate_as_json(found), **drawn(bootstrap)}
