"""The answers of a run in pages and one by one. Whatever may be long is cut in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sqlalchemy import (
    distinct,
    func,
    select,
    tuple_,
)

from exambench.outcomes import Outcome
from exambench.store import queries
from exambench.store.answer_queries import LENIENT, STRICT, AnswerQuery, order_by
from exambench.store.answer_records import (
    MOST_FAILURES,
    Answer,
    AnswerRow,
    AnswerState,
    Neighbours,
    OtherAnswer,
    Place,
    RunFacts,
    Selection,
    StoredMishap,
    StoredReading,
)
from exambench.store.answer_rows import (
    OUTCOME_COLUMNS,
    cut_response_from,
    labelled,
    last_failures_of,
    row_from,
    verdict_from,
    verdicts_on,
)
from exambench.store.codec import attempts_from_json, outcome_from_row
from exambench.store.database import Database, chunked
from exambench.store.judging import record_of
from exambench.store.records import PlanRow, StoredResponse
from exambench.store.tables import (
    failures,
    outcomes,
    plan,
    requests,
    responses,
    sessions,
)

BEGINNING: Final = 160
"""Characters of an answer that stand in a list."""


class Answers:
    """The answers of runs; :attr:`exambench.store.Store.answers`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, facts: RunFacts, selection: Selection, *, first: int, most: int) -> list[AnswerRow]:
        """Return some answers of a selection.

        Args:
            facts: The run.
            selection: Which answers.
            first: How many to leave out before.
            most: How many to return.
        """
        query = AnswerQuery(self._database, facts)
        listed = query.narrowed(query.select(plan.c.item_id, plan.c.trial), selection)
        listed = listed.order_by(*order_by(selection.order)).offset(first).limit(most)
        shown = query.select(
            plan,
            *(labelled(STRICT, name, "strict") for name in OUTCOME_COLUMNS),
            *(labelled(LENIENT, name, "lenient") for name in OUTCOME_COLUMNS),
            func.substr(responses.c.text, 1, BEGINNING + 1).label("beginning"),
            responses.c.seconds,
            responses.c.output_tokens,
        )
        with self._database.reading() as connection:
            places = [(row.item_id, row.trial) for row in connection.execute(listed)]
            # Sorting the texts of a whole run would cost more than fetching those of a page by their places.
            of_page = shown.where(tuple_(plan.c.item_id, plan.c.trial).in_(places))
            found = {(row.item_id, row.trial): row for row in connection.execute(of_page)} if places else {}
            keys = [row.request_key for row in found.values() if row.request_key is not None and row.seconds is None]
            last = connection.execute(last_failures_of(keys)).all() if keys else []
        reasons = {row.request_key: row.reason for row in last}
        return [row_from(found[place], facts, reasons) for place in places if place in found]

    def count(self, facts: RunFacts, selection: Selection) -> int:
        """Return the number of answers of a selection."""
        query = AnswerQuery(self._database, facts)
        with self._database.reading() as connection:
            return int(connection.execute(query.narrowed(query.select(func.count()), selection)).scalar_one())

    def states(self, facts: RunFacts) -> dict[AnswerState, int]:
        """Return the number of all answers of the run by what has become of them; needs the marks."""
        query = AnswerQuery(self._database, facts)
        state = query.state().label("state")
        with self._database.reading() as connection:
            found = connection.execute(query.select(state, func.count().label("n")).group_by(state)).all()
        counts = {AnswerState(row.state): int(row.n) for row in found}
        return {each: counts[each] for each in AnswerState if each in counts}

    def neighbours(self, facts: RunFacts, selection: Selection, place: Place) -> Neighbours | None:
        """Return where an answer stands in a selection; ``None`` where it is not in it."""
        query = AnswerQuery(self._database, facts)
        order = order_by(selection.order)
        columns = [plan.c.item_id, plan.c.trial]
        listed = query.narrowed(
            query.select(
                *columns,
                func.row_number().over(order_by=order).label("number"),
                func.count().over().label("total"),
                *(func.lag(each).over(order_by=order).label(f"{each.name}_before") for each in columns),
                *(func.lead(each).over(order_by=order).label(f"{each.name}_after") for each in columns),
            ),
            selection,
        ).subquery()
        statement = select(listed).where(listed.c.item_id == place[0], listed.c.trial == place[1])
        with self._database.reading() as connection:
            row = connection.execute(statement).first()
        if row is None:
            return None
        before = None if row.item_id_before is None else (row.item_id_before, row.trial_before)
        after = None if row.item_id_after is None else (row.item_id_after, row.trial_after)
        return Neighbours(int(row.number), int(row.total), before, after)

    def one(self, run_id: str, place: Place, *, most: int) -> Answer | None:
        """Return everything about one answer; ``None`` where the run has no such item and trial in its plan.

        Args:
            run_id: The run.
            place: Item and trial.
            most: Characters to return of a text.
        """
        at = (plan.c.run_id == run_id, plan.c.item_id == place[0], plan.c.trial == place[1])
        cut = [
            each
            for name in ("text", "reasoning", "refusal")
            for each in (
                func.substr(responses.c[name], 1, most).label(name),
                func.length(responses.c[name]).label(f"{name}_length"),
            )
        ]
        whole = [column for column in responses.c if column.name not in {"text", "reasoning", "refusal", "request_key"}]
        statement = (
            select(plan.c.item_id, plan.c.trial, plan.c.request_key, plan.c.note, requests.c.body, *cut, *whole)
            .outerjoin(requests, requests.c.request_key == plan.c.request_key)
            .outerjoin(responses, responses.c.request_key == plan.c.request_key)
            .where(*at)
        )
        read = select(outcomes).where(
            outcomes.c.run_id == run_id, outcomes.c.item_id == place[0], outcomes.c.trial == place[1]
        )
        with self._database.reading() as connection:
            row = connection.execute(statement).first()
            if row is None:
                return None
            readings = connection.execute(read.order_by(outcomes.c.parser)).all()
            mishaps = connection.execute(
                select(failures)
                .where(failures.c.request_key == row.request_key)
                .order_by(failures.c.id.desc())
                .limit(MOST_FAILURES)
            ).all()
            judged = connection.execute(verdicts_on(run_id, place)).all()
        return Answer(
            item_id=row.item_id,
            trial=row.trial,
            request_key=row.request_key,
            note=row.note,
            request=row.body,
            response=None if row.created_at is None else cut_response_from(row),
            readings={each.parser: StoredReading(outcome_from_row(each), each.parser_version) for each in readings},
            failures=tuple(StoredMishap(each.at, each.reason, attempts_from_json(each.attempts)) for each in mishaps),
            verdicts=tuple((record_of(each), verdict_from(each)) for each in judged),
        )

    def text(self, run_id: str, place: Place, part: str) -> str | None:
        """Return a whole text of a response; ``None`` where there is none.

        Args:
            run_id: The run.
            place: Item and trial.
            part: ``text``, ``reasoning`` or ``refusal``.
        """
        statement = (
            select(responses.c[part])
            .join(plan, plan.c.request_key == responses.c.request_key)
            .where(plan.c.run_id == run_id, plan.c.item_id == place[0], plan.c.trial == place[1])
        )
        with self._database.reading() as connection:
            found: str | None = connection.execute(statement).scalar()
        return found

    def others(self, item_id: str, parsers: Mapping[str, str], *, most: int) -> list[OtherAnswer]:
        """Return what runs have on one item, by run and trial.

        Args:
            item_id: The item.
            parsers: Name of the strict parser of each run.
            most: How many answers to return.
        """
        found: list[OtherAnswer] = []
        with self._database.reading() as connection:
            for chunk in chunked(parsers.items()):
                statement = (
                    select(outcomes)
                    .where(
                        outcomes.c.item_id == item_id,
                        tuple_(outcomes.c.run_id, outcomes.c.parser).in_([tuple(pair) for pair in chunk]),
                    )
                    .order_by(outcomes.c.run_id, outcomes.c.trial)
                    .limit(most - len(found))
                )
                found += [
                    OtherAnswer(row.run_id, row.trial, outcome_from_row(row)) for row in connection.execute(statement)
                ]
        return found

    def different_outcomes(self, run_id: str, parser: str) -> list[tuple[str, Outcome]]:
        """Return the different outcomes of each item by a parser; of reasons and flags one of each kind and value."""
        statement = (
            select(
                outcomes.c.item_id,
                outcomes.c.kind,
                outcomes.c.value,
                func.min(outcomes.c.reason).label("reason"),
                func.min(outcomes.c.flags, type_=outcomes.c.flags.type).label("flags"),
            )
            .where(outcomes.c.run_id == run_id, outcomes.c.parser == parser)
            .group_by(outcomes.c.item_id, outcomes.c.kind, outcomes.c.value)
        )
        with self._database.reading() as connection:
            return [(row.item_id, outcome_from_row(row)) for row in connection.execute(statement)]

    def without_outcome(self, run_id: str, parser: str) -> list[PlanRow]:
        """Return the rows of the plan that have a response and no outcome by a parser, in item order."""
        return queries.without_outcome(self._database, run_id, parser)

    def responses_to(self, rows: Iterable[PlanRow]) -> Iterator[StoredResponse]:
        """Yield the responses to some rows of a plan in their order; few are in memory at a time."""
        return queries.responses_to(self._database, rows)

    def trials(self, run_id: str) -> int:
        """Return how many trials are planned of the item that has most of them."""
        statement = select(func.max(plan.c.trial)).where(plan.c.run_id == run_id)
        with self._database.reading() as connection:
            last = connection.execute(statement).scalar()
        return 0 if last is None else int(last) + 1

    def received_since(self, run_id: str, moment: str) -> int:
        """Return how many responses of a run were stored since a moment, as :mod:`exambench.store.times` writes it."""
        statement = (
            select(func.count(distinct(plan.c.request_key)))
            .join(responses, responses.c.request_key == plan.c.request_key)
            .where(plan.c.run_id == run_id, responses.c.created_at >= moment)
        )
        with self._database.reading() as connection:
            return int(connection.execute(statement).scalar_one())

    def working(self, since: str) -> dict[str, str]:
        """Return the runs that somebody works on, with the start of the longest such session.

        Args:
            since: A session that has not ended and gave no sign of life since this moment was killed.
        """
        statement = (
            select(sessions.c.run_id, func.min(sessions.c.started_at).label("start"))
            .where(sessions.c.run_id.is_not(None), sessions.c.ended_at.is_(None), sessions.c.heartbeat_at >= since)
            .group_by(sessions.c.run_id)
        )
        with self._database.reading() as connection:
            return {row.run_id: row.start for row in connection.execute(statement)}
