"""What a store can tell. Every function reads one state of the database, on a connection of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, case, exists, func, not_, or_, select

from exambench.errors import ConfigError, Finding, StoreError, show
from exambench.exchange import Usage
from exambench.items import Benchmark
from exambench.outcomes import OutcomeKind
from exambench.store.codec import (
    benchmark_from_json,
    failure_from_row,
    item_from_json,
    outcome_from_row,
    response_from_row,
)
from exambench.store.database import Database, chunked
from exambench.store.records import PlanRow, RunRecord, RunSummary, StoredFailure, StoredOutcome, StoredResponse
from exambench.store.tables import (
    dataset_items,
    datasets,
    failures,
    items,
    outcomes,
    plan,
    requests,
    responses,
    runs,
    sessions,
)
from exambench.store.times import from_text

SHOWN_CANDIDATES: Final = 10


def benchmark_of(database: Database, benchmark: str, dataset_hash: str) -> Benchmark:
    """Return a dataset with its items in the order of their file, without the folder of its pictures.

    Raises:
        StoreError: There is no such dataset.
    """
    statement = (
        select(items.c.body)
        .join(dataset_items, dataset_items.c.record_hash == items.c.record_hash)
        .where(dataset_items.c.benchmark == benchmark, dataset_items.c.dataset_hash == dataset_hash)
        .order_by(dataset_items.c.position)
    )
    with database.reading() as connection:
        bodies = connection.execute(statement).scalars().all()
        about = connection.execute(
            select(datasets.c.about).where(datasets.c.benchmark == benchmark, datasets.c.hash == dataset_hash)
        ).scalar()
    if about is None:
        raise StoreError(f"{database.place} has no dataset {dataset_hash} of benchmark {benchmark}")
    return benchmark_from_json(benchmark, about, tuple(item_from_json(body) for body in bodies))


def find_run(database: Database, run_id: str) -> RunRecord:
    """Return the run of an identifier, or of the beginning of one.

    Raises:
        ConfigError: No run has it, or more than one; the message names candidates.
    """
    newest_first = select(runs).order_by(runs.c.updated_at.desc(), runs.c.run_id)
    with database.reading() as connection:
        found = connection.execute(newest_first.where(runs.c.run_id.startswith(run_id, autoescape=True))).all()
        candidates = found or connection.execute(newest_first.limit(SHOWN_CANDIDATES)).all()
    exact = [row for row in found if row.run_id == run_id]
    if len(exact or found) == 1:
        return _run_of(*(exact or found))
    shown = [f"{row.run_id} ({row.model_name} on {row.benchmark})" for row in candidates[:SHOWN_CANDIDATES]]
    raise ConfigError(
        Finding(
            problem="several runs begin like this" if found else "there is no such run",
            file=database.place,
            field="run",
            value=show(run_id),
            allowed=", ".join(shown) or "none, for the store has no runs yet",
            remedy="Give more of the identifier" if found else "See them all with: exambench runs",
        )
    )


def _run_of(row: Row[Any]) -> RunRecord:
    return RunRecord(
        benchmark=row.benchmark,
        dataset_hash=row.dataset_hash,
        model_name=row.model_name,
        identity=row.identity,
        decoding=row.decoding,
        model=row.model,
        protocol_name=row.protocol_name,
        protocol_hash=row.protocol_hash,
        protocol=row.protocol,
        condition=row.condition,
    )


def _in_item_order(statement: Select[Any], run_id: str) -> Select[Any]:
    """Narrow a query over ``plan`` to a run, in the order of its items, then of trials."""
    return (
        statement.join(runs, runs.c.run_id == plan.c.run_id)
        .join(
            dataset_items,
            and_(
                dataset_items.c.benchmark == runs.c.benchmark,
                dataset_items.c.dataset_hash == runs.c.dataset_hash,
                dataset_items.c.item_id == plan.c.item_id,
            ),
        )
        .where(plan.c.run_id == run_id)
        .order_by(dataset_items.c.position, plan.c.trial)
    )


def planned(database: Database, run_id: str) -> list[PlanRow]:
    """Return the whole plan of a run, in item order."""
    return _plan_rows(database, _in_item_order(select(plan), run_id))


def unanswered(database: Database, run_id: str) -> list[PlanRow]:
    """Return the rows that lead to a request without a response, in item order."""
    statement = (
        select(plan)
        .outerjoin(responses, responses.c.request_key == plan.c.request_key)
        .where(plan.c.request_key.is_not(None), responses.c.request_key.is_(None))
    )
    return _plan_rows(database, _in_item_order(statement, run_id))


def _plan_rows(database: Database, statement: Select[Any]) -> list[PlanRow]:
    with database.reading() as connection:
        return [
            PlanRow(row.item_id, row.item_hash, row.trial, row.request_key, row.note)
            for row in connection.execute(statement)
        ]


def responses_of(database: Database, run_id: str) -> Iterator[StoredResponse]:
    """Yield the responses of a run in item order, some hundred in memory at a time."""
    return _responses(database, [row for row in planned(database, run_id) if row.request_key is not None])


def unread(database: Database, run_id: str, parsers: Sequence[str], parser_version: str) -> Iterator[StoredResponse]:
    """Yield the responses of a run that one of these parsers, in this version, has not read, in item order."""
    has_read = [
        exists().where(
            outcomes.c.run_id == plan.c.run_id,
            outcomes.c.item_id == plan.c.item_id,
            outcomes.c.trial == plan.c.trial,
            outcomes.c.parser == parser,
            outcomes.c.parser_version == parser_version,
        )
        for parser in parsers
    ]
    statement = (
        select(plan)
        .join_from(plan, responses, responses.c.request_key == plan.c.request_key)
        .where(not_(and_(*has_read)))
    )
    return _responses(database, _plan_rows(database, _in_item_order(statement, run_id)))


def _responses(database: Database, rows: Iterable[PlanRow]) -> Iterator[StoredResponse]:
    for chunk in chunked(rows):
        keys = {row.request_key for row in chunk}
        with database.reading() as connection:
            found = connection.execute(select(responses).where(responses.c.request_key.in_(keys))).all()
        by_key = {row.request_key: row for row in found}
        for row in chunk:
            if row.request_key in by_key:
                response = by_key[row.request_key]
                yield StoredResponse(
                    row.item_id, row.trial, response.request_key, response_from_row(response), response.created_at
                )


def failures_of(database: Database, run_id: str) -> list[StoredFailure]:
    """Return, for each row of a plan that has failed and has no response yet, its last failure, in item order."""
    statement = _last_failures(select(plan.c.item_id, plan.c.trial, failures))
    with database.reading() as connection:
        return [
            StoredFailure(row.item_id, row.trial, row.request_key, failure_from_row(row), row.at)
            for row in connection.execute(_in_item_order(statement, run_id))
        ]


def _last_failures(statement: Select[Any]) -> Select[Any]:
    """Join rows of plans that have no response with the last failure of each."""
    last = select(func.max(failures.c.id)).group_by(failures.c.request_key).scalar_subquery()
    return (
        statement.join_from(plan, failures, failures.c.request_key == plan.c.request_key)
        .outerjoin(responses, responses.c.request_key == plan.c.request_key)
        .where(responses.c.request_key.is_(None), failures.c.id.in_(last))
    )


def request_body(database: Database, request_key: str) -> Any:  # noqa: ANN401 - JSON
    """Return what was asked under a key, as JSON values.

    Raises:
        StoreError: The store has no such request.
    """
    with database.reading() as connection:
        row = connection.execute(select(requests.c.body).where(requests.c.request_key == request_key)).first()
    if row is None:
        raise StoreError(f"{database.place} has no request {show(request_key)}")
    return row.body


def outcomes_of(database: Database, run_id: str, parser: str) -> list[StoredOutcome]:
    """Return what a parser made of a run, in item order."""
    statement = select(outcomes).join_from(
        plan,
        outcomes,
        and_(
            outcomes.c.run_id == plan.c.run_id,
            outcomes.c.item_id == plan.c.item_id,
            outcomes.c.trial == plan.c.trial,
        ),
    )
    with database.reading() as connection:
        return [
            StoredOutcome(row.item_id, row.trial, row.parser, row.parser_version, outcome_from_row(row))
            for row in connection.execute(_in_item_order(statement.where(outcomes.c.parser == parser), run_id))
        ]


def summaries(database: Database) -> list[RunSummary]:
    """Return how far each run has come, the first registered first."""
    with database.reading() as connection:
        found = connection.execute(select(runs).order_by(runs.c.created_at, runs.c.run_id)).all()
        coverage = {row.run_id: row for row in connection.execute(_coverage())}
        totals = {row.run_id: row for row in connection.execute(_totals())}
        received = {row.run_id: int(row.n) for row in connection.execute(_received())}
        kinds = _outcome_counts(connection)
        reasons = _reason_counts(connection)
        worked = _sessions(connection)
    return [
        RunSummary(
            run=_run_of(row),
            created_at=row.created_at,
            updated_at=max([row.updated_at, *(end for _, end in worked[row.run_id])]),
            outcomes=kinds[row.run_id],
            reasons=reasons[row.run_id],
            received=received.get(row.run_id, 0),
            wall_seconds=_union_seconds((from_text(start), from_text(end)) for start, end in worked[row.run_id]),
            **_counts(coverage.get(row.run_id)),
            **_sums(totals.get(row.run_id)),
        )
        for row in found
    ]


def _coverage() -> Select[Any]:
    has_failed = select(failures.c.request_key).distinct().subquery()
    is_open = and_(plan.c.request_key.is_not(None), responses.c.request_key.is_(None))
    return (
        select(
            plan.c.run_id,
            func.count().label("planned"),
            func.count(responses.c.request_key).label("answered"),
            func.sum(case((and_(is_open, has_failed.c.request_key.is_not(None)), 1), else_=0)).label("failed"),
            func.sum(case((plan.c.request_key.is_(None), 1), else_=0)).label("unsupported"),
        )
        .outerjoin(responses, responses.c.request_key == plan.c.request_key)
        .outerjoin(has_failed, has_failed.c.request_key == plan.c.request_key)
        .group_by(plan.c.run_id)
    )


def _counts(row: Row[Any] | None) -> dict[str, Any]:
    if row is None:
        return {}
    return {name: int(getattr(row, name)) for name in ("planned", "answered", "failed", "unsupported")}


def _totals() -> Select[Any]:
    """Sum over a run's responses, each once even when two of its items lead to the same request."""
    asked = select(plan.c.run_id, plan.c.request_key).distinct().subquery()
    unmetered = or_(responses.c.input_tokens.is_(None), responses.c.output_tokens.is_(None))
    return (
        select(
            asked.c.run_id,
            *(func.sum(responses.c[name]).label(name) for name in _TOKENS),
            func.sum(case((unmetered, 1), else_=0)).label("unmetered"),
            func.sum(responses.c.seconds).label("seconds"),
        )
        .join(responses, responses.c.request_key == asked.c.request_key)
        .group_by(asked.c.run_id)
    )


