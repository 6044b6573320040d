"""Exams of :mod:`tests.support.exams` put to a scripted server through the command line."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from exambench.store import open_existing_store
from tests.support.chat_server import Call, ChatServer, Reply, Script, after, completion

NUMBER = re.compile(r"(\d+)번 관측소")


def number_of(call: Call) -> int:
    """Return the number of the item that a call asks about."""
    match = NUMBER.search(call.prompt)
    assert match is not None
    return int(match[1])


def right(call: Call) -> Reply:
    """Answer every item rightly."""
    return completion(json.dumps({"정답": number_of(call) % 4 + 1}, ensure_ascii=False))


def slowly(seconds: float) -> Script:
    """Return a script that is right, after a while."""
    return lambda call: after(seconds, right(call))


def run_arguments(data: Path, server: ChatServer, store: Path, *more: str | Path) -> list[str | Path]:
    """Return the arguments that put an exam to a server."""
    model = f"tester@{server.base_url}"
    return ["run", "--benchmark", "kmetbench", "--data", data, "--model", model, "--store", store, *more]


def write_model(path: Path, server: ChatServer, more: str = "") -> Path:
    """Write a model file of ``tester`` at a server, which tries each request once, and return its path."""
    path.write_text(
        f'name = "tester"\n{more}\n[endpoint]\nbase_url = "{server.base_url}"\n[limits]\nmax_attempts = 1\n',
        encoding="utf-8",
    )
    return path


def stored_texts(store: Path) -> dict[str, str | None]:
    """Return the text of the stored response of each item of the only run."""
    with open_existing_store(str(store)) as results:
        (summary,) = results.runs()
        return {row.item_id: row.response.text for row in results.responses(summary.run_id)}


def wait_for_calls(server: ChatServer, count: int) -> None:
    """Wait until the server has seen as many calls."""
    deadline = time.monotonic() + 30
    while len(server.calls) < count:
        assert time.monotonic() < deadline, f"only {len(server.calls)} calls came"
        time.sleep(0.005)
