"""Whether a judge is to be trusted: its scores beside those that people gave to the same answers.

References:
    [1] S. Kim et al., "K-MetBench" (2026), sections 4.1 and 5, Table 5, Figure 4: α (interval) and ICC (two-way,
        absolute agreement, single measure) of the judge and the experts' mean, and τ-b over models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.analysis.agreement import TOTAL, AgreementReport, agreement
from exambench.analysis.coefficients import ALPHA, PEOPLES_MEAN, TAU, Coefficient, Question, tau
from exambench.analysis.meta_study import scores_of_answer
from exambench.analysis.ratings import RatingSheet
from exambench.analysis.verdicts import JudgedRun, load_verdicts
from exambench.benchmarks.published import load_published
from exambench.errors import ConfigError, Finding
from exambench.stats.agreement import IccForm, Metric
from exambench.stats.matrix import FloatArray, ratio
from exambench.stats.ranking import ranks
from exambench.stats.resampling import Bootstrap
from exambench.store import SheetPlace, Store, StudyRecord

PAPER: Final = "K-MetBench (2026), Table 5 and Figure 4"
PAPER_TAU: Final = MappingProxyType({True: 0.99, False: 0.96})
"""Figure 4: τ-b over ten models, by whether the judge saw the expert's rationale."""
_PAPER_AXES: Final = MappingProxyType(
    {
        "정확성": "Factuality",
        "논리적_완결성": "Logicality",
        "추론의_깊이": "Depth",
        "표현의_명확성": "Clarity",
        TOTAL: "Reasoning Total",
    }
)


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model as people and the judge see it, by mean total.

    Attributes:
        run_id: The run.
        name: The model's name.
        n: Answers that both scored.
        people: Mean of the people's totals; ``None`` without such an answer.
        judge: Mean of the judge's totals.
        people_rank: Rank by the people's mean, 1 the best; ties share a rank.
        judge_rank: Rank by the judge's mean.
    """

    run_id: str
    name: str
    n: int
    people: float | None
    judge: float | None
    people_rank: float | None
    judge_rank: float | None

    @property
    def change(self) -> float | None:
        """Places that the model gains with the judge; negative when it loses."""
        if self.people_rank is None or self.judge_rank is None:
            return None
        return self.people_rank - self.judge_rank


@dataclass(frozen=True, slots=True)
class ConditionAgreement:
    """The judge in one condition beside the people.

    Attributes:
        with_reference: Whether the judge saw the expert's rationale.
        agreement: Coefficients over answers, for each axis and the total.
        unjudged: Answers of the sample without a verdict in this condition; they are in no coefficient with the judge.
        over_models: τ-b over models, of the means of each axis and of the total, by dimension.
        models: The models with their ranks by total, the people's first one first.
    """

    with_reference: bool
    agreement: AgreementReport
    unjudged: int
    over_models: Mapping[str, Coefficient]
    models: tuple[ModelPlace, ...]


@dataclass(frozen=True, slots=True)
class MetaReport:
    """A study with its results.

    Attributes:
        study: What was drawn.
        judge: What to call the judge.
        raters: The people whose scores are in.
        missing: Raters of the study whose scores are not in yet.
        answers: Answers that people scored.
        conditions: The study's own condition first, then the other one if all drawn runs were judged in it.
        published: The paper's figures by (dimension, coefficient, whether the judge saw the expert's rationale).
        bootstrap: How intervals were drawn.
    """

    study: StudyRecord
    judge: str
    raters: tuple[str, ...]
    missing: tuple[str, ...]
    answers: int
    conditions: tuple[ConditionAgreement, ...]
    published: Mapping[tuple[str, str, bool], float]
    bootstrap: Bootstrap


def meta_report(store: Store, study: StudyRecord, bootstrap: Bootstrap) -> MetaReport:
    """Return how far a judge agrees with the people who scored the same answers [1].

    Args:
        store: Where the study, its ratings and the verdicts are.
        study: One of :meth:`exambench.store.Studies.all`.
        bootstrap: How to draw intervals: over answers, and over models for τ-b of models.

    Raises:
        ConfigError: No rating of the study is in yet.
        StoreError: The store cannot be read.
    """
    people = scores_of_people(store, study)
    own = [load_verdicts(store, store.judgings.find(judging_id)) for judging_id in study.judgings]
    raters = tuple(rater for rater in study.raters if any(rater == found[1] for found in people))
    judge = study.judge_name if study.judge_name not in raters else f"{study.judge_name} (judge)"
    other = _in_other_condition(store, own)
    conditions = [_condition(judged, people, judge, bootstrap) for judged in (own, other) if judged]
    axes = conditions[0].agreement.dimensions
    return MetaReport(
        study=study,
        judge=judge,
        raters=raters,
        missing=tuple(rater for rater in study.raters if rater not in raters),
        answers=len({answer for answer, _, _ in people}),
        conditions=tuple(conditions),
        published=_published([dimension.name for dimension in axes]),
        bootstrap=bootstrap,
    )


def scores_of_people(store: Store, study: StudyRecord) -> dict[tuple[str, str, str], float]:
    """Return the people's scores by (answer, rater, axis); an answer is named alike on every rater's sheet.

    Raises:
        ConfigError: No rating of the study is in yet.
        StoreError: The store cannot be read.
    """
    places = {place.answer_id: place for place in store.studies.places(study.study_id)}
    scores = {}
    for row in store.studies.ratings(study.study_id):
        place = places[row.answer_id]
        scores[_unit(place), place.rater, row.dimension] = float(row.score)
    if not scores:
        raise ConfigError(
            Finding(
                problem="no scores of people are in yet",
                file=store.place,
                field="--study",
                value=study.study_id,
                allowed="a study with at least one sheet imported",
                remedy="Bring filled-in sheets back with: exambench meta import",
            )
        )
    return scores


def _unit(place: SheetPlace) -> str:
    return unit_name(place.run_id, place.item_id, place.trial)


def unit_name(run_id: str, item_id: str, trial: int) -> str:
    """Return what an answer is called in a rating sheet: an item's identifier may hold a slash, so it stands last."""
    return f"{run_id}/{trial}/{item_id}"


