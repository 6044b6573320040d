"""Tasks in the store: planned once, answered once, read back in order, in stores old and new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from exambench.exchange import Response
from exambench.store import Store, TaskKind, TaskRecord, TaskRow, open_existing_store, open_store
from tests.judging.examples import exam
from tests.store.examples import behind

RECORD = TaskRecord(TaskKind.CONTINUATION, "exam", exam().content_hash, "m", "m@x", {"seed": 1}, {"prompt": "p"})


def planned(store: Store, *rows: TaskRow) -> None:
    """Register the task and plan rows."""
    store.register_dataset(exam())
    store.tasks.register(RECORD)
    store.tasks.plan(RECORD.task_id, rows, {row.request_key: {"k": 1} for row in rows if row.request_key})


async def test_replies_come_back_beside_their_rows(store: Store) -> None:
    """In the order of item, variant and attempt; a row without a response has none."""
    rows = [
        TaskRow("2", "hint", 0, "c"),
        TaskRow("1", "", 1, "b"),
        TaskRow("1", "", 0, "a"),
        TaskRow("3", "", 0, None, "why"),
    ]
    planned(store, *rows)
    planned(store, *rows)
    async with store.tasks.ledger() as ledger:
        claim = await ledger.claim(["a", "b"])
        await ledger.record("a", Response(text="답"))
    replies = store.tasks.replies(RECORD.task_id)
    assert claim.held == {"a", "b"}
    assert list(replies) == sorted(rows, key=lambda row: (row.item_id, row.variant, row.attempt))
    assert [response and response.text for response in replies.values()] == ["답", None, None, None]


def test_a_row_that_leads_elsewhere_takes_the_place_of_the_old_one(store: Store) -> None:
    """One row for each item, variant and attempt."""
    planned(store, TaskRow("1", "", 0, "a"))
    planned(store, TaskRow("1", "", 0, "b"))
    assert list(store.tasks.replies(RECORD.task_id)) == [TaskRow("1", "", 0, "b")]


def test_a_task_is_what_is_asked_of_whom(store: Store) -> None:
    """Not what the model is called."""
    planned(store)
    store.tasks.register(replace(RECORD, model_name="other"))
    assert [task.model_name for task in store.tasks.all()] == ["other"]
    others = [replace(RECORD, about={"prompt": "q"}), replace(RECORD, identity="m@y"), replace(RECORD, decoding={})]
    assert RECORD.task_id not in {other.task_id for other in others}
    assert replace(RECORD, model_name="other").task_id == RECORD.task_id


@pytest.mark.parametrize("tables", [("task_plan", "tasks"), ("codes", "coding_places", "codings")])
def test_a_store_from_before_has_none_and_gets_the_tables(tmp_path: Path, tables: tuple[str, ...]) -> None:
    """Reading finds nothing, writing makes them."""
    path = str(tmp_path / "r.db")
    open_store(path).close()
    with behind(path) as connection:
        for table in tables:
            connection.execute(text(f"DROP TABLE {table}"))
    with open_existing_store(path) as store:
        assert (store.tasks.all(), store.tasks.replies("x"), store.codings.all(), store.codings.places()) == (
            [],
            {},
            [],
            [],
        )
        planned(store, TaskRow("1", "", 0, "a"))
        assert store.tasks.all() == [RECORD]
