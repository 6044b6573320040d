"""Verdicts as CSV and as JSON, in full precision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exambench.analysis.judge_scores import AnswerScores, Difference, JudgeScores
from exambench.analysis.verdicts import JudgedAnswer
from exambench.outcomes import AnswerVerdict, Unjudged, Verdict
from exambench.report.formatting import csv_text, json_text
from exambench.report.provenance import drawn
from exambench.stats.intervals import Interval

Scores = JudgeScores | AnswerScores


def as_json(scores: Sequence[Scores], texts: Mapping[str, str | None] | None = None) -> str:
    """Return the judgings as a JSON document, in full precision, with every verdict.

    Args:
        scores: The judgings.
        texts: What the judge wrote last where it gave no readable verdict, by request key.
    """
    return json_text([_as_json(each, texts or {}) for each in scores])


def as_csv(scores: Sequence[Scores]) -> str:
    """Return one line for each judging and quantity, in full precision."""
    return csv_text(line for each in scores for line in _records(each))


def errors_as_json(scores: Sequence[Scores]) -> str:
    """Return the factual errors as a JSON document."""
    return json_text(list(_error_records(scores)))


def errors_as_csv(scores: Sequence[Scores]) -> str:
    """Return one line for each factual error."""
    return csv_text(_error_records(scores))


def _as_json(scores: Scores, texts: Mapping[str, str | None]) -> dict[str, Any]:
    judged = scores.judged
    record = judged.judging
    common = {
        "judging": record.judging_id,
        "run": judged.run.run_id,
        "model": judged.run.model_name,
        "benchmark": judged.run.benchmark,
        "dataset": judged.run.dataset_hash,
        "protocol": judged.run.protocol_name,
        "kind": str(record.kind),
        "judge": judged.judge_name,
        "judge_identity": record.identity,
        "judge_decoding": dict(record.decoding),
        "rubric": record.rubric_name,
        "rubric_hash": record.rubric_hash,
        "reference": judged.with_reference,
        "images": record.sees_images,
        "judge_trials": judged.judge_trials,
        "asked": len(judged.answers),
        "judged": len(judged.judged),
        "unjudged": len(judged.unjudged),
        "open": len(judged.open),
    }
    verdicts = [_answer_as_json(answer, texts) for answer in judged.answers]
    if isinstance(scores, AnswerScores):
        return common | {
            "correct": _interval(scores.correct),
            "settled": dict(scores.settled),
            "verdicts": verdicts,
        }
    return common | {
        "without_rationale": sum(not answer.has_rationale for answer in judged.answers),
        **drawn(scores.bootstrap),
        "axes": {axis: _interval(scores.axes.get(axis)) for axis in judged.axes},
        "total": _interval(scores.total),
        "normalised": _interval(scores.normalised),
        "normalisation": "(x - lowest) / (highest - lowest)",
        "normalised_right_answers": _interval(scores.right),
        "correct_premium": _difference_as_json(scores.correct_premium),
        "reasoning_gap": _difference_as_json(scores.reasoning_gap),
        "reasoning_gap_run": None if scores.gap_run is None else scores.gap_run.run_id,
        "weak_reasoning": _interval(scores.weak),
        "weak_limit": scores.weak_limit,
        "factual_errors": len(scores.errors),
        "rationales_with_errors": scores.with_errors,
        "verdicts": verdicts,
    }


def _answer_as_json(answer: JudgedAnswer, texts: Mapping[str, str | None]) -> dict[str, Any]:
    place: dict[str, Any] = {
        "item": answer.item_id,
        "trial": answer.trial,
        "judge_trial": answer.judge_trial,
        "right": answer.right,
        "rationale": None if answer.form is None else str(answer.form),
        "tries": answer.tries,
    }
    match answer.judgement:
        case None:
            return place | {"verdict": None}
        case Verdict(scores, errors, reason):
            return place | {
                "verdict": "judged",
                "scores": dict(scores),
                "total": answer.judgement.total,
                "errors": list(errors),
                "reason": reason,
            }
        case AnswerVerdict(correct, settled):
            return place | {"verdict": "judged", "correct": correct, "settled": str(settled)}
        case Unjudged(reason):
            return place | {"verdict": "unjudged", "reason": reason, "text": texts.get(answer.request_key or "")}


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {"n": interval.n, "estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _difference_as_json(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "estimate": difference.estimate,
        "low": difference.low,
        "high": difference.high,
        "n_first": difference.n_first,
        "n_second": difference.n_second,
    }


def _records(scores: Scores) -> Iterable[dict[str, object]]:
    judged = scores.judged
    common: dict[str, object] = {
        "judging": judged.judging.judging_id,
        "run": judged.run.run_id,
        "model": judged.run.model_name,
        "judge": judged.judge_name,
        "reference": judged.with_reference,
    }
    if isinstance(scores, AnswerScores):
        yield common | {"quantity": "correct"} | (_interval(scores.correct) or {"n": 0})
    else:
        means = {**scores.axes, "total": scores.total, "normalised": scores.normalised}
        means |= {"normalised_right_answers": scores.right, "weak_reasoning": scores.weak}
        for name, interval in means.items():
            yield common | {"quantity": name} | (_interval(interval) or {"n": 0})
        for name, gap in {
            "correct_premium": scores.correct_premium,
            "reasoning_gap": scores.reasoning_gap,
        }.items():
            values = {} if gap is None else {"estimate": gap.estimate, "low": gap.low, "high": gap.high}
            yield common | {"quantity": name, "n": 0 if gap is None else gap.n_first} | values
        yield common | {"quantity": "factual_errors", "n": len(judged.judged), "estimate": len(scores.errors)}
    counts = {"asked": len(judged.answers), "unjudged": len(judged.unjudged), "open": len(judged.open)}
    for name, count in counts.items():
        yield common | {"quantity": name, "n": len(judged.answers), "estimate": count}


def _error_records(scores: Sequence[Scores]) -> Iterable[dict[str, object]]:
    for each in scores:
        if not isinstance(each, JudgeScores):
            continue
        for error in each.errors:
            yield {
                "judging": each.judged.judging.judging_id,
                "run": each.judged.run.run_id,
                "judge": each.judged.judge_name,
                "item": error.item_id,
                "trial": error.trial,
                "judge_trial": error.judge_trial,
                "error": error.text,
            }
