"""The part of a store that is about judges: what they are asked about a run, and the verdicts.

Requests and responses are those of every run: they are claimed, recorded and shared in the same tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, Table, and_, bindparam, case, func, select

from exambench.errors import ConfigError, Finding, StoreError, show
from exambench.store.claims import Owner
from exambench.store.codec import UNJUDGED, judgement_from_json, judgement_to_row, response_from_row
from exambench.store.database import Database, chunked
from exambench.store.records import JudgeReply, JudgeRow, JudgingKind, JudgingRecord, JudgingTally, VerdictRow
from exambench.store.tables import dataset_items, judge_plan, judgings, requests, responses, runs, verdicts
from exambench.store.times import now, to_text
from exambench.store.writing import StoreLedger, Work, open_ledger

LEASE_SECONDS: Final = 60.0
SHOWN_CANDIDATES: Final = 10
_CHANGING: Final = ("judge_name", "judge", "rubric_name", "rubric", "updated_at")


class Judgings:
    """Judgings with their plans and verdicts; :attr:`exambench.store.Store.judgings`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read or written. A method
    that writes keeps all of what it was given or nothing, and may be called again with the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, record: JudgingRecord) -> None:
        """Store a judging, or bring names, prices and limits of a stored one up to date.

        Raises:
            StoreError: The store has no such run.
        """
        moment = to_text(now())
        row = {column.name: getattr(record, column.name) for column in judgings.c if not column.name.endswith("_at")}
        row |= {"kind": str(record.kind), "created_at": moment, "updated_at": moment}
        insert = self._database.insert(judgings)
        upsert = insert.on_conflict_do_update(
            index_elements=[judgings.c.judging_id], set_={name: insert.excluded[name] for name in _CHANGING}
        )
        with self._database.writing() as connection:
            if connection.execute(select(runs.c.run_id).where(runs.c.run_id == record.run_id)).first() is None:
                raise StoreError(f"judging {record.judging_id}: the store has no run {record.run_id}")
            connection.execute(upsert, row)

    def plan(self, judging_id: str, rows: Sequence[JudgeRow], bodies: Mapping[str, Mapping[str, object]]) -> None:
        """Add rows to the plan of a judging.

        A row that leads to another request than before (the parser reads another answer now, say) is changed; later
        tries at the same judgement go, and so does its verdict. Rows that are not given stay.

        Args:
            judging_id: A registered judging.
            rows: Which request each try leads to.
            bodies: The body of each request by key, as JSON values; written once and never changed.

        Raises:
            StoreError: The judging is not registered, or a request has no body.
        """
        with self._database.writing() as connection:
            known = {
                (*row.place, row.attempt): row
                for row in _rows(connection, select(judge_plan).where(judge_plan.c.judging_id == judging_id))
            }
            changed = [row for row in rows if known.get((*row.place, row.attempt)) != row]
            if not changed:
                return
            keys = sorted({row.request_key for row in changed if row.request_key is not None})
            for chunk in chunked([{"request_key": key, "body": bodies[key]} for key in keys if key in bodies]):
                connection.execute(self._database.insert(requests).on_conflict_do_nothing(), list(chunk))
            _forget(connection, judging_id, [row for row in changed if (*row.place, row.attempt) in known])
            self._upsert(
                connection,
                judge_plan,
                [
                    {
                        "judging_id": judging_id,
                        "item_id": row.item_id,
                        "trial": row.trial,
                        "judge_trial": row.judge_trial,
                        "attempt": row.attempt,
                        "request_key": row.request_key,
                        "note": row.note,
                    }
                    for row in sorted(changed, key=lambda row: (row.place, row.attempt))
                ],
            )
            statement = judgings.update().where(judgings.c.judging_id == judging_id)
            connection.execute(statement.values(updated_at=to_text(now())))

    def planned(self, judging_id: str) -> list[JudgeRow]:
        """Return the whole plan of a judging: in item order, then by trial, judge trial and attempt."""
        with self._database.reading() as connection:
            return _rows(connection, _in_item_order(select(judge_plan), judge_plan, judging_id, judge_plan.c.attempt))

    def unanswered(self, judging_id: str) -> list[JudgeRow]:
        """Return the rows of the plan that lead to a request without a response, in the order of the plan."""
        statement = (
            select(judge_plan)
            .outerjoin(responses, responses.c.request_key == judge_plan.c.request_key)
            .where(judge_plan.c.request_key.is_not(None), responses.c.request_key.is_(None))
        )
        with self._database.reading() as connection:
            return _rows(connection, _in_item_order(statement, judge_plan, judging_id, judge_plan.c.attempt))

    def replies(self, judging_id: str) -> Iterator[JudgeReply]:
        """Yield the responses of a judge in the order of the plan, some hundred in memory at a time."""
        asked = [row for row in self.planned(judging_id) if row.request_key is not None]
        for chunk in chunked(asked):
            keys = {row.request_key for row in chunk}
            with self._database.reading() as connection:
                found = connection.execute(select(responses).where(responses.c.request_key.in_(keys))).all()
            by_key = {row.request_key: row for row in found}
            for row in chunk:
                if row.request_key in by_key:
                    yield JudgeReply(row, response_from_row(by_key[row.request_key]))

    def save_verdicts(
        self, judging_id: str, rows: Iterable[VerdictRow], seen: Collection[str | None] | None = None
    ) -> None:
        """Store the verdicts of a judging in place of those that it had before.

        Args:
            judging_id: A registered judging.
            rows: The verdicts.
            seen: Keys of the requests whose replies these were read from. A stored verdict on another reply is that of
                a process which knows more, and stays. All replies when ``None``.
        """
        with self._database.writing() as connection:
            _drop_verdicts(connection, judging_id, seen)
            self._upsert(
                connection,
                verdicts,
                [
                    {
                        "judging_id": judging_id,
                        "item_id": row.item_id,
                        "trial": row.trial,
                        "judge_trial": row.judge_trial,
                        "tries": row.tries,
                        "request_key": row.request_key,
                        **judgement_to_row(row.judgement),
                    }
                    for row in sorted(rows, key=lambda row: row.place)
                ],
            )

    def verdicts(self, judging_id: str) -> list[VerdictRow]:
        """Return the verdicts of a judging in item order, then by trial and judge trial."""
        statement = _in_item_order(select(verdicts), verdicts, judging_id)
        with self._database.reading() as connection:
            return [
                VerdictRow(
                    row.item_id,
                    row.trial,
                    row.judge_trial,
                    row.tries,
                    judgement_from_json(row.kind, row.body),
                    row.request_key,
                )
                for row in connection.execute(statement)
            ]

    def forget_answers(self, run_id: str, places: Iterable[tuple[str, int]]) -> None:
        """Drop what judges of free answers were asked and said about answers that are read otherwise now.

        Replies stay; who has the run judged again gets verdicts on the new answers.

        Args:
            run_id: The run.
            places: Items and trials of the run.
        """
        values = [{"item": item_id, "of_trial": trial} for item_id, trial in places]
        mine = select(judgings.c.judging_id).where(
            judgings.c.run_id == run_id, judgings.c.kind == str(JudgingKind.ANSWER)
        )
        if not values:
            return
        with self._database.writing() as connection:
            for table in (verdicts, judge_plan):
                statement = table.delete().where(
                    table.c.judging_id.in_(mine),
                    table.c.item_id == bindparam("item"),
                    table.c.trial == bindparam("of_trial"),
                )
                for chunk in chunked(values):
                    connection.execute(statement, list(chunk))

    def tallies(self) -> dict[str, JudgingTally]:
        """Return how far every judging has come, by its identifier; one without a plan is not there."""
        planned = (
            select(judge_plan.c.judging_id, func.count())
            .where(judge_plan.c.attempt == 0)
            .group_by(judge_plan.c.judging_id)
        )
        unreadable = func.count(case((verdicts.c.kind == UNJUDGED, 1)))
        read = select(verdicts.c.judging_id, func.count(), unreadable).group_by(verdicts.c.judging_id)
        with self._database.reading() as connection:
            counts = {judging_id: (count, unread) for judging_id, count, unread in connection.execute(read)}
            return {
                judging_id: JudgingTally(asked, count - unread, unread)
                for judging_id, asked in connection.execute(planned)
                for count, unread in (counts.get(judging_id, (0, 0)),)
            }

    def all(self, run_id: str | None = None) -> list[JudgingRecord]:
        """Return the judgings of a run, or of every run, the first registered first; probes of the judge are none."""
        return [record for record in self._registered(run_id) if not record.is_perturbed]

    def probes(self, run_id: str | None = None) -> list[JudgingRecord]:
        """Return the judgings of a run, or of every run, in which answers were changed to probe the judge.

        No other method finds them: their verdicts are no scores of the run.
        """
        return [record for record in self._registered(run_id) if record.is_perturbed]

    def _registered(self, run_id: str | None) -> list[JudgingRecord]:
        statement = select(judgings).order_by(judgings.c.created_at, judgings.c.judging_id)
        if run_id is not None:
            statement = statement.where(judgings.c.run_id == run_id)
        with self._database.reading() as connection:
            return [record_of(row) for row in connection.execute(statement)]

    def find(self, judging_id: str) -> JudgingRecord:
        """Return the judging of an identifier, or of the beginning of one.

        Raises:
            ConfigError: No judging has it, or more than one; the message names candidates.
        """
        known = self.all()
        exact = [record for record in known if record.judging_id == judging_id]
        found = exact or [record for record in known if record.judging_id.startswith(judging_id)]
        if len(found) == 1:
            return found[0]
        shown = [
            f"{record.judging_id} ({record.judge_name} on {record.run_id})"
            for record in (found or known)[:SHOWN_CANDIDATES]
        ]
        raise ConfigError(
            Finding(
                problem="several judgings begin like this" if found else "there is no such judging",
                file=self._database.place,
                field="judging",
                value=show(judging_id),
                allowed=", ".join(shown) or "none, for the store has no judgings yet",
                remedy="Give more of the identifier" if found else "Name one of these",
            )
        )

    def ledger(
        self, judging_id: str, *, owner: Owner | None = None, lease_seconds: float = LEASE_SECONDS
    ) -> AbstractAsyncContextManager[StoreLedger]:
        """Start a session of a judging, in which requests are claimed and responses recorded.

        Args:
            judging_id: A judging with a plan.
            owner: In whose name; this process by default.
            lease_seconds: How long claims outlive a process that has died on another machine.

        Raises:
            StoreError: The judging is not registered.
        """
        lease = timedelta(seconds=lease_seconds)
        work = Work(judging_id=judging_id)
        return open_ledger(self._database, work, owner=owner or Owner.current(), lease=lease)

    def _upsert(self, connection: Connection, table: Table, values: Sequence[dict[str, Any]]) -> None:
        insert = self._database.insert(table)
        names = [column.name for column in table.c if not column.primary_key]
        upsert = insert.on_conflict_do_update(
            index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in names}
        )
        for chunk in chunked(values):
            connection.execute(upsert, list(chunk))


