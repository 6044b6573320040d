"""What a store has of one run, in the order of its items: plan, responses, failures, outcomes.

Every function reads one state of the database, on a connection of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Select, and_, exists, func, not_, select

from exambench.store.codec import failure_from_row, outcome_from_row, response_from_row
from exambench.store.database import Database, chunked
from exambench.store.records import PlanRow, StoredFailure, StoredOutcome, StoredResponse
from exambench.store.tables import dataset_items, failures, outcomes, plan, responses, runs


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


def without_outcome(database: Database, run_id: str, parser: str) -> list[PlanRow]:
    """Return the rows that have a response and no outcome by a parser of any version, in item order."""
    is_read = exists().where(
        outcomes.c.run_id == plan.c.run_id,
        outcomes.c.item_id == plan.c.item_id,
        outcomes.c.trial == plan.c.trial,
        outcomes.c.parser == parser,
    )
    statement = (
        select(plan).join_from(plan, responses, responses.c.request_key == plan.c.request_key).where(not_(is_read))
    )
    return _plan_rows(database, _in_item_order(statement, run_id))


def responses_to(database: Database, rows: Iterable[PlanRow]) -> Iterator[StoredResponse]:
    """Yield the responses to some rows of a plan in their order, some hundred in memory at a time."""
    return _responses(database, rows)


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
    statement = last_failures(select(plan.c.item_id, plan.c.trial, failures))
    with database.reading() as connection:
        return [
            StoredFailure(row.item_id, row.trial, row.request_key, failure_from_row(row), row.at)
            for row in connection.execute(_in_item_order(statement, run_id))
        ]


def last_failures(statement: Select[Any]) -> Select[Any]:
    """Join rows of plans that have no response with the last failure of each."""
    last = select(func.max(failures.c.id)).group_by(failures.c.request_key).scalar_subquery()
    return (
        statement.join_from(plan, failures, failures.c.request_key == plan.c.request_key)
        .outerjoin(responses, responses.c.request_key == plan.c.request_key)
        .where(responses.c.request_key.is_(None), failures.c.id.in_(last))
    )


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
