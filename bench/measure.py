"""Run a command to its end and say what it cost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took, from start to end.

    Attributes:
        status: Exit status; negative when a signal ended it.
        seconds: Time from start to end.
        cpu_seconds: User and system time of the process and of its children.
        peak_bytes: Largest resident size of the process, or of one of its children if that was larger. Linux counts
            the size of the starting process too, so this one has to stay small.
    """

    status: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int


def run_measured(
    command: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str],
    timeout: float,
    started: Callable[[int], None] = lambda _pid: None,
) -> Cost:
    """Run a command in a session of its own; end all of it when it takes longer than ``timeout`` seconds.

    Args:
        command: Program and arguments.
        log: Takes standard output and error.
        env: The whole environment.
        timeout: Seconds until the process group is killed.
        started: Is called with the process id as soon as there is one.
    """
    with log.open("wb") as out:
        start = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, start_new_session=True
        )
        timer = threading.Timer(timeout, _kill_group, [process.pid])
        timer.start()
        try:
            started(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            _kill_group(process.pid)
            raise
        finally:
            timer.cancel()
        seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