def _received() -> Select[Any]:
    """Count the responses of a run that arrived during one of its sessions."""
    until = func.coalesce(sessions.c.ended_at, sessions.c.heartbeat_at)
    return (
        select(plan.c.run_id, func.count(plan.c.request_key.distinct()).label("n"))
        .join(responses, responses.c.request_key == plan.c.request_key)
        .join(
            sessions,
            and_(sessions.c.run_id == plan.c.run_id, responses.c.created_at.between(sessions.c.started_at, until)),
        )
        .group_by(plan.c.run_id)
    )


_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")


def _sums(row: Row[Any] | None) -> dict[str, Any]:
    if row is None:
        return {}
    sums = {name: getattr(row, name) for name in _TOKENS}
    usage = Usage(**{name: None if value is None else int(value) for name, value in sums.items()})
    return {"usage": usage, "unmetered": int(row.unmetered), "seconds": float(row.seconds)}


def _outcome_counts(connection: Connection) -> dict[str, dict[str, dict[OutcomeKind, int]]]:
    """Return the number of outcomes by run, parser and kind."""
    statement = select(outcomes.c.run_id, outcomes.c.parser, outcomes.c.kind, func.count().label("n")).group_by(
        outcomes.c.run_id, outcomes.c.parser, outcomes.c.kind
    )
    counts: dict[str, dict[str, dict[OutcomeKind, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in connection.execute(statement):
        counts[row.run_id][row.parser][OutcomeKind(row.kind)] = row.n
    return defaultdict(dict, {run_id: dict(sorted(parsers.items())) for run_id, parsers in counts.items()})


def _reason_counts(connection: Connection) -> dict[str, dict[str, int]]:
    """Return by run why items and trials have no response, the most frequent reason first."""
    n = func.count()
    statement = _last_failures(select(plan.c.run_id, failures.c.reason, n.label("n")))
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for row in connection.execute(
        statement.group_by(plan.c.run_id, failures.c.reason).order_by(n.desc(), failures.c.reason)
    ):
        counts[row.run_id][row.reason] = row.n
    return counts


def _sessions(connection: Connection) -> dict[str, list[tuple[str, str]]]:
    """Return start and end of each session by run; one that was killed ended with its last heartbeat."""
    worked: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in connection.execute(select(sessions).where(sessions.c.run_id.is_not(None))):
        worked[row.run_id].append((row.started_at, row.ended_at or row.heartbeat_at))
    return worked


def _union_seconds(intervals: Iterable[tuple[datetime, datetime]]) -> float:
    """Return the seconds that at least one of the intervals covers."""
    total = 0.0
    covered_until: datetime | None = None
    for start, end in sorted(intervals):
        begin = start if covered_until is None else max(start, covered_until)
        if end > begin:
            total += (end - begin).total_seconds()
        covered_until = end if covered_until is None else max(end, covered_until)
    return total
