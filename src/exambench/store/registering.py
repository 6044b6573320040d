"""What a run is made of: its dataset, itself, its plan, its outcomes. Each function may be called again at will."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, select

from exambench.errors import StoreError, show
from exambench.items import Benchmark, digest
from exambench.store.codec import about_to_json, item_to_json, outcome_to_row
from exambench.store.database import Database, chunked
from exambench.store.records import OutcomeRow, PlanRow, RunRecord
from exambench.store.tables import dataset_items, datasets, items, outcomes, plan, requests, runs
from exambench.store.times import now, to_text


def register_dataset(database: Database, benchmark: Benchmark) -> None:
    """Store a benchmark's items under its content hash.

    What the content hash does not cover (title, axes, facets, rationales, sources, the order) follows the last
    registration.
    """
    bodies = {item.id: item_to_json(item) for item in benchmark.items}
    if len(bodies) < len(benchmark.items):
        raise StoreError(f"benchmark {benchmark.name}: two items have one id, so their results could not be told apart")
    hashes = {item_id: digest(body) for item_id, body in bodies.items()}
    members = {item.id: (position, hashes[item.id]) for position, item in enumerate(benchmark.items)}
    name, dataset_hash = benchmark.name, benchmark.content_hash
    dataset_row = {
        "benchmark": name,
        "hash": dataset_hash,
        "n_items": len(members),
        "about": about_to_json(benchmark),
        "created_at": to_text(now()),
    }
    with database.writing() as connection:
        insert_dataset = database.insert(datasets)
        connection.execute(
            insert_dataset.on_conflict_do_update(
                index_elements=list(datasets.primary_key), set_={"about": insert_dataset.excluded.about}
            ),
            dataset_row,
        )
        if members and _members(connection, benchmark=name, dataset_hash=dataset_hash) == members:
            return
        item_rows: list[dict[str, object]] = [
            {
                "record_hash": hashes[item.id],
                "item_hash": item.content_hash,
                "item_id": item.id,
                "body": bodies[item.id],
            }
            for item in sorted(benchmark.items, key=lambda item: hashes[item.id])
        ]
        for chunk in chunked(item_rows):
            connection.execute(database.insert(items).on_conflict_do_nothing(), list(chunk))
        member_rows: list[dict[str, object]] = [
            {
                "benchmark": name,
                "dataset_hash": dataset_hash,
                "item_id": item_id,
                "position": position,
                "record_hash": record_hash,
            }
            for item_id, (position, record_hash) in sorted(members.items())
        ]
        insert = database.insert(dataset_items)
        upsert = insert.on_conflict_do_update(
            index_elements=list(dataset_items.primary_key),
            set_={name: insert.excluded[name] for name in ("position", "record_hash")},
        )
        for chunk in chunked(member_rows):
            connection.execute(upsert, list(chunk))


def _members(connection: Connection, *, benchmark: str, dataset_hash: str) -> dict[str, tuple[int, str]]:
    """Return position and record hash of each item of a dataset, by the item's id."""
    statement = select(dataset_items.c.item_id, dataset_items.c.position, dataset_items.c.record_hash).where(
        dataset_items.c.benchmark == benchmark, dataset_items.c.dataset_hash == dataset_hash
    )
    return {row.item_id: (row.position, row.record_hash) for row in connection.execute(statement)}


def register_run(database: Database, run: RunRecord) -> None:
    """Store a run, or bring the names, prices and limits of a stored one up to date."""
    moment = to_text(now())
    row = {column.name: getattr(run, column.name) for column in runs.c if not column.name.endswith("_at")}
    insert = database.insert(runs)
    changing = ("model_name", "model", "protocol_name", "protocol", "updated_at")
    upsert = insert.on_conflict_do_update(
        index_elements=[runs.c.run_id], set_={name: insert.excluded[name] for name in changing}
    )
    with database.writing() as connection:
        dataset = select(datasets).where(datasets.c.benchmark == run.benchmark, datasets.c.hash == run.dataset_hash)
        if connection.execute(dataset).first() is None:
            raise StoreError(
                f"run {run.run_id}: the store has no dataset {run.dataset_hash} of benchmark {run.benchmark}. "
                "Register the dataset first"
            )
        connection.execute(upsert, row | {"created_at": moment, "updated_at": moment})


