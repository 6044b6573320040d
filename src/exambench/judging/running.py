"""From a plan to verdicts: ask, read, and ask again what could not be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from exambench.engine.interrupts import run_interruptible
from exambench.engine.loop import Event, LoopResult, run_requests
from exambench.engine.responders import open_client
from exambench.exchange import Request, messages_as_json
from exambench.judging.planning import TRIES, JudgePlan
from exambench.judging.reading import read_verdicts
from exambench.store import JudgeRow, Store

NOTHING_DONE = LoopResult(answered=0, failed=0, elsewhere=0, left=0)


def register(plan: JudgePlan, store: Store) -> dict[str, Request]:
    """Store what a judge is about to be asked, as far as that is known; return the requests without a response.

    Further tries at replies that are stored already are among them. Storing it again changes nothing.
    """
    store.judgings.register(plan.record)
    asked = _add(plan, store, plan.first_tries())
    for _ in range(1, TRIES):
        reading, _ = read_verdicts(store, plan.record)
        asked |= _add(plan, store, plan.further_tries(reading.unreadable))
    return _unanswered(plan, store, asked)


def run_judging(
    plan: JudgePlan,
    store: Store,
    *,
    concurrency: int,
    on_event: Callable[[Event], None],
    on_stop: Callable[[], None],
    on_requests: Callable[[Mapping[str, Request]], None] = lambda _: None,
) -> LoopResult:
    """Ask the judge what has no response yet, read its replies, and ask again what cannot be read.

    The first interrupt (Ctrl-C, or SIGTERM) lets requests in flight finish, and the verdicts that follow are stored. A
    further Ctrl-C abandons them; what was answered is stored all the same.

    Args:
        plan: A registered plan.
        store: Where responses and verdicts go; each response is durable before it counts.
        concurrency: Requests in flight at once.
        on_event: Told of each event of the loop.
        on_stop: Told of the first interrupt.
        on_requests: Told of the requests that are about to be asked.

    Raises:
        ConfigError: A key or a weight file is missing.
        ImageError: A picture changed while the judging was on.
        KeyboardInterrupt: Requests in flight were abandoned.
        ServingError: A judge that we serve ourselves did not start.
        StoreError: The store cannot be written any more.
    """
    pending = register(plan, store)
    if not pending:
        return NOTHING_DONE

    async def ask(stop: asyncio.Event) -> LoopResult:
        total = NOTHING_DONE
        wanted: Mapping[str, Request] = pending
        tried: set[str] = set()
        async with (
            open_client(plan.judge, plan.benchmark.image_root, concurrency, stop) as client,
            store.judgings.ledger(plan.record.judging_id) as ledger,
        ):
            while wanted and not stop.is_set():
                on_requests(wanted)
                done = await run_requests(wanted, client, ledger, concurrency=concurrency, on_event=on_event, stop=stop)
                total = _sum(total, done)
                tried |= wanted.keys()
                reading, _ = read_verdicts(store, plan.record)
                further = _add(plan, store, plan.further_tries(reading.unreadable))
                # One that has failed is for the next session, as in a run.
                wanted = {key: request for key, request in further.items() if key not in tried}
            return replace(total, stopped=stop.is_set())

    return run_interruptible(ask, on_stop)


def _add(plan: JudgePlan, store: Store, tries: Iterable[tuple[JudgeRow, Request | None]]) -> dict[str, Request]:
    """Store tries, and return their requests by key."""
    rows = [row for row, _ in tries]
    requests = {row.request_key: request for row, request in tries if row.request_key and request}
    bodies = {
        key: {"messages": messages_as_json(request.messages), "parameters": dict(request.parameters)}
        for key, request in requests.items()
    }
    store.judgings.plan(plan.record.judging_id, rows, bodies)
    return requests


def _unanswered(plan: JudgePlan, store: Store, requests: Mapping[str, Request]) -> dict[str, Request]:
    unanswered = {row.request_key for row in store.judgings.unanswered(plan.record.judging_id)}
    return {key: request for key, request in requests.items() if key in unanswered}


def _sum(one: LoopResult, other: LoopResult) -> LoopResult:
    return LoopResult(
        answered=one.answered + other.answered,
        failed=one.failed + other.failed,
        elsewhere=one.elsewhere + other.elsewhere,
        left=one.left + other.left,
    )
