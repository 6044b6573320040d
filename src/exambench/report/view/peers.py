"""What other runs, and other trials of the same run, have on an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from exambench.items import Item, short
from exambench.report.view import addresses
from exambench.report.view.listing import shown, state_of
from exambench.report.view.live import Moment
from exambench.store import RunRecord
from exambench.store.answer_records import AnswerState, Place

MOST_OTHERS: Final = 500


@dataclass(frozen=True, slots=True)
class Peer:
    """What another run, or another trial, has on the same item."""

    name: str
    trial: int
    state: AnswerState
    answer: str
    address: str


def peers_of(moment: Moment, run: RunRecord, item: Item, place: Place) -> Iterator[Peer]:
    """Yield what the runs that were asked the same have on an item, other trials of this run included."""
    runs = {other.run_id: other for other in moment.comparable(run)}
    parsers = {run_id: str(other.protocol["strict"]) for run_id, other in runs.items()}
    found = {
        (other.run_id, other.trial): other.outcome
        for other in moment.store.answers.others(item.id, parsers, most=MOST_OTHERS)
    }
    for run_id, other in runs.items():
        for (item_id, trial), reading in moment.facts(other).fresh.items():
            if item_id == item.id:
                found.setdefault((run_id, trial), reading.strict)
    names = _names(runs)
    for (run_id, trial), outcome in sorted(found.items(), key=lambda each: (names[each[0][0]], each[0])):
        if (run_id, trial) != (run.run_id, place[1]):
            yield Peer(
                name=names[run_id],
                trial=trial,
                state=state_of(outcome, item.key, asked=True, answered=True),
                answer=shown(outcome),
                address=addresses.of_answer(run_id, (item.id, trial)),
            )


def _names(runs: Mapping[str, RunRecord]) -> dict[str, str]:
    """Return the name of each run's model; several runs of one model have the beginning of their identifiers behind."""
    count = Counter(run.model_name for run in runs.values())
    return {
        run_id: run.model_name if count[run.model_name] == 1 else f"{run.model_name} ({short(run_id)})"
        for run_id, run in runs.items()
    }
