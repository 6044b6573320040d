"""Ctrl-C as an event: finish what is in flight first, abandon it at the second one."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import uvloop

T = TypeVar("T")


def run_interruptible(work: Callable[[asyncio.Event], Awaitable[T]], on_stop: Callable[[], None]) -> T:
    """Run work in an event loop of its own until it ends, and let a person end it early.

    Args:
        work: Is given the event that the first interrupt (Ctrl-C, or SIGTERM) sets; a further Ctrl-C cancels it.
        on_stop: Told of the first interrupt.

    Raises:
        KeyboardInterrupt: The work was cancelled.
    """

    async def main() -> T:
        async with _interruptible(on_stop) as stop:
            return await work(stop)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@asynccontextmanager
async def _interruptible(on_stop: Callable[[], None]) -> AsyncIterator[asyncio.Event]:
    stop = asyncio.Event()
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()

    def end() -> None:
        if not stop.is_set():
            stop.set()
            on_stop()

    def interrupt() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        end()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        loop.remove_signal_handler(signal.SIGINT)
