"""What is missing is asked once, what arrives is kept, and however the loop ends nothing is held back or lost."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

import pytest

from exambench.engine.loop import Answered, AnsweredElsewhere, Event, Failed, LoopResult, Started, run_requests
from exambench.engine.ports import RequestFailed, RequestWithdrawn
from exambench.errors import Finding, ImageError, StoreError
from exambench.exchange import Failure, Message, Request, Response, Role, TextPart
from tests.support.memory_ledger import MemoryLedger


def requests(count: int) -> dict[str, Request]:
    """Return requests whose prompts are their keys, k0 and so on."""
    return {f"k{n}": Request("m@here", (Message(Role.USER, (TextPart(f"k{n}"),)),)) for n in range(count)}


class Oracle:
    """Answers with the prompt; fails, raises or waits where told.

    Args:
        trouble: What to raise, by prompt.
        gate: Holds every answer back until it is set.
        stuck: Prompts that are never answered.
    """

    def __init__(
        self,
        trouble: Mapping[str, Exception] | None = None,
        *,
        gate: asyncio.Event | None = None,
        stuck: Collection[str] = (),
    ) -> None:
        self.asked: list[str] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.changed = asyncio.Event()
        self._trouble = trouble or {}
        self._gate = gate
        self._stuck = stuck

    async def respond(self, request: Request) -> Response:
        """Answer with the prompt."""
        part = request.messages[0].parts[0]
        assert isinstance(part, TextPart)
        self.asked.append(part.text)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.changed.set()
        try:
            await (asyncio.sleep(0) if self._gate is None else self._gate.wait())
            if part.text in self._stuck:
                await asyncio.Event().wait()
            if part.text in self._trouble:
                raise self._trouble[part.text]
            return Response(part.text)
        finally:
            self.in_flight -= 1

    async def until_asked(self, count: int) -> None:
        """Wait until that many requests have come in."""
        while len(self.asked) < count:
            self.changed.clear()
            await self.changed.wait()


async def settle() -> None:
    """Let every task run until it waits for something that is not there."""
    for _ in range(50):
        await asyncio.sleep(0)


FAILURE = RequestFailed(Failure("down"))


async def test_everything_missing_is_asked_once_and_kept() -> None:
    """Each request without a response is asked once; each response is stored once and told once."""
    todo, ledger, oracle, events = requests(200), MemoryLedger(), Oracle(), list[Event]()
    result = await run_requests(todo, oracle, ledger, concurrency=7, on_event=events.append)
    assert result == LoopResult(answered=200, failed=0, elsewhere=0, left=0)
    assert sorted(oracle.asked) == sorted(todo)
    assert {key: [kept.text for kept in responses] for key, responses in ledger.responses.items()} == {
        key: [key] for key in todo
    }
    assert ledger.held == set()
    assert len([event for event in events if isinstance(event, Started)]) == 200
    assert {event.key for event in events if isinstance(event, Answered)} == set(todo)


async def test_what_has_a_response_is_not_asked() -> None:
    """Answered requests are counted and told, and cost nothing."""
    todo, oracle, events = requests(10), Oracle(), list[Event]()
    ledger = MemoryLedger(answered=["k1", "k2", "k3"])
    result = await run_requests(todo, oracle, ledger, concurrency=4, on_event=events.append)
    assert result == LoopResult(answered=7, failed=0, elsewhere=3, left=0)
    assert not {"k1", "k2", "k3"} & set(oracle.asked)
    assert AnsweredElsewhere("k2") in events


async def test_nothing_to_ask_is_done_at_once() -> None:
    """No requests, no claims."""
    ledger = MemoryLedger()
    result = await run_requests({}, Oracle(), ledger, concurrency=4, on_event=list[Event]().append)
    assert result == LoopResult(0, 0, 0, 0)
    assert ledger.claims == []


async def test_failures_are_kept_as_failures() -> None:
    """A request that failed has a stored failure, no response, and the others go on."""
    ledger, events = MemoryLedger(), list[Event]()
    oracle = Oracle({"k3": FAILURE})
    result = await run_requests(requests(6), oracle, ledger, concurrency=2, on_event=events.append)
    assert result == LoopResult(answered=5, failed=1, elsewhere=0, left=0)
    assert ledger.failures == {"k3": [FAILURE.failure]}
    assert "k3" not in ledger.responses
    assert Failed("k3", FAILURE.failure) in events
    assert ledger.held == set()


async def test_no_more_are_in_flight_than_allowed() -> None:
    """Concurrency is the bound of requests in flight, and it is reached."""
    oracle = Oracle()
    await run_requests(requests(50), oracle, MemoryLedger(), concurrency=5, on_event=list[Event]().append)
    assert oracle.most_in_flight == 5


async def test_claims_stay_just_ahead_of_need() -> None:
    """Of 1,000 requests at most three times the concurrency is held: in flight, queued, and the batch in hand."""
    ledger = MemoryLedger()
    await run_requests(requests(1000), Oracle(), ledger, concurrency=4, on_event=list[Event]().append)
    assert max(map(len, ledger.claims)) <= 4
    assert ledger.most_held <= 2 * 4 + 4 + 4


async def test_a_slow_write_holds_no_connection_up_and_is_bounded() -> None:
    """While nothing gets durable new requests are sent, up to twice the concurrency; none of them counts yet."""
    ledger, oracle, events = MemoryLedger(), Oracle(), list[Event]()
    ledger.open.clear()
    run = asyncio.create_task(run_requests(requests(50), oracle, ledger, concurrency=4, on_event=events.append))
    await settle()
    assert len(oracle.asked) == 8
    assert not any(isinstance(event, Answered) for event in events)
    ledger.open.set()
    assert (await run).answered == 50
    assert ledger.most_unwritten == 8


async def test_what_another_process_holds_is_looked_at_again() -> None:
    """A request held elsewhere is taken as answered when it is, and asked by us when it is let go."""
    ledger, oracle, events, pauses = MemoryLedger(others=["k1", "k2"]), Oracle(), list[Event](), list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            ledger.others.discard("k1")
            ledger.answered.add("k1")
        if len(pauses) == 3:
            ledger.others.discard("k2")

    result = await run_requests(
        requests(4), oracle, ledger, concurrency=2, on_event=events.append, poll_interval=1.5, sleep=sleep
    )
    assert result == LoopResult(answered=3, failed=0, elsewhere=1, left=0)
    assert pauses == [1.5, 1.5, 1.5]
    assert AnsweredElsewhere("k1") in events
    assert oracle.asked.count("k2") == 1
    assert "k1" not in oracle.asked


async def test_two_loops_on_one_ledger_ask_nothing_twice() -> None:
    """Two loops share the work; together they ask each request once and both end with all accounted for."""
    ledger, first, second = MemoryLedger(), Oracle(), Oracle()

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    results = await asyncio.gather(
        *(
            run_requests(requests(100), oracle, ledger, concurrency=3, on_event=list[Event]().append, sleep=sleep)
            for oracle in (first, second)
        )
    )
    assert sorted(first.asked + second.asked) == sorted(requests(100))
    assert [result.answered + result.elsewhere for result in results] == [100, 100]
    assert first.asked
    assert second.asked


async def test_stopping_finishes_what_is_in_flight() -> None:
    """Once stopped nothing new starts, what was sent is answered and kept, and the rest is released and counted."""
    gate, stop = asyncio.Event(), asyncio.Event()
    ledger, oracle = MemoryLedger(), Oracle(gate=gate)
    run = asyncio.create_task(
        run_requests(requests(20), oracle, ledger, concurrency=4, on_event=list[Event]().append, stop=stop)
    )
    await oracle.until_asked(4)
    stop.set()
    await settle()
    assert not run.done()
    gate.set()
    assert await run == LoopResult(answered=4, failed=0, elsewhere=0, left=16, stopped=True)
    assert set(ledger.responses) == set(oracle.asked)
    assert ledger.held == set()


async def test_a_request_that_was_withdrawn_is_left() -> None:
    """Who waited to be sent when the loop was stopped has neither response nor failure, and no claim."""
    ledger, oracle = MemoryLedger(), Oracle({"k1": RequestWithdrawn("stopped")})
    result = await run_requests(requests(3), oracle, ledger, concurrency=1, on_event=list[Event]().append)
    assert result == LoopResult(answered=2, failed=0, elsewhere=0, left=1)
    assert ledger.failures == {}
    assert ledger.held == set()


async def test_stopping_ends_the_wait_for_others() -> None:
    """A loop that only waits for another process stops at once."""
    stop, waiting = asyncio.Event(), asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    ledger = MemoryLedger(others=["k0"])
    run = asyncio.create_task(
        run_requests(
            requests(2), Oracle(), ledger, concurrency=2, on_event=list[Event]().append, stop=stop, sleep=sleep
        )
    )
    await waiting.wait()
    stop.set()
    assert await run == LoopResult(answered=1, failed=0, elsewhere=0, left=1, stopped=True)


async def test_stopped_before_it_starts_asks_nothing() -> None:
    """A stop that came first is obeyed."""
    stop, oracle = asyncio.Event(), Oracle()
    stop.set()
    result = await run_requests(
        requests(5), oracle, MemoryLedger(), concurrency=2, on_event=list[Event]().append, stop=stop
    )
    assert (result.left, oracle.asked) == (5, [])


async def test_cancelling_keeps_what_has_arrived_and_releases_the_rest() -> None:
    """A response whose write was under way survives; requests in flight are abandoned, no claim stays."""
    ledger, oracle = MemoryLedger(), Oracle(stuck={"k3", "k4", "k5"})
    ledger.open.clear()
    run = asyncio.create_task(run_requests(requests(20), oracle, ledger, concurrency=3, on_event=list[Event]().append))
    await oracle.until_asked(6)
    run.cancel()
    await settle()
    ledger.open.set()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert set(ledger.responses) == {"k0", "k1", "k2"}
    assert ledger.held == set()
    assert oracle.in_flight == 0


@pytest.mark.parametrize("failing", ["record", "record_failure", "claim"])
async def test_a_ledger_that_fails_ends_the_loop_at_once(failing: str) -> None:
    """The ledger's error comes out as it is, although other requests would take for ever."""
    error = StoreError("the disk is full")

    def on_claim(number: int) -> None:
        if failing == "claim" and number == 1:
            raise error

    ledger = MemoryLedger(on_claim=on_claim)
    ledger.error = None if failing == "claim" else error
    oracle = Oracle({"k0": FAILURE} if failing == "record_failure" else {}, stuck=requests(20).keys() - {"k0"})
    with pytest.raises(StoreError) as raised:
        await run_requests(requests(20), oracle, ledger, concurrency=3, on_event=list[Event]().append)
    assert raised.value is error
    assert oracle.in_flight == 0


