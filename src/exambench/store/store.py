"""The store as the rest of the toolkit sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from exambench.items import Benchmark
from exambench.store import lookups, queries, registering, summaries
from exambench.store.answers import Answers
from exambench.store.claims import Owner
from exambench.store.codings import Codings
from exambench.store.database import Database
from exambench.store.judging import LEASE_SECONDS, Judgings
from exambench.store.records import (
    OutcomeRow,
    PlanRow,
    RunRecord,
    RunSummary,
    StoredFailure,
    StoredOutcome,
    StoredResponse,
)
from exambench.store.studies import Studies
from exambench.store.tasks import Tasks
from exambench.store.writing import StoreLedger, Work, open_ledger


class Store:
    """Datasets, runs, responses and outcomes in one database; made by :func:`exambench.store.open_store`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read or written. A method
    that writes keeps all of what it was given or nothing, and may be called again with the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_read: tuple[str, Benchmark] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; the store must not be used afterwards."""
        self._database.close()

    @property
    def place(self) -> str:
        """Path or address for people, without any password."""
        return self._database.place

    def identity(self) -> str:
        """Return which database this is: another one in the place of a file is another one.

        Raises:
            StoreError: The file is gone.
        """
        return self._database.identity()

    def stamp(self) -> str:
        """Return what changes whenever anything in the store may have changed; asking for it costs next to nothing."""
        return self._database.stamp()

    @property
    def answers(self) -> Answers:
        """The answers of a run one by one and in pages, with everything that is known of each."""
        return Answers(self._database)

    @property
    def judgings(self) -> Judgings:
        """What judges say of the runs of this store."""
        return Judgings(self._database)

    @property
    def studies(self) -> Studies:
        """What people score to see whether a judge is to be trusted, and their scores."""
        return Studies(self._database)

    @property
    def codings(self) -> Codings:
        """What readers make of the answers of two models, to see why one of them fails."""
        return Codings(self._database)

    @property
    def tasks(self) -> Tasks:
        """What models are asked that is neither an exam nor a judgement: to continue a stem, to translate an item."""
        return Tasks(self._database)

    def register_dataset(self, benchmark: Benchmark) -> None:
        """Store a benchmark's items under its content hash.

        What the content hash does not cover (title, axes, facets, rationales, sources, the order) follows the last
        registration.

        Raises:
            StoreError: Two items have one id.
        """
        registering.register_dataset(self._database, benchmark)

    def register_run(self, run: RunRecord) -> None:
        """Store a run, or bring names, prices and limits of a stored one up to date.

        Raises:
            StoreError: Its dataset is not registered.
        """
        registering.register_run(self._database, run)

    def plan(self, run_id: str, rows: Sequence[PlanRow], requests: Mapping[str, Mapping[str, object]]) -> None:
        """Add rows to a run's plan.

        A row that leads to another request than before replaces the one of the same item and trial, and outcomes of
        the former response go. Rows that are not given stay.

        Args:
            run_id: A registered run.
            rows: Which request each item and trial leads to.
            requests: The body of each request by key, as JSON values; written once and never changed.

        Raises:
            StoreError: The run is not registered, its dataset lacks an item, or a request has no body.
        """
        registering.extend_plan(self._database, run_id, rows, requests)

    def planned(self, run_id: str) -> list[PlanRow]:
        """Return the whole plan of a run, in item order, then by trial."""
        return queries.planned(self._database, run_id)

    def unanswered(self, run_id: str) -> list[PlanRow]:
        """Return the rows of the plan that lead to a request without a response, in item order, then by trial.

        Two rows may have the same key, when two items are put in the same words.
        """
        return queries.unanswered(self._database, run_id)

    def ledger(
        self, run_id: str, *, owner: Owner | None = None, lease_seconds: float = LEASE_SECONDS
    ) -> AbstractAsyncContextManager[StoreLedger]:
        """Start a session of a run, in which requests are claimed and responses recorded.

        Args:
            run_id: A run with a plan.
            owner: In whose name; this process by default.
            lease_seconds: How long claims outlive a process that has died on another machine.

        Raises:
            StoreError: The run is not registered.
        """
        lease = timedelta(seconds=lease_seconds)
        return open_ledger(self._database, Work(run_id), owner=owner or Owner.current(), lease=lease)

    def request(self, request_key: str) -> Any:  # noqa: ANN401 - JSON
        """Return what was asked under a key, as JSON values.

        Raises:
            StoreError: The store has no such request.
        """
        return lookups.request_body(self._database, request_key)

    def responses(self, run_id: str) -> Iterator[StoredResponse]:
        """Yield the responses of a run in item order, then by trial; few are in memory at a time."""
        return queries.responses_of(self._database, run_id)

    def unread(self, run_id: str, parsers: Sequence[str], parser_version: str) -> Iterator[StoredResponse]:
        """Yield the responses of a run that one of these parsers, in this version, has left without an outcome.

        They come in item order, then by trial. Where there are none, no response is fetched.
        """
        return queries.unread(self._database, run_id, parsers, parser_version)

    def failures(self, run_id: str) -> list[StoredFailure]:
        """Return the last failure of each row of the plan that has failed and has no response yet."""
        return queries.failures_of(self._database, run_id)

    def save_outcomes(self, run_id: str, parser: str, parser_version: str, rows: Iterable[OutcomeRow]) -> None:
        """Store what a parser made of a run, in place of what it made of the same items and trials before."""
        registering.save_outcomes(self._database, run_id, parser, parser_version, rows)

    def outcomes(self, run_id: str, parser: str) -> list[StoredOutcome]:
        """Return what a parser made of a run, in item order, then by trial."""
        return queries.outcomes_of(self._database, run_id, parser)

    def runs(self) -> list[RunSummary]:
        """Return how far each run has come, the first registered first."""
        return summaries.summaries(self._database)

    def records(self) -> list[RunRecord]:
        """Return the runs, the first registered first."""
        return lookups.records(self._database)

    def summary(self, run_id: str) -> RunSummary | None:
        """Return how far the run of an identifier has come; ``None`` where there is none."""
        return next(iter(summaries.summaries(self._database, run_id)), None)

    def titles(self) -> dict[str, str]:
        """Return the title of each benchmark, by its name."""
        return lookups.titles(self._database)

    def fingerprint(self, name: str, dataset_hash: str) -> str:
        """Return a digest of everything that :meth:`benchmark` tells, which is much cheaper than that.

        Raises:
            StoreError: There is no such dataset.
        """
        return lookups.fingerprint(self._database, name, dataset_hash)

    def run(self, run_id: str) -> RunRecord:
        """Return the run of an identifier, or of the beginning of one.

        Raises:
            ConfigError: No run has it, or more than one; the message names candidates.
        """
        return lookups.find_run(self._database, run_id)

    def benchmark(self, name: str, dataset_hash: str) -> Benchmark:
        """Return a dataset with its items in the order of their file, without the folder of its pictures.

        The one that was read last is kept, and read anew when what is stored of it has changed.

        Raises:
            StoreError: There is no such dataset.
        """
        stored = self.fingerprint(name, dataset_hash)
        if self._last_read is not None and self._last_read[0] == stored:
            return self._last_read[1]
        found = lookups.benchmark_of(self._database, name, dataset_hash)
        self._last_read = stored, found
        return found
