"""What the verdicts on a run amount to: means with intervals, gaps, factual errors, right answers with weak reasons.

References:
    [1] S. Kim et al., "K-MetBench" (2026), section 3.3 and appendix H: four axes, total 4 to 20, (x − 4)/16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.answer_judges import load_all_scores
from exambench.analysis.scores import RunScores, strata_of
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun
from exambench.outcomes import AnswerVerdict
from exambench.stats.gaps import bootstrap_gaps
from exambench.stats.intervals import Interval, wilson_interval
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap, bootstrap_means
from exambench.store import RunRecord, Store

RESAMPLES: Final = 1000
SEED: Final = 42
HEADLINE: Final = "advanced"
"""Protocol whose accuracy the reasoning gap is held against."""

TOTAL: Final = "total"
NORMALISED: Final = "normalised"
_RIGHT: Final = "normalised, right answers"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two means of one model.

    Attributes:
        estimate: First mean less second.
        low: Lower bound; ``None`` where the difference has no interval.
        high: Upper bound, likewise.
        n_first: Items behind the first mean.
        n_second: Items behind the second.
    """

    estimate: float
    low: float | None
    high: float | None
    n_first: int
    n_second: int


@dataclass(frozen=True, slots=True)
class FactualError:
    """A factual error that a judge lists."""

    item_id: str
    trial: int
    judge_trial: int
    text: str


@dataclass(frozen=True)
class JudgeScores:
    """One judge's view of one run.

    A score of an item is its mean over trials of the run and of the judge. What is unjudged is in no mean.

    Attributes:
        judged: The verdicts.
        axes: Mean of each axis of the rubric, by key; empty without a verdict.
        total: Mean of the sum over the axes.
        normalised: Mean total on [0, 1]: (x − lowest)/(highest − lowest), which is (x − 4)/16 for four axes of 1 to 5.
        right: The normalised mean over verdicts beside right answers.
        correct_premium: ``right`` less ``normalised``.
        reasoning_gap: ``normalised`` less the accuracy of the headline run on all its items.
        gap_run: The run whose accuracy that is; ``None`` when the store has none of this model.
        weak: Share of rationales whose total is at most the middle of its range (12 of 4 to 20), among those beside
            right answers; ``None`` when there are none.
        n_weak: How many these are.
        errors: Every factual error that the judge lists.
        with_errors: Verdicts that list at least one.
        bootstrap: How the intervals were drawn.
    """

    judged: JudgedRun
    axes: Mapping[str, Interval]
    total: Interval | None
    normalised: Interval | None
    right: Interval | None
    correct_premium: Difference | None
    reasoning_gap: Difference | None
    gap_run: RunRecord | None
    weak: Interval | None
    n_weak: int
    errors: tuple[FactualError, ...]
    with_errors: int
    bootstrap: Bootstrap

    @property
    def weak_limit(self) -> float:
        """The highest total that counts as weak."""
        low, high = self.judged.scale
        return len(self.judged.axes) * (low + high) / 2


@dataclass(frozen=True)
class AnswerScores:
    """What a judge of answers makes of one run.

    Attributes:
        judged: The verdicts.
        correct: Share of right answers among the decided ones; ``None`` when none is decided.
        settled: How many were decided in each way.
    """

    judged: JudgedRun
    correct: Interval | None
    settled: Mapping[str, int]


def judge_scores(
    judged: JudgedRun,
    headline: RunScores | None = None,
    bootstrap: Bootstrap = Bootstrap(RESAMPLES, SEED),  # noqa: B008 - frozen
) -> JudgeScores:
    """Return what the verdicts on a run amount to [1].

    Args:
        judged: A judging of rationales.
        headline: Scores of the same model under the headline protocol on the same dataset, for the reasoning gap.
        bootstrap: How to draw the intervals; items are resampled.
    """
    by_axis = {axis: judged.scores(axis) for axis in judged.axes}
    total = judged.scores()
    normalised = {item: normalised_total(value, judged) for item, value in total.items()}
    right = {item: normalised_total(value, judged) for item, value in _totals(_beside_right_answers(judged)).items()}
    means = _means(judged, {**by_axis, TOTAL: total, NORMALISED: normalised, _RIGHT: right}, bootstrap)
    errors = tuple(
        FactualError(answer.item_id, answer.trial, answer.judge_trial, error)
        for answer in judged.answers
        if answer.verdict is not None
        for error in answer.verdict.errors
    )
    weak, n_weak = _weak(judged)
    return JudgeScores(
        judged=judged,
        axes={axis: means[axis] for axis in judged.axes if axis in means},
        total=means.get(TOTAL),
        normalised=means.get(NORMALISED),
        right=means.get(_RIGHT),
        correct_premium=_gap(judged, right, normalised, bootstrap),
        reasoning_gap=None if headline is None else _gap(judged, normalised, headline.scores, bootstrap),
        gap_run=None if headline is None else headline.record,
        weak=weak,
        n_weak=n_weak,
        errors=errors,
        with_errors=len({(error.item_id, error.trial, error.judge_trial) for error in errors}),
        bootstrap=bootstrap,
    )


