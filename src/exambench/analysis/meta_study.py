"""From a judge's stored verdicts to a sample for people to score: whose rationales on which items, and why these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from exambench.analysis.judge_scores import normalised_total
from exambench.analysis.meta_sampling import (
    DEFAULT_QUOTAS,
    DrawnItem,
    DrawnModel,
    ItemCandidate,
    ItemDraw,
    ModelCandidate,
    draw_items,
    draw_models,
)
from exambench.analysis.verdicts import JudgedRun, load_verdicts
from exambench.errors import ConfigError, Finding, listed, show
from exambench.store import JudgingKind, JudgingRecord, Store


@dataclass(frozen=True)
class JudgedModels:
    """What one judge, by one rubric and in one condition, says of several models.

    Attributes:
        runs: One run a model, of one benchmark and one dataset.
        notes: Which judgings were passed over, and why.
    """

    runs: tuple[JudgedRun, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class StudySample:
    """What people are to score: every drawn item of every drawn model.

    Attributes:
        runs: The judged runs of the drawn models, in the order of the draw.
        models: The draw of the models; their candidates' ids are run ids.
        items: The draw of the items.
        trials: By run id and item id, the trial whose rationale is scored: the first one with a verdict.
        model_quotas: How many models from each tier.
        item_quotas: How many items of each difficulty.
        seed: Seed of the lot.
        notes: What else a person should know about the draw.
    """

    runs: tuple[JudgedRun, ...]
    models: tuple[DrawnModel, ...]
    items: ItemDraw
    trials: Mapping[tuple[str, str], int]
    model_quotas: tuple[int, ...]
    item_quotas: tuple[int, ...]
    seed: int
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the sample with its reasons as JSON values for the store."""
        names = {judged.run.run_id: judged.run.model_name for judged in self.runs}
        return {
            "seed": self.seed,
            "model_quotas": list(self.model_quotas),
            "item_quotas": list(self.item_quotas),
            "models": [_model_as_json(drawn, names[drawn.candidate.id]) for drawn in self.models],
            "items": [_item_as_json(drawn) for drawn in self.items.items],
            "uncovered": list(self.items.uncovered),
            "notes": list(self.notes),
        }


def find_judge(store: Store, judge: str) -> JudgedModels:
    """Return what the judge that a person means says of every model.

    Of several judgings with this name, those count that saw the expert's rationale. Of several runs of one model, the
    one that was judged last counts.

    Args:
        store: Where the verdicts are.
        judge: Name of a judge, or the beginning of the identifier of one of its judgings.

    Raises:
        ConfigError: There is no such judge of rationales, or the name fits several.
        StoreError: The store cannot be read.
    """
    rubric = [record for record in store.judgings.all() if record.kind is JudgingKind.RUBRIC]
    named = [record for record in rubric if record.judge_name == judge]
    chosen = [record for record in named if record.with_reference] or named
    if not chosen:
        one = store.judgings.find(judge)
        chosen = [one] if one.kind is JudgingKind.RUBRIC else []
    benchmarks = {run.run_id: (run.benchmark, run.dataset_hash) for run in store.records()}
    groups = {(_judge_of(record), benchmarks[record.run_id]): record for record in chosen}
    if len(groups) != 1:
        raise ConfigError(
            Finding(
                problem="several judges may be meant" if groups else "this judge scores no rationales",
                file=store.place,
                field="--judge",
                value=show(judge),
                allowed=listed(f"{record.judging_id} ({record.judge_name})" for record in groups.values() or rubric)
                or "none, for no rationale was judged yet",
                remedy="Name one of these" if groups or rubric else "Judge some runs with: exambench judge",
            )
        )
    ((wanted, dataset),) = groups
    same = [record for record in rubric if _judge_of(record) == wanted and benchmarks[record.run_id] == dataset]
    return _one_run_a_model(store, same)


