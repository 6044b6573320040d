"""From a task to stored replies: ask, and ask again what could not be used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

from exambench.asking.tasks import TRIES, TaskPlan, replies_of
from exambench.engine.interrupts import run_interruptible
from exambench.engine.loop import Event, LoopResult, run_requests
from exambench.engine.responders import open_client
from exambench.exchange import Request, messages_as_json
from exambench.store import Store


def register(plan: TaskPlan, store: Store) -> dict[str, Request]:
    """Store what is about to be asked, as far as that is known; return the requests without a response.

    Storing it again changes nothing.
    """
    store.register_dataset(plan.benchmark)
    store.tasks.register(plan.record)
    return due(plan, store)


def due(plan: TaskPlan, store: Store) -> dict[str, Request]:
    """Add the tries that follow from the replies so far to a registered plan; return all that have no response."""
    requests: dict[str, Request] = {}
    for _ in range(TRIES):  # a store may hold replies to requests that are new to this task: they lead on at once
        tries = list(plan.tries(replies_of(store, plan.record)))
        requests = {row.request_key: request for row, request in tries if row.request_key and request}
        bodies = {
            key: {"messages": messages_as_json(request.messages), "parameters": dict(request.parameters)}
            for key, request in requests.items()
        }
        store.tasks.plan(plan.record.task_id, [row for row, _ in tries], bodies)
    replies = store.tasks.replies(plan.record.task_id)
    answered = {row.request_key for row, response in replies.items() if response is not None}
    return {key: request for key, request in requests.items() if key not in answered}


def run_task(
    plan: TaskPlan,
    store: Store,
    *,
    concurrency: int,
    on_event: Callable[[Event], None],
    on_stop: Callable[[], None],
    on_requests: Callable[[Mapping[str, Request]], None] = lambda _: None,
    most: int | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> LoopResult:
    """Ask what has no response yet, and ask again what cannot be used.

    The first interrupt (Ctrl-C, or SIGTERM) lets requests in flight finish; a further Ctrl-C abandons them. What was
    answered is stored all the same.

    Args:
        plan: A registered plan.
        store: Where responses go; each is durable before it counts.
        concurrency: Requests in flight at once.
        on_event: Told of each event of the loop.
        on_stop: Told of the first interrupt.
        on_requests: Told of the requests that are about to be asked.
        most: Most requests that are asked; ``None`` is no limit.
        enough: Asked after each event: once it holds, nothing new is started, and what is in flight is finished.

    Raises:
        ConfigError: A key or a weight file is missing, or the model is a baseline.
        ImageError: A picture changed while the task was on.
        KeyboardInterrupt: Requests in flight were abandoned.
        ServingError: A model that we serve ourselves did not start.
        StoreError: The store cannot be written any more.
    """

    async def ask(stop: asyncio.Event) -> LoopResult:
        total = LoopResult(answered=0, failed=0, elsewhere=0, left=0)
        tried: set[str] = set()
        wanted = _first(due(plan, store), most)

        def heed(event: Event) -> None:
            on_event(event)
            if enough():
                stop.set()

        async with (
            open_client(plan.model, plan.benchmark.image_root, concurrency, stop, wire=plan.wire) as client,
            store.tasks.ledger() as ledger,
        ):
            while wanted and not stop.is_set():
                on_requests(wanted)
                done = await run_requests(wanted, client, ledger, concurrency=concurrency, on_event=heed, stop=stop)
                total = LoopResult(
                    total.answered + done.answered,
                    total.failed + done.failed,
                    total.elsewhere + done.elsewhere,
                    total.left + done.left,
                )
                tried |= wanted.keys()
                # One that has failed is for the next session, as in a run.
                further = {key: request for key, request in due(plan, store).items() if key not in tried}
                wanted = _first(further, None if most is None else most - len(tried))
            return replace(total, stopped=stop.is_set())

    return run_interruptible(ask, on_stop)


def _first(requests: Mapping[str, Request], most: int | None) -> Mapping[str, Request]:
    return requests if most is None else dict(islice(requests.items(), max(most, 0)))
