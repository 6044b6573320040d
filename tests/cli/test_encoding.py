"""What a command prints reaches its reader whatever encoding the machine is set to."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.commands import command, environment, exambench


def test_a_pipe_gets_utf8_under_any_locale(tmp_path: Path) -> None:
    """Korean text of a store, written by an interpreter that is set to ASCII, is whole."""
    store = tmp_path / "r.db"
    run = exambench("run", "--benchmark", "kmet-mini", "--model", "baseline/first", "--store", store)
    assert run.returncode == 0
    printed = subprocess.run(
        command("items", "--store", store, "--csv"),
        env=environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C"),
        capture_output=True,
        check=False,
    )
    assert printed.returncode == 0, printed.stderr.decode()
    assert printed.stdout.decode("utf-8") == exambench("items", "--store", store, "--csv").stdout


def test_an_error_names_a_korean_file_under_any_locale() -> None:
    """The message is about the file, not about its letters."""
    result = subprocess.run(
        command("analyze", "없는-파일.csv"),
        env=environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C.UTF-8"),
        capture_output=True,
        check=False,
    )
    assert result.returncode == 2
    assert "없는-파일.csv" in result.stderr.decode("utf-8")
