"""Starts are spread evenly over the minute; a clock of the test's own makes that exact."""

from __future__ import annotations

import asyncio

import pytest

from exambench.engine.limits import RateLimiter
from exambench.engine.ports import RequestWithdrawn
from tests.support.clock import Clock


def limiter(requests: float | None, tokens: float | None) -> tuple[RateLimiter, Clock]:
    """Return a limiter with these limits per minute, and its clock."""
    clock = Clock(100.0)
    return RateLimiter(requests, tokens, clock=clock, sleep=clock.sleep), clock


async def test_requests_start_at_an_even_pace() -> None:
    """At 120 a minute one starts every half second, however many wait."""
    limit, clock = limiter(120, None)
    starts: list[float] = []

    async def start() -> None:
        await limit.reserve()
        starts.append(clock.now)

    await asyncio.gather(*(start() for _ in range(5)))
    assert starts == pytest.approx([100.0, 100.5, 101.0, 101.5, 102.0])


async def test_a_pause_is_not_made_up_for() -> None:
    """After an idle minute the pace is as before: no burst."""
    limit, clock = limiter(60, None)
    await limit.reserve()
    clock.now += 60
    await limit.reserve()
    before = clock.now
    await limit.reserve()
    assert clock.now - before == pytest.approx(1.0)


async def test_tokens_are_reserved_before() -> None:
    """At 6,000 tokens a minute a reservation of 100 + 500 holds the next start back by 6 seconds."""
    limit, clock = limiter(None, 6000)
    assert await limit.reserve(100, 500) == 600
    await limit.reserve(100, 500)
    assert clock.now == pytest.approx(106.0)


async def test_a_reservation_is_corrected_after() -> None:
    """When 600 reserved tokens turn out to be 200, the next start comes after 2 seconds."""
    limit, clock = limiter(None, 6000)
    reserved = await limit.reserve(100, 500)
    limit.settle(reserved, 100, 100)
    await limit.reserve(100, 500)
    assert clock.now == pytest.approx(102.0)


async def test_a_correction_reaches_one_who_waits() -> None:
    """A waiting request looks again each second: corrected during its wait, it starts after 2 of 60 seconds."""
    limit, clock = limiter(None, 600)
    reserved = await limit.reserve(100, 500)
    waiting = asyncio.create_task(limit.reserve(0, 0))
    await asyncio.sleep(0)
    limit.settle(reserved, 10, 10)
    await waiting
    assert clock.now == pytest.approx(102.0)


async def test_outputs_seen_replace_the_limit_as_the_guess() -> None:
    """After outputs of 100 and 300 tokens, 200 are expected, not the 4,000 that a request allows."""
    limit, _ = limiter(None, 1e9)
    limit.settle(await limit.reserve(10, 4000), 10, 100)
    limit.settle(await limit.reserve(10, 4000), 10, 300)
    assert await limit.reserve(10, 4000) == 210


async def test_without_a_count_the_reservation_stands() -> None:
    """An endpoint that reports no usage is held to the estimate."""
    limit, clock = limiter(None, 6000)
    limit.settle(await limit.reserve(100, 500), None, 7)
    await limit.reserve(0, 0)
    assert clock.now == pytest.approx(106.0)


async def test_a_request_larger_than_a_minute_passes() -> None:
    """One request beyond the whole limit is sent, and waited for afterwards; it cannot block for ever."""
    limit, clock = limiter(None, 60)
    await limit.reserve(100, 20)
    assert clock.now == 100.0
    await limit.reserve(0, 0)
    assert clock.now == pytest.approx(220.0)


async def test_the_slower_of_both_limits_decides() -> None:
    """With both limits set, a start needs both."""
    limit, clock = limiter(60, 60)
    await limit.reserve(3, 0)
    await limit.reserve(0, 0)
    assert clock.now == pytest.approx(103.0)


async def test_nobody_waits_once_stopped() -> None:
    """Requests that wait for their turn are withdrawn when the run is stopped, all of them at once."""
    clock, stop = Clock(), asyncio.Event()

    async def sleep(_: float) -> None:
        await asyncio.Event().wait()

    limit = RateLimiter(1, None, clock=clock, sleep=sleep, stop=stop)
    await limit.reserve()
    waiting = [asyncio.create_task(limit.reserve()) for _ in range(5)]
    await asyncio.sleep(0)
    stop.set()
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [RequestWithdrawn] * 5


async def test_no_limit_never_waits() -> None:
    """Without limits nothing is held back."""
    limit, clock = limiter(None, None)
    for _ in range(100):
        await limit.reserve(10_000, 10_000)
    assert clock.now == 100.0
