"""From a plan to stored responses."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from exambench.engine.baselines import CannedResponder, pick
from exambench.engine.client import ChatClient
from exambench.engine.credentials import read_credentials
from exambench.engine.images import ImageFolder
from exambench.engine.local import LocalServer
from exambench.engine.loop import Event, LoopResult, run_requests
from exambench.engine.ports import Responder
from exambench.evaluation.planning import RunPlan
from exambench.exchange import messages_as_json
from exambench.models import BaselineEndpoint, LocalEndpoint, OpenAIEndpoint
from exambench.store.store import Store

DOTENV: Final = Path(".env")


def register(plan: RunPlan, store: Store) -> None:
    """Store what a run is about to ask; storing it again changes nothing."""
    store.register_dataset(plan.benchmark)
    store.register_run(plan.record)
    bodies = {
        key: {"messages": messages_as_json(request.messages), "parameters": dict(request.parameters)}
        for key, request in plan.requests.items()
    }
    store.plan(plan.record.run_id, plan.rows, bodies)


def run_plan(plan: RunPlan, store: Store, *, concurrency: int, on_event: Callable[[Event], None]) -> LoopResult:
    """Ask what has no response yet, and return when all is answered, failed, or a person interrupts.

    The first interrupt (Ctrl-C) lets requests in flight finish, the second one abandons them. What was answered is
    stored in either case.

    Args:
        plan: A registered plan.
        store: Where responses go; each is durable before it counts.
        concurrency: Requests in flight at once.
        on_event: Told of each event of the loop.

    Raises:
        ConfigError: A key or a weight file is missing.
        ImageError: A picture changed while the run was on.
        StoreError: The store cannot be written any more.
    """
    unanswered = {row.request_key for row in store.unanswered(plan.record.run_id)}
    pending = {key: request for key, request in plan.requests.items() if key in unanswered}
    if not pending:
        return LoopResult(answered=0, failed=0, elsewhere=0, left=0)

    async def ask() -> LoopResult:
        async with (
            _interruptible() as stop,
            open_responder(plan, concurrency, stop) as responder,
            store.ledger(plan.record.run_id) as ledger,
        ):
            return await run_requests(pending, responder, ledger, concurrency=concurrency, on_event=on_event, stop=stop)

    return asyncio.run(ask())


@asynccontextmanager
async def open_responder(plan: RunPlan, concurrency: int, stop: asyncio.Event) -> AsyncIterator[Responder]:
    """Provide whoever answers the requests of a plan: a client, a local server with its client, or a baseline.

    Once ``stop`` is set, nobody waits any longer for a turn or for a further try.
    """
    model = plan.model
    root = plan.benchmark.image_root
    images = None if root is None else ImageFolder(root, model.capabilities)
    async with AsyncExitStack() as stack:
        match model.endpoint:
            case OpenAIEndpoint() as endpoint:
                credentials = read_credentials(endpoint, os.environ, DOTENV)
                client = ChatClient(
                    model, credentials=credentials, image_source=images, concurrency=concurrency, stop=stop
                )
                yield await stack.enter_async_context(client)
            case LocalEndpoint() as endpoint:
                server = await stack.enter_async_context(LocalServer(endpoint, model.name))
                address = await server.base_url()
                client = ChatClient(model, base_url=address, image_source=images, concurrency=concurrency, stop=stop)
                yield await stack.enter_async_context(client)
            case BaselineEndpoint(strategy=strategy):
                seed = int(str(plan.record.decoding.get("seed", 0)))
                texts = {}
                for row in plan.rows:
                    item = plan.benchmark.by_id[row.item_id]
                    answer = pick(strategy, item, item.wording(plan.condition.wording), seed, row.trial)
                    if row.request_key is not None:
                        texts[row.request_key] = plan.protocol.write_answer(answer)
                yield CannedResponder(texts)


@asynccontextmanager
async def _interruptible() -> AsyncIterator[asyncio.Event]:
    """Turn the first interrupt into an event, and the second one into a cancellation."""
    stop = asyncio.Event()
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        stop.set()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGINT)
