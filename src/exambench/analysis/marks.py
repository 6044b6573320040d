"""Which of the answers to an item are right, and on which items models disagree; without loading every trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exambench.items import Benchmark, Key, TextKey
from exambench.outcomes import SCORED_KINDS, Answered, Outcome
from exambench.scoring.choice import score
from exambench.store import RunRecord, Store
from exambench.store.answer_queries import value_text
from exambench.store.answer_records import FreshReading


@dataclass(frozen=True)
class Marks:
    """What is right in a run.

    Attributes:
        values: Whether an answer is right, by item and canonical JSON of the answer; free answers are not in it.
        scored: Items that have a score in any trial.
        solved: Items that are right in any trial.
    """

    values: dict[tuple[str, str], bool]
    scored: frozenset[str]
    solved: frozenset[str]


def mark(outcome: Outcome | None, key: Key) -> bool | None:
    """Tell whether an outcome is right; ``None`` without a score, and for a free answer, which a judge decides about.

    Raises:
        ConfigError: Parser and key don't fit each other.
    """
    if outcome is None or (isinstance(key, TextKey) and isinstance(outcome, Answered)):
        return None
    value = score(outcome, key)
    return None if value is None else value == 1.0


def marks_of(store: Store, run: RunRecord, benchmark: Benchmark, fresh: Iterable[FreshReading] = ()) -> Marks:
    """Return what is right in a run, by its strict parser.

    Args:
        store: Where the outcomes are.
        run: The run.
        benchmark: Its dataset.
        fresh: What has become of responses without a stored outcome.

    Raises:
        ConfigError: Parser and keys don't fit each other.
        StoreError: The store cannot be read.
    """
    found = store.answers.different_outcomes(run.run_id, str(run.protocol["strict"]))
    found += [(reading.item_id, reading.strict) for reading in fresh]
    values: dict[tuple[str, str], bool] = {}
    scored: set[str] = set()
    solved: set[str] = set()
    for item_id, outcome in found:
        if outcome.kind not in SCORED_KINDS:
            continue
        right = mark(outcome, benchmark.by_id[item_id].key)
        if right is None:
            continue
        scored.add(item_id)
        if isinstance(outcome, Answered):
            values[item_id, str(value_text(outcome.value))] = right
        if right:
            solved.add(item_id)
    return Marks(values, frozenset(scored), frozenset(solved))


def comparable_to(run: RunRecord, others: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the runs, this one included, that sat the same dataset under the same protocol and condition."""

    def asked(record: RunRecord) -> tuple[object, ...]:
        return record.benchmark, record.dataset_hash, record.protocol_hash, tuple(sorted(record.condition.items()))

    return [other for other in others if asked(other) == asked(run)]


def items_in_dispute(marks: Sequence[Marks]) -> frozenset[str]:
    """Return the items that some of the runs with a score solve, in any trial, and others don't."""
    solved = frozenset().union(*(each.solved for each in marks))
    return frozenset(
        item_id for item_id in solved if any(item_id in each.scored and item_id not in each.solved for each in marks)
    )


def items_nobody_solves(marks: Sequence[Marks]) -> frozenset[str]:
    """Return the items that have a score in a run, and are right in no trial of any run."""
    return frozenset().union(*(each.scored for each in marks)) - frozenset().union(*(each.solved for each in marks))
