"""The scores of a run, item by item and trial by trial, with what became of every planned one that has none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from exambench.errors import ConfigError, Finding, listed, show
from exambench.items import Axis, Benchmark, ChoiceKey, FacetValue, Item, Key, TextKey
from exambench.outcomes import SCORED_KINDS, Answered, AnswerVerdict, Outcome, OutcomeKind
from exambench.parsing import PARSER_VERSION
from exambench.protocols import Condition, NotShown, Shown, condition_from, condition_text, show_item
from exambench.scoring.choice import score
from exambench.scoring.values import index_of
from exambench.stats.matrix import FloatArray
from exambench.store.answer_records import FreshReading
from exambench.store.records import JudgingRecord, PlanRow, RunRecord
from exambench.store.store import Store


@dataclass(frozen=True, slots=True)
class TrialRow:
    """What became of one item in one trial, as planned.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial, from 0.
        kind: What became of it by the strict parser, or that its request failed or cannot be put to the model;
            ``None`` while it waits for its response or for being read.
        score: Score by the strict parser, in [0, 1]; ``None`` when there is none. Of a free answer it is the share of
            the judge's verdicts by which it is right.
        lenient: The same by the lenient parser; ``None`` for a free answer that it reads otherwise: nobody judged that.
        pick: Choice, counted from 1, that the strict parser read; ``None`` where it read none.
        order: For each choice as it was shown its index, from 1, among the item's own; empty for the item's own order.
    """

    item_id: str
    trial: int
    kind: OutcomeKind | None
    score: float | None = None
    lenient: float | None = None
    pick: int | None = None
    order: tuple[int, ...] = ()

    @property
    def is_unjudged(self) -> bool:
        """Whether it is a free answer that no judge has settled."""
        return self.score is None and self.kind in SCORED_KINDS


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a run has come with the items that a complete one has scores for.

    Attributes:
        items: Items that have a score in every planned trial.
        expected: Items that a complete run has scores for.
        planned: Items times trials of the plan.
        scored: Those that have a score.
        failed: Those without a response whose request has failed.
        unjudged: Free answers that no judge has settled.
    """

    items: int
    expected: int
    planned: int
    scored: int
    failed: int
    unjudged: int = 0

    @property
    def open(self) -> int:
        """Items times trials that have no outcome yet."""
        return self.planned - self.scored - self.failed - self.unjudged


@dataclass(frozen=True, eq=False)
class _Itself:
    """A benchmark as a key, equal to itself alone: it is too large to be compared."""

    benchmark: Benchmark

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.benchmark is self.benchmark

    def __hash__(self) -> int:
        return id(self.benchmark)


@lru_cache(maxsize=16)
def _shown(of: _Itself, condition: Condition) -> Mapping[str, Shown | NotShown]:
    """Return how a condition shows each item: found once for all runs of a benchmark under it."""
    return MappingProxyType({item.id: show_item(item, condition) for item in of.benchmark.items})


