"""What was computed from the store, kept until the store changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

MOST: Final = 5_000
PATIENCE: Final = 5.0
"""How many times as long as it took to compute something it is shown, whatever the store does meanwhile."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Any
    stamp: str
    at: float
    seconds: float


class Memory:
    """Values by key, each computed by one thread at a time; the least recently used are forgotten.

    While a run is on, the store changes all the time. A value that takes long to compute is therefore shown for some
    time after it has become old: at most one part in six of the time goes into computing it.

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
                    found: T = kept.value
                    return found
            begun = self._clock()
            try:
                value = compute()
            except BaseException:
                with self._lock:
                    self._busy.pop(key, None)
                raise
            now = self._clock()
            with self._lock:
                self._kept[key] = _Kept(value, stamp, now, now - begun)
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    forgotten, _ = self._kept.popitem(last=False)
                    self._busy.pop(forgotten, None)
            return value

    def _is_good(self, kept: _Kept, stamp: str) -> bool:
        return kept.stamp == stamp or self._clock() < kept.at + PATIENCE * kept.seconds
