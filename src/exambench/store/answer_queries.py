"""The joins and conditions that every query over the answers of a run is made of."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Text,
    and_,
    case,
    distinct,
    exists,
    false,
    func,
    or_,
    select,
    tuple_,
    type_coerce,
)

from exambench.outcomes import Outcome, OutcomeKind
from exambench.store import json_tables
from exambench.store.answer_records import AnswerOrder, AnswerState, FreshReading, RunFacts, Selection
from exambench.store.codec import outcome_to_row
from exambench.store.columns import to_canonical_json
from exambench.store.database import Database
from exambench.store.tables import dataset_items, failures, outcomes, plan, responses

STRICT: Final = outcomes.alias("strict_outcomes")
LENIENT: Final = outcomes.alias("lenient_outcomes")
_SEPARATOR: Final = ":"


class AnswerQuery:
    """The joins that a query over the answers of a run is made of."""

    def __init__(self, database: Database, facts: RunFacts) -> None:
        self._database = database
        self._facts = facts
        self._fresh = (
            json_tables.rows(
                database,
                "fresh",
                map(_fresh_row, facts.fresh.values()),
                item_id=Text,
                trial=Integer,
                kind=Text,
                value=Text,
                lenient_kind=Text,
                lenient_value=Text,
            )
            if facts.fresh
            else None
        )
        kind: ColumnElement[Any] = STRICT.c.kind
        value = _as_text(STRICT.c.value)
        lenient_kind: ColumnElement[Any] = LENIENT.c.kind
        lenient_value = _as_text(LENIENT.c.value)
        if self._fresh is not None:
            kind = func.coalesce(kind, self._fresh.c.kind)
            value = func.coalesce(value, self._fresh.c.value)
            lenient_kind = func.coalesce(lenient_kind, self._fresh.c.lenient_kind)
            lenient_value = func.coalesce(lenient_value, self._fresh.c.lenient_value)
        self._kind, self._value = kind, value
        self._lenient_kind, self._lenient_value = lenient_kind, lenient_value

    def select(self, *columns: Any) -> Select[Any]:  # noqa: ANN401 - whatever SQLAlchemy selects
        """Return a query over all answers of the run."""
        facts = self._facts
        statement = (
            select(*columns)
            .select_from(plan)
            .join(
                dataset_items,
                and_(
                    dataset_items.c.benchmark == facts.benchmark,
                    dataset_items.c.dataset_hash == facts.dataset_hash,
                    dataset_items.c.item_id == plan.c.item_id,
                ),
            )
            .outerjoin(responses, responses.c.request_key == plan.c.request_key)
            .outerjoin(STRICT, _read_by(STRICT, facts.strict))
            .outerjoin(LENIENT, _read_by(LENIENT, facts.lenient))
            .where(plan.c.run_id == facts.run_id)
        )
        if self._fresh is None:
            return statement
        fresh = self._fresh.c
        return statement.outerjoin(self._fresh, and_(fresh.item_id == plan.c.item_id, fresh.trial == plan.c.trial))

    def narrowed(self, statement: Select[Any], selection: Selection) -> Select[Any]:
        """Return a query over the answers of a selection."""
        conditions: list[ColumnElement[bool]] = []
        if selection.states:
            conditions.append(self.state().in_([str(state) for state in sorted(selection.states)]))
        if selection.items is not None:
            conditions.append(plan.c.item_id.in_(json_tables.texts(self._database, selection.items)))
        if selection.readings_differ:
            conditions.append(
                or_(
                    self._kind != self._lenient_kind,
                    _nothing_as_text(self._value) != _nothing_as_text(self._lenient_value),
                )
            )
        if selection.trials_differ:
            conditions.append(plan.c.item_id.in_(self._items_with_different_trials()))
        if selection.text:
            conditions.append(self._has_text(selection))
        return statement.where(*conditions)

    def state(self) -> ColumnElement[str]:
        """Return what has become of an answer, as an expression."""
        right, wrong = self._is_marked(mark=True), self._is_marked(mark=False)
        has_failed = exists().where(failures.c.request_key == plan.c.request_key)
        answered = self._kind == str(OutcomeKind.ANSWERED)
        return case(
            (and_(answered, right), str(AnswerState.RIGHT)),
            (and_(answered, wrong), str(AnswerState.WRONG)),
            (self._kind.is_not(None), self._kind),
            (plan.c.request_key.is_(None), str(AnswerState.UNSUPPORTED)),
            (responses.c.request_key.is_not(None), str(AnswerState.UNREAD)),
            (has_failed, str(AnswerState.FAILED)),
            else_=str(AnswerState.WAITING),
        )

    def _is_marked(self, *, mark: bool) -> ColumnElement[bool]:
        pairs = [pair for pair, right in self._facts.marks.items() if right is mark]
        if not pairs:
            return false()
        name = "right_values" if mark else "wrong_values"
        table = json_tables.rows(self._database, name, pairs, item_id=Text, value=Text)
        return tuple_(plan.c.item_id, self._value).in_(select(table.c.item_id, table.c.value))

    def _items_with_different_trials(self) -> Select[Any]:
        told = _nothing_as_text(self._kind) + _SEPARATOR + _nothing_as_text(self._value)
        return (
            self.select(plan.c.item_id)
            .where(self._kind.is_not(None))
            .group_by(plan.c.item_id)
            .having(func.count(distinct(told)) > 1)
            .correlate(None)
        )

    def _has_text(self, selection: Selection) -> ColumnElement[bool]:
        columns = (plan.c.item_id, responses.c.text, responses.c.reasoning)
        found = [column.icontains(selection.text, autoescape=True) for column in columns]
        if selection.items_with_text:
            found.append(plan.c.item_id.in_(json_tables.texts(self._database, selection.items_with_text)))
        return or_(*found)


def _fresh_row(reading: FreshReading) -> tuple[object, ...]:
    return (*reading.place, *_told(reading.strict), *_told(reading.lenient))


def _told(outcome: Outcome) -> tuple[str, str | None]:
    row = outcome_to_row(outcome)
    return row["kind"], value_text(row["value"])


def value_text(value: object) -> str | None:
    """Return a parsed value as the store writes it; ``None`` for none."""
    return None if value is None else to_canonical_json(value)


def _as_text(value: ColumnElement[Any]) -> ColumnElement[str]:
    """Return a JSON column as the text that it is, so that nothing compared with it is written as JSON once more."""
    return type_coerce(value, Text)


def _nothing_as_text(value: ColumnElement[Any]) -> ColumnElement[str]:
    return func.coalesce(value, "")


def _read_by(table: Any, parser: str) -> ColumnElement[bool]:  # noqa: ANN401 - an alias of a table
    return and_(
        table.c.run_id == plan.c.run_id,
        table.c.item_id == plan.c.item_id,
        table.c.trial == plan.c.trial,
        table.c.parser == parser,
    )


def order_by(order: AnswerOrder) -> list[ColumnElement[Any]]:
    """Return what to sort by."""
    exam: list[ColumnElement[Any]] = [dataset_items.c.position.asc(), plan.c.trial.asc()]
    first = {
        AnswerOrder.EXAM: None,
        AnswerOrder.SLOWEST: responses.c.seconds,
        AnswerOrder.LONGEST: responses.c.output_tokens,
        AnswerOrder.NEWEST: responses.c.created_at,
    }[order]
    return exam if first is None else [first.is_(None), first.desc(), *exam]
