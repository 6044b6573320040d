"""What people would score on average, from a judge on all answers and people on a sample of them.

References:
    [1] A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++: Efficient prediction-powered inference", arXiv:2311.01453 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.agreement import TOTAL
from exambench.analysis.meta_random import SAMPLING
from exambench.analysis.meta_report import scores_of_people, unit_name
from exambench.analysis.meta_study import first_trials
from exambench.analysis.sampling import Sampling
from exambench.analysis.verdicts import JudgedRun, load_verdicts
from exambench.errors import UndefinedStatisticError
from exambench.stats.corrected import (
    SAMPLE,
    STRATUM_SAMPLE,
    CorrectedMean,
    Stratum,
    power_tuned_mean,
    stratified_mean,
)
from exambench.stats.intervals import Interval, mean_interval
from exambench.stats.matrix import FloatArray
from exambench.store import Store, StudyRecord

TOGETHER: Final = "all models together"


@dataclass(frozen=True, eq=False)
class ModelAnswers:
    """A model's answers with what judge and people say of them.

    Attributes:
        run_id: The run.
        name: The model's name.
        items: The item of each answer.
        judge: By axis, the judge's score of each answer.
        people: By axis, the mean of the people's scores of each answer; NaN outside the sample.
        without_rationale: Items that have no rationale to judge, and so no answer here.
        unjudged: Items whose rationale has no verdict, likewise.
    """

    run_id: str
    name: str
    items: tuple[str, ...]
    judge: Mapping[str, FloatArray]
    people: Mapping[str, FloatArray]
    without_rationale: int = 0
    unjudged: int = 0

    @property
    def n_people(self) -> int:
        """How many of the answers people scored."""
        return int((~np.isnan(next(iter(self.people.values())))).sum())


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """One model, or all together, on one axis or the total.

    Attributes:
        run_id: The run; ``None`` for all models together.
        name: What to call it.
        n_judge: Answers that the judge scored.
        n_people: Those of them that people scored.
        judge: The judge's mean alone, with the interval that it would have if the judge were right.
        people: The people's mean over their sample; ``None`` where they scored no answer.
        corrected: The corrected mean; ``None`` where it does not exist.
        reason: Why it does not.
    """

    run_id: str | None
    name: str
    n_judge: int
    n_people: int
    judge: Interval | None
    people: float | None
    corrected: CorrectedMean | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CorrectedDimension:
    """An axis of the rubric, or the total.

    Attributes:
        name: Key of the axis, or :data:`~exambench.analysis.agreement.TOTAL`.
        rows: The models in the order of the study, then all together.
    """

    name: str
    rows: tuple[CorrectedRow, ...]


@dataclass(frozen=True, slots=True)
class CorrectedReport:
    """Corrected means of a study.

    Attributes:
        study: What was drawn.
        sampling: How.
        raters: The people whose scores are in.
        missing: Raters of the study whose scores are not in yet.
        models: The answers behind it.
        dimensions: The total first, then each axis.
        changed: Models of which another number of answers is judged now than when the sample was drawn.
        level: Level of the intervals.
    """

    study: StudyRecord
    sampling: Sampling
    raters: tuple[str, ...]
    missing: tuple[str, ...]
    models: tuple[ModelAnswers, ...]
    dimensions: tuple[CorrectedDimension, ...]
    changed: tuple[str, ...]
    level: float


def corrected_report(store: Store, study: StudyRecord, level: float = 0.95) -> CorrectedReport:
    """Return the judge's means of a study's models, corrected by its people's scores.

    Args:
        store: Where the study, its ratings and the verdicts are.
        study: One of :meth:`exambench.store.Studies.all`.
        level: Level of the intervals.

    Raises:
        ConfigError: No rating of the study is in yet.
        StoreError: The store cannot be read.
    """
    people = scores_of_people(store, study)
    trials = {(place.run_id, place.item_id): place.trial for place in store.studies.places(study.study_id)}
    judged = [load_verdicts(store, store.judgings.find(judging_id)) for judging_id in study.judgings]
    models = tuple(answers_of(run, trials, people) for run in judged)
    raters = tuple(rater for rater in study.raters if any(rater == found for _, found, _ in people))
    return CorrectedReport(
        study=study,
        sampling=Sampling(str(study.sample.get(SAMPLING, Sampling.STRATIFIED))),
        raters=raters,
        missing=tuple(rater for rater in study.raters if rater not in raters),
        models=models,
        dimensions=corrected_means(models, level),
        changed=_changed(study, models),
        level=level,
    )


def corrected_means(models: Sequence[ModelAnswers], level: float = 0.95) -> tuple[CorrectedDimension, ...]:
    """Return the corrected means of models and of all together [1], the total first, then each axis.

    A model's mean needs three answers that people scored. All together count the models with two or more: each as its
    number of answers, and with answers to one item allowed to resemble each other.

    Args:
        models: Their answers, scored on the same axes.
        level: Level of the intervals.
    """
    axes = tuple(models[0].judge)
    found = []
    for dimension in (TOTAL, *axes):
        scores = [(_scores(each.judge, dimension), _scores(each.people, dimension)) for each in models]
        rows = [_row(each, *pair, level) for each, pair in zip(models, scores, strict=True)]
        strata = [
            Stratum(judge, people, each.items)
            for each, (judge, people) in zip(models, scores, strict=True)
            if each.n_people >= STRATUM_SAMPLE
        ]
        found.append(CorrectedDimension(dimension, (*rows, _together(strata, level))))
    return tuple(found)


def answers_of(
    judged: JudgedRun, trials: Mapping[tuple[str, str], int], people: Mapping[tuple[str, str, str], float]
) -> ModelAnswers:
    """Return the answers of a run that have a rationale and a verdict, one an item, as samples are drawn from them.

    Args:
        judged: The run with its verdicts.
        trials: By run id and item id, the trial that people were given; elsewhere it is the first one with a verdict.
        people: Scores by answer (see :func:`~exambench.analysis.meta_report.unit_name`), rater and axis.
    """
    run_id = judged.run.run_id
    given: dict[tuple[str, str], list[float]] = {}
    for (unit, _, axis), score in people.items():
        given.setdefault((unit, axis), []).append(score)
    scores = judged.answer_scores()
    places = {item_id: trials.get((run_id, item_id), trial) for item_id, trial in first_trials(judged).items()}
    places = {item_id: trial for item_id, trial in places.items() if (item_id, trial) in scores}
    units = [unit_name(run_id, item_id, trial) for item_id, trial in places.items()]
    empty = {answer.item_id for answer in judged.answers if not answer.has_rationale} - set(places)
    asked = {answer.item_id for answer in judged.answers}
    return ModelAnswers(
        run_id=run_id,
        name=judged.run.model_name,
        items=tuple(places),
        judge={
            axis: np.array([scores[place][axis] for place in places.items()], dtype=np.float64) for axis in judged.axes
        },
        people={
            axis: np.array([_mean(given.get((unit, axis), ())) for unit in units], dtype=np.float64)
            for axis in judged.axes
        },
        without_rationale=len(empty),
        unjudged=len(asked - set(places) - empty),
    )


def _row(model: ModelAnswers, judge: FloatArray, people: FloatArray, level: float) -> CorrectedRow:
    n_people = model.n_people
    corrected, reason = None, ""
    if n_people < SAMPLE:
        reason = f"people scored fewer than {SAMPLE} of its answers"
    else:
        corrected = power_tuned_mean(judge, people, level)
    return CorrectedRow(
        run_id=model.run_id,
        name=model.name,
        n_judge=len(judge),
        n_people=n_people,
        judge=mean_interval(judge, level) if len(judge) else None,
        people=float(np.nanmean(people)) if n_people else None,
        corrected=corrected,
        reason=reason,
    )


def _together(strata: Sequence[Stratum], level: float) -> CorrectedRow:
    corrected, reason = None, ""
    try:
        corrected = stratified_mean(strata, level)
    except UndefinedStatisticError:
        reason = f"people scored too few: it takes {STRATUM_SAMPLE} answers of a model, and {SAMPLE} items"
    judge, people, items = (
        np.concatenate([np.asarray(part) for part in parts]) if strata else np.empty(0)
        for parts in (
            [stratum.judge for stratum in strata],
            [stratum.people for stratum in strata],
            [stratum.clusters for stratum in strata],
        )
    )
    return CorrectedRow(
        run_id=None,
        name=TOGETHER,
        n_judge=len(judge),
        n_people=int((~np.isnan(people)).sum()),
        judge=mean_interval(judge, level, clusters=items) if len(np.unique(items)) > 1 else None,
        people=None if corrected is None else corrected.people_mean,
        corrected=corrected,
        reason=reason,
    )


def _scores(scores: Mapping[str, FloatArray], dimension: str) -> FloatArray:
    """Return the scores on an axis, or their sum over the axes."""
    if dimension != TOTAL:
        return scores[dimension]
    total: FloatArray = np.sum(list(scores.values()), axis=0)
    return total


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else float("nan")


def _changed(study: StudyRecord, models: Sequence[ModelAnswers]) -> tuple[str, ...]:
    """Return the models whose number of judged answers is not the one that the sample was drawn from."""
    drawn = study.sample.get("models")
    sizes = {each["run"]: each["of"] for each in drawn if "of" in each} if isinstance(drawn, list) else {}
    return tuple(each.name for each in models if sizes.get(each.run_id, len(each.items)) != len(each.items))
