"""The part of a store that is about tasks: what models are asked that is neither an exam nor a judgement of a run.

Requests and responses are those of every run: they are claimed, recorded and shared in the same tables. What replies
amount to is not stored; whoever wants it reads the replies again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, inspect, select

from exambench.exchange import Response
from exambench.items import digest
from exambench.store.claims import Owner
from exambench.store.codec import response_from_row
from exambench.store.database import Database, chunked
from exambench.store.judging import LEASE_SECONDS
from exambench.store.tables import metadata, requests, responses, task_plan, tasks
from exambench.store.times import now, to_text
from exambench.store.writing import StoreLedger, Work, open_ledger

TASK_ID_LENGTH: Final = 16
_TABLES: Final = (tasks, task_plan)


class TaskKind(StrEnum):
    """What a model is asked to do."""

    CONTINUATION = "continuation"
    COMPARISON = "comparison"
    LIKELIHOOD = "likelihood"
    TRANSLATION = "translation"
    FILTER = "filter"
    PARAPHRASE = "paraphrase"
    LABEL = "label"
    WORDING = "wording"
    FORMULA = "formula"
    RATIONALE = "rationale"
    CRITIQUE = "critique"
    INSTRUCTIONS = "instructions"
    EMBEDDING = "embedding"
    GENERATION = "generation"


@dataclass(frozen=True)
class TaskRecord:
    """One model that is asked one kind of thing about the items of one dataset.

    Attributes:
        kind: What it is asked to do.
        benchmark: Name of the benchmark.
        dataset_hash: Content hash of its items.
        model_name: What to call the model.
        identity: Who answers, see :attr:`exambench.models.ModelConfig.identity`.
        decoding: The decoding settings, as JSON values.
        about: Prompt and whatever else makes it this task, as JSON values.
    """

    kind: TaskKind
    benchmark: str
    dataset_hash: str
    model_name: str
    identity: str
    decoding: Mapping[str, object]
    about: Mapping[str, object]

    @property
    def task_id(self) -> str:
        """Digest of what makes the task this task; the name of the model may change."""
        parts = [str(self.kind), self.benchmark, self.dataset_hash, self.identity]
        return digest([*parts, dict(self.decoding), dict(self.about)])[:TASK_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One try of one thing that is asked about an item.

    Attributes:
        item_id: Identifier of the item.
        variant: Tells several requests about one item apart, such as ``hint``.
        attempt: Counts tries from 0.
        request_key: Key of the request; ``None`` when there is nothing to ask.
        note: Why there is nothing to ask; empty when there is.
    """

    item_id: str
    variant: str
    attempt: int
    request_key: str | None
    note: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """What all tries have in common."""
        return self.item_id, self.variant


class Tasks:
    """Tasks with their plans; :attr:`exambench.store.Store.tasks`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read or written. A method
    that writes keeps all of what it was given or nothing, and may be called again with the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, record: TaskRecord) -> None:
        """Store a task, or the present name of its model; a store from before there were tasks gets their tables."""
        row = {column.name: getattr(record, column.name) for column in tasks.c if column.name != "created_at"}
        row |= {"kind": str(record.kind), "created_at": to_text(now())}
        insert = self._database.insert(tasks)
        upsert = insert.on_conflict_do_update(
            index_elements=[tasks.c.task_id], set_={"model_name": insert.excluded.model_name}
        )
        with self._database.writing() as connection:
            metadata.create_all(connection, tables=_TABLES)
            connection.execute(upsert, row)

    def all(self) -> list[TaskRecord]:
        """Return the tasks, the first registered first."""
        with self._database.reading() as connection:
            if not inspect(connection).has_table(tasks.name):
                return []
            found = connection.execute(select(tasks).order_by(tasks.c.created_at, tasks.c.task_id)).mappings()
            left_out = {"task_id", "created_at"}
            return [
                TaskRecord(
                    **{name: value for name, value in row.items() if name not in left_out}
                    | {"kind": TaskKind(row["kind"])}
                )
                for row in found
            ]

    def plan(self, task_id: str, rows: Sequence[TaskRow], bodies: Mapping[str, Mapping[str, object]]) -> None:
        """Add rows to the plan of a task, in place of those of the same item, variant and attempt.

        Args:
            task_id: A registered task.
            rows: Which request each try leads to.
            bodies: The body of each request by key, as JSON values; written once and never changed.
        """
        with self._database.writing() as connection:
            known = {(*row.place, row.attempt): row for row in _rows(connection, task_id)}
            changed = [row for row in rows if known.get((*row.place, row.attempt)) != row]
            keys = sorted({row.request_key for row in changed if row.request_key is not None})
            for chunk in chunked([{"request_key": key, "body": bodies[key]} for key in keys]):
                connection.execute(self._database.insert(requests).on_conflict_do_nothing(), list(chunk))
            insert = self._database.insert(task_plan)
            upsert = insert.on_conflict_do_update(
                index_elements=list(task_plan.primary_key),
                set_={name: insert.excluded[name] for name in ("request_key", "note")},
            )
            values = [
                {"task_id": task_id} | {c.name: getattr(row, c.name) for c in task_plan.c if c.name != "task_id"}
                for row in sorted(changed, key=lambda row: (row.place, row.attempt))
            ]
            for chunk in chunked(values):
                connection.execute(upsert, list(chunk))

    def replies(self, task_id: str) -> dict[TaskRow, Response | None]:
        """Return every row of the plan with its response, if it has one, by item, variant and attempt."""
        with self._database.reading() as connection:
            if not inspect(connection).has_table(tasks.name):
                return {}
            rows = _rows(connection, task_id)
            found: dict[str, Response] = {}
            for chunk in chunked([row.request_key for row in rows if row.request_key is not None]):
                statement = select(responses).where(responses.c.request_key.in_(chunk))
                found |= {row.request_key: response_from_row(row) for row in connection.execute(statement)}
        return {row: found.get(row.request_key or "") for row in rows}

    def ledger(
        self, *, owner: Owner | None = None, lease_seconds: float = LEASE_SECONDS
    ) -> AbstractAsyncContextManager[StoreLedger]:
        """Start a session in which requests of tasks are claimed and responses recorded.

        Args:
            owner: In whose name; this process by default.
            lease_seconds: How long claims outlive a process that has died on another machine.
        """
        lease = timedelta(seconds=lease_seconds)
        return open_ledger(self._database, Work(), owner=owner or Owner.current(), lease=lease)


def _rows(connection: Connection, task_id: str) -> list[TaskRow]:
    statement = (
        select(task_plan)
        .where(task_plan.c.task_id == task_id)
        .order_by(task_plan.c.item_id, task_plan.c.variant, task_plan.c.attempt)
    )
    return [
        TaskRow(row.item_id, row.variant, row.attempt, row.request_key, row.note)
        for row in connection.execute(statement)
    ]
