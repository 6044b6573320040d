"""The run loop: ask what is missing, keep what comes back, leave alone what another process is asking.

::

    keys ── claim in small batches ──▶ queue ──▶ workers ── respond ──▶ writes ── durable ──▶ event, count

A worker is free for the next request as soon as a response has arrived; the write goes on beside it, so that the
ledger can commit many at once. A response counts only when it is durable. Permits bound the requests in flight
and the unwritten responses together, to twice the concurrency.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.engine.ports import Ledger, RequestFailed, RequestWithdrawn, Responder
from exambench.engine.waiting import Sleep, pause
from exambench.errors import StoreError
from exambench.exchange import Failure, Request, Response

LARGEST_BATCH: Final = 64
POLL_INTERVAL: Final = 2.0


@dataclass(frozen=True, slots=True)
class Started:
    """A request is about to be sent."""

    key: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A response is durable."""

    key: str
    response: Response


@dataclass(frozen=True, slots=True)
class Failed:
    """A failure is durable; the next run asks again."""

    key: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class AnsweredElsewhere:
    """There was a response already, from an earlier run or another process."""

    key: str


Event = Started | Answered | Failed | AnsweredElsewhere


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What became of the requests.

    Attributes:
        answered: Responses that this loop received and made durable.
        failed: Requests that were tried and have no response.
        elsewhere: Requests that had a response already, or got it from another process meanwhile.
        left: Requests that are open because the loop was stopped before they were out.
        stopped: Whether someone asked the loop to end early, whatever was left by then.
    """

    answered: int
    failed: int
    elsewhere: int
    left: int
    stopped: bool = False


async def run_requests(
    requests: Mapping[str, Request],
    responder: Responder,
    ledger: Ledger,
    *,
    concurrency: int,
    on_event: Callable[[Event], None],
    stop: asyncio.Event | None = None,
    poll_interval: float = POLL_INTERVAL,
    sleep: Sleep = asyncio.sleep,
) -> LoopResult:
    """Ask every request that has no response yet.

    When ``stop`` is set nothing new is started, what is in flight is finished and kept, and claims are
    released. When the task is cancelled, what is in flight is abandoned, what has arrived is still kept, and
    claims are released.

    Args:
        requests: The requests by their keys, in the order in which to start them.
        responder: Answers them.
        ledger: Keeps the responses.
        concurrency: Requests in flight at most.
        on_event: Told of every event, in the event loop; must not block.
        stop: Set by whoever wants the loop to end early.
        poll_interval: Seconds between looks at requests that another process holds.
        sleep: Waits between those looks.

    Raises:
        StoreError: The ledger failed; requests in flight were abandoned, and claims are left to expire.
        ImageError: A picture cannot be sent as planned.
        ValueError: ``concurrency`` is less than 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    loop = _Loop(
        requests,
        responder,
        ledger,
        concurrency=concurrency,
        on_event=on_event,
        stop=stop or asyncio.Event(),
        poll_interval=poll_interval,
        sleep=sleep,
    )
    return await loop.run()


