"""A canary looked for in what a store keeps of models' words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exambench.exchange import Response
from exambench.probing.canary import Trace, trace
from exambench.store import RunRecord, Store, TaskRecord


@dataclass(frozen=True, slots=True)
class CanaryHit:
    """One output that holds the canary, or the beginning of it."""

    item_id: str
    trial: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class SearchedOutputs:
    """The outputs of one run or task.

    Attributes:
        kind: ``run``, or the kind of the task.
        identifier: Of run or task.
        model: What to call the model.
        outputs: Responses that were looked at, their reasoning too.
        hits: Those that hold something of the canary.
    """

    kind: str
    identifier: str
    model: str
    outputs: int
    hits: tuple[CanaryHit, ...]

    @property
    def unprompted(self) -> tuple[CanaryHit, ...]:
        """The hits whose prompt does not hold as much."""
        return tuple(hit for hit in self.hits if not hit.trace.asked)


@dataclass(frozen=True, slots=True)
class CanarySearch:
    """What was looked for, and where it was found."""

    guid: str
    searched: tuple[SearchedOutputs, ...]

    @property
    def found(self) -> bool:
        """Whether a model wrote it without being shown it."""
        return any(each.unprompted for each in self.searched)


def search_outputs(store: Store, guid: str, runs: Sequence[RunRecord], tasks: Sequence[TaskRecord]) -> CanarySearch:
    """Look for a canary in the outputs of runs and tasks.

    Raises:
        StoreError: The store cannot be read.
    """
    searched = []
    for run in runs:
        count, hits = _hits(store, guid, _of_run(store, run))
        searched.append(SearchedOutputs("run", run.run_id, run.model_name, count, hits))
    for task in tasks:
        count, hits = _hits(store, guid, _of_task(store, task))
        searched.append(SearchedOutputs(str(task.kind), task.task_id, task.model_name, count, hits))
    return CanarySearch(guid, tuple(searched))


_Output = tuple[str, str, str, Response]


def _of_run(store: Store, run: RunRecord) -> Iterator[_Output]:
    for stored in store.responses(run.run_id):
        yield stored.item_id, str(stored.trial), stored.request_key, stored.response


def _of_task(store: Store, task: TaskRecord) -> Iterator[_Output]:
    for row, response in store.tasks.replies(task.task_id).items():
        if response is not None and row.request_key is not None:
            yield row.item_id, f"{row.variant} {row.attempt}".strip(), row.request_key, response


def _hits(store: Store, guid: str, outputs: Iterator[_Output]) -> tuple[int, tuple[CanaryHit, ...]]:
    """Return how many outputs there are, and those that hold something of the canary."""
    hits, count = [], 0
    for item_id, trial, key, response in outputs:
        count += 1
        written = "\n".join(filter(None, (response.text, response.reasoning, response.refusal)))
        if trace(guid, written, "").digits:
            prompt = json.dumps(store.request(key), ensure_ascii=False)
            hits.append(CanaryHit(item_id, trial, trace(guid, written, prompt)))
    return count, tuple(hits)