def draw_study(
    judged: JudgedModels,
    model_quotas: Sequence[int] = DEFAULT_QUOTAS,
    item_quotas: Sequence[int] = DEFAULT_QUOTAS,
    seed: int = 42,
) -> StudySample:
    """Draw models, then items that each of them has a judged rationale on.

    Raises:
        ConfigError: There are too few models or items, or the quotas are none.
    """
    trials = {judged_run.run.run_id: first_trials(judged_run) for judged_run in judged.runs}
    candidates = [_model_candidate(judged_run) for judged_run in judged.runs if trials[judged_run.run.run_id]]
    models = draw_models(candidates, model_quotas, seed)
    by_run = {judged_run.run.run_id: judged_run for judged_run in judged.runs}
    runs = tuple(by_run[drawn.candidate.id] for drawn in models)
    common = [
        item.id
        for item in runs[0].benchmark.items
        if all(item.id in trials[judged_run.run.run_id] for judged_run in runs)
    ]
    items = draw_items([_item_candidate(item_id, runs, trials) for item_id in common], item_quotas, seed)
    places = {
        (judged_run.run.run_id, drawn.candidate.id): trials[judged_run.run.run_id][drawn.candidate.id]
        for judged_run in runs
        for drawn in items.items
    }
    pool = f"Items were drawn from the {len(common)} on which every drawn model has a rationale that was judged."
    return StudySample(
        runs, models, items, places, tuple(model_quotas), tuple(item_quotas), seed, (pool, *judged.notes)
    )


def scores_of_answer(judged: JudgedRun, item_id: str, trial: int) -> dict[str, float]:
    """Return the judge's score of one answer by axis, its mean over the judge's trials; empty without a verdict."""
    verdicts = [
        answer.verdict
        for answer in judged.answers
        if (answer.item_id, answer.trial) == (item_id, trial) and answer.verdict is not None
    ]
    if not verdicts:
        return {}
    return {axis: sum(verdict.scores[axis] for verdict in verdicts) / len(verdicts) for axis in judged.axes}


def _judge_of(record: JudgingRecord) -> tuple[str, str, str, tuple[tuple[str, bool | str], ...]]:
    """Return what tells one judge, rubric and condition from another."""
    decoding = str(sorted(record.decoding.items()))
    return record.identity, decoding, record.rubric_hash, tuple(sorted(record.condition.items()))


def _one_run_a_model(store: Store, records: Sequence[JudgingRecord]) -> JudgedModels:
    latest: dict[tuple[str, str], JudgedRun] = {}
    notes = []
    for record in records:
        judged = load_verdicts(store, record)
        model = (judged.run.identity, judged.run.model_name)
        if model in latest:
            passed = latest[model].run.run_id
            notes.append(f"Run {passed} of {judged.run.model_name} was passed over: another one was judged later.")
        latest[model] = judged
    return JudgedModels(tuple(latest.values()), tuple(notes))


def first_trials(judged: JudgedRun) -> dict[str, int]:
    """Return the first trial of each item whose rationale has a verdict; an answer without one is not for people.

    These answers are what samples are drawn from.
    """
    trials: dict[str, int] = {}
    for answer in judged.answers:
        if answer.verdict is not None and answer.has_rationale:
            trials[answer.item_id] = min(answer.trial, trials.get(answer.item_id, answer.trial))
    return trials


def _model_candidate(judged: JudgedRun) -> ModelCandidate:
    totals = judged.scores()
    mean = sum(normalised_total(total, judged) for total in totals.values()) / len(totals)
    return ModelCandidate(judged.run.run_id, mean, len(totals))


def _item_candidate(item_id: str, runs: Sequence[JudgedRun], trials: Mapping[str, Mapping[str, int]]) -> ItemCandidate:
    scores = [
        normalised_total(sum(scores_of_answer(judged, item_id, trials[judged.run.run_id][item_id]).values()), judged)
        for judged in runs
    ]
    spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
    return ItemCandidate(item_id, float(np.mean(scores)), spread, runs[0].benchmark.by_id[item_id].facets)


def _model_as_json(drawn: DrawnModel, name: str) -> dict[str, object]:
    found = drawn.candidate
    return {
        "run": found.id,
        "model": name,
        "tier": str(drawn.tier),
        "score": found.score,
        "n": found.n,
        "why": drawn.why,
    }


def _item_as_json(drawn: DrawnItem) -> dict[str, object]:
    found = drawn.candidate
    return {
        "item": found.id,
        "difficulty": str(drawn.difficulty),
        "mean": found.mean,
        "spread": found.spread,
        "facets": dict(found.facets),
        "why": drawn.why,
    }
