"""Files that people write are read or refused, whatever they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from exambench.configuration import read_ordinary, read_table
from exambench.errors import ConfigError

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
"""Forty lines that stand for 2^40 values."""


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", LAUGHS, r"the alias \*a0 is not followed"),
        ("a.yaml", "a: &a [*a]", r"the alias \*a is not followed"),
        ("a.yaml", "day: 2001-13-45", "month must be in 1..12"),
        ("a.yaml", f"a: {'9' * 5000}", "cannot be read"),
        ("a.toml", f"a = {'9' * 5000}", "cannot be read"),
        ("a.toml", f"a = {'[' * 5000}{']' * 5000}", "cannot be read"),
    ],
)
def test_a_table_that_is_none_is_one_error(tmp_path: Path, name: str, text: str, message: str) -> None:
    """What the parsers stumble over, and what would fill the memory, is named with the file."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"{name}: cannot be read: .*{message}|{name}: {message}"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("place", ["pipe", "folder", "/dev/zero", "nul\0"])
def test_only_ordinary_files_are_read(tmp_path: Path, place: str) -> None:
    """A pipe that nobody writes to and a device that never ends would be waited for for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_table(tmp_path / place)


def test_a_file_has_a_sensible_size(tmp_path: Path) -> None:
    """It is told before anything is read."""
    (tmp_path / "a").write_bytes(b"12345")
    assert read_ordinary(tmp_path / "a", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_ordinary(tmp_path / "a", 4)
