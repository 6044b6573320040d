"""A response is stored once, before anyone is told; a bad one harms nobody else."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from exambench.errors import StoreError
from exambench.exchange import Attempt, Failure, Response, Usage
from exambench.store import Store, open_store, opening
from tests.store.examples import RESPONSE, behind, keys_of, planned_run, record
from tests.store.processes import lines_of, workers
from tests.support.postgres import PostgresServer

FAILURE = Failure("HTTP 503 six times", (Attempt("2026-01-02T03:04:05.000006Z", 1.5, "HTTP 503", 503),))


async def test_a_recorded_response_is_there_for_others(location: str, store: Store) -> None:
    """When ``record`` returns, a connection of its own reads the whole response, hangul and all."""
    run_id = planned_run(store)
    async with store.ledger(run_id) as ledger:
        await ledger.record(keys_of(3)[1], RESPONSE)
        with open_store(location) as other:
            (stored,) = other.responses(run_id)
    assert stored.response == RESPONSE
    assert (stored.item_id, stored.trial, stored.request_key) == ("문항 1", 0, keys_of(3)[1])


async def test_the_first_response_stays(store: Store) -> None:
    """A second response for a key is ignored, in a later group or in the same."""
    run_id = planned_run(store)
    first, second, _ = keys_of(3)
    async with store.ledger(run_id) as ledger:
        await ledger.record(first, RESPONSE)
        await ledger.record(first, Response(text="later"))
        await asyncio.gather(*(ledger.record(second, RESPONSE) for _ in range(20)))
    assert [stored.response for stored in store.responses(run_id)] == [RESPONSE, RESPONSE]


def test_responses_stream_in_item_order(store: Store) -> None:
    """More responses than one statement reads come in the order of the items, whatever came first."""
    n = 1201
    run_id = planned_run(store, n)
    record(store, run_id, {key: Response(text=str(number)) for number, key in reversed(list(enumerate(keys_of(n))))})
    assert [stored.response.text for stored in store.responses(run_id)] == [str(number) for number in range(n)]


def test_a_response_is_shared_between_runs(store: Store) -> None:
    """Two runs that lead to the same request have one response; neither asks again."""
    first, second = planned_run(store, model="model"), planned_run(store, model="alias")
    record(store, first, dict.fromkeys(keys_of(3), RESPONSE))
    assert store.unanswered(second) == []
    assert list(store.responses(second)) == list(store.responses(first))


def test_only_what_is_open_is_left_to_ask(store: Store) -> None:
    """After an interrupted run the rows without a response are left, in item order."""
    run_id = planned_run(store, 5)
    record(store, run_id, {keys_of(5)[3]: RESPONSE, keys_of(5)[0]: RESPONSE})
    assert [row.request_key for row in store.unanswered(run_id)] == [keys_of(5)[number] for number in (1, 2, 4)]


async def test_a_failure_is_kept_until_a_response_comes(store: Store) -> None:
    """A failure leaves its request open and is told with its attempts; the last one counts; a response ends it."""
    run_id = planned_run(store)
    key = keys_of(3)[0]
    async with store.ledger(run_id) as ledger:
        await ledger.record_failure(key, Failure("first"))
        await ledger.record_failure(key, FAILURE)
        assert key in {row.request_key for row in store.unanswered(run_id)}
        (stored,) = store.failures(run_id)
        assert (stored.item_id, stored.failure) == ("문항 0", FAILURE)
        assert store.runs()[0].failed == 1
        await ledger.record(key, RESPONSE)
    assert store.failures(run_id) == []
    assert (store.runs()[0].failed, store.runs()[0].answered) == (0, 1)


@pytest.mark.parametrize(
    "bad",
    [
        replace(RESPONSE, text="lone \ud800 surrogate"),
        replace(RESPONSE, reasoning="NUL \0 inside"),
        replace(RESPONSE, usage=Usage(output_tokens=10**30)),
        replace(RESPONSE, attempts=(Attempt("2026-01-01T00:00:00.000000Z", float("nan")),)),
    ],
    ids=["surrogate", "NUL", "huge", "NaN"],
)
async def test_a_response_that_cannot_be_stored_harms_no_other(location: str, store: Store, bad: Response) -> None:
    """Of a group with one impossible row, that row's caller gets the error and every other row is stored."""
    n = 12
    run_id = planned_run(store, n)
    keys = keys_of(n)
    async with store.ledger(run_id) as ledger:
        with behind(location) as connection:  # the writer waits for this lock, so that the rows become one group
            connection.execute(text("LOCK TABLE responses" if "://" in location else "DELETE FROM outcomes"))
            tasks = [asyncio.create_task(ledger.record(key, bad if key == keys[-2] else RESPONSE)) for key in keys]
            await asyncio.sleep(0)  # every task has queued its row
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [StoreError if key == keys[-2] else type(None) for key in keys]
        assert [row.request_key for row in store.unanswered(run_id)] == [keys[-2]]
        await ledger.record(keys[-2], RESPONSE)
    assert store.unanswered(run_id) == []


