"""What a store has under a name: a dataset, a run, a request."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row, select

from exambench.errors import ConfigError, Finding, StoreError, show
from exambench.items import Benchmark, digest
from exambench.store.codec import benchmark_from_json, item_from_json
from exambench.store.database import Database
from exambench.store.records import RunRecord
from exambench.store.tables import dataset_items, datasets, items, requests, runs

SHOWN_CANDIDATES: Final = 10


def benchmark_of(database: Database, benchmark: str, dataset_hash: str) -> Benchmark:
    """Return a dataset with its items in the order of their file, without the folder of its pictures.

    Raises:
        StoreError: There is no such dataset.
    """
    statement = (
        select(items.c.body)
        .join(dataset_items, dataset_items.c.record_hash == items.c.record_hash)
        .where(dataset_items.c.benchmark == benchmark, dataset_items.c.dataset_hash == dataset_hash)
        .order_by(dataset_items.c.position)
    )
    with database.reading() as connection:
        bodies = connection.execute(statement).scalars().all()
        about = connection.execute(
            select(datasets.c.about).where(datasets.c.benchmark == benchmark, datasets.c.hash == dataset_hash)
        ).scalar()
    if about is None:
        raise StoreError(f"{database.place} has no dataset {dataset_hash} of benchmark {benchmark}")
    return benchmark_from_json(benchmark, about, tuple(item_from_json(body) for body in bodies))


def records(database: Database) -> list[RunRecord]:
    """Return the runs, the first registered first."""
    with database.reading() as connection:
        found = connection.execute(select(runs).order_by(runs.c.created_at, runs.c.run_id)).all()
    return [run_of(row) for row in found]


def titles(database: Database) -> dict[str, str]:
    """Return the title of each benchmark by its name; of several datasets the one that was registered last."""
    statement = select(datasets.c.benchmark, datasets.c.about).order_by(datasets.c.created_at, datasets.c.hash)
    with database.reading() as connection:
        return {row.benchmark: str(row.about["title"]) for row in connection.execute(statement)}


def fingerprint(database: Database, benchmark: str, dataset_hash: str) -> str:
    """Return a digest of all that is stored of a dataset.

    Raises:
        StoreError: There is no such dataset.
    """
    statement = (
        select(dataset_items.c.record_hash)
        .where(dataset_items.c.benchmark == benchmark, dataset_items.c.dataset_hash == dataset_hash)
        .order_by(dataset_items.c.position)
    )
    with database.reading() as connection:
        hashes = list(connection.execute(statement).scalars())
        about = connection.execute(
            select(datasets.c.about).where(datasets.c.benchmark == benchmark, datasets.c.hash == dataset_hash)
        ).scalar()
    if about is None:
        raise StoreError(f"{database.place} has no dataset {dataset_hash} of benchmark {benchmark}")
    return digest([benchmark, about, hashes])


def find_run(database: Database, run_id: str) -> RunRecord:
    """Return the run of an identifier, or of the beginning of one.

    Raises:
        ConfigError: No run has it, or more than one; the message names candidates.
    """
    newest_first = select(runs).order_by(runs.c.updated_at.desc(), runs.c.run_id)
    with database.reading() as connection:
        found = connection.execute(newest_first.where(runs.c.run_id.startswith(run_id, autoescape=True))).all()
        candidates = found or connection.execute(newest_first.limit(SHOWN_CANDIDATES)).all()
    exact = [row for row in found if row.run_id == run_id]
    if len(exact or found) == 1:
        return run_of(*(exact or found))
    shown = [f"{row.run_id} ({row.model_name} on {row.benchmark})" for row in candidates[:SHOWN_CANDIDATES]]
    raise ConfigError(
        Finding(
            problem="several runs begin like this" if found else "there is no such run",
            file=database.place,
            field="run",
            value=show(run_id),
            allowed=", ".join(shown) or "none, for the store has no runs yet",
            remedy="Give more of the identifier" if found else "See them all with: exambench runs",
        )
    )


def request_body(database: Database, request_key: str) -> Any:  # noqa: ANN401 - JSON
    """Return what was asked under a key, as JSON values.

    Raises:
        StoreError: The store has no such request.
    """
    with database.reading() as connection:
        row = connection.execute(select(requests.c.body).where(requests.c.request_key == request_key)).first()
    if row is None:
        raise StoreError(f"{database.place} has no request {show(request_key)}")
    return row.body


def run_of(row: Row[Any]) -> RunRecord:
    """Return a row of the table ``runs`` as a record."""
    return RunRecord(
        benchmark=row.benchmark,
        dataset_hash=row.dataset_hash,
        model_name=row.model_name,
        identity=row.identity,
        decoding=row.decoding,
        model=row.model,
        protocol_name=row.protocol_name,
        protocol_hash=row.protocol_hash,
        protocol=row.protocol,
        condition=row.condition,
    )
