"""A store that is looked at for as long as the server runs, and what is known of its runs at this moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from exambench.analysis.answer_judges import judgings_of_answers
from exambench.analysis.cost import cost_of
from exambench.analysis.marks import Marks, comparable_to, marks_of
from exambench.analysis.scores import RunScores, load_scores
from exambench.evaluation.looking import FreshReadings
from exambench.items import Benchmark
from exambench.report.site.material import Material, gather_boards
from exambench.report.view.memory import Memory
from exambench.report.view.progress import Progress, progress_of
from exambench.stats.resampling import Bootstrap
from exambench.store import JudgingRecord, RunRecord, RunSummary, Store, open_store_read_only
from exambench.store.answer_records import RunFacts
from exambench.store.times import now, to_text

ALIVE: Final = timedelta(seconds=15)
"""How long after its last sign of life a run counts as going on; a healthy one gives a sign each second or so."""
TICK: Final = 5
"""Seconds after which the progress of a run that goes on is looked at again, though nothing was written."""
MOST_PAGES: Final = 50
RESAMPLES: Final = 1000
SEED: Final = 42


class LiveStore:
    """A store that may be written, replaced, locked or gone from one moment to the next.

    Args:
        location: As for :func:`exambench.store.open_store_read_only`.
    """

    def __init__(self, location: str) -> None:
        self._location = location
        self._lock = threading.Lock()
        self._opened: tuple[Store, str] | None = None

    def open(self) -> Store:
        """Return the store, opened anew where another file has taken its place.

        Raises:
            ConfigError: The location is neither a path nor a URL that we know.
            MissingExtraError: PostgreSQL is asked for, and its driver is not installed.
            StoreError: There is no store, or it cannot be used.
        """
        with self._lock:
            if self._opened is not None:
                store, identity = self._opened
                if store.identity() == identity:
                    return store
                self._opened = None
                store.close()
            store = open_store_read_only(self._location)
            self._opened = store, store.identity()
            return store

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            if self._opened is not None:
                self._opened[0].close()
                self._opened = None


class Moment:
    """The store as it is now. What takes long is remembered until the store changes.

    Args:
        store: The store.
        stamp: Its state.
        memory: What was computed before.
        pages: The pages that were made before.
        fresh: What was read of responses without an outcome.
        clock: Tells the time, in UTC.
    """

    def __init__(
        self,
        store: Store,
        stamp: str,
        *,
        memory: Memory,
        pages: Memory,
        fresh: FreshReadings,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.store = store
        self.stamp = stamp
        self.memory = memory
        self.pages = pages
        self._fresh = fresh
        self._clock = clock

    def runs(self) -> Sequence[RunRecord]:
        """Return the runs, the first registered first."""
        return self.memory.get("records", self.stamp, self.store.records)

    def run(self, run_id: str) -> RunRecord | None:
        """Return the run of an identifier."""
        return next((run for run in self.runs() if run.run_id == run_id), None)

    def titles(self) -> dict[str, str]:
        """Return the title of each benchmark by its name."""
        return self.memory.get("titles", self.stamp, self.store.titles)

    def benchmark(self, run: RunRecord) -> Benchmark:
        """Return the dataset of a run."""
        name, dataset = run.benchmark, run.dataset_hash
        told = self.memory.get(
            ("fingerprint", name, dataset), self.stamp, lambda: self.store.fingerprint(name, dataset)
        )
        return self.memory.get(("benchmark", name, dataset), told, lambda: self.store.benchmark(name, dataset))

    def facts(self, run: RunRecord, marks: Marks | None = None) -> RunFacts:
        """Return what queries about the answers of a run need to know."""
        return RunFacts(
            run_id=run.run_id,
            benchmark=run.benchmark,
            dataset_hash=run.dataset_hash,
            strict=str(run.protocol["strict"]),
            lenient=str(run.protocol["lenient"]),
            fresh=self.memory.get(
                ("fresh", run.run_id), self.stamp, lambda: self._fresh.of(self.store, run, self.benchmark(run))
            ),
            marks={} if marks is None else marks.values,
        )

    def marks(self, run: RunRecord) -> Marks:
        """Return what is right in a run."""
        return self.memory.get(
            ("marks", run.run_id),
            self.stamp,
            lambda: marks_of(self.store, run, self.benchmark(run), self.facts(run).fresh.values()),
        )

    def comparable(self, run: RunRecord) -> list[RunRecord]:
        """Return the runs that were asked the same, this one included."""
        return comparable_to(run, self.runs())

    def scores(self, run: RunRecord) -> RunScores:
        """Return what became of every item of a run; free answers have the verdicts of one judge for all runs."""
        judging = self.judgings().get(run.run_id)
        return self.memory.get(
            ("scores", run.run_id),
            self.stamp,
            lambda: load_scores(self.store, run, judging, self.benchmark(run), self.facts(run).fresh.values()),
        )

    def judgings(self) -> dict[str, JudgingRecord]:
        """Return the judgings whose verdicts are the scores of free answers, by run."""
        return self.memory.get("judgings", self.stamp, lambda: judgings_of_answers(self.store, self.runs()))

    def all_scores(self) -> list[RunScores]:
        """Return what became of every item of every run."""
        return [self.scores(run) for run in self.runs()]

    def material(self) -> Material:
        """Return what the pages of the site are made of."""
        return self.memory.get("material", self.stamp, self._gathered)

    def progress(self, run_id: str | None = None) -> list[Progress]:
        """Return how far each run has come, or one; the one that something happened to last first."""
        return self.memory.get(("progress", run_id), self.stamp, lambda: self._progress(run_id))

    def is_busy(self) -> bool:
        """Tell whether somebody works on a run."""
        return bool(self.memory.get("working", self.stamp, self._working))

    def _working(self) -> dict[str, str]:
        return self.store.answers.working(to_text(self._clock() - ALIVE))

    def _summaries(self) -> list[RunSummary]:
        return self.memory.get("summaries", self.stamp, self.store.runs)

    def _progress(self, run_id: str | None) -> list[Progress]:
        summaries = self._summaries() if run_id is None else [self.store.summary(run_id)]
        working = self._working()
        found = [
            progress_of(self.store, summary, working.get(summary.run_id), self.facts(summary.run).fresh, self._clock())
            for summary in summaries
            if summary is not None
        ]
        return sorted(found, key=lambda each: (each.is_on, each.summary.updated_at), reverse=True)

    def _gathered(self) -> Material:
        bootstrap = Bootstrap(RESAMPLES, SEED)
        return Material(
            boards=gather_boards(self.store, self.all_scores(), bootstrap),
            costs={summary.run_id: cost_of(summary, self.benchmark(summary.run)) for summary in self._summaries()},
        )


class Looking:
    """The store from moment to moment.

    Args:
        location: Where the store is.
        clock: Tells the time, in UTC.
    """

    def __init__(self, location: str, clock: Callable[[], datetime] = now) -> None:
        self._live = LiveStore(location)
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[Store, Memory, Memory, FreshReadings] | None = None
        self._is_busy = False

    @contextmanager
    def moment(self) -> Iterator[Moment]:
        """Give the store as it is now.

        Raises:
            StoreError: There is no store at this moment, or it cannot be read.
        """
        store = self._live.open()
        with self._lock:
            if self._known is None or self._known[0] is not store:  # what was known of another store is of no use
                self._known = store, Memory(), Memory(most=MOST_PAGES), FreshReadings()
            _, memory, pages, fresh = self._known
        stamp = store.stamp()
        if self._is_busy:  # a run that was killed writes nothing any more, and is to be seen as such
            stamp += f"@{int(self._clock().timestamp()) // TICK}"
        found = Moment(store, stamp, memory=memory, pages=pages, fresh=fresh, clock=self._clock)
        yield found
        self._is_busy = found.is_busy()

    def close(self) -> None:
        """Close the store."""
        self._live.close()