async def test_an_error_shows_no_text_of_a_model(store: Store) -> None:
    """The message of a refused response names the problem and not the response."""
    run_id = planned_run(store)
    async with store.ledger(run_id) as ledger:
        with pytest.raises(StoreError, match="lone surrogate") as caught:
            await ledger.record(keys_of(3)[0], Response(text="<script>\ud800"))
    assert "script" not in str(caught.value)


async def test_hostile_words_in_json_come_back_as_they_were(store: Store) -> None:
    """Surrogates and NUL in an attempt's error are escaped, stored and given back."""
    run_id = planned_run(store)
    hostile = replace(RESPONSE, attempts=(Attempt("2026-01-01T00:00:00.000000Z", 1.0, error="\ud800\0"),))
    async with store.ledger(run_id) as ledger:
        await ledger.record(keys_of(3)[0], hostile)
    (stored,) = store.responses(run_id)
    assert stored.response == hostile


async def test_a_response_to_an_unknown_request_is_refused(store: Store) -> None:
    """A key that no plan has leads to an error."""
    async with store.ledger(planned_run(store)) as ledger:
        with pytest.raises(StoreError, match=r"(?i)foreign key"):
            await ledger.record("unknown", RESPONSE)


async def test_a_ledger_needs_a_run(store: Store) -> None:
    """A session of a run that is not registered cannot start."""
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        async with store.ledger("0123"):
            pytest.fail("the session must not start")


async def test_a_closed_ledger_takes_nothing(store: Store) -> None:
    """After its session a ledger refuses, rather than let someone wait for ever."""
    async with store.ledger(planned_run(store)) as ledger:
        pass
    with pytest.raises(StoreError, match="the ledger is closed"):
        await ledger.record(keys_of(3)[0], RESPONSE)


async def test_a_response_whose_task_was_cancelled_is_stored(store: Store) -> None:
    """Ctrl-C between the queue and the commit loses nothing: closing writes what is queued."""
    run_id = planned_run(store)
    async with store.ledger(run_id) as ledger:
        task = asyncio.create_task(ledger.record(keys_of(3)[0], RESPONSE))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(list(store.responses(run_id))) == 1


async def test_a_locked_store_fails_everyone_and_works_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program keeps the file locked every caller gets the error; afterwards the same ledger works."""
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    path = tmp_path / "exambench.db"
    with open_store(str(path)) as store:
        run_id = planned_run(store)
        async with store.ledger(run_id) as ledger:
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                results = await asyncio.gather(
                    *(ledger.record(key, RESPONSE) for key in keys_of(3)), return_exceptions=True
                )
            assert all(isinstance(result, StoreError) and "locked" in str(result) for result in results)
            await ledger.record(keys_of(3)[0], RESPONSE)
        assert len(store.unanswered(run_id)) == 2


async def test_a_session_that_cannot_be_ended_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is locked at the end is an error there; what was acknowledged before is stored."""
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    path = tmp_path / "exambench.db"
    with open_store(str(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        run_id = planned_run(store)

        async def session() -> None:
            async with store.ledger(run_id) as ledger:
                await ledger.record(keys_of(3)[0], RESPONSE)
                other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="locked"):
            await session()
        other.execute("ROLLBACK")
        assert len(list(store.responses(run_id))) == 1


async def test_a_renewal_that_fails_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody waits for a renewal, so its failure goes to the log, and the ledger works on."""
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.01)
    path = tmp_path / "exambench.db"
    with open_store(str(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        run_id = planned_run(store)
        async with store.ledger(run_id, lease_seconds=0.03) as ledger:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(20):
                while "claims could not be renewed" not in caplog.text:  # noqa: ASYNC110 - logged by another thread
                    await asyncio.sleep(0.01)
            other.execute("ROLLBACK")
            await ledger.record(keys_of(3)[0], RESPONSE)
        assert len(list(store.responses(run_id))) == 1


async def test_a_lost_connection_fails_its_group_and_is_made_anew(postgres: PostgresServer) -> None:
    """When the server ends the connection, those who wait get the error; the next response is stored."""
    location = postgres.create_database()
    end_all_others = text(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with open_store(location) as store:
        run_id = planned_run(store)
        async with store.ledger(run_id) as ledger:
            with behind(location) as connection:
                connection.execute(end_all_others)
            with pytest.raises(StoreError, match="postgresql://postgres@/test_"):
                await ledger.record(keys_of(3)[0], RESPONSE)
            await ledger.record(keys_of(3)[0], RESPONSE)
        assert len(store.unanswered(run_id)) == 2


def test_what_was_acknowledged_survives_kill_9(location: str, store: Store) -> None:
    """Killed at four moments of a run, a process has stored every response that it said was stored, once."""
    n = 4000
    run_id = planned_run(store, n)
    acknowledged: list[str] = []
    for moment in (1, 40, 333, 1000):
        with workers(["record", location, run_id, "500"]) as (process,):
            said = lines_of(process)
            acknowledged += [next(said) for _ in range(moment)]
            process.kill()
            acknowledged += said
    stored = [response.request_key for response in store.responses(run_id)]
    assert len(acknowledged) == len(set(acknowledged))
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored)) < n
    assert len(store.unanswered(run_id)) == n - len(stored)
