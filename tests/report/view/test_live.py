"""The store at this moment: who works on what, how fast, on which database, and which store it is by now."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import create_autospec
from urllib.parse import urlencode

import pytest

from exambench.errors import StoreError
from exambench.report.view.live import ALIVE, LiveStore, Looking
from exambench.report.view.progress import WINDOW
from exambench.store import Store, open_store
from exambench.store.times import to_text
from tests.support import stored_runs as made
from tests.support.postgres import postgres_server
from tests.support.viewing import client

EXAM = made.exam(*(made.item(number) for number in range(6)))
WRITTEN: dict[str, list[made.Written]] = {
    "문항 0": [made.answer(1)],
    "문항 1": [made.answer(3)],
    "문항 2": ["?"],
    "문항 3": [made.WAITING],
    "문항 4": [made.WAITING],
    "문항 5": [made.FAILED],
}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a run that began 100 seconds before noon; its three responses came 90, 30 and 10 seconds before."""
    place = tmp_path / "a.db"
    with open_store(str(place)) as store:
        made.add_run(store, EXAM, "model", WRITTEN, read=False)
    connection = sqlite3.connect(place)
    keys = [key for (key,) in connection.execute("SELECT request_key FROM responses ORDER BY request_key")]
    for key, seconds in zip(keys, (90, 30, 10), strict=True):
        moment = to_text(NOON - timedelta(seconds=seconds))
        connection.execute("UPDATE responses SET created_at = ? WHERE request_key = ?", (moment, key))
    connection.execute(
        "UPDATE sessions SET started_at = ?, heartbeat_at = ?, ended_at = NULL",
        (to_text(NOON - timedelta(seconds=100)), to_text(NOON)),
    )
    connection.commit()
    connection.close()
    return place


def test_the_rate_is_that_of_the_last_minute(path: Path) -> None:
    """Two responses in 60 seconds: three that are left take 90."""
    looking = Looking(str(path), clock=lambda: NOON)
    with looking.moment() as moment:
        (found,) = moment.progress()
    looking.close()
    assert timedelta(seconds=60) == WINDOW
    assert found.is_on
    assert found.rate == pytest.approx(2 / 60)
    assert (found.done, found.asked, found.left) == (3, 6, "0:01:30")
    assert {str(kind): n for kind, n in found.outcomes.items()} == {"answered": 2, "unparsed": 1}


def test_a_run_that_gives_no_sign_of_life_is_not_going_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was killed: nothing is written any more, and yet the page changes."""
    monkeypatch.setattr("exambench.report.view.memory.PATIENCE", 0.0)
    clock = [NOON]
    looking = Looking(str(path), clock=lambda: clock[0])
    found = []
    for seconds in (0, ALIVE.total_seconds() + 5):
        clock[0] = NOON + timedelta(seconds=seconds)
        with looking.moment() as moment:
            found.append([each.is_on for each in moment.progress()])
    looking.close()
    assert found == [[True], [False]]


def test_a_store_that_nobody_replaced_is_opened_once(path: Path) -> None:
    """One that is gone is an error; when it is back, it is the same; another one in its place is opened."""
    live = LiveStore(str(path))
    first = live.open()
    assert live.open() is first
    away = path.rename(path.with_name("away.db"))
    with pytest.raises(StoreError, match="no store here"):
        live.open()
    away.rename(path)
    assert live.open() is first
    open_store(str(away)).close()
    away.rename(path)
    assert live.open() is not first
    live.close()


def test_the_counts_of_runs_are_asked_for_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost a scan of all responses: rankings, costs and progress share them."""
    asked = create_autospec(Store.runs, side_effect=Store.runs)  # a function, so that it is called with its store
    monkeypatch.setattr(Store, "runs", asked)
    looking = Looking(str(path), clock=lambda: NOON)
    with looking.moment() as moment:
        assert moment.material().boards
        assert moment.progress()
    looking.close()
    assert asked.call_count == 1


def test_the_pages_are_there_from_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live as from a file: what another connection writes is seen, and what has not changed is not sent again."""
    monkeypatch.setattr("exambench.report.view.memory.PATIENCE", 0.0)
    with postgres_server() as server:
        location = server.create_database()
        with open_store(location) as store, client(location) as reader:
            run = made.add_run(store, EXAM, "model", WRITTEN, read=False)
            page = f"/run/{run.run_id}.html?show=readings&q=1&outcome=right&axis=korean&order=newest"
            answer = f"/answer/{run.run_id}.html?{urlencode({'item': '문항 1', 'trial': '0'})}"
            for path in ("/runs.html", "/index.html", "/items/index.html", page, answer):
                first = reader.get(path)
                assert first.status_code == 200
                assert reader.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 304
            made.add_run(store, EXAM, "newcomer", {"문항 0": [made.answer(1)]})
            assert "newcomer" in reader.get("/runs.html").text
