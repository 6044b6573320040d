"""Requests and tokens per minute, kept by pacing.

Starts are spread evenly: a limit of 60 requests per minute is one start a second, not sixty at once. Services
state limits per minute but enforce them over shorter windows too, and an even pace satisfies every window.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from exambench.engine.ports import RequestWithdrawn
from exambench.engine.waiting import Sleep, pause

LONGEST_SLEEP: Final = 1.0
"""Seconds after which a waiting request looks again, since a correction may have brought its turn closer."""

OUTPUT_GUESS: Final = 512
"""Output tokens that are reserved while none have been seen and the request sets no limit."""


class _Lane:
    """A stream of units that pass at an even rate; what is spent ahead must be waited for by the next one."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._seconds_per_unit = 60.0 / per_minute
        self.free_at = now

    def spend(self, units: float, now: float) -> None:
        self.free_at = max(self.free_at, now) + units * self._seconds_per_unit

    def correct(self, units: float) -> None:
        self.free_at += units * self._seconds_per_unit


class RateLimiter:
    """Holds requests back so that the endpoint's limits per minute are kept; first come, first served.

    Tokens are only known afterwards. Each start reserves an estimate (prompt, plus the mean output seen so far,
    or the request's own limit while none was seen), and the true count corrects it.

    Args:
        requests_per_minute: ``None`` is no limit.
        tokens_per_minute: Prompt and completion tokens together; ``None`` is no limit.
        clock: Monotonic time in seconds.
        sleep: Waits for a number of seconds of that clock.
        stop: When it is set nobody waits any longer.
    """

    def __init__(
        self,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        stop: asyncio.Event | None = None,
    ) -> None:
        now = clock()
        self._requests = None if requests_per_minute is None else _Lane(requests_per_minute, now)
        self._tokens = None if tokens_per_minute is None else _Lane(tokens_per_minute, now)
        self._lanes = [lane for lane in (self._requests, self._tokens) if lane is not None]
        self._clock = clock
        self._sleep = sleep
        self._stop = stop or asyncio.Event()
        self._turn = asyncio.Lock()
        self._outputs_seen = 0
        self._output_tokens_seen = 0

    @property
    def counts_tokens(self) -> bool:
        """Whether estimates of tokens make a difference."""
        return self._tokens is not None

    async def reserve(self, prompt_tokens: int = 0, output_limit: int | None = None) -> float:
        """Wait for a start, and return the number of tokens that it has reserved.

        Args:
            prompt_tokens: Estimate of the prompt's length.
            output_limit: The most tokens that the request allows in its answer, if it says so.

        Raises:
            RequestWithdrawn: The wait was ended by ``stop``.
        """
        if not self._lanes:
            return 0.0
        async with self._turn:
            while (wait := max(lane.free_at for lane in self._lanes) - self._clock()) > 0:
                if self._stop.is_set():
                    raise RequestWithdrawn("stopped while waiting for the limits per minute")
                await pause(min(wait, LONGEST_SLEEP), self._sleep, self._stop)
            now = self._clock()
            if self._requests is not None:
                self._requests.spend(1, now)
            if self._tokens is None:
                return 0.0
            reserved = prompt_tokens + self._expected_output(output_limit)
            self._tokens.spend(reserved, now)
            return reserved

    def settle(self, reserved: float, input_tokens: int | None, output_tokens: int | None) -> None:
        """Correct a reservation by what the endpoint counted; without a count the reservation stands.

        Args:
            reserved: What :meth:`reserve` returned.
            input_tokens: Prompt tokens, if the endpoint counted them.
            output_tokens: Completion tokens, if the endpoint counted them.
        """
        if self._tokens is None or input_tokens is None or output_tokens is None:
            return
        self._outputs_seen += 1
        self._output_tokens_seen += output_tokens
        self._tokens.correct(input_tokens + output_tokens - reserved)

    def _expected_output(self, output_limit: int | None) -> float:
        if self._outputs_seen:
            return self._output_tokens_seen / self._outputs_seen
        return OUTPUT_GUESS if output_limit is None else output_limit