def extend_plan(
    database: Database, run_id: str, rows: Sequence[PlanRow], bodies: Mapping[str, Mapping[str, object]]
) -> None:
    """Add rows to a run's plan, with the bodies of the requests that they lead to.

    A row that leads to another request than before (the model takes pictures now, say) is changed, and outcomes that
    were read from its former response go. Rows that are not given stay.
    """
    with database.writing() as connection:
        _require_items(connection, run_id, rows)
        known = {
            (row.item_id, row.trial): PlanRow(row.item_id, row.item_hash, row.trial, row.request_key, row.note)
            for row in connection.execute(select(plan).where(plan.c.run_id == run_id))
        }
        changed = [row for row in rows if known.get((row.item_id, row.trial)) != row]
        if not changed:
            return
        keys = sorted({row.request_key for row in changed if row.request_key is not None})
        request_rows = [{"request_key": key, "body": bodies[key]} for key in keys if key in bodies]
        for chunk in chunked(request_rows):
            connection.execute(database.insert(requests).on_conflict_do_nothing(), list(chunk))
        _upsert_plan(database, connection, run_id, changed)
        _forget_outcomes(connection, run_id, [row for row in changed if (row.item_id, row.trial) in known])
        connection.execute(runs.update().where(runs.c.run_id == run_id).values(updated_at=to_text(now())))


def _require_items(connection: Connection, run_id: str, rows: Sequence[PlanRow]) -> None:
    run = connection.execute(select(runs.c.benchmark, runs.c.dataset_hash).where(runs.c.run_id == run_id)).first()
    if run is None:
        raise StoreError(f"the store has no run {run_id}. Register the run first")
    members = _members(connection, benchmark=run.benchmark, dataset_hash=run.dataset_hash)
    strangers = sorted({row.item_id for row in rows} - members.keys())
    if strangers:
        raise StoreError(f"run {run_id}: its dataset has no items {show(strangers)}")


def _upsert_plan(database: Database, connection: Connection, run_id: str, rows: Sequence[PlanRow]) -> None:
    insert = database.insert(plan)
    upsert = insert.on_conflict_do_update(
        index_elements=list(plan.primary_key),
        set_={name: insert.excluded[name] for name in ("item_hash", "request_key", "note")},
    )
    values = [
        {
            "run_id": run_id,
            "item_id": row.item_id,
            "trial": row.trial,
            "item_hash": row.item_hash,
            "request_key": row.request_key,
            "note": row.note,
        }
        for row in sorted(rows, key=lambda row: (row.item_id, row.trial))
    ]
    for chunk in chunked(values):
        connection.execute(upsert, list(chunk))


def _forget_outcomes(connection: Connection, run_id: str, rows: Sequence[PlanRow]) -> None:
    if rows:
        statement = outcomes.delete().where(
            outcomes.c.run_id == run_id,
            outcomes.c.item_id == bindparam("item"),
            outcomes.c.trial == bindparam("of_trial"),
        )
        connection.execute(statement, [{"item": row.item_id, "of_trial": row.trial} for row in rows])


def save_outcomes(
    database: Database, run_id: str, parser: str, parser_version: str, rows: Iterable[OutcomeRow]
) -> None:
    """Store what a parser made of a run's responses, in place of what it made of the same items and trials before."""
    insert = database.insert(outcomes)
    upsert = insert.on_conflict_do_update(
        index_elements=list(outcomes.primary_key),
        set_={name: insert.excluded[name] for name in ("parser_version", "kind", "value", "reason", "flags")},
    )
    place = {"run_id": run_id, "parser": parser, "parser_version": parser_version}
    with database.writing() as connection:
        for chunk in chunked(sorted(rows, key=lambda row: (row.item_id, row.trial))):
            values = [
                place | {"item_id": row.item_id, "trial": row.trial} | outcome_to_row(row.outcome) for row in chunk
            ]
            connection.execute(upsert, values)