class _Loop:
    """The state of one call of :func:`run_requests`."""

    def __init__(
        self,
        requests: Mapping[str, Request],
        responder: Responder,
        ledger: Ledger,
        *,
        concurrency: int,
        on_event: Callable[[Event], None],
        stop: asyncio.Event,
        poll_interval: float,
        sleep: Sleep,
    ) -> None:
        self._requests = requests
        self._responder = responder
        self._ledger = ledger
        self._on_event = on_event
        self._stop = stop
        self._poll_interval = poll_interval
        self._sleep = sleep
        self._workers = min(concurrency, len(requests))
        self._batch = min(concurrency, LARGEST_BATCH)
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(self._batch)
        self._permits = asyncio.Semaphore(2 * concurrency)
        self._writes: set[asyncio.Task[None]] = set()
        self._write_error: BaseException | None = None
        self._write_failed = asyncio.Event()
        self._claimed: set[str] = set()
        self._answered = self._failed = self._elsewhere = 0

    async def run(self) -> LoopResult:
        try:
            await self._run_group()
        except BaseExceptionGroup as errors:
            cause = _root_cause(errors)
            await self._clean_up(cause)
            raise cause from None
        except asyncio.CancelledError as cancelled:
            await self._clean_up(cancelled)
            raise
        await self._clean_up(None)
        done = self._answered + self._failed + self._elsewhere
        left = len(self._requests) - done
        return LoopResult(self._answered, self._failed, self._elsewhere, left, self._stop.is_set())

    async def _run_group(self) -> None:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch_writes())
            group.create_task(self._feed())
            await asyncio.gather(*[group.create_task(self._work()) for _ in range(self._workers)])
            await self._finish_writes()
            watch.cancel()

    async def _feed(self) -> None:
        """Claim keys and queue them, until every key is ours or answered, or the loop is stopped."""
        waiting: Sequence[str] = list(self._requests)
        while waiting and not self._stop.is_set():
            waiting = await self._feed_once(waiting)
            if waiting:
                await pause(self._poll_interval, self._sleep, self._stop)
        for _ in range(self._workers):
            await self._queue.put(None)

    async def _feed_once(self, keys: Sequence[str]) -> Sequence[str]:
        """Go through the keys once; return those that another process holds."""
        held_by_others: list[str] = []
        for first in range(0, len(keys), self._batch):
            if self._stop.is_set():
                return held_by_others
            batch = keys[first : first + self._batch]
            claim = await self._ledger.claim(batch)
            self._claimed |= claim.held
            for key in batch:
                if key in claim.held:
                    await self._queue.put(key)
                elif key in claim.answered:
                    self._elsewhere += 1
                    self._on_event(AnsweredElsewhere(key))
                else:
                    held_by_others.append(key)
        return held_by_others

    async def _work(self) -> None:
        """Answer queued requests one after the other; once stopped, only empty the queue."""
        while (key := await self._queue.get()) is not None:
            await self._permits.acquire()
            if self._stop.is_set():
                self._permits.release()
                continue
            self._on_event(Started(key))
            try:
                response = await self._responder.respond(self._requests[key])
            except RequestFailed as error:
                self._write(key, error.failure)
            except RequestWithdrawn:
                self._permits.release()
            else:
                self._write(key, response)

    def _write(self, key: str, result: Response | Failure) -> None:
        """Begin to keep a result. Nothing is awaited between receipt and here, so no cancellation loses it."""
        task = asyncio.create_task(self._record(key, result))
        self._writes.add(task)
        task.add_done_callback(self._written)

    async def _record(self, key: str, result: Response | Failure) -> None:
        if isinstance(result, Response):
            await self._ledger.record(key, result)
            self._answered += 1
            event: Event = Answered(key, result)
        else:
            await self._ledger.record_failure(key, result)
            self._failed += 1
            event = Failed(key, result)
        self._claimed.discard(key)
        self._on_event(event)

    def _written(self, task: asyncio.Task[None]) -> None:
        self._writes.discard(task)
        self._permits.release()
        error = None if task.cancelled() else task.exception()
        if error is not None and self._write_error is None:
            self._write_error = error
            self._write_failed.set()

    async def _watch_writes(self) -> None:
        """Bring the first failed write into the task group, which ends everything else."""
        await self._write_failed.wait()
        if self._write_error is not None:
            raise self._write_error

    async def _finish_writes(self) -> None:
        while self._writes:
            await asyncio.wait(self._writes)

    async def _clean_up(self, cause: BaseException | None) -> None:
        """Keep what has arrived, then give up the claims; a ledger that failed is not asked again.

        Args:
            cause: Why the loop ended early, if it did.

        Raises:
            StoreError: A write failed that has not been told of yet.
        """
        await self._finish_writes()
        if self._write_error is not None and self._write_error is not cause:
            raise self._write_error
        if self._claimed and not isinstance(cause, StoreError):
            await self._ledger.release(frozenset(self._claimed))


def _root_cause(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the ledger's failure if there is one, or else the first error."""
    ledger = errors.subgroup(StoreError)
    return (ledger or errors).exceptions[0]
