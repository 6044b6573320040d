"""A process that works on a store; tests start several and kill some.

It says ``ready``, waits for a line, does what its first argument names, and says what it has done, a line each.
"""

from __future__ import annotations

import asyncio
import random
import sys

from exambench.exchange import Response
from exambench.items import digest
from exambench.store import open_store


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def open_first(location: str) -> None:
    """Open a store that is not there yet."""
    with open_store(location):
        say("opened")


async def contend(location: str, run_id: str, n: int, seed: int) -> None:
    """Claim a few keys at a time in an order of its own, and record a response for each key that it got."""
    keys = [digest(number) for number in range(n)]
    random.Random(seed).shuffle(keys)
    left = set(keys)
    with open_store(location) as store:
        async with store.ledger(run_id) as ledger:
            while left:
                wanted = [key for key in keys if key in left][:7]
                claim = await ledger.claim(wanted)
                for key in claim.held:
                    say(key)
                await asyncio.gather(*(ledger.record(key, Response(text=str(seed))) for key in claim.held))
                left -= claim.held | claim.answered
                keys = keys[7:] + keys[:7]


async def hold(location: str, run_id: str, n: int) -> None:
    """Claim every key and keep them until killed."""
    with open_store(location) as store:
        async with store.ledger(run_id, lease_seconds=3600) as ledger:
            claim = await ledger.claim([digest(number) for number in range(n)])
            say(str(len(claim.held)))
            await asyncio.Event().wait()


async def record(location: str, run_id: str, n: int) -> None:
    """Record a response for every open key, sixteen at a time, and say each key once it is acknowledged."""
    with open_store(location) as store:
        keys = iter([row.request_key for row in store.unanswered(run_id)])
        async with store.ledger(run_id) as ledger:

            async def work() -> None:
                for key in keys:
                    assert key is not None
                    await ledger.record(key, Response(text="가" * n))
                    say(key)

            await asyncio.gather(*(work() for _ in range(16)))


if __name__ == "__main__":
    say("ready")
    sys.stdin.readline()
    match sys.argv[1:]:
        case ["open", location]:
            open_first(location)
        case ["contend", location, run_id, n, seed]:
            asyncio.run(contend(location, run_id, int(n), int(seed)))
        case ["hold", location, run_id, n]:
            asyncio.run(hold(location, run_id, int(n)))
        case ["record", location, run_id, n]:
            asyncio.run(record(location, run_id, int(n)))
