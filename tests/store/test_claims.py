"""Two processes never ask for the same response, and what a dead one held is free again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from exambench.errors import StoreError
from exambench.exchange import Failure
from exambench.store import Owner, Store, StoreLedger
from tests.store.examples import RESPONSE, behind, keys_of, planned_run, record
from tests.store.processes import lines_of, workers

KEYS = keys_of(3)
NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def run_id(store: Store) -> str:
    """A run of three items."""
    return planned_run(store)


@pytest.fixture
async def ours(store: Store, run_id: str) -> AsyncIterator[StoreLedger]:
    """A ledger."""
    async with store.ledger(run_id) as ledger:
        yield ledger


@pytest.fixture
async def theirs(store: Store, run_id: str) -> AsyncIterator[StoreLedger]:
    """Another ledger on the same run."""
    async with store.ledger(run_id) as ledger:
        yield ledger


async def test_a_claimed_key_is_given_to_nobody_else(ours: StoreLedger, theirs: StoreLedger) -> None:
    """What one holds another does not get, nor the same one a second time."""
    assert (await ours.claim(KEYS[:2])).held == frozenset(KEYS[:2])
    assert (await theirs.claim(KEYS)).held == frozenset(KEYS[2:])
    assert await ours.claim(KEYS) == await theirs.claim(KEYS)
    assert (await ours.claim(KEYS)).held == NOTHING


async def test_tasks_of_one_ledger_share_no_key(ours: StoreLedger) -> None:
    """Twenty tasks that want the same keys at once get each key once."""
    claims = await asyncio.gather(*(ours.claim(KEYS) for _ in range(20)))
    assert sorted(key for claim in claims for key in claim.held) == sorted(KEYS)


async def test_a_key_with_a_response_is_not_claimed(location: str, ours: StoreLedger, theirs: StoreLedger) -> None:
    """A response that came since one looked is seen at the claim, and no claim is left on it."""
    await theirs.record(KEYS[0], RESPONSE)
    claim = await ours.claim(KEYS)
    assert claim.answered == frozenset(KEYS[:1])
    assert claim.held == frozenset(KEYS[1:])
    with behind(location) as connection:
        claimed = connection.execute(text("SELECT request_key FROM claims")).scalars()
        assert sorted(claimed) == sorted(KEYS[1:])


async def test_claims_end_with_a_response_a_failure_or_a_release(ours: StoreLedger, theirs: StoreLedger) -> None:
    """After a failure or a release the key is free; after a response it is answered."""
    await ours.claim(KEYS)
    await ours.record(KEYS[0], RESPONSE)
    await ours.record_failure(KEYS[1], Failure("HTTP 500"))
    await ours.release(KEYS[2:])
    claim = await theirs.claim(KEYS)
    assert (claim.answered, claim.held) == (frozenset(KEYS[:1]), frozenset(KEYS[1:]))


async def test_nobody_gives_up_the_claims_of_others(ours: StoreLedger, theirs: StoreLedger) -> None:
    """Releasing, or recording late, leaves another's claim alone."""
    await ours.claim(KEYS)
    await theirs.release(KEYS)
    await theirs.record_failure(KEYS[0], Failure("late"))
    assert (await theirs.claim(KEYS)).held == NOTHING


async def test_closing_frees_what_is_held(store: Store, run_id: str, ours: StoreLedger) -> None:
    """A session that ends, by an error too, leaves no claims."""

    async def fail() -> None:
        async with store.ledger(run_id) as ledger:
            await ledger.claim(KEYS)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert (await ours.claim(KEYS)).held == frozenset(KEYS)


async def test_an_unknown_key_cannot_be_claimed(ours: StoreLedger) -> None:
    """A key that is in no plan is an error, and harms no other claim."""
    results = await asyncio.gather(ours.claim(["unknown"]), ours.claim(KEYS), return_exceptions=True)
    assert isinstance(results[0], StoreError)
    assert not isinstance(results[1], BaseException)
    assert results[1].held == frozenset(KEYS)


async def test_more_keys_than_one_statement_takes(store: Store) -> None:
    """Thousands of keys are claimed at one go."""
    keys = keys_of(1201)
    async with store.ledger(planned_run(store, 1201)) as ledger:
        assert (await ledger.claim(keys)).held == frozenset(keys)


