"""The reasoning gap of stored runs: which judging counts for which model, and why a model has none.

A gap compares models only where one judge looked at all of them in one way. So one judge, by one rubric, counts for a
whole table: the one whose verdicts cover most of its models.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1: normalised reasoning score less accuracy on all items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from exambench.analysis.gaps import REASONING_FACET, REASONING_GAP, AbsentGap, Gap
from exambench.analysis.instruments import Instrument, covering_most, instrument_of
from exambench.analysis.judge_scores import HEADLINE, normalised_total, same_sitting
from exambench.analysis.reasoning_gap import Judge, JudgedModel, ReasoningGap
from exambench.analysis.run_groups import RunGroup
from exambench.analysis.score_table import ScoreTable
from exambench.analysis.scores import RunScores
from exambench.analysis.verdicts import JudgedRun, load_verdicts
from exambench.items import Item
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap, bootstrap_means
from exambench.store import JudgingKind, RunRecord, Store

REASONING: Final = "reasoning"
"""Protocol whose rationales are judged."""

NO_SCORE: Final = f"no score under the protocol {HEADLINE}"
NO_RUN: Final = f"the store has no run of it under the protocol {REASONING} on these items and in this wording"
NOT_JUDGED: Final = f"no judge has its run under {REASONING} with the expert's rationale; see: exambench judge"
NO_VERDICT: Final = f"no verdict on its run under {REASONING} yet that can be read"
OTHERWISE: Final = "judged, but by another judge or rubric than most models here; see: exambench verdicts"


@dataclass(frozen=True)
class _Candidate:
    """A judging that may count for a model.

    Attributes:
        judged: The verdicts on items of the table.
        order: What counts before what: the run itself, one with its decoding, then the later judging.
    """

    judged: JudgedRun
    order: tuple[bool, bool, int]

    @property
    def instrument(self) -> Instrument:
        """What must be the same for verdicts to compare."""
        return instrument_of(self.judged.judging)


@dataclass(frozen=True, slots=True)
class ReasoningScore:
    """The judged reasoning of one model.

    Attributes:
        mean: Mean of (total − lowest)/(highest − lowest) over the judged items; its n is their number.
        counts: How many of the rationales that were asked about are judged, and in which run.
    """

    mean: Interval
    counts: JudgedModel


@dataclass(frozen=True)
class ReasoningColumn:
    """The judged reasoning of the models of a table, by one judge and rubric for all.

    Attributes:
        judge: Whose verdicts these are.
        scores: By model; those that this judge has not looked at are not there.
    """

    judge: Judge
    scores: Mapping[str, ReasoningScore]


def load_reasoning_column(
    store: Store, group: RunGroup, table: ScoreTable, bootstrap: Bootstrap
) -> ReasoningColumn | None:
    """Return the judged reasoning of the models of a table, beside their accuracy; ``None`` where there is none.

    Which judging counts is what :func:`load_reasoning_gap` says. A table of runs under the protocol ``reasoning`` has
    the verdicts on its own rationales, one under the headline protocol those on the same models' rationales.

    Args:
        store: Where the verdicts are.
        group: The runs of the table.
        table: Their scores.
        bootstrap: How to draw intervals; items are resampled.

    Raises:
        StoreError: The store cannot be read.
    """
    if any(run.record.protocol_name not in {HEADLINE, REASONING} for run in group.runs):
        return None
    chosen, _ = _chosen(store, group)
    first = next((each.judged for each in chosen if each is not None), None)
    if first is None:
        return None
    scores, models = _judged_side(table, chosen)
    means = bootstrap_means({REASONING: scores}, bootstrap, strata=table.strata, item_ids=table.items)
    rows = {model: row for row, model in enumerate(table.models)}
    return ReasoningColumn(
        judge=_judge_of(first),
        scores={each.model: ReasoningScore(means.interval(rows[each.model], REASONING), each) for each in models},
    )


def load_reasoning_gap(store: Store, group: RunGroup, table: ScoreTable) -> ReasoningGap:
    """Return the gap between the judged reasoning of models and their accuracy on all items of a table [1].

    The first side is (total − lowest)/(highest − lowest) of the judged items, the second the score of every item. A
    model's reasoning is that of its run under the protocol ``reasoning`` on the same dataset and in the same
    condition; of several such runs one with the same decoding counts. Of the judgings that show the judge the expert's
    rationale and have a verdict, those of the judge and rubric count that cover most models (between equals, the
    latest), and of these a model's latest.

    Args:
        store: Where the verdicts are.
        group: The runs of the table.
        table: Their scores, as :func:`exambench.analysis.run_tables.table_of_group` returns them.

    Raises:
        StoreError: The store cannot be read.
    """
    other = next((run.record.protocol_name for run in group.runs if run.record.protocol_name != HEADLINE), None)
    if other is not None:
        why = f"it is held against the accuracy under the protocol {HEADLINE}, and these runs are under {other}"
        return _without_gap(table, [why])
    chosen, reasons = _chosen(store, group)
    if all(each is None for each in chosen):
        return _without_gap(table, reasons)
    return _gap(table, chosen, reasons)


def _chosen(store: Store, group: RunGroup) -> tuple[list[_Candidate | None], list[str]]:
    """Return the judging that counts for each run, all by one judge and rubric, and why a run has none."""
    candidates = _Candidates(store, group.items)
    found = [candidates.of(run) for run in group.runs]
    instrument = covering_most([[(each.instrument, each.order[-1]) for each in judgings] for judgings, _ in found])
    chosen = [
        max((each for each in judgings if each.instrument == instrument), key=lambda each: each.order, default=None)
        for judgings, _ in found
    ]
    return chosen, [OTHERWISE if judgings else why for judgings, why in found]


class _Candidates:
    """The judgings of a store that may count for runs, read once each."""

    def __init__(self, store: Store, items: Sequence[Item]) -> None:
        self._store = store
        self._items = items
        self._sat = [record for record in store.records() if record.protocol_name == REASONING]
        self._judgings = [
            record for record in store.judgings.all() if record.kind is JudgingKind.RUBRIC and record.with_reference
        ]
        self._read: dict[str, JudgedRun] = {}

    def of(self, run: RunScores) -> tuple[list[_Candidate], str]:
        """Return the judgings with a verdict that may count for a run, and why there is none."""
        known = {item.id for item in self._items if run.knows(item)}
        if known.isdisjoint(run.scores):
            return [], NO_SCORE
        sat = {record.run_id: record for record in self._sat if same_sitting(record, run.record)}
        if not sat:
            return [], NO_RUN
        asked = [
            _Candidate(
                _on(self._verdicts(place), known),
                (record.run_id == run.run_id, _same_decoding(sat[record.run_id], run.record), place),
            )
            for place, record in enumerate(self._judgings)
            if record.run_id in sat
        ]
        given = [each for each in asked if each.judged.judged]
        return given, NO_VERDICT if asked else NOT_JUDGED

    def _verdicts(self, place: int) -> JudgedRun:
        record = self._judgings[place]
        if record.judging_id not in self._read:
            self._read[record.judging_id] = load_verdicts(self._store, record)
        return self._read[record.judging_id]


def _on(judged: JudgedRun, item_ids: set[str]) -> JudgedRun:
    return replace(judged, answers=tuple(answer for answer in judged.answers if answer.item_id in item_ids))


def _same_decoding(sat: RunRecord, headline: RunRecord) -> bool:
    """Tell whether the model's own settings are the same; a protocol adds its own, such as a length."""
    return sat.model.get("decoding") == headline.model.get("decoding")


