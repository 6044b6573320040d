"""The scores of a run, item by item, with what became of every item that has none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from exambench.errors import ConfigError, Finding, show
from exambench.items import Axis, Benchmark, ChoiceKey, FacetValue, Item
from exambench.outcomes import Answered, OutcomeKind
from exambench.scoring.choice import score
from exambench.scoring.values import index_of
from exambench.stats.matrix import FloatArray
from exambench.store.records import RunRecord, StoredOutcome
from exambench.store.store import Store

VIOLATIONS: Final = (OutcomeKind.UNPARSED, OutcomeKind.TRUNCATED, OutcomeKind.REFUSED)


@dataclass(frozen=True)
class RunScores:
    """One run as a row of a score matrix.

    Attributes:
        record: The run.
        benchmark: The dataset that it was run on.
        scores: Mean score over the trials of each item that has one, in [0, 1], by the strict parser.
        lenient: The same by the lenient parser.
        kinds: What became of the items and trials that have an outcome, by the strict parser.
        trials: Number of trials that the run has so far.
        picks: Choice, counted from 1, that the strict parser read in the first trial of an item, where it read one.
    """

    record: RunRecord
    benchmark: Benchmark
    scores: Mapping[str, float]
    lenient: Mapping[str, float]
    kinds: Mapping[OutcomeKind, int]
    trials: int
    picks: Mapping[str, int] = field(default_factory=dict)

    @property
    def run_id(self) -> str:
        """The run's identifier."""
        return self.record.run_id

    @property
    def sees_images(self) -> bool:
        """Whether the model was declared to take pictures."""
        capabilities = self.record.model.get("capabilities")
        return bool(isinstance(capabilities, Mapping) and capabilities.get("images"))

    @cached_property
    def expected(self) -> tuple[Item, ...]:
        """The items that a complete run of this model under this protocol has scores for."""
        asked = Axis(name="asked", titles={}, where=_where(self.record.protocol))
        wording = str(self.record.condition["wording"])
        return tuple(
            item
            for item in self.benchmark.items
            if asked.selects(item) and (self.sees_images or not item.wording(wording).images)
        )

    @property
    def complete(self) -> bool:
        """Whether every expected item has a score."""
        return all(item.id in self.scores for item in self.expected)

    @property
    def violations(self) -> int:
        """Items and trials that were answered in another form than the protocol asks for."""
        return sum(self.kinds.get(kind, 0) for kind in VIOLATIONS)


def load_scores(store: Store, record: RunRecord) -> RunScores:
    """Return the scores of a run from its stored outcomes.

    Raises:
        StoreError: The store cannot be read.
    """
    benchmark = store.benchmark(record.benchmark, record.dataset_hash)
    strict = store.outcomes(record.run_id, str(record.protocol["strict"]))
    lenient = store.outcomes(record.run_id, str(record.protocol["lenient"]))
    return RunScores(
        record=record,
        benchmark=benchmark,
        scores=_mean_by_item(benchmark, strict),
        lenient=_mean_by_item(benchmark, lenient),
        kinds=Counter(row.outcome.kind for row in strict),
        trials=len({row.trial for row in strict}),
        picks=_first_picks(benchmark, strict),
    )


def find_runs(store: Store, names: Sequence[str]) -> list[RunRecord]:
    """Return the runs that a person means, by models' names or beginnings of identifiers; all if none is named.

    Raises:
        ConfigError: A name fits no run, a beginning fits several, or the store is empty.
    """
    everything = [summary.run for summary in store.runs()]
    if not everything:
        raise ConfigError(
            Finding(problem="the store has no runs yet", file=store.place, remedy="Start one with: exambench run")
        )
    found = [
        record
        for name in names
        for record in [run for run in everything if run.model_name == name] or [store.run(name)]
    ]
    return list({record.run_id: record for record in found or everything}.values())


def find_run(store: Store, name: str) -> RunRecord:
    """Return the one run that a person means.

    Raises:
        ConfigError: The name fits no run, or several.
    """
    found = find_runs(store, [name])
    if len(found) == 1:
        return found[0]
    raise ConfigError(
        Finding(
            problem="several runs are of this model",
            file=store.place,
            field="run",
            value=show(name),
            allowed=", ".join(f"{run.run_id} ({run.benchmark}, {run.protocol_name})" for run in found),
            remedy="Give the beginning of one of these identifiers",
        )
    )


def comparable(runs: Sequence[RunScores]) -> list[list[RunScores]]:
    """Return the runs in groups that sat one benchmark under one protocol and one condition."""
    groups: defaultdict[tuple[object, ...], list[RunScores]] = defaultdict(list)
    for run in runs:
        groups[(run.record.benchmark, run.record.protocol_hash, *run.record.condition.items())].append(run)
    return list(groups.values())


def on_same_items(runs: Sequence[RunScores]) -> list[list[RunScores]]:
    """Return comparable runs in groups that were asked items of the same content."""
    groups: defaultdict[tuple[str, ...], list[RunScores]] = defaultdict(list)
    for run in runs:
        groups[tuple(sorted(item.content_hash for item in run.expected))].append(run)
    return list(groups.values())


def strata_of(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the stratum of each item: resamples keep the number of items with pictures, and of those without."""
    return tuple("image" if item.wording().images else "text" for item in items)


def score_matrix_of(runs: Sequence[RunScores], items: Sequence[Item]) -> FloatArray:
    """Return the scores of runs (rows) on items (columns); NaN where a run has no score, or read other content.

    An item is the same item only when its content is: a run on a changed item has no score for it.
    """
    matrix = np.full((len(runs), len(items)), np.nan)
    for row, run in enumerate(runs):
        known = run.benchmark.by_id
        for column, item in enumerate(items):
            same = item.id in known and known[item.id].content_hash == item.content_hash
            if same and item.id in run.scores:
                matrix[row, column] = run.scores[item.id]
    return matrix


def scope_of(run: RunScores) -> str:
    """Return in words which items of its benchmark a run is about."""
    whole = len(run.benchmark.items)
    asked = len(run.expected)
    if asked == whole:
        return f"all {whole} items"
    if not run.sees_images and all(not item.wording().images for item in run.expected):
        return f"text only: {asked} of {whole} items"
    return f"{asked} of {whole} items"


def _mean_by_item(benchmark: Benchmark, rows: Sequence[StoredOutcome]) -> dict[str, float]:
    by_item: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        value = score(row.outcome, benchmark.by_id[row.item_id].key)
        if value is not None:
            by_item[row.item_id].append(value)
    return {item_id: sum(values) / len(values) for item_id, values in by_item.items()}


def _first_picks(benchmark: Benchmark, rows: Sequence[StoredOutcome]) -> dict[str, int]:
    picks: dict[str, int] = {}
    seen: set[str] = set()
    for row in sorted(rows, key=lambda row: row.trial):
        if row.item_id in seen:
            continue
        seen.add(row.item_id)
        key = benchmark.by_id[row.item_id].key
        if isinstance(key, ChoiceKey) and isinstance(row.outcome, Answered):
            pick = index_of(row.outcome.value)
            if pick is not None:
                picks[row.item_id] = pick
    return picks


def _where(protocol: Mapping[str, object]) -> dict[str, tuple[FacetValue, ...]]:
    where = protocol.get("where")
    return {facet: tuple(values) for facet, values in where.items()} if isinstance(where, Mapping) else {}