def _disguise(location: str, owner: Owner, expires_at: str) -> None:
    """Let every claim in the store look like that of another owner."""
    with behind(location) as connection:
        connection.execute(
            text("UPDATE claims SET owner = :owner, expires_at = :at"), {"owner": str(owner), "at": expires_at}
        )


PAST, FUTURE = "2000-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("change", "expires_at", "free"),
    [
        ({"host": "elsewhere"}, FUTURE, []),
        ({"host": "elsewhere"}, PAST, KEYS),
        ({}, FUTURE, []),
        ({}, PAST, KEYS),
        ({"started": "1"}, FUTURE, KEYS),
        ({"pid": 2**30}, FUTURE, KEYS),
    ],
    ids=["elsewhere", "elsewhere, expired", "alive", "alive, expired", "its pid is another's now", "dead"],
)
async def test_a_claim_is_free_once_expired_or_its_process_is_dead(
    location: str, store: Store, change: dict[str, Any], expires_at: str, free: list[str]
) -> None:
    """A dead process counts on its own machine only; elsewhere the claim has to expire."""
    run_id = planned_run(store)
    async with store.ledger(run_id) as theirs, store.ledger(run_id) as ours:
        await theirs.claim(KEYS)
        _disguise(location, replace(Owner.current(), **change), expires_at)
        assert (await ours.claim(KEYS)).held == frozenset(free)


async def test_claims_are_renewed_while_a_request_takes_long(location: str, store: Store, run_id: str) -> None:
    """Without any response a ledger moves the expiry of what it holds."""

    def expiry() -> str:
        with behind(location) as connection:
            return str(connection.execute(text("SELECT max(expires_at) FROM claims")).scalar_one())

    async with store.ledger(run_id, lease_seconds=0.3) as ledger:
        await ledger.claim(KEYS)
        before = expiry()
        async with asyncio.timeout(20):
            while expiry() == before:  # noqa: ASYNC110 - the event is in the database
                await asyncio.sleep(0.02)


def test_an_owner_is_read_from_its_text() -> None:
    """An owner survives the store, whatever its machine is called."""
    owner = replace(Owner.current(), host="a:b@c/d")
    assert Owner.parse(str(owner)) == owner


def test_two_processes_never_hold_one_key(location: str, store: Store) -> None:
    """Two processes that claim, in orders of their own, share a run's requests without asking for one twice."""
    n = 300
    run_id = planned_run(store, n)
    with workers(*(["contend", location, run_id, str(n), seed] for seed in ("1", "2"))) as started:
        held = [list(lines_of(process)) for process in started]
        assert [process.wait() for process in started] == [0, 0]
    assert sorted(held[0] + held[1]) == sorted(keys_of(n))
    who = {stored.request_key: stored.response.text for stored in store.responses(run_id)}
    assert who == dict.fromkeys(held[0], "1") | dict.fromkeys(held[1], "2")


def test_a_killed_process_frees_its_claims(location: str, store: Store) -> None:
    """While a process lives its claims stand; from the moment of SIGKILL they are free, though not expired."""
    run_id = planned_run(store)

    async def claim() -> frozenset[str]:
        async with store.ledger(run_id) as ledger:
            return (await ledger.claim(KEYS)).held

    with workers(["hold", location, run_id, "3"]) as (process,):
        assert next(lines_of(process)) == "3"
        assert asyncio.run(claim()) == NOTHING
        os.kill(process.pid, signal.SIGKILL)
        if sys.platform == "linux":
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, but still in the process table
        else:
            process.wait()
        assert asyncio.run(claim()) == frozenset(KEYS)


def test_a_killed_session_ends_with_its_last_heartbeat(location: str, store: Store) -> None:
    """The time of a killed session counts up to its last sign of life, and the run may go on."""
    run_id = planned_run(store)
    with workers(["hold", location, run_id, "3"]) as (process,):
        assert next(lines_of(process)) == "3"
    with behind(location) as connection:
        connection.execute(
            text("UPDATE sessions SET started_at = :start, heartbeat_at = :end"),
            {"start": "2026-01-01T00:00:00.000000Z", "end": "2026-01-01T00:01:30.000000Z"},
        )
    assert store.runs()[0].wall_seconds == 90
    record(store, run_id, dict.fromkeys(KEYS, RESPONSE))
    assert store.runs()[0].complete