def _gap(table: ScoreTable, chosen: Sequence[_Candidate | None], reasons: Sequence[str]) -> ReasoningGap:
    first = next(each.judged for each in chosen if each is not None)
    scores, models = _judged_side(table, chosen)
    return ReasoningGap(
        gap=Gap(REASONING_GAP, _formula(first), scores, table.scores),
        judge=_judge_of(first),
        models=models,
        absent=tuple(
            AbsentGap(REASONING_GAP, why, model)
            for model, candidate, why in zip(table.models, chosen, reasons, strict=True)
            if candidate is None
        ),
    )


def _judge_of(judged: JudgedRun) -> Judge:
    record = judged.judging
    return Judge(record.judge_name, record.rubric_name, record.rubric_hash, record.sees_images)


def _judged_side(table: ScoreTable, chosen: Sequence[_Candidate | None]) -> tuple[FloatArray, tuple[JudgedModel, ...]]:
    """Return the normalised scores, models × items, and what is judged of each model that has any."""
    scores = np.full(table.scores.shape, np.nan)
    columns = {item: column for column, item in enumerate(table.items)}
    models = []
    for row, (model, candidate) in enumerate(zip(table.models, chosen, strict=True)):
        if candidate is None:
            continue
        judged = candidate.judged
        for item, total in judged.scores().items():
            scores[row, columns[item]] = normalised_total(total, judged)
        counts = len(judged.answers), len(judged.judged), len(judged.unjudged)
        models.append(JudgedModel(model, judged.run.run_id, judged.judging.judging_id, *counts))
    return scores, tuple(models)


def _formula(judged: JudgedRun) -> str:
    low, high = judged.scale
    count = len(judged.axes)
    return f"(x − {count * low})/{count * (high - low)} of judged reasoning − accuracy on all items"


def _without_gap(table: ScoreTable, reasons: Sequence[str]) -> ReasoningGap:
    """Return that no model has the gap: in one line where the reason is one, and nothing where nobody misses it."""
    absent: Sequence[AbsentGap] = ()
    if REASONING_FACET in table.facets:
        if len(set(reasons)) == 1:
            absent = [AbsentGap(REASONING_GAP, reasons[0])]
        else:
            absent = [
                AbsentGap(REASONING_GAP, reason, model) for model, reason in zip(table.models, reasons, strict=True)
            ]
    return ReasoningGap(None, None, (), tuple(absent))
