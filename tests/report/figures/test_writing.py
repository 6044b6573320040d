"""Files in a folder: all of them, or those that were there before."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from exambench.errors import ConfigError
from exambench.report.figures.fonts import find_font
from exambench.report.figures.rendering import FileFormat
from exambench.report.figures.writing import write_figures
from tests.support.figures import every_figure


def test_a_full_disk_leaves_the_older_files_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full at the second file: a picture and the numbers beside it still belong together."""
    older = {"gpu-hours.svg": b"picture", "gpu-hours.csv": b"numbers"}
    for name, data in older.items():
        (tmp_path / name).write_bytes(data)
    write_bytes = Path.write_bytes
    written: list[Path] = []

    def until_full(path: Path, data: bytes) -> int:
        if written:
            write_bytes(path, data[:1])
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    with pytest.raises(ConfigError, match="No space left"):
        write_figures(tmp_path, [("gpu-hours", every_figure()["gpu-hours"])], [FileFormat.SVG], find_font())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == older
