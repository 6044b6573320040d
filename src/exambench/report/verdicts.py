"""Verdicts as a terminal table, as Markdown, as CSV and as JSON: the same numbers, each with its n."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from exambench.analysis.judge_scores import AnswerScores, Difference, JudgeScores
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun
from exambench.outcomes import AnswerVerdict, Unjudged, Verdict
from exambench.parsing.rationales import RationaleForm
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.stats.intervals import Interval

Scores = JudgeScores | AnswerScores

NO_VERDICT: Final = "no verdict yet"
NO_RIGHT_ANSWER: Final = "no verdict beside a right answer"
NO_HEADLINE: Final = "the store has no run of this model under the protocol advanced on these items and in this wording"


def sections(scores: Sequence[Scores]) -> list[Section]:
    """Return one section for each judging, for :mod:`exambench.report.grids` to show."""
    return [_rationale_section(each) if isinstance(each, JudgeScores) else _answer_section(each) for each in scores]


def error_sections(scores: Sequence[Scores]) -> list[Section]:
    """Return the factual errors that each judge of rationales lists."""
    return [
        Section(
            _title(each.judged),
            (
                Grid(
                    f"{len(each.errors)} factual errors in {each.with_errors} of {_n_judged(each.judged)} rationales",
                    ("Item", "Error"),
                    tuple((cell(_place(error.item_id, error.trial)), cell(error.text)) for error in each.errors),
                    labels=2,
                ),
            ),
        )
        for each in scores
        if isinstance(each, JudgeScores)
    ]


def as_json(scores: Sequence[Scores], texts: Mapping[str, str | None] | None = None) -> str:
    """Return the judgings as a JSON document, in full precision, with every verdict.

    Args:
        scores: The judgings.
        texts: What the judge wrote last where it gave no readable verdict, by request key.
    """
    return json.dumps([_as_json(each, texts or {}) for each in scores], ensure_ascii=False, indent=2) + "\n"


def as_csv(scores: Sequence[Scores]) -> str:
    """Return one line for each judging and quantity, in full precision."""
    return _csv(
        ("judging", "run", "model", "judge", "reference", "quantity", "n", "estimate", "low", "high"),
        (line for each in scores for line in _records(each)),
    )


def errors_as_json(scores: Sequence[Scores]) -> str:
    """Return the factual errors as a JSON document."""
    return json.dumps(list(_error_records(scores)), ensure_ascii=False, indent=2) + "\n"


def errors_as_csv(scores: Sequence[Scores]) -> str:
    """Return one line for each factual error."""
    return _csv(("judging", "run", "judge", "item", "trial", "judge_trial", "error"), _error_records(scores))


def _rationale_section(scores: JudgeScores) -> Section:
    judged = scores.judged
    low, high = judged.scale
    count = len(judged.axes)
    rows = [(cell(axis), _mean(scores.axes.get(axis))) for axis in judged.axes]
    rows += [
        (cell(f"total ({count * low}–{count * high})"), _mean(scores.total)),
        (cell(f"normalised (x−{count * low})/{count * (high - low)}"), _mean(scores.normalised, 3)),
        (cell("normalised, beside right answers"), _mean(scores.right, 3, NO_RIGHT_ANSWER)),
        (cell("correct premium"), _difference(scores.correct_premium, NO_RIGHT_ANSWER)),
        (cell("reasoning gap"), _difference(scores.reasoning_gap, NO_HEADLINE if scores.normalised else NO_VERDICT)),
        (cell(f"right answer, weak reasoning (total ≤ {scores.weak_limit:g})"), _weak(scores)),
        (cell("factual errors"), cell(f"{len(scores.errors)}", f"in {scores.with_errors}", f"n={_n_judged(judged)}")),
    ]
    notes = [
        *_coverage(judged),
        f"Mean over judged items, {scores.bootstrap.level:.0%} bootstrap interval over items, B = "
        + f"{scores.bootstrap.resamples}, seed {scores.bootstrap.seed}; the share of weak reasoning has Wilson's.",
        "Correct premium: normalised score beside right answers less that on all.",
    ]
    if scores.gap_run is not None:
        run = scores.gap_run
        notes.append(f"Reasoning gap: normalised score less accuracy of run {run.run_id} ({run.protocol_name}).")
    return Section(_title(judged), (Grid("Rationales", ("", "Mean"), tuple(rows), notes=tuple(notes)),))


def _answer_section(scores: AnswerScores) -> Section:
    rows = [(cell("right"), _mean(scores.correct, 3))]
    rows += [(cell(f"settled: {name}"), cell(str(count))) for name, count in sorted(scores.settled.items())]
    grid = Grid("Free answers", ("", "Share"), tuple(rows), notes=tuple(_coverage(scores.judged)))
    return Section(_title(scores.judged), (grid,))


def _title(judged: JudgedRun) -> str:
    reference = "with the expert's rationale" if judged.with_reference else "without the expert's rationale"
    about = f", {reference}" if judged.axes else ""
    return f"{judged.run.model_name} on {judged.run.benchmark}, judged by {judged.judge_name}{about}"


def _coverage(judged: JudgedRun) -> list[str]:
    unjudged = f"{len(judged.unjudged)}, in no mean" if judged.unjudged else "0"
    notes = [
        f"Judged {_n_judged(judged)} of {len(judged.answers)} asked; unjudged {unjudged}; "
        + f"without a reply {len(judged.open)}."
    ]
    forms = [answer.form for answer in judged.answers]
    missing, prose = forms.count(RationaleForm.NONE), forms.count(RationaleForm.PROSE)
    if missing:
        notes.append(f"{missing} of the answers give no reasons, and are judged as such.")
    if prose:
        notes.append(f"{prose} of the rationales stand outside of the form that was asked for.")
    if judged.open:
        notes.append("Run the same command again for what has no reply.")
    images = "sees pictures" if judged.judging.condition["images"] else "sees no pictures"
    notes.append(f"Judging {judged.judging.judging_id}, rubric {judged.judging.rubric_name}; the judge {images}.")
    return notes


def _n_judged(judged: JudgedRun) -> int:
    return len(judged.judged)


def _place(item_id: str, trial: int) -> str:
    return f"{item_id}, trial {trial}" if trial else item_id


def _mean(interval: Interval | None, digits: int = 2, reason: str = NO_VERDICT) -> Cell:
    if interval is None:
        return no_value(reason)
    bounds = f"{interval.low:.{digits}f}–{interval.high:.{digits}f}"
    return cell(f"{interval.estimate:.{digits}f}", bounds, f"n={interval.n}")


def _difference(difference: Difference | None, reason: str) -> Cell:
    if difference is None:
        return no_value(reason)
    lines = [f"{difference.estimate:+.3f}"]
    if difference.low is not None and difference.high is not None:
        lines.append(f"{difference.low:+.3f} to {difference.high:+.3f}")
    return cell(*lines, f"n={difference.n_first}, {difference.n_second}")


def _weak(scores: JudgeScores) -> Cell:
    if scores.weak is None:
        return no_value(NO_RIGHT_ANSWER)
    share = scores.weak
    return cell(
        f"{100 * share.estimate:.1f} %",
        f"{100 * share.low:.1f}–{100 * share.high:.1f}",
        f"{scores.n_weak} of n={share.n}",
    )


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
        "images": record.condition["images"],
        "judge_trials": judged.judge_trials,
        "asked": len(judged.answers),
        "judged": _n_judged(judged),
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
        "level": scores.bootstrap.level,
        "resamples": scores.bootstrap.resamples,
        "seed": scores.bootstrap.seed,
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
        yield common | {"quantity": "factual_errors", "n": _n_judged(judged), "estimate": len(scores.errors)}
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


def _csv(header: Sequence[str], lines: Iterable[Mapping[str, object]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return buffer.getvalue()