@dataclass(frozen=True)
class RunScores:
    """One run as a row of a score matrix.

    Attributes:
        record: The run.
        benchmark: The dataset that it was run on.
        rows: What became of every planned item and trial.
        parser_versions: Versions of the parsers that read its stored outcomes, in order; empty before any was read.
        judging: The judging of free answers whose verdicts are scores here; ``None`` where there is none.
    """

    record: RunRecord
    benchmark: Benchmark
    rows: tuple[TrialRow, ...]
    parser_versions: tuple[str, ...] = ()
    judging: JudgingRecord | None = None

    @cached_property
    def run_id(self) -> str:
        """The run's identifier."""
        return self.record.run_id

    @property
    def sees_images(self) -> bool:
        """Whether the model was declared to take pictures."""
        capabilities = self.record.model.get("capabilities")
        return bool(isinstance(capabilities, Mapping) and capabilities.get("images"))

    @property
    def parser_version(self) -> str:
        """Version of the parsers that read its outcomes; what has not been read yet is read by the present one."""
        return ", ".join(self.parser_versions) or PARSER_VERSION

    @property
    def parser(self) -> str:
        """Name and version of the strict parser."""
        return f"{self.record.protocol['strict']} {self.parser_version}"

    @cached_property
    def selected(self) -> tuple[Item, ...]:
        """The items that its protocol is for."""
        asked = Axis(name="asked", titles={}, where=_where(self.record.protocol))
        return tuple(item for item in self.benchmark.items if asked.selects(item))

    @cached_property
    def expected(self) -> tuple[Item, ...]:
        """The items that a complete run of this model under this protocol has scores for."""
        return tuple(item for item in self.selected if self._takes(item))

    def _takes(self, item: Item) -> bool:
        """Tell whether the condition can show the item, and the model take it."""
        shown = self.shown[item.id]
        if not isinstance(shown, Shown) or (shown.wording.images and not self.sees_images):
            return False
        return not any(row.kind is OutcomeKind.UNSUPPORTED for row in self.by_item.get(item.id, ()))

    @cached_property
    def shown(self) -> Mapping[str, Shown | NotShown]:
        """How the condition shows each item of the benchmark, or why it cannot; examples are left out."""
        return _shown(_Itself(self.benchmark), self.condition)

    @cached_property
    def condition(self) -> Condition:
        """How the items were shown."""
        return condition_from(self.record.condition)

    @cached_property
    def by_item(self) -> Mapping[str, tuple[TrialRow, ...]]:
        """The planned rows of each item, by trial."""
        grouped: defaultdict[str, list[TrialRow]] = defaultdict(list)
        for row in sorted(self.rows, key=lambda row: row.trial):
            grouped[row.item_id].append(row)
        return {item_id: tuple(rows) for item_id, rows in grouped.items()}

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Mean score of each item over the trials that have one, by the strict parser."""
        values = {
            item_id: [row.score for row in rows if row.score is not None] for item_id, rows in self.by_item.items()
        }
        return {item_id: sum(found) / len(found) for item_id, found in values.items() if found}

    @cached_property
    def lenient(self) -> Mapping[str, float]:
        """The same by the lenient parser, over the same trials."""
        values = {
            item_id: [row.lenient for row in rows if row.score is not None and row.lenient is not None]
            for item_id, rows in self.by_item.items()
        }
        return {item_id: sum(found) / len(found) for item_id, found in values.items() if found}

    @cached_property
    def picks(self) -> Mapping[str, int]:
        """Choice, counted from 1, that was read in the first scored trial of an item, where one was read."""
        first = {
            item_id: next((row.pick for row in rows if row.score is not None), None)
            for item_id, rows in self.by_item.items()
        }
        return {item_id: pick for item_id, pick in first.items() if pick is not None}

    @cached_property
    def finished(self) -> frozenset[str]:
        """The items that are planned and have a score in every planned trial."""
        return frozenset(
            item_id for item_id, rows in self.by_item.items() if all(row.score is not None for row in rows)
        )

    @cached_property
    def complete(self) -> bool:
        """Whether every expected item is planned, and has a score in every planned trial."""
        return all(item.id in self.finished for item in self.expected)

    @cached_property
    def coverage(self) -> Coverage:
        """How far it has come."""
        rows = self.rows_on(self.expected)
        return Coverage(
            items=sum(item.id in self.finished for item in self.expected),
            expected=len(self.expected),
            planned=len(rows),
            scored=sum(row.score is not None for row in rows),
            failed=sum(row.kind is OutcomeKind.FAILED for row in rows),
            unjudged=sum(row.is_unjudged for row in rows),
        )

    @cached_property
    def trials(self) -> tuple[int, ...]:
        """The different numbers of trials that are planned for an item, in order: one number but for mixed plans."""
        return tuple(sorted({len(self.by_item[item.id]) for item in self.expected if item.id in self.by_item}))

    def knows(self, item: Item) -> bool:
        """Tell whether its dataset has this item with this content."""
        known = self.benchmark.by_id.get(item.id)
        return known is item or (known is not None and known.content_hash == item.content_hash)

    def rows_on(self, items: Iterable[Item]) -> tuple[TrialRow, ...]:
        """Return the planned rows of these items."""
        return tuple(row for item in items if self.knows(item) for row in self.by_item.get(item.id, ()))

    def trial_scores(self, items: Sequence[Item]) -> FloatArray:
        """Return its scores, trials × items; NaN where there is none."""
        rows = self.rows_on(items)
        matrix = np.full((1 + max((row.trial for row in rows), default=0), len(items)), np.nan)
        column = {item.id: number for number, item in enumerate(items)}
        for row in rows:
            if row.score is not None:
                matrix[row.trial, column[row.item_id]] = row.score
        return matrix


def load_scores(
    store: Store,
    record: RunRecord,
    judging: JudgingRecord | None = None,
    benchmark: Benchmark | None = None,
    fresh: Iterable[FreshReading] = (),
) -> RunScores:
    """Return what became of the plan of a run, by its stored outcomes and failures.

    Runs that are to be compared come from :func:`exambench.analysis.answer_judges.load_all_scores`, which has the free
    answers of all of them judged by one judge.

    Args:
        store: Where the run is.
        record: The run.
        judging: The judging of its free answers whose verdicts are their scores; without one they have none.
        benchmark: Its dataset, if that was read already: runs that share one hold the items once.
        fresh: What this version's parsers make of responses that have no stored outcome.

    Raises:
        StoreError: The store cannot be read.
    """
    if benchmark is None:
        benchmark = store.benchmark(record.benchmark, record.dataset_hash)
    readings = [store.outcomes(record.run_id, str(record.protocol[parser])) for parser in ("strict", "lenient")]
    strict, lenient = ({(row.item_id, row.trial): row.outcome for row in rows} for rows in readings)
    versions = {row.parser_version for rows in readings for row in rows}
    for reading in fresh:
        versions.add(PARSER_VERSION)
        strict.setdefault(reading.place, reading.strict)
        lenient.setdefault(reading.place, reading.lenient)
    failed = {(failure.item_id, failure.trial) for failure in store.failures(record.run_id)}
    judged = _judged(store, judging)
    return RunScores(
        record=record,
        benchmark=benchmark,
        rows=tuple(
            _row(
                planned,
                benchmark.by_id[planned.item_id].key,
                strict.get(place),
                lenient.get(place),
                failed=place in failed,
                judged=judged.get(place),
            )
            for planned in store.planned(record.run_id)
            for place in ((planned.item_id, planned.trial),)
        ),
        parser_versions=tuple(sorted(versions)),
        judging=judging,
    )


def _judged(store: Store, judging: JudgingRecord | None) -> dict[tuple[str, int], float]:
    """Return the share of a judge's verdicts by which each answer, by item and trial, is right."""
    verdicts: defaultdict[tuple[str, int], list[bool]] = defaultdict(list)
    for row in () if judging is None else store.judgings.verdicts(judging.judging_id):
        if isinstance(row.judgement, AnswerVerdict):
            verdicts[row.item_id, row.trial].append(row.judgement.correct)
    return {place: sum(found) / len(found) for place, found in verdicts.items()}


