"""``exambench view`` as a person starts and ends it: in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from exambench.cli import main
from exambench.errors import ConfigError, StoreError
from exambench.report.view.serving import ServerOptions, listening, serve
from exambench.store import open_store
from tests.support.commands import command, environment

TOKEN = "correct-horse-battery"  # noqa: S105 - of this test


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store."""
    path = tmp_path_factory.mktemp("store") / "a.db"
    open_store(str(path)).close()
    return path


@contextmanager
def viewing(*arguments: str | Path, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and give the process and the address that it prints."""
    process = subprocess.Popen(
        command("view", *arguments),
        env=environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def test_it_serves_until_it_is_interrupted_and_prints_its_token_once(store: Path) -> None:
    """It answers who knows the token, and ends without a word about it, also with a reader's connection open."""
    with (
        viewing("--store", store, EXAMBENCH_VIEW_TOKEN=TOKEN) as (process, address),
        httpx.Client(trust_env=False, timeout=60) as reader,
    ):
        place, _, token = address.partition("?token=")
        assert token == TOKEN
        assert [reader.get(f"{place}?token={given}").status_code for given in ("wrong", TOKEN)] == [401, 200]
        assert reader.get(f"{place}runs.html").status_code == 200
        os.kill(process.pid, signal.SIGINT)
        printed, complaints = process.communicate(timeout=60)
        assert TOKEN not in printed
        assert complaints == ""
        assert process.returncode == 0


def test_what_cannot_be_served_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing on standard output."""
    monkeypatch.setattr("sys.argv", ["exambench", "view", "--store", f"{tmp_path}/a.db"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capfd.readouterr() == (
        "",
        f"exambench: {tmp_path}/a.db: there is no store here. Name another one with --store, or run a model first.\n",
    )


@pytest.mark.parametrize("case", ["folder", "foreign", "text"])
def test_what_is_no_store_is_named(tmp_path: Path, case: str) -> None:
    """Before anything listens."""
    place = tmp_path if case == "folder" else tmp_path / "a.db"
    if case == "foreign":
        connection = sqlite3.connect(place)
        connection.execute("CREATE TABLE mine (x)")
        connection.close()
    elif case == "text":
        place.write_text("something else entirely, long enough to be looked at\n" * 30, encoding="utf-8")
    with pytest.raises(StoreError, match=re.escape(str(place))):
        serve(ServerOptions(str(place)), announced)


def test_a_locked_store_is_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody keeps it to himself for longer than a reader waits."""
    monkeypatch.setattr("exambench.store.opening.READING_BUSY_SECONDS", 0.01)
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(StoreError, match="locked"):
            serve(ServerOptions(str(store)), announced)
    finally:
        connection.close()


def test_a_port_in_use_is_named(store: Path) -> None:
    """With what to do."""
    with listening("127.0.0.1", 0) as taken:
        port = int(taken.getsockname()[1])
        with pytest.raises(ConfigError, match=f"port {port}.*Name another port"):
            serve(ServerOptions(str(store), port=port), announced)


def test_a_folder_of_pictures_that_is_not_there_is_named(store: Path, tmp_path: Path) -> None:
    """A slip of the pen would otherwise show as pictures that are missing on every page."""
    with pytest.raises(ConfigError, match=r"--images.*nowhere"):
        serve(ServerOptions(str(store), images=tmp_path / "nowhere"), announced)


def announced(address: str) -> None:
    """Fail: nothing is to be announced."""
    pytest.fail(f"{address} was announced")
