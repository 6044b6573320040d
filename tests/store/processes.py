"""Processes that work on a store, started and waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import exambench

_SOURCES = Path(exambench.__file__).parents[1]
_WORKER = Path(__file__).with_name("worker.py")


@contextmanager
def workers(*commands: list[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Start a worker for each command, let all of them go at one moment, and end at last those that still run."""
    with ExitStack() as stack:
        started = [stack.enter_context(_worker(command)) for command in commands]
        for process in started:
            assert _line(process) == "ready"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        yield started


@contextmanager
def _worker(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-W", "error", _WORKER, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(_SOURCES)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield what a process says, whole lines only, until it ends."""
    assert process.stdout is not None
    return (line.strip() for line in process.stdout if line.endswith("\n"))
