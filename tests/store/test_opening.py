"""A store opens where it can, and says why where it cannot."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from exambench.errors import ConfigError, MissingExtraError, StoreError
from exambench.store import Store, open_existing_store, open_store
from exambench.store.tables import SCHEMA_VERSION
from tests.store.examples import behind, planned_run
from tests.store.processes import lines_of, workers
from tests.support.postgres import PostgresServer


def test_a_store_outlives_the_process(location: str) -> None:
    """What was registered is there when the store is opened again."""
    with open_store(location) as store:
        run_id = planned_run(store)
    with open_existing_store(location) as store:
        assert store.run(run_id).model_name == "model"


def test_a_store_may_be_opened_twice(location: str, store: Store) -> None:
    """A second connection sees what the first one has stored."""
    run_id = planned_run(store)
    with open_store(location) as other:
        assert other.run(run_id) == store.run(run_id)


def test_bytes_that_are_no_text_are_told_as_what_is_wrong_with_the_file(tmp_path: Path) -> None:
    """SQLite quotes the broken schema, and its driver cannot read the quotation."""
    path = tmp_path / "a.db"
    with open_store(str(path)):
        pass
    path.write_bytes(path.read_bytes().replace(b"FOREIGN KEY", b"\xff\xffREIGN KEY"))
    with pytest.raises(StoreError, match=r"a\.db: .*"):
        open_store(str(path))


def test_an_sqlite_store_is_durable_and_does_not_block_readers(tmp_path: Path) -> None:
    """The file keeps a write-ahead log for good."""
    with open_store(str(tmp_path / "a.db")):
        pass
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_processes_that_open_first_at_one_moment_agree(location: str) -> None:
    """Four processes open a store that is not there yet; each gets it, and it is made once."""
    with workers(*[["open", location]] * 4) as started:
        assert [list(lines_of(process)) for process in started] == [["opened"]] * 4
        assert [process.wait() for process in started] == [0] * 4
    with behind(location) as connection:
        assert connection.execute(text("SELECT version FROM exambench_schema")).scalars().all() == [SCHEMA_VERSION]


def test_a_store_of_another_version_is_refused(location: str) -> None:
    """The error names both versions and what to do."""
    open_store(location).close()
    with behind(location) as connection:
        connection.execute(text("UPDATE exambench_schema SET version = 99"))
    with pytest.raises(StoreError, match=rf"version 99; this program reads and writes version {SCHEMA_VERSION}\. Use"):
        open_store(location)


def test_a_store_without_its_version_is_refused(location: str) -> None:
    """A store that cannot say its version is not guessed to be of ours."""
    open_store(location).close()
    with behind(location) as connection:
        connection.execute(text("DELETE FROM exambench_schema"))
    with pytest.raises(StoreError, match="lost its version"):
        open_store(location)


def test_another_programs_database_is_left_alone(location: str) -> None:
    """A database with tables of another program is refused and not changed."""
    with behind(location) as connection:
        connection.execute(text("CREATE TABLE runs (x INTEGER)"))
    with pytest.raises(StoreError, match="belongs to another program"):
        open_store(location)
    with behind(location) as connection:
        assert connection.execute(text("SELECT count(*) FROM runs")).scalar() == 0
        if "://" not in location:
            assert connection.execute(text("PRAGMA journal_mode")).scalar() == "delete"


def test_looking_into_a_store_does_not_create_one(location: str) -> None:
    """Opening an existing store where there is none fails and leaves no trace."""
    with pytest.raises(StoreError, match="there is no store here"):
        open_existing_store(location)
    if "://" not in location:
        assert not Path(location).exists()


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    """A text file is not a store, and stays as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("메모\n" * 1000, encoding="utf-8")
    with pytest.raises(StoreError, match=r"notes\.txt: file is not a database\. .*name another one"):
        open_store(str(path))
    assert path.read_text(encoding="utf-8") == "메모\n" * 1000


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """The error proposes a file in the folder."""
    with pytest.raises(StoreError, match=r"is a folder\. Name a file in it, such as .*exambench\.db"):
        open_store(str(tmp_path))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """The folder of a new store must be there."""
    with pytest.raises(StoreError, match=r"the folder .*nowhere does not exist"):
        open_store(str(tmp_path / "nowhere" / "a.db"))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, where not even root may write, is Linux's")
def test_an_unwritable_place_is_refused() -> None:
    """Where no file can be made the error says to choose another place."""
    with pytest.raises(StoreError, match=r"/proc/a\.db: unable to open database file\. .*name another store"):
        open_store("/proc/a.db")


@pytest.mark.parametrize(
    "location", ["", "mysql://me:hunter2@there/db", "sqlite://", "sqlite:///:memory:", "postgresql://me:hunter2@x:y/db"]
)
def test_a_place_of_another_kind_is_refused(location: str) -> None:
    """The error tells what is allowed, and shows no password."""
    with pytest.raises(ConfigError, match="allowed: a path, sqlite:///PATH, or postgresql://") as caught:
        open_store(location)
    assert "hunter2" not in str(caught.value)


def test_an_sqlite_url_names_a_file(tmp_path: Path) -> None:
    """``sqlite:///PATH`` is the store at that path."""
    with open_store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        run_id = planned_run(store)
    with open_store(str(tmp_path / "a.db")) as store:
        assert store.run(run_id).run_id == run_id


def test_an_unreachable_server_is_named_without_the_password(tmp_path: Path) -> None:
    """The error shows user, host and database, never the password, wherever the URL holds it."""
    for location in (
        f"postgresql://me:hunter2@/results?host={tmp_path}",
        f"postgresql://me@/results?host={tmp_path}&password=hunter2",
    ):
        with pytest.raises(StoreError, match=r"^postgresql://me@/results: .*[Cc]onnection") as caught:
            open_store(location)
        assert "hunter2" not in str(caught.value)


def test_a_missing_driver_is_an_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without psycopg the error names the extra."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[postgres\]'"):
        open_store("postgresql://me@there/results")


def test_a_server_that_cannot_hold_every_text_is_refused(postgres: PostgresServer) -> None:
    """A database of another encoding than UTF-8 is refused before anything is stored in it."""
    postgres.execute("CREATE DATABASE korean ENCODING 'EUC_KR' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="encoding is EUC_KR"):
        open_store(postgres.url("korean"))


@pytest.mark.parametrize(
    "location",
    [
        "postgresql://user:s3c@retpw@127.0.0.1:1/db",
        "postgresql:/user:s3cretpw@127.0.0.1/db",
        "host=127.0.0.1 password=s3cretpw dbname=x",
    ],
)
def test_an_address_that_was_meant_for_postgresql_is_refused_unseen(location: str) -> None:
    """A slip in an address neither shows its password nor makes a file of that name."""
    with pytest.raises(ConfigError) as caught:
        open_store(location)
    assert "retpw" not in str(caught.value)