async def test_a_write_that_fails_last_is_not_lost() -> None:
    """When the very last write fails, after all requests are done, the loop fails too."""
    ledger = MemoryLedger()
    ledger.open.clear()
    run = asyncio.create_task(run_requests(requests(1), Oracle(), ledger, concurrency=1, on_event=list[Event]().append))
    await settle()
    ledger.error = StoreError("gone")
    ledger.open.set()
    with pytest.raises(StoreError, match="gone"):
        await run


async def test_a_write_that_fails_while_cancelled_is_not_lost() -> None:
    """The ledger's error is told rather than the cancellation: it is the news."""
    ledger = MemoryLedger()
    ledger.open.clear()
    run = asyncio.create_task(run_requests(requests(1), Oracle(), ledger, concurrency=1, on_event=list[Event]().append))
    await settle()
    run.cancel()
    await settle()
    ledger.error = StoreError("gone")
    ledger.open.set()
    with pytest.raises(StoreError, match="gone"):
        await run


async def test_a_picture_that_cannot_be_sent_ends_the_loop() -> None:
    """Bad input is not a failure of the endpoint: it comes out as it is, and no claim stays."""
    ledger = MemoryLedger()
    oracle = Oracle({"k2": ImageError(Finding("broken", file="a.png"))})
    with pytest.raises(ImageError, match=r"a\.png"):
        await run_requests(requests(20), oracle, ledger, concurrency=3, on_event=list[Event]().append)
    assert ledger.held == set()


async def test_concurrency_must_be_positive() -> None:
    """Zero workers would never end."""
    with pytest.raises(ValueError, match="at least 1"):
        await run_requests(requests(1), Oracle(), MemoryLedger(), concurrency=0, on_event=list[Event]().append)