def _rows(connection: Connection, statement: Select[Any]) -> list[JudgeRow]:
    return [
        JudgeRow(row.item_id, row.trial, row.judge_trial, row.attempt, row.request_key, row.note)
        for row in connection.execute(statement)
    ]


def record_of(row: Row[Any]) -> JudgingRecord:
    """Return the judging in a row that has the columns of the table ``judgings``."""
    return JudgingRecord(
        run_id=row.run_id,
        kind=JudgingKind(row.kind),
        judge_name=row.judge_name,
        identity=row.identity,
        decoding=row.decoding,
        judge=row.judge,
        rubric_name=row.rubric_name,
        rubric_hash=row.rubric_hash,
        rubric=row.rubric,
        condition=row.condition,
    )


def _in_item_order(statement: Select[Any], table: Table, judging_id: str, *then: Any) -> Select[Any]:  # noqa: ANN401 - columns
    """Narrow a query over a table of judgements to a judging, in the order of the run's items."""
    return (
        statement.join(judgings, judgings.c.judging_id == table.c.judging_id)
        .join(runs, runs.c.run_id == judgings.c.run_id)
        .join(
            dataset_items,
            and_(
                dataset_items.c.benchmark == runs.c.benchmark,
                dataset_items.c.dataset_hash == runs.c.dataset_hash,
                dataset_items.c.item_id == table.c.item_id,
            ),
        )
        .where(table.c.judging_id == judging_id)
        .order_by(dataset_items.c.position, table.c.trial, table.c.judge_trial, *then)
    )


