"""The command line as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def command(*arguments: str | Path) -> list[str]:
    """Return the command line of ``exambench`` with this interpreter."""
    return [sys.executable, "-m", "exambench", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    """Return the environment for a command: ours, the source tree, and a terminal of 120 columns without colours."""
    return os.environ | {"PYTHONPATH": str(SOURCE), "COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"} | changes


def exambench(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``exambench`` to its end and return what it printed and its exit code."""
    return subprocess.run(
        command(*arguments), cwd=cwd, env=environment(**(env or {})), capture_output=True, text=True, check=False
    )


def start(arguments: Sequence[str | Path], cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start ``exambench`` and return the process; whoever starts it waits for it."""
    return subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
