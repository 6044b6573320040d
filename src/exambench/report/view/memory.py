"""What was computed from the store, kept until the store changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

MOST: Final = 5_000
PATIENCE: Final = 5.0
"""How many times as long as it took to compute something it is shown, whatever the store does meanwhile."""

GRACE: Final = 2.0
"""Seconds that a reader waits for what is computed in the background, from its beginning."""

T = TypeVar("T")


class UnfinishedError(Exception):
    """What is wanted is being computed, and nothing older is there to be shown meanwhile."""


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Any
    stamp: str | None
    """State of the store that it was computed from; ``None`` where a part of it is of an older one."""
    at: float
    seconds: float


@dataclass(slots=True)
class _Errand:
    """A value that is being computed in the background."""

    begun: float
    done: threading.Event = field(default_factory=threading.Event)
    failure: Exception | None = None


@dataclass(slots=True)
class _Making:
    uses_old: bool = False


_making: ContextVar[_Making | None] = ContextVar("making", default=None)
"""What is being computed here at the moment: it is as old as the oldest value that it asks for."""


class Memory:
    """Values by key, each computed by one thread at a time; the least recently used are forgotten.

    While a run is on, the store changes all the time. A value that takes long to compute is therefore shown for some
    time after it has become old: at most one part in six of the time goes into computing it. What was computed from
    such a value, also by way of another memory, counts as old from the beginning: it is not taken for what the store
    has when the store comes to rest.

    Args:
        clock: Tells the time in seconds.
        most: How many values to keep.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._busy: dict[Hashable, threading.Lock] = {}
        self._errands: dict[Hashable, _Errand] = {}

    def get(self, key: Hashable, stamp: str, compute: Callable[[], T]) -> T:
        """Return the value of a key, computed anew where the store has changed since.

        Args:
            key: What is wanted.
            stamp: State of the store; see :meth:`exambench.store.Store.stamp`.
            compute: Computes it; what it raises is raised, and nothing is kept.
        """
        with self._lock:
            turn = self._busy.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and self._is_good(kept, stamp):
                    self._kept.move_to_end(key)
                    _tell(is_old=kept.stamp != stamp)
                    found: T = kept.value
                    return found
            begun = self._clock()
            try:
                value, uses_old = _made(compute)
            except BaseException:
                with self._lock:
                    self._busy.pop(key, None)
                raise
            _tell(is_old=uses_old)
            now = self._clock()
            with self._lock:
                self._kept[key] = _Kept(value, None if uses_old else stamp, now, now - begun)
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    forgotten, _ = self._kept.popitem(last=False)
                    self._busy.pop(forgotten, None)
            return value

    def soon(self, key: Hashable, stamp: str, compute: Callable[[], T]) -> T:
        """Return the value of a key; what takes longer than :data:`GRACE` is computed in the background.

        Until then the value before is shown, if there is one.

        Args:
            key: What is wanted.
            stamp: State of the store.
            compute: Computes it, in another thread; what it raises is raised once.

        Raises:
            UnfinishedError: It is not there yet.
        """
        with self._lock:
            kept = self._kept.get(key)
            errand = self._errands.get(key)
            if errand is None and (kept is None or not self._is_good(kept, stamp)):
                errand = self._errands[key] = _Errand(self._clock())
                threading.Thread(target=self._run, args=(errand, key, stamp, compute), daemon=True).start()
        if errand is not None and (kept is None or kept.seconds <= GRACE):
            errand.done.wait(max(0.0, errand.begun + GRACE - self._clock()))
        with self._lock:
            if errand is not None and errand.failure is not None:
                self._errands.pop(key, None)
                raise errand.failure
            kept = self._kept.get(key)
            if kept is None:
                raise UnfinishedError
            self._kept.move_to_end(key)
        _tell(is_old=kept.stamp != stamp)
        found: T = kept.value
        return found

    def _run(self, errand: _Errand, key: Hashable, stamp: str, compute: Callable[[], object]) -> None:
        try:
            self.get(key, stamp, compute)
            with self._lock:
                self._errands.pop(key, None)
        except Exception as error:  # noqa: BLE001 - it is raised where somebody asks for the value
            errand.failure = error
        finally:
            errand.done.set()

    def _is_good(self, kept: _Kept, stamp: str) -> bool:
        return kept.stamp == stamp or self._clock() < kept.at + PATIENCE * kept.seconds


def _made(compute: Callable[[], T]) -> tuple[T, bool]:
    """Return a value, and whether it is made of an old one."""
    making = _Making()
    before = _making.set(making)
    try:
        return compute(), making.uses_old
    finally:
        _making.reset(before)


def _tell(*, is_old: bool) -> None:
    """Tell whatever is being computed that a value in it is old."""
    making = _making.get()
    if making is not None and is_old:
        making.uses_old = True
