"""``exambench describe`` reads a benchmark and its pictures, and says what it did not look at."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import DataError, ImageError
from exambench.evaluation.opening import open_benchmark
from tests.support.commands import exambench
from tests.support.exams import write_exam


@pytest.fixture(name="without_kiwi")
def fixture_without_kiwi(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the import of Kiwi fail, as it does where the extra is not installed."""
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)


def describe(*arguments: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, ["describe", *map(str, arguments)])


def test_our_own_exam_needs_no_further_argument() -> None:
    """Data and pictures lie beside the definition; the digest is the one that runs carry."""
    done = exambench("describe", "--benchmark", "kmet-mini", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    exam = open_benchmark("kmet-mini", None, None).benchmark
    assert (document["n"], document["content_hash"]) == (len(exam.items), exam.content_hash)
    assert [count["value"] for count in document["pictures"]["kinds"]] == ["PNG"]
    assert [lengths["unit"].split()[0] for lengths in document["lengths"][:3]] == ["characters", "words", "Kiwi"]
    assert document["duplicates"] == []
    assert document["notes"] == []


@pytest.mark.usefixtures("without_kiwi")
def test_pictures_without_a_folder_are_not_looked_at(tmp_path: Path) -> None:
    """Where they are shown is counted, and a note says how to look at them."""
    done = describe(write_exam(tmp_path, 3, pictures=1), "--benchmark", "kmetbench", "--json")
    document = json.loads(done.stdout)
    assert (document["pictures"]["shown"], document["pictures"]["kinds"]) == (1, [])
    assert document["notes"][-1] == "The pictures were not looked at: name their folder with --images."
    assert done.stderr.startswith("warning: ")


@pytest.mark.usefixtures("without_kiwi")
def test_a_folder_of_pictures_can_be_named(tmp_path: Path) -> None:
    """The files below it are looked at."""
    done = describe(write_exam(tmp_path, 3, pictures=1), "--images", tmp_path / "images", "--csv")
    assert ",pictures,width,,mean,40.0\n" in done.stdout


@pytest.mark.usefixtures("without_kiwi")
@pytest.mark.parametrize(
    ("options", "first_line"), [(["--markdown"], "## kmet-mini: items\n"), ([], "kmet-mini: items ──")]
)
def test_each_form_is_printed(options: list[str], first_line: str) -> None:
    """Markdown, and the terminal's tables by default."""
    done = describe("--benchmark", "kmet-mini", *options)
    assert done.exit_code == 0
    assert done.stdout.startswith(first_line)


def test_a_missing_picture_is_an_error(tmp_path: Path) -> None:
    """The error names the item and the file; nothing is counted."""
    data = write_exam(tmp_path, 3, pictures=1)
    (tmp_path / "images" / "chart-3.png").unlink()
    done = describe(data, "--images", tmp_path / "images")
    assert isinstance(done.exception, ImageError)
    assert "chart-3.png, item 3: there is no such picture" in str(done.exception)
    assert done.stdout == ""


def test_data_with_errors_are_refused(tmp_path: Path) -> None:
    """Every error of the data is told; nothing is counted."""
    path = tmp_path / "exam.json"
    path.write_text("[{}]", encoding="utf-8")
    done = describe(path)
    assert isinstance(done.exception, DataError)
    assert "field id" in str(done.exception)
    assert done.stdout == ""


@pytest.mark.usefixtures("without_kiwi")
def test_without_the_korean_extra_there_are_characters_and_words() -> None:
    """The note names the extra and how to install it."""
    document = json.loads(describe("--benchmark", "kmet-mini", "--json").stdout)
    assert {lengths["unit"] for lengths in document["lengths"]} == {"characters", "words"}
    (note,) = document["notes"]
    assert note.startswith("Lengths are given in characters and words only: ")
    assert "pip install '.[korean]'" in note