def _drop_verdicts(connection: Connection, judging_id: str, seen: Collection[str | None] | None) -> None:
    """Drop the verdicts of a judging that rest on no reply, or on one of these."""
    ours = verdicts.c.judging_id == judging_id
    if seen is None:
        connection.execute(verdicts.delete().where(ours))
        return
    connection.execute(verdicts.delete().where(ours, verdicts.c.request_key.is_(None)))
    for chunk in chunked(sorted(filter(None, seen))):
        connection.execute(verdicts.delete().where(ours, verdicts.c.request_key.in_(chunk)))


def _forget(connection: Connection, judging_id: str, rows: Sequence[JudgeRow]) -> None:
    """Drop the verdicts on what these rows are about, and later tries."""
    if not rows:
        return
    values = [
        {"item": row.item_id, "of_trial": row.trial, "of_judge_trial": row.judge_trial, "after": row.attempt}
        for row in rows
    ]
    for table in (verdicts, judge_plan):
        statement = table.delete().where(
            table.c.judging_id == judging_id,
            table.c.item_id == bindparam("item"),
            table.c.trial == bindparam("of_trial"),
            table.c.judge_trial == bindparam("of_judge_trial"),
        )
        if table is judge_plan:
            statement = statement.where(judge_plan.c.attempt > bindparam("after"))
        connection.execute(statement, values)
