"""Responses without an outcome are read in memory, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.evaluation.looking import FreshReadings
from exambench.outcomes import Answered
from exambench.parsing import PARSERS
from exambench.store import RunRecord, Store, open_store, open_store_read_only
from tests.support import stored_runs as made

EXAM = made.exam(*(made.item(number) for number in range(3)))


def test_each_response_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A further look reads what has come since, and forgets what has its outcome in the store by now."""
    read: list[str | None] = []

    def reader(text: str | None, *_: object) -> Answered:
        read.append(text)
        return Answered(1)

    monkeypatch.setattr("exambench.evaluation.looking.PARSERS", {**PARSERS, "dict-strict": reader})
    location = str(tmp_path / "a.db")
    with open_store(location) as store, open_store_read_only(location) as looked_at:
        fresh = FreshReadings()
        record = made.add_run(store, EXAM, "m", {"문항 0": ["eins"], "문항 1": [made.WAITING]}, read=False)
        assert set(fresh.of(looked_at, record, EXAM)) == {("문항 0", 0)}
        made.add_run(store, EXAM, "m", {"문항 1": ["zwei"]}, read=False)
        assert set(fresh.of(looked_at, record, EXAM)) == {("문항 0", 0), ("문항 1", 0)}
        assert read == ["eins", "zwei"]
        made.add_run(store, EXAM, "m", {"문항 2": ["drei"]}, read=True)
        assert fresh.of(looked_at, record, EXAM) == {}


def test_a_parser_that_this_version_lacks_reads_nothing(tmp_path: Path) -> None:
    """Its responses stay unread; that is no error of the store."""
    with open_store(str(tmp_path / "a.db")) as store:
        record = _unknown_parser(store)
        assert FreshReadings().of(store, record, EXAM) == {}


def _unknown_parser(store: Store) -> RunRecord:
    protocol = {"strict": "of-tomorrow", "lenient": "dict-lenient"}
    return made.add_run(store, EXAM, "m", {"문항 0": [made.answer(1)]}, read=False, protocol=protocol)
