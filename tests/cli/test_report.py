"""``exambench report`` on stored runs with several trials, some of which failed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.exams import write_exam

RIGHT_ONCE = (1, 42), (2, 42), (2, 43), (3, 42), (4, 42), (5, 42), (6, 42), (6, 43), (6, 44)
"""Items and seeds that are answered: nine of twenty-four, of which item 6 still lacks its fourth trial."""


def run(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100", "TERM": "dumb"})


def report(store: Path, *options: str) -> Any:
    """Return the JSON document of a report."""
    done = run("report", "--json", "--store", store, *options)
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


def place(call: Call) -> tuple[int, int]:
    """Return the number of the item that a call asks about, and its seed."""
    match = re.search(r"(\d+)번 관측소", call.prompt)
    assert match is not None
    return int(match[1]), call.body["seed"]


def right(call: Call) -> Reply:
    """Answer every item rightly."""
    return completion(json.dumps({"정답": place(call)[0] % 4 + 1}, ensure_ascii=False))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers nine of the twenty-four requests, and fails the others."""
    with serve(lambda call: right(call) if place(call) in RIGHT_ONCE else status(400)) as started:
        yield started


def sit(folder: Path, server: ChatServer, *options: str) -> Path:
    """Put an exam of six items to the server, and return the store."""
    data = folder / "exam.json"
    if not data.exists():
        write_exam(folder, 6)
    model = f"tester@{server.base_url}"
    store = folder / "results.db"
    run("run", "--benchmark", "kmetbench", "--data", data, "--model", model, "--store", store, *options)
    return store


def test_a_run_with_failed_trials_is_not_complete(tmp_path: Path, server: ChatServer) -> None:
    """Each item has a score in some trial, and none in all four: no place, and what failed is counted."""
    store = sit(tmp_path, server, "--trials", "4")
    ((row,),) = [ranking["rows"] for ranking in report(store)]
    assert (row["rank"], row["complete"], row["scored"], row["expected"]) == (None, False, 0, 6)
    assert (row["requests"], row["requests_failed"], row["outcomes"]["failed"]) == (24, 15, 15)
    shown = run("report", "--store", store).stdout
    assert "scored 0/6" in shown
    assert "failed 15" in shown
    server.script = right
    sit(tmp_path, server, "--trials", "4")
    ((row,),) = [ranking["rows"] for ranking in report(store)]
    assert (row["rank"], row["complete"], row["requests_failed"]) == (1.0, True, 0)
    assert row["over_trials"]["sd"] == 0.0


def test_a_run_of_other_trials_is_marked(tmp_path: Path, server: ChatServer) -> None:
    """One model sat once, the other three times: both are in the ranking, each with its trials."""
    server.script = right
    sit(tmp_path, server, "--trials", "3")
    store = tmp_path / "results.db"
    once = ("--benchmark", "kmetbench", "--data", tmp_path / "exam.json", "--store", store)
    assert run("run", *once, "--model", "baseline/first").exit_code == 0
    (ranking,) = report(store)
    assert {row["model"]: row["trials"] for row in ranking["rows"]} == {"tester": [3], "baseline/first": [1]}
    shown = run("report", "--store", store).stdout
    assert "3 trials" in shown
    assert "differ in their number of trials" in " ".join(shown.split())
