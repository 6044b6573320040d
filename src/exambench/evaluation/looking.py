"""Responses that nobody has read yet, read in memory: a store that is only looked at is not written.

While a run is on, its responses are in the store and their outcomes are not; they are stored when the run ends.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType

from exambench.evaluation.reading import interpret
from exambench.items import Benchmark
from exambench.parsing import PARSERS
from exambench.protocols import condition_from, show_in_order
from exambench.store import PlanRow, RunRecord, Store
from exambench.store.answer_records import FreshReading, Place


class FreshReadings:
    """What the parsers of this version make of responses without an outcome; each response is read once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[PlanRow, FreshReading]] = {}

    def of(self, store: Store, run: RunRecord, benchmark: Benchmark) -> Mapping[Place, FreshReading]:
        """Return the readings of a run by item and trial; none where this version lacks the run's parsers.

        Raises:
            StoreError: The store cannot be read.
        """
        names = str(run.protocol["strict"]), str(run.protocol["lenient"])
        if not set(names) <= PARSERS.keys():
            return MappingProxyType({})
        rows = store.answers.without_outcome(run.run_id, names[0])
        with self._lock:
            before = self._known.get(run.run_id, {})
        known = {row: before[row] for row in rows if row in before}
        strict, lenient = (PARSERS[name] for name in names)
        wanted = {(row.item_id, row.trial): row for row in rows if row not in known}
        condition = condition_from(run.condition)
        for stored in store.answers.responses_to(wanted.values()):
            row = wanted[stored.item_id, stored.trial]
            shown = show_in_order(benchmark.by_id[row.item_id], condition, row.order)
            known[row] = FreshReading(
                row.item_id,
                row.trial,
                interpret(stored.response, shown, strict),
                interpret(stored.response, shown, lenient),
            )
        with self._lock:
            self._known[run.run_id] = known
        return MappingProxyType({reading.place: reading for reading in known.values()})
