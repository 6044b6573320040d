"""Verdicts as tables for the terminal and Markdown, each number with its n."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exambench.analysis.judge_scores import AnswerScores, Difference, JudgeScores
from exambench.analysis.verdicts import JudgedRun
from exambench.items import short
from exambench.parsing.rationales import RationaleForm
from exambench.report.formatting import percent, percent_range, plural
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.report.provenance import interval_note
from exambench.stats.intervals import Interval

Scores = JudgeScores | AnswerScores

NO_VERDICT: Final = "no verdict yet"
NO_RIGHT_ANSWER: Final = "no verdict beside a right answer"
NO_HEADLINE: Final = "the store has no run of this model under the protocol advanced on these items and in this wording"


def sections(scores: Sequence[Scores]) -> list[Section]:
    """Return one section for each judge, rubric and condition, models in rows; :mod:`exambench.report.grids` shows it.

    Models stand side by side only where the same judge looked at answers to the same dataset by the same rubric.
    """
    groups: dict[tuple[object, ...], list[Scores]] = {}
    for each in scores:
        record, run = each.judged.judging, each.judged.run
        condition = tuple(sorted(record.condition.items()))
        key = (run.benchmark, run.dataset_hash, record.kind, record.identity, record.rubric_hash, condition)
        groups.setdefault(key, []).append(each)
    found = []
    for group in groups.values():
        rationales = [each for each in group if isinstance(each, JudgeScores)]
        answers = [each for each in group if isinstance(each, AnswerScores)]
        found.append(_rationale_section(rationales) if rationales else _answer_section(answers))
    return found


def error_sections(scores: Sequence[Scores]) -> list[Section]:
    """Return the factual errors that each judge of rationales lists."""
    return [
        Section(
            f"{each.judged.run.model_name} on {_title(each.judged)}",
            (
                Grid(
                    f"{plural(len(each.errors), 'factual error')} in {each.with_errors} of "
                    f"{plural(len(each.judged.judged), 'rationale')}",
                    ("Item", "Error"),
                    tuple((cell(_place(error.item_id, error.trial)), cell(error.text)) for error in each.errors),
                    labels=2,
                ),
            ),
        )
        for each in scores
        if isinstance(each, JudgeScores)
    ]


def _rationale_section(group: Sequence[JudgeScores]) -> Section:
    judged = group[0].judged
    low, high = judged.scale
    count = len(judged.axes)
    means = Grid(
        "Mean scores",
        (
            "Model",
            *(axis.replace("_", "\n") for axis in judged.axes),
            f"total\n{count * low}–{count * high}",
            f"normalised\n(x−{count * low})/{count * (high - low)}",
            "judged\nof asked",
        ),
        tuple(
            (
                _model(each.judged),
                *(_mean(each.axes.get(axis)) for axis in judged.axes),
                _mean(each.total),
                _mean(each.normalised, 3),
                _coverage(each.judged),
            )
            for each in group
        ),
        notes=_mean_notes(group),
    )
    answers = Grid(
        "Reasons beside answers",
        (
            "Model",
            "right\nanswers",
            "correct\npremium",
            "reasoning\ngap",
            f"weak reasons\n(total ≤ {group[0].weak_limit:g})",
            "factual\nerrors",
        ),
        tuple(
            (
                _model(each.judged),
                _mean(each.right, 3, NO_RIGHT_ANSWER),
                _difference(each.correct_premium, NO_RIGHT_ANSWER),
                _difference(each.reasoning_gap, NO_HEADLINE if each.normalised else NO_VERDICT),
                _weak(each),
                cell(f"{len(each.errors)}", f"in {each.with_errors}", f"n={len(each.judged.judged)}"),
            )
            for each in group
        ),
        notes=_answer_notes(group),
    )
    return Section(_title(judged), (means, answers))


def _mean_notes(group: Sequence[JudgeScores]) -> tuple[str, ...]:
    notes = [
        "Mean over judged items, n items. What is unjudged is in no mean.",
        interval_note(group[0].bootstrap),
        f"Rubric {group[0].judged.judging.rubric_name}. {_sight(group[0].judged)}",
    ]
    for each in group:
        name, judged = each.judged.run.model_name, each.judged
        forms = [answer.form for answer in judged.answers]
        missing, prose = forms.count(RationaleForm.NONE), forms.count(RationaleForm.PROSE)
        if missing:
            notes.append(f"{name}: {missing} of {len(forms)} answers give no reasons, and are judged as such.")
        if prose:
            notes.append(f"{name}: {prose} of {len(forms)} rationales stand outside of the form that was asked for.")
        if judged.open:
            notes.append(f"{name}: {len(judged.open)} wait for a reply; run the same command again for them.")
    return tuple(notes)


def _answer_notes(group: Sequence[JudgeScores]) -> tuple[str, ...]:
    runs = {each.gap_run.run_id: each.gap_run for each in group if each.gap_run is not None}
    notes = [
        "Right answers: normalised score beside right answers. Correct premium: that less the normalised score on all.",
        "Reasoning gap: normalised score less accuracy under the protocol advanced on all its items"
        + (f" (runs {', '.join(runs)})." if runs else "."),
        "Weak reasons: share of right answers whose reasons score no more than the middle, with Wilson's interval.",
        "Factual errors: how many, in how many of the rationales.",
    ]
    return tuple(notes)


def _answer_section(group: Sequence[AnswerScores]) -> Section:
    ways = sorted({way for each in group for way in each.settled})
    grid = Grid(
        "Free answers",
        ("Model", "right", *ways, "judged\nof asked"),
        tuple(
            (
                _model(each.judged),
                _mean(each.correct, 3),
                *(cell(str(each.settled.get(way, 0))) for way in ways),
                _coverage(each.judged),
            )
            for each in group
        ),
        notes=(
            "Share of right answers among the decided ones, with Wilson's interval, and how these were decided. "
            + _sight(group[0].judged),
        ),
    )
    return Section(_title(group[0].judged), (grid,))


def _title(judged: JudgedRun) -> str:
    reference = "with the expert's rationale" if judged.with_reference else "without the expert's rationale"
    return f"{judged.run.benchmark}, judged by {judged.judge_name}" + (f" {reference}" if judged.axes else "")


def _sight(judged: JudgedRun) -> str:
    return "The judge sees the pictures." if judged.judging.sees_images else "The judge sees no pictures."


def _model(judged: JudgedRun) -> Cell:
    return cell(judged.run.model_name, f"{short(judged.run.run_id)} {judged.run.protocol_name}")


def _coverage(judged: JudgedRun) -> Cell:
    lines = [f"{len(judged.judged)}/{len(judged.answers)}", f"{len(judged.unjudged)} unjudged"]
    return cell(*lines, f"{len(judged.open)} open") if judged.open else cell(*lines)


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
        f"{percent(share.estimate)} %",
        percent_range(share.low, share.high),
        f"{scores.n_weak} of n={share.n}",
    )
