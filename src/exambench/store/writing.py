"""Group commit: many responses, one transaction, and nobody is told before it is on the disk.

One thread owns the connection. It waits for a job, takes whatever else has queued up meanwhile, writes all of it in one
transaction, and then tells everyone who waits. The slower the disk, the larger the groups; there is no timer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from exambench.errors import StoreError
from exambench.exchange import Claim, Failure, Response
from exambench.store import claims
from exambench.store.claims import Owner
from exambench.store.codec import failure_to_row, response_to_row
from exambench.store.database import Database, is_unavailable
from exambench.store.tables import failures, responses, sessions
from exambench.store.times import now, to_text

LARGEST_GROUP: Final = 2_000
HEARTBEAT_SECONDS: Final = 1.0
_NOTHING: Final = Claim(held=frozenset(), answered=frozenset())

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    """What one caller wants done, as rows; most jobs have one of these only.

    Attributes:
        claim: Keys to claim.
        response: Row of the table ``responses``.
        failure: Row of the table ``failures``.
        release: Keys whose claims are given up.
    """

    claim: tuple[str, ...] = ()
    response: dict[str, Any] | None = None
    failure: dict[str, Any] | None = None
    release: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ticket:
    job: _Job
    future: asyncio.Future[Claim]


class _Writer:
    """The thread that writes for one session of a run.

    Args:
        database: Where to write.
        connection: For the thread alone from now on; it closes it.
        owner: In whose name keys are claimed.
        session: Row of the table ``sessions`` that is kept alive.
        lease: How long a claim outlives the process that holds it.
    """

    def __init__(
        self, database: Database, connection: Connection, *, owner: Owner, session: int, lease: timedelta
    ) -> None:
        self._database = database
        self._connection = connection
        self._owner = owner
        self._session = session
        self._lease = lease
        self._loop = asyncio.get_running_loop()
        self._stopped: asyncio.Future[Claim] = self._loop.create_future()
        self._queue: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._closed = False
        self._last_heartbeat = time.monotonic()
        self._thread = threading.Thread(target=self._serve, name="exambench-store-writer", daemon=True)
        self._thread.start()

    async def submit(self, job: _Job) -> Claim:
        """Do a job and return when it is committed; a caller that is cancelled meanwhile does not undo it.

        Raises:
            StoreError: It was not committed.
        """
        if self._closed:
            raise StoreError("the ledger is closed; nothing can be recorded in it any more")
        future: asyncio.Future[Claim] = self._loop.create_future()
        self._queue.put(_Ticket(job, future))
        return await future

    async def close(self) -> None:
        """Commit what is queued, give up all claims, end the session.

        Raises:
            StoreError: The session could not be ended in the store; what was acknowledged is safe.
        """
        self._closed = True
        self._queue.put(None)
        try:
            await self._stopped
        finally:
            self._thread.join()

    def _serve(self) -> None:
        stopping = False
        with self._connection:
            while not stopping:
                tickets, stopping = self._wait()
                if tickets:
                    self._write(tickets)
                elif not stopping:
                    self._keep_alive()
            self._finish()

    def _wait(self) -> tuple[list[_Ticket], bool]:
        """Return the jobs that are there once there is one, and whether to stop after them."""
        tickets: list[_Ticket] = []
        try:
            ticket = self._queue.get(timeout=self._lease.total_seconds() / 3)
            while ticket is not None and len(tickets) < LARGEST_GROUP:
                tickets.append(ticket)
                ticket = self._queue.get_nowait()
        except queue.Empty:
            return tickets, False
        if ticket is not None:
            tickets.append(ticket)
        return tickets, ticket is None

    def _write(self, tickets: Sequence[_Ticket]) -> None:
        """Commit a group. When a row spoils it, each job gets a transaction of its own, so that the others stand."""
        try:
            with self._connection.begin():
                granted = self._apply([ticket.job for ticket in tickets])
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to those who wait, and the thread lives on
            if len(tickets) > 1 and not is_unavailable(error):
                for ticket in tickets:
                    self._write([ticket])
            else:
                self._tell([(ticket.future, self._database.error(error)) for ticket in tickets])
        else:
            self._tell([(ticket.future, claim) for ticket, claim in zip(tickets, granted, strict=True)])

    def _apply(self, jobs: Sequence[_Job]) -> list[Claim]:
        """Execute jobs inside a transaction; rows in order of their keys, lest processes wait in a circle."""
        granted = self._take(jobs)
        answers = sorted((job.response for job in jobs if job.response), key=_key_of)
        mishaps = sorted((job.failure for job in jobs if job.failure), key=_key_of)
        if answers:
            self._connection.execute(self._database.insert(responses).on_conflict_do_nothing(), answers)
        if mishaps:
            self._connection.execute(failures.insert(), mishaps)
        claims.drop(self._connection, [key for job in jobs for key in job.release], self._owner)
        if time.monotonic() - self._last_heartbeat >= HEARTBEAT_SECONDS:
            self._beat()
        return granted

    def _take(self, jobs: Sequence[_Job]) -> list[Claim]:
        """Claim for all jobs at once; a key that two of them want goes to the first."""
        wanted = [key for job in jobs for key in job.claim]
        if not wanted:
            return [_NOTHING] * len(jobs)
        claim = claims.take(self._database, self._connection, wanted, self._owner, now=now(), lease=self._lease)
        left = set(claim.held)
        granted: list[Claim] = []
        for job in jobs:
            mine = left.intersection(job.claim)
            left -= mine
            granted.append(Claim(held=frozenset(mine), answered=claim.answered.intersection(job.claim)))
        return granted

    def _beat(self) -> None:
        self._last_heartbeat = time.monotonic()
        moment = now()
        claims.renew(self._connection, self._owner, moment, self._lease)
        self._touch_session(heartbeat_at=to_text(moment))

    def _touch_session(self, **values: str) -> None:
        self._connection.execute(sessions.update().where(sessions.c.id == self._session).values(**values))

    def _keep_alive(self) -> None:
        try:
            with self._connection.begin():
                self._beat()
        except SQLAlchemyError as error:
            # Nobody waits for this. If the store stays away, the next response that cannot be recorded says so.
            _log.warning("claims could not be renewed: %s", self._database.error(error))

    def _finish(self) -> None:
        moment = to_text(now())
        try:
            with self._connection.begin():
                claims.drop_all(self._connection, self._owner)
                self._touch_session(heartbeat_at=moment, ended_at=moment)
        except SQLAlchemyError as error:
            self._tell([(self._stopped, self._database.error(error))])
        else:
            self._tell([(self._stopped, _NOTHING)])

    def _tell(self, results: list[tuple[asyncio.Future[Claim], Claim | StoreError]]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_deliver, results)


def _deliver(results: list[tuple[asyncio.Future[Claim], Claim | StoreError]]) -> None:
    for future, result in results:
        if future.done():  # whoever waited was cancelled
            continue
        if isinstance(result, StoreError):
            future.set_exception(result)
        else:
            future.set_result(result)


def _key_of(row: dict[str, Any]) -> str:
    return str(row["request_key"])


class StoreLedger:
    """Where a run claims its requests and records what came of them. Every method returns once that is committed.

    It is made by :meth:`exambench.store.Store.ledger`.
    """

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer

    async def claim(self, keys: Sequence[str]) -> Claim:
        """Claim requests, so that nobody else asks for them until they are recorded or released.

        Claims are renewed while the ledger is open. A key that this ledger holds already is not given twice.

        Raises:
            StoreError: The store cannot be written, or a key is in no run's plan.
        """
        return await self._writer.submit(_Job(claim=tuple(keys)))

    async def record(self, key: str, response: Response) -> None:
        """Store a response and drop the claim. The first response for a key stays; a later one is ignored.

        Raises:
            StoreError: It was not stored: the store cannot be written, the key is in no run's plan, or the response
                holds what a database cannot.
        """
        row = response_to_row(key, response, to_text(now()))
        await self._writer.submit(_Job(response=row, release=(key,)))

    async def record_failure(self, key: str, failure: Failure) -> None:
        """Store why there is no response and drop the claim; the request stays open for the next run.

        Raises:
            StoreError: It was not stored, see :meth:`record`.
        """
        row = failure_to_row(key, failure, to_text(now()))
        await self._writer.submit(_Job(failure=row, release=(key,)))

    async def release(self, keys: Iterable[str]) -> None:
        """Give up claims without a response; keys that this ledger does not hold are left alone.

        Raises:
            StoreError: The store cannot be written.
        """
        await self._writer.submit(_Job(release=tuple(keys)))


@dataclass(frozen=True, slots=True)
class Work:
    """What a session works on: a run, a judging, or, where it names neither, a task."""

    run_id: str | None = None
    judging_id: str | None = None


@asynccontextmanager
async def open_ledger(database: Database, work: Work, *, owner: Owner, lease: timedelta) -> AsyncIterator[StoreLedger]:
    """Start a session and its writer; at the end give up the claims that are left and end the session.

    Raises:
        StoreError: The store cannot be written.
    """
    with database.translated():
        connection = database.write_engine().connect()
        try:
            with connection.begin():
                session = _start_session(connection, work)
        except BaseException:
            connection.close()
            raise
    writer = _Writer(database, connection, owner=owner, session=session, lease=lease)
    try:
        yield StoreLedger(writer)
    finally:
        await writer.close()


def _start_session(connection: Connection, work: Work) -> int:
    moment = to_text(now())
    values = {"run_id": work.run_id, "judging_id": work.judging_id, "started_at": moment, "heartbeat_at": moment}
    return int(connection.execute(sessions.insert().values(values).returning(sessions.c.id)).scalar_one())
