"""From a plan to stored responses."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from exambench.engine.baselines import CannedResponder, pick
from exambench.engine.interrupts import run_interruptible
from exambench.engine.loop import Event, LoopResult, run_requests
from exambench.engine.ports import Responder
from exambench.engine.responders import open_client
from exambench.evaluation.planning import RunPlan
from exambench.exchange import Request, messages_as_json
from exambench.models import BaselineEndpoint
from exambench.protocols import write_answer
from exambench.store.store import Store


def register(plan: RunPlan, store: Store) -> None:
    """Store what a run is about to ask; storing it again changes nothing."""
    store.register_dataset(plan.benchmark)
    store.register_run(plan.record)
    bodies = {
        key: {"messages": messages_as_json(request.messages), "parameters": dict(request.parameters)}
        for key, request in plan.requests.items()
    }
    store.plan(plan.record.run_id, plan.rows, bodies)


def open_requests(plan: RunPlan, store: Store) -> dict[str, Request]:
    """Return the requests of a registered plan that have no response yet, by key, in the plan's order.

    The run may have others open, from a plan with more items or trials; they are not this plan's.
    """
    unanswered = {row.request_key for row in store.unanswered(plan.record.run_id)}
    return {key: request for key, request in plan.requests.items() if key in unanswered}


def reasons_of_failures(plan: RunPlan, store: Store) -> Counter[str]:
    """Return why requests of a plan have no response, with the number of requests; the last failure of each counts."""
    failures = store.failures(plan.record.run_id)
    last = {failed.request_key: failed.failure.reason for failed in failures if failed.request_key in plan.requests}
    return Counter(last.values())


def run_plan(
    plan: RunPlan,
    store: Store,
    pending: Mapping[str, Request],
    *,
    concurrency: int,
    on_event: Callable[[Event], None],
    on_stop: Callable[[], None],
) -> LoopResult:
    """Ask, and return when all is answered, failed, or a person interrupts.

    The first interrupt (Ctrl-C, or SIGTERM) lets requests in flight finish, a further Ctrl-C abandons them. What was
    answered is stored in either case.

    Args:
        plan: A registered plan.
        store: Where responses go; each is durable before it counts.
        pending: What to ask, see :func:`open_requests`.
        concurrency: Requests in flight at once.
        on_event: Told of each event of the loop.
        on_stop: Told of the first interrupt.

    Raises:
        ConfigError: A key or a weight file is missing.
        ImageError: A picture changed while the run was on.
        KeyboardInterrupt: Requests in flight were abandoned.
        ServingError: A model that we serve ourselves did not start.
        StoreError: The store cannot be written any more.
    """

    async def ask(stop: asyncio.Event) -> LoopResult:
        async with (
            open_responder(plan, concurrency, stop) as responder,
            store.ledger(plan.record.run_id) as ledger,
        ):
            return await run_requests(pending, responder, ledger, concurrency=concurrency, on_event=on_event, stop=stop)

    return run_interruptible(ask, on_stop)


@asynccontextmanager
async def open_responder(plan: RunPlan, concurrency: int, stop: asyncio.Event) -> AsyncIterator[Responder]:
    """Provide whoever answers the requests of a plan: a client, a local server with its client, or a baseline.

    Once ``stop`` is set, nobody waits any longer for a turn or for a further try.
    """
    endpoint = plan.model.endpoint
    if isinstance(endpoint, BaselineEndpoint):
        yield _baseline(plan, endpoint)
        return
    shown = plan.condition.images
    async with open_client(plan.model, plan.benchmark.image_root, concurrency, stop, shown) as client:
        yield client


def _baseline(plan: RunPlan, endpoint: BaselineEndpoint) -> CannedResponder:
    seed = int(str(plan.record.decoding.get("seed", 0)))
    texts = {}
    for row in plan.rows:
        if row.request_key is not None:
            shown = plan.shown[row.item_id]
            knows = endpoint.strategy == "oracle"
            answer = shown.right if knows else pick(endpoint.strategy, shown.item, shown.wording, seed, row.trial)
            texts[row.request_key] = write_answer(shown, plan.protocol, answer)
    return CannedResponder(texts)