def _run_of(unit: str) -> str:
    return unit.partition("/")[0]


def _in_other_condition(store: Store, own: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Return what the same judge says with, or without, the expert's rationale; nothing unless of all the runs."""
    found = []
    for judged in own:
        ours = judged.judging
        wanted = dict(ours.condition) | {"reference": not ours.with_reference}
        twin = replace(ours, condition=wanted)
        found += [record for record in store.judgings.all(ours.run_id) if record.judging_id == twin.judging_id]
    return [load_verdicts(store, record) for record in found] if len(found) == len(own) else []


def _condition(
    judged: Sequence[JudgedRun], people: Mapping[tuple[str, str, str], float], judge: str, bootstrap: Bootstrap
) -> ConditionAgreement:
    axes = judged[0].axes
    units = sorted({unit for unit, _, _ in people})
    scores = dict(people)
    by_run = {each.run.run_id: each for each in judged}
    unjudged = 0
    for unit in units:
        run_id, trial, item_id = unit.split("/", maxsplit=2)
        given = scores_of_answer(by_run[run_id], item_id, int(trial))
        unjudged += not given
        scores |= {(unit, judge, axis): score for axis, score in given.items()}
    raters = sorted({rater for _, rater, _ in scores} | {judge})
    sheet = RatingSheet(MappingProxyType(scores), tuple(units), tuple(raters), axes)
    report = agreement(sheet, bootstrap, judge=judge, metrics=(Metric.INTERVAL,))
    runs = list(by_run)
    over_models = {}
    means = (np.empty(0), np.empty(0), np.empty(0))
    for dimension in report.dimensions:
        matrix = _total(sheet) if dimension.is_total else sheet.matrix(dimension.name)
        means = _means_of_models(matrix, sheet, judge, runs)
        blank = Coefficient("", Question.AGAINST, (judge, PEOPLES_MEAN))
        over_models[dimension.name] = tau(blank, means[1], means[0], bootstrap)
    return ConditionAgreement(
        with_reference=judged[0].with_reference,
        agreement=report,
        unjudged=unjudged,
        over_models=MappingProxyType(over_models),
        models=_places([by_run[run_id] for run_id in runs], *means),
    )


def _total(sheet: RatingSheet) -> FloatArray:
    total: FloatArray = np.sum([sheet.matrix(axis) for axis in sheet.dimensions], axis=0)
    return total


def _means_of_models(
    matrix: FloatArray, sheet: RatingSheet, judge: str, runs: Sequence[str]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the people's mean, the judge's mean, and n of each model, over the answers that both scored."""
    column = sheet.raters.index(judge)
    humans = np.delete(matrix, column, axis=1)
    mean = ratio(np.nansum(humans, axis=1), (~np.isnan(humans)).sum(axis=1))
    both = ~np.isnan(mean + matrix[:, column])
    of_run = np.array([[_run_of(unit) == run_id for unit in sheet.items] for run_id in runs]) & both
    n = of_run.sum(axis=1).astype(np.float64)
    sums = (of_run @ np.where(both, values, 0.0) for values in (mean, matrix[:, column]))
    people, machine = (ratio(each, n) for each in sums)
    return people, machine, n


def _places(
    judged: Sequence[JudgedRun], people: FloatArray, machine: FloatArray, n: FloatArray
) -> tuple[ModelPlace, ...]:
    by_people, by_judge = ranks(people), ranks(machine)
    found = [
        ModelPlace(
            run_id=each.run.run_id,
            name=each.run.model_name,
            n=int(n[row]),
            people=_number(people[row]),
            judge=_number(machine[row]),
            people_rank=_number(by_people[row]),
            judge_rank=_number(by_judge[row]),
        )
        for row, each in enumerate(judged)
    ]
    return tuple(sorted(found, key=lambda each: (each.people_rank is None, each.people_rank or 0.0, each.name)))


def _published(dimensions: Sequence[str]) -> Mapping[tuple[str, str, bool], float]:
    """Return the paper's figures for dimensions that are its own; the judge of its Table 5 saw the rationale."""
    rows = {row.axis: row for row in load_published().kmetbench.table05}
    figures: dict[tuple[str, str, bool], float] = {}
    if not set(_PAPER_AXES) <= set(dimensions):
        return MappingProxyType(figures)
    for name, printed in _PAPER_AXES.items():
        figures[name, ALPHA.format(Metric.INTERVAL), True] = float(rows[printed].alpha)
        figures[name, IccForm.ABSOLUTE_SINGLE.value, True] = float(rows[printed].icc)
    figures |= {(TOTAL, TAU, seen): value for seen, value in PAPER_TAU.items()}
    return MappingProxyType(figures)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