def _row(
    planned: PlanRow,
    key: Key,
    strict: Outcome | None,
    lenient: Outcome | None,
    *,
    failed: bool,
    judged: float | None,
) -> TrialRow:
    if strict is not None and isinstance(key, TextKey):
        value = judged if strict.kind in SCORED_KINDS else None
        return TrialRow(
            item_id=planned.item_id,
            trial=planned.trial,
            kind=strict.kind,
            score=value,
            lenient=value if lenient == strict else None,
        )
    if strict is not None:
        return TrialRow(
            item_id=planned.item_id,
            trial=planned.trial,
            kind=strict.kind,
            score=score(strict, key),
            lenient=None if lenient is None else score(lenient, key),
            pick=index_of(strict.value) if isinstance(key, ChoiceKey) and isinstance(strict, Answered) else None,
            order=planned.order,
        )
    if planned.request_key is None:
        return TrialRow(planned.item_id, planned.trial, OutcomeKind.UNSUPPORTED)
    return TrialRow(planned.item_id, planned.trial, OutcomeKind.FAILED if failed else None)


def find_runs(store: Store, names: Sequence[str]) -> list[RunRecord]:
    """Return the runs that a person means, by models' names or beginnings of identifiers; all if none is named.

    Raises:
        ConfigError: A name fits no run, a beginning fits several, or the store is empty.
    """
    everything = store.records()
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
            allowed=listed(
                f"{run.run_id} ({run.benchmark}, {run.protocol_name}, {condition_text(run.condition)})" for run in found
            ),
            remedy="Give the beginning of one of these identifiers",
        )
    )


def strata_of(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the stratum of each item: resamples keep the number of items with pictures, and of those without."""
    return tuple("image" if item.wording().images else "text" for item in items)


def _where(protocol: Mapping[str, object]) -> dict[str, tuple[FacetValue, ...]]:
    where = protocol.get("where")
    return {facet: tuple(values) for facet, values in where.items()} if isinstance(where, Mapping) else {}
