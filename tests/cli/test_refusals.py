"""What the system refuses is one message and exit code 2, wherever it happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from exambench.cli.app import start
from exambench.cli.writing import write_texts
from exambench.errors import ConfigError


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "--project", "x" * 300],
        ["export", "kmetbench", "out", "--benchmark", "x" * 300],
        ["check", "--benchmark", f"kmetbench/{'x' * 5000}"],
    ],
)
def test_a_name_that_no_file_can_have_is_told(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name, and what the system says of it; no traceback."""
    monkeypatch.setattr(sys, "argv", ["exambench", *arguments])
    with pytest.raises(SystemExit) as ended:
        start()
    assert ended.value.code == 2
    assert re.search(r"x{300}\S*: the system refuses it: File name too long\.", capsys.readouterr().err)


@pytest.mark.parametrize("place", [Path(), Path("/")])
def test_a_text_is_not_written_in_place_of_a_folder(place: Path) -> None:
    """A path without a name of a file is refused as such."""
    with pytest.raises(ConfigError, match="is a folder"):
        write_texts({place: ""})


def test_half_a_surrogate_pair_becomes_its_escape(tmp_path: Path) -> None:
    """In JSON, which holds it, it means the same; and no half-written file stays behind."""
    write_texts({tmp_path / "a.json": '["\ud800가"]'})
    assert (tmp_path / "a.json").read_bytes() == '["\\ud800가"]'.encode()
    assert list(tmp_path.iterdir()) == [tmp_path / "a.json"]
