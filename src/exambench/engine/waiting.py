"""Waits that end early when the run is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]


async def pause(seconds: float, sleep: Sleep, stop: asyncio.Event) -> None:
    """Wait for some seconds, or until ``stop`` is set.

    Args:
        seconds: How long to wait at most.
        sleep: Waits for a number of seconds.
        stop: Ends the wait.
    """
    waits = {asyncio.ensure_future(sleep(seconds)), asyncio.ensure_future(stop.wait())}
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
