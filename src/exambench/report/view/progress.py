"""How far a run has come, from the store alone: whoever asks the model is another process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from exambench.analysis.cost import Money, money_of
from exambench.outcomes import SCORED_KINDS, OutcomeKind
from exambench.store import RunSummary, Store
from exambench.store.answer_records import FreshReading, Place
from exambench.store.times import from_text, to_text

SHOWN_REASONS: Final = 10
WINDOW: Final = timedelta(seconds=60)
"""Over which the rate is counted; a session that is shorter counts as a whole."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come.

    Attributes:
        summary: What the store says of the run.
        is_on: Whether somebody works on it.
        rate: Responses a second over the last minute; ``None`` while nobody works on it.
        seconds_left: At this rate; ``None`` where it is not known.
        outcomes: What has become of the answers by the strict parser, those included that nobody has stored yet.
        money: Price of the tokens; ``None`` where it is not known.
    """

    summary: RunSummary
    is_on: bool
    rate: float | None
    seconds_left: float | None
    outcomes: Mapping[OutcomeKind, int]
    money: Money | None

    @property
    def asked(self) -> int:
        """Items times trials that the model can take."""
        return self.summary.planned - self.summary.unsupported

    @property
    def done(self) -> int:
        """Those of them that have a response."""
        return self.summary.answered

    @property
    def left(self) -> str:
        """The time that is left, as hours, minutes and seconds; empty where it is not known."""
        return "" if self.seconds_left is None else str(timedelta(seconds=round(self.seconds_left)))

    @property
    def worked(self) -> str:
        """The time that was worked on it, likewise."""
        return str(timedelta(seconds=round(self.summary.wall_seconds)))

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why requests have no response, with their number; the most frequent reasons."""
        return list(islice(self.summary.reasons.items(), SHOWN_REASONS))

    @property
    def has_scores(self) -> bool:
        """Whether any answer has a score."""
        return not SCORED_KINDS.isdisjoint(self.outcomes)

    @property
    def share(self) -> float:
        """Share of them that have a response; all of nothing is 1."""
        return self.done / self.asked if self.asked else 1.0


def progress_of(
    store: Store, summary: RunSummary, since: str | None, fresh: Mapping[Place, FreshReading], moment: datetime
) -> Progress:
    """Return how far a run has come.

    Args:
        store: Where the run is.
        summary: What is counted of it.
        since: Since when somebody works on it; ``None`` where nobody does.
        fresh: What has become of responses that have no stored outcome.
        moment: The present.

    Raises:
        StoreError: The store cannot be read.
    """
    stored = summary.outcomes.get(str(summary.run.protocol["strict"]), {})
    outcomes = Counter(dict(stored)) + Counter(reading.strict.kind for reading in fresh.values())
    rate = None if since is None else _rate(store, summary.run_id, from_text(since), moment)
    return Progress(
        summary=summary,
        is_on=since is not None,
        rate=rate,
        seconds_left=summary.open / rate if rate else None,
        outcomes={kind: outcomes[kind] for kind in OutcomeKind if outcomes[kind]},
        money=money_of(summary),
    )


def _rate(store: Store, run_id: str, since: datetime, moment: datetime) -> float | None:
    begin = max(since, moment - WINDOW)
    seconds = (moment - begin).total_seconds()
    return store.answers.received_since(run_id, to_text(begin)) / seconds if seconds > 0 else None
