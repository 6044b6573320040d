"""What must be the same for verdicts to compare, and which of several judges counts for a set of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from exambench.store.records import JudgingRecord

Instrument: TypeAlias = tuple[object, ...]


def instrument_of(record: JudgingRecord) -> Instrument:
    """Return what must be the same for verdicts to compare: the judge, the rubric with its prompt, what is shown."""
    return record.identity, record.rubric_hash, *sorted(record.condition.items())


def covering_most(found: Iterable[Sequence[tuple[Instrument, int]]]) -> Instrument | None:
    """Return the instrument with verdicts on most runs; between equals the one that was asked last.

    Args:
        found: For each run the instruments that have looked at it, each with a number that is higher the later.
    """
    places: defaultdict[Instrument, list[int]] = defaultdict(list)
    for judgings in found:
        latest: Mapping[Instrument, int] = dict(sorted(judgings, key=lambda each: each[1]))
        for instrument, place in latest.items():
            places[instrument].append(place)
    return max(places, key=lambda instrument: (len(places[instrument]), max(places[instrument])), default=None)
