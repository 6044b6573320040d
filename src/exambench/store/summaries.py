"""How far each run has come, and what it has taken: one row a run, counted by the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, or_, select

from exambench.exchange import Usage
from exambench.outcomes import OutcomeKind
from exambench.store.database import Database
from exambench.store.lookups import run_of
from exambench.store.queries import last_failures
from exambench.store.records import RunSummary
from exambench.store.tables import failures, outcomes, plan, responses, runs, sessions
from exambench.store.times import from_text

_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")


def summaries(database: Database, run_id: str | None = None) -> list[RunSummary]:
    """Return how far each run has come, or the one that is named; the first registered first."""

    def narrowed(statement: Select[Any], column: ColumnElement[Any]) -> Select[Any]:
        return statement if run_id is None else statement.where(column == run_id)

    with database.reading() as connection:
        ordered = select(runs).order_by(runs.c.created_at, runs.c.run_id)
        found = connection.execute(narrowed(ordered, runs.c.run_id)).all()
        coverage = {row.run_id: row for row in connection.execute(narrowed(_coverage(), plan.c.run_id))}
        totals = {row.run_id: row for row in connection.execute(_totals(run_id))}
        received = {row.run_id: int(row.n) for row in connection.execute(narrowed(_received(), plan.c.run_id))}
        kinds = _outcome_counts(connection, run_id)
        reasons = _reason_counts(connection, run_id)
        worked = _sessions(connection)
    return [
        RunSummary(
            run=run_of(row),
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


def _totals(run_id: str | None) -> Select[Any]:
    """Sum over a run's responses, each once even when two of its items lead to the same request."""
    pairs = select(plan.c.run_id, plan.c.request_key).distinct()
    asked = (pairs if run_id is None else pairs.where(plan.c.run_id == run_id)).subquery()
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


def _sums(row: Row[Any] | None) -> dict[str, Any]:
    if row is None:
        return {}
    sums = {name: getattr(row, name) for name in _TOKENS}
    usage = Usage(**{name: None if value is None else int(value) for name, value in sums.items()})
    return {"usage": usage, "unmetered": int(row.unmetered), "seconds": float(row.seconds)}


def _outcome_counts(connection: Connection, run_id: str | None) -> dict[str, dict[str, dict[OutcomeKind, int]]]:
    """Return the number of outcomes by run, parser and kind."""
    statement = select(outcomes.c.run_id, outcomes.c.parser, outcomes.c.kind, func.count().label("n")).group_by(
        outcomes.c.run_id, outcomes.c.parser, outcomes.c.kind
    )
    if run_id is not None:
        statement = statement.where(outcomes.c.run_id == run_id)
    counts: dict[str, dict[str, dict[OutcomeKind, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in connection.execute(statement):
        counts[row.run_id][row.parser][OutcomeKind(row.kind)] = row.n
    return defaultdict(dict, {run_id: dict(sorted(parsers.items())) for run_id, parsers in counts.items()})


def _reason_counts(connection: Connection, run_id: str | None) -> dict[str, dict[str, int]]:
    """Return by run why items and trials have no response, the most frequent reason first."""
    n = func.count()
    statement = last_failures(select(plan.c.run_id, failures.c.reason, n.label("n")))
    if run_id is not None:
        statement = statement.where(plan.c.run_id == run_id)
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
