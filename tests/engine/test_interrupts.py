"""A person may end work in order with one interrupt, and at once with a second one."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from exambench.engine.interrupts import run_interruptible


def send(number: signal.Signals) -> None:
    """Send a signal to this process."""
    os.kill(os.getpid(), number)


def test_work_that_ends_gives_its_result() -> None:
    """Nobody is told of a stop, and the handlers are what they were."""
    told: list[str] = []

    async def work(stop: asyncio.Event) -> bool:
        await asyncio.sleep(0)
        return stop.is_set()

    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    assert run_interruptible(work, lambda: told.append("stop")) is False
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert told == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_is_an_event(number: signal.Signals) -> None:
    """The work goes on to its end, and the person is told once."""
    told: list[str] = []

    async def work(stop: asyncio.Event) -> str:
        send(number)
        await stop.wait()
        return "ended in order"

    assert run_interruptible(work, lambda: told.append("stop")) == "ended in order"
    assert told == ["stop"]


def test_a_second_ctrl_c_cancels() -> None:
    """The work can clean up, and the person gets an interrupt, not a cancellation."""
    seen: list[str] = []

    async def work(stop: asyncio.Event) -> None:
        send(signal.SIGINT)
        await stop.wait()
        send(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run_interruptible(work, lambda: seen.append("stop"))
    assert seen == ["stop", "cleaned up"]


def test_a_second_sigterm_changes_nothing() -> None:
    """A supervisor that asks twice gets the same clean end."""
    told: list[str] = []

    async def work(stop: asyncio.Event) -> str:
        send(signal.SIGTERM)
        await stop.wait()
        send(signal.SIGTERM)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "ended in order"

    assert run_interruptible(work, lambda: told.append("stop")) == "ended in order"
    assert told == ["stop"]
