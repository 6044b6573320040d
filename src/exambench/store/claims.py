"""Who is asking for what: claims that expire, so that two processes never ask for the same response.

A claim of a process that has died on this machine is free at once. Elsewhere nobody can tell, so there it is free when
it expires. Expiry compares the clocks of the machines that share a store; keep them within a few seconds.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

import psutil
from sqlalchemy import Connection, bindparam, select

from exambench.exchange import Claim
from exambench.store.database import Database, chunked
from exambench.store.tables import claims, responses
from exambench.store.times import from_text, to_text


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that holds claims.

    Attributes:
        host: The machine, and on Linux its boot and the PID namespace: where ``pid`` has its meaning.
        pid: Process id.
        started: When the process started, in the system's own terms; tells it from a later one of the same id.
        token: Tells several owners in one process apart.
    """

    host: str
    pid: int
    started: str
    token: str

    @classmethod
    def current(cls) -> Self:
        """Return a new owner in this process."""
        pid = os.getpid()
        return cls(host=_host(), pid=pid, started=_start_of(pid) or "", token=secrets.token_hex(4))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the owner that :meth:`__str__` wrote.

        Raises:
            ValueError: The text has another form.
        """
        process, _, host = text.partition("@")
        pid, started, token = process.split(":")
        return cls(host=host, pid=int(pid), started=started, token=token)

    def __str__(self) -> str:
        return f"{self.pid}:{self.started}:{self.token}@{self.host}"

    def is_known_dead(self) -> bool:
        """Tell whether the process ran on this machine and does not any more."""
        return self.host == _host() and _start_of(self.pid) != self.started


def _host() -> str:
    if sys.platform == "linux":
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{boot}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116 - the link's target has no path
    return f"{socket.gethostname()}/{uuid.getnode():012x}"


def _start_of(pid: int) -> str | None:
    """Return when a process started, or ``None`` when none of this id is alive."""
    if sys.platform == "linux":
        return _start_in_ticks(pid)
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.0f}"
    except psutil.NoSuchProcess:
        return None


def _start_in_ticks(pid: int) -> str | None:
    """Return clock ticks from boot to start (field 22 of proc(5)), which a change of the clock does not move."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else fields[18]


def take(
    database: Database, connection: Connection, keys: Iterable[str], owner: Owner, *, now: datetime, lease: timedelta
) -> Claim:
    """Claim what is free, and tell what has an answer already.

    The order of the steps keeps the promise without locking rows that others hold. Claims are inserted first and
    responses are looked up after: whoever records a response also drops its claim in the same transaction, so a key
    whose claim we got either has its response in sight or has none. Keys are taken in sorted order, so that two
    processes never wait for each other in a circle.

    Args:
        database: Where ``connection`` leads.
        connection: In a transaction that may write.
        keys: Request keys, in any order.
        owner: Who claims.
        now: The present moment.
        lease: How long the claims last unless they are renewed.

    Returns:
        The claim. What the owner held before is not in ``held``: someone there is asking for it.
    """
    held: set[str] = set()
    answered: set[str] = set()
    for chunk in chunked(sorted(set(keys))):
        _drop_stale(connection, chunk, now)
        rows = [{"request_key": key, "owner": str(owner), "expires_at": to_text(now + lease)} for key in chunk]
        insert = database.insert(claims).on_conflict_do_nothing().returning(claims.c.request_key)
        held.update(connection.execute(insert, rows).scalars())
        answered.update(
            connection.execute(select(responses.c.request_key).where(responses.c.request_key.in_(chunk))).scalars()
        )
    drop(connection, held & answered, owner)
    return Claim(held=frozenset(held - answered), answered=frozenset(answered))


def drop(connection: Connection, keys: Iterable[str], owner: Owner) -> None:
    """Give up claims of an owner; keys that it does not hold are left alone."""
    rows = [{"key": key, "held_by": str(owner)} for key in sorted(set(keys))]
    if rows:
        statement = claims.delete().where(
            claims.c.request_key == bindparam("key"), claims.c.owner == bindparam("held_by")
        )
        connection.execute(statement, rows)


def drop_all(connection: Connection, owner: Owner) -> None:
    """Give up every claim of an owner."""
    connection.execute(claims.delete().where(claims.c.owner == str(owner)))


def renew(connection: Connection, owner: Owner, now: datetime, lease: timedelta) -> None:
    """Let every claim of an owner last for another lease."""
    connection.execute(claims.update().where(claims.c.owner == str(owner)).values(expires_at=to_text(now + lease)))


def _drop_stale(connection: Connection, keys: Iterable[str], now: datetime) -> None:
    """Remove claims on these keys that have expired or whose process has died, unless they were renewed meanwhile."""
    found = connection.execute(
        select(claims).where(claims.c.request_key.in_(keys)).order_by(claims.c.request_key)
    ).all()
    dead = {text for text in {row.owner for row in found} if Owner.parse(text).is_known_dead()}
    stale = [
        {"key": row.request_key, "held_by": row.owner, "expired_at": row.expires_at}
        for row in found
        if row.owner in dead or from_text(row.expires_at) <= now
    ]
    if stale:
        statement = claims.delete().where(
            claims.c.request_key == bindparam("key"),
            claims.c.owner == bindparam("held_by"),
            claims.c.expires_at == bindparam("expired_at"),
        )
        connection.execute(statement, stale)
