"""A person may end a run at any moment: at once or in order, and what was answered is kept and read."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from subprocess import Popen

import pytest

from tests.support.chat_server import Call, Reply, after, serve, status
from tests.support.commands import exambench, start
from tests.support.exams import write_exam
from tests.support.sittings import number_of, right, run_arguments, slowly, stored_texts, wait_for_calls

LONG = 60.0
"""Seconds that no test waits for: longer than those that :func:`end_of` grants a process."""


def end_of(process: Popen[str]) -> tuple[int, str]:
    """Return the exit code of a process that ends by itself, and the rest of its standard error."""
    _, errors = process.communicate(timeout=LONG / 2)
    return process.returncode, errors


def read_until(process: Popen[str], words: str) -> str:
    """Return standard error up to the line that has these words."""
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError(f"never said {words!r}: {lines}")


def first_five_at_once(call: Call) -> Reply:
    """Be right on the first five items, and silent for long on all others."""
    return right(call) if number_of(call) <= 5 else after(LONG, right(call))


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_cleanly_and_says_what_is_left(tmp_path: Path, sent: signal.Signals) -> None:
    """After Ctrl-C what was in flight is stored, and the next run asks the rest alone; a plain kill is no worse."""
    data = write_exam(tmp_path, 60)
    with serve(slowly(0.05)) as server:
        process = start(run_arguments(data, server, tmp_path / "r.db", "--concurrency", "2"))
        wait_for_calls(server, 6)
        process.send_signal(sent)
        code, errors = end_of(process)
        assert code == 1, errors
        assert "Ctrl-C abandons them" in errors
        assert re.search(r"\d+ were not asked", errors)
        asked = Counter(map(number_of, server.calls))
        assert len(stored_texts(tmp_path / "r.db")) == len(asked) < 60
        server.script = right
        assert exambench(*run_arguments(data, server, tmp_path / "r.db")).returncode == 0
    assert Counter(map(number_of, server.calls)) == Counter(range(1, 61))


def test_a_second_interrupt_abandons_what_is_in_flight(tmp_path: Path) -> None:
    """It ends at once with 130 and without a traceback; what was answered is stored and read."""
    data = write_exam(tmp_path, 20)
    with serve(first_five_at_once) as server:
        process = start(run_arguments(data, server, tmp_path / "r.db", "--concurrency", "2"))
        wait_for_calls(server, 7)
        process.send_signal(signal.SIGINT)
        read_until(process, "Ctrl-C abandons them")
        process.send_signal(signal.SIGINT)
        code, errors = end_of(process)
    assert code == 130
    assert "Traceback" not in errors
    assert "tester: interrupted; requests in flight were abandoned.\n" in errors
    assert "tester: 0 requests failed, 15 were not asked." in errors
    report = exambench("report", "--json", "--store", tmp_path / "r.db")
    assert json.loads(report.stdout)[0]["rows"][0]["scored"] == 5
    assert report.stderr == ""


def test_an_interrupt_is_meant_for_all_models(tmp_path: Path) -> None:
    """The models whose turn has not come are not asked, and named."""
    data = write_exam(tmp_path, 30)
    with serve(slowly(0.05)) as server:
        others = [part for name in ("second", "third") for part in ("--model", f"{name}@{server.base_url}")]
        process = start(run_arguments(data, server, tmp_path / "r.db", "--concurrency", "2", *others))
        wait_for_calls(server, 4)
        process.send_signal(signal.SIGINT)
        code, errors = end_of(process)
    assert code == 1
    assert {call.body["model"] for call in server.calls} == {"tester"}
    assert "Not asked: second, third.\n" in errors


def test_an_interrupt_ends_the_wait_for_a_further_try(tmp_path: Path) -> None:
    """An endpoint that asks for a minute's patience does not keep a person waiting for a minute."""
    data = write_exam(tmp_path, 4)
    with serve(lambda _: status(503, headers={"Retry-After": str(LONG)})) as server:
        process = start(run_arguments(data, server, tmp_path / "r.db"))
        wait_for_calls(server, 4)
        process.send_signal(signal.SIGINT)
        code, errors = end_of(process)
    assert code == 1
    assert "tester: 0 requests failed, 4 were not asked." in errors
    assert len(server.calls) == 4
