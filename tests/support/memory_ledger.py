"""A ledger in memory: what the run loop needs of a store, with its failures at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence

from exambench.exchange import Claim, Failure, Response


class MemoryLedger:
    """Keeps responses in a dictionary.

    Args:
        answered: Keys that have a response already.
        others: Keys that another process holds.
        on_claim: Called with the number of the claim, from 0, before it is answered.
    """

    def __init__(
        self,
        *,
        answered: Iterable[str] = (),
        others: Iterable[str] = (),
        on_claim: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.answered = set(answered)
        self.others = set(others)
        self.held: set[str] = set()
        self.responses: dict[str, list[Response]] = {}
        self.failures: dict[str, list[Failure]] = {}
        self.claims: list[tuple[str, ...]] = []
        self.most_held = 0
        self.unwritten = 0
        self.most_unwritten = 0
        self.open = asyncio.Event()
        self.open.set()
        self.error: Exception | None = None
        self._on_claim = on_claim

    async def claim(self, keys: Sequence[str]) -> Claim:
        """Give out what nobody has."""
        self._on_claim(len(self.claims))
        self.claims.append(tuple(keys))
        await asyncio.sleep(0)
        known = self.answered | self.responses.keys()
        free = [key for key in keys if key not in known | self.others | self.held]
        self.held.update(free)
        self.most_held = max(self.most_held, len(self.held))
        return Claim(frozenset(free), frozenset(key for key in keys if key in known))

    async def record(self, key: str, response: Response) -> None:
        """Keep a response."""
        await self._commit()
        self.held.remove(key)
        self.responses.setdefault(key, []).append(response)

    async def record_failure(self, key: str, failure: Failure) -> None:
        """Keep a failure."""
        await self._commit()
        self.held.remove(key)
        self.failures.setdefault(key, []).append(failure)

    async def release(self, keys: Collection[str]) -> None:
        """Take claims back."""
        await asyncio.sleep(0)
        self.held.difference_update(keys)

    async def _commit(self) -> None:
        """Take until the gate is open, as a slow disk does, and fail if told to."""
        self.unwritten += 1
        self.most_unwritten = max(self.most_unwritten, self.unwritten)
        try:
            await self.open.wait()
            if self.error is not None:
                raise self.error
        finally:
            self.unwritten -= 1