def answer_scores(judged: JudgedRun) -> AnswerScores:
    """Return what a judge of answers makes of a run."""
    verdicts = [answer.judgement for answer in judged.answers if isinstance(answer.judgement, AnswerVerdict)]
    settled: dict[str, int] = {}
    for verdict in verdicts:
        settled[str(verdict.settled)] = settled.get(str(verdict.settled), 0) + 1
    correct = sum(verdict.correct for verdict in verdicts)
    return AnswerScores(judged, wilson_interval(correct, len(verdicts)) if verdicts else None, settled)


def headline_scores(store: Store, run: RunRecord) -> RunScores | None:
    """Return the scores of the same model under the headline protocol, on the same dataset and in the same condition.

    Of several such runs, which differ in their decoding, the one that was worked on last counts.

    Raises:
        StoreError: The store cannot be read.
    """
    same = [
        summary for summary in store.runs() if summary.run.protocol_name == HEADLINE and same_sitting(summary.run, run)
    ]
    if not same:
        return None
    latest = max(same, key=lambda summary: (summary.updated_at, summary.run_id)).run
    return load_all_scores(store, [latest])[0]


def same_sitting(run: RunRecord, other: RunRecord) -> bool:
    """Tell whether two runs, perhaps under different protocols, are of one model, one dataset and one condition."""
    return (
        run.identity == other.identity
        and run.benchmark == other.benchmark
        and run.dataset_hash == other.dataset_hash
        and run.condition == other.condition
    )


def _beside_right_answers(judged: JudgedRun) -> list[JudgedAnswer]:
    return [answer for answer in judged.answers if answer.verdict is not None and answer.right]


def _totals(answers: Sequence[JudgedAnswer]) -> dict[str, float]:
    """Return the mean total of each item over these answers."""
    totals: dict[str, list[int]] = {}
    for answer in answers:
        if answer.verdict is not None:
            totals.setdefault(answer.item_id, []).append(answer.verdict.total)
    return {item_id: sum(found) / len(found) for item_id, found in totals.items()}


def normalised_total(total: float, judged: JudgedRun) -> float:
    """Return a total over the axes on [0, 1] [1]."""
    low, high = judged.scale
    return (total / len(judged.axes) - low) / (high - low)


def _weak(judged: JudgedRun) -> tuple[Interval | None, int]:
    """Count rationales, each by its mean total over the judge's trials."""
    totals: dict[tuple[str, int], list[int]] = {}
    for answer in _beside_right_answers(judged):
        if answer.verdict is not None:
            totals.setdefault((answer.item_id, answer.trial), []).append(answer.verdict.total)
    low, high = judged.scale
    limit = len(judged.axes) * (low + high) / 2
    weak = sum(sum(found) / len(found) <= limit for found in totals.values())
    return (wilson_interval(weak, len(totals)), weak) if totals else (None, 0)


def _matrix(judged: JudgedRun, scores: Mapping[str, float]) -> FloatArray:
    """Return scores as a matrix of one model and every item of the benchmark."""
    return np.array([[scores.get(item.id, np.nan) for item in judged.benchmark.items]])


def _means(judged: JudgedRun, scores: Mapping[str, Mapping[str, float]], bootstrap: Bootstrap) -> dict[str, Interval]:
    """Return the mean of each set of scores that has any."""
    axes = {name: _matrix(judged, values) for name, values in scores.items() if values}
    if not axes:
        return {}
    table = bootstrap_means(axes, bootstrap, strata=strata_of(judged.benchmark.items), item_ids=_ids(judged))
    return {name: table.interval(0, name) for name in axes}


def _gap(
    judged: JudgedRun, first: Mapping[str, float], second: Mapping[str, float], bootstrap: Bootstrap
) -> Difference | None:
    """Return the difference of two means, drawn together; ``None`` when one of them has no score."""
    if not first or not second:
        return None
    axes = {"first": _matrix(judged, first), "second": _matrix(judged, second)}
    table = bootstrap_gaps(
        axes, {"gap": ("first", "second")}, bootstrap, strata=strata_of(judged.benchmark.items), item_ids=_ids(judged)
    )
    low, high = float(table.low[0, 0]), float(table.high[0, 0])
    return Difference(
        estimate=float(table.estimate[0, 0]),
        low=None if np.isnan(low) else low,
        high=None if np.isnan(high) else high,
        n_first=int(table.n_first[0, 0]),
        n_second=int(table.n_second[0, 0]),
    )


def _ids(judged: JudgedRun) -> list[str]:
    return [item.id for item in judged.benchmark.items]
