"""The preflight names everything that is wrong with a benchmark's files, and its exit code says how bad it is."""

import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from exambench.errors import Severity
from exambench.evaluation.preflight import check
from tests.support.commands import exambench
from tests.support.exams import entry, write_exam


@pytest.fixture
def definition_file(tmp_path: Path) -> Path:
    """Write a definition without expected sizes, and return it."""
    path = tmp_path / "benchmark.toml"
    path.write_text('extends = "kmetbench"\nname = "small"\nexpected = []\n', encoding="utf-8")
    return path


def test_our_own_exam_is_without_findings() -> None:
    """kmet-mini passes its own preflight, pictures included."""
    done = exambench("check", "--benchmark", "kmet-mini")
    assert (done.returncode, done.stdout) == (0, "60 usable items, 26 pictures: 0 errors, 0 warnings.\n")


def test_warnings_alone_exit_with_one(tmp_path: Path) -> None:
    """Sizes that differ from the release are warnings, with both numbers."""
    done = exambench("check", write_exam(tmp_path, 3), "--benchmark", "kmetbench")
    assert done.returncode == 1
    assert "(found 3); allowed: 1774" in done.stdout


def test_errors_exit_with_two_and_are_all_named(tmp_path: Path, definition_file: Path) -> None:
    """Every fault is printed, not the first one alone."""
    path = tmp_path / "exam.json"
    path.write_text(json.dumps([entry(1, answer=7), entry(2, part=9), entry(2)]), encoding="utf-8")
    done = exambench("check", path, "--benchmark", definition_file)
    assert done.returncode == 2
    assert "item 1, field answer" in done.stdout
    assert "item 2, field part" in done.stdout


def test_a_missing_picture_is_an_error_that_names_item_and_file(tmp_path: Path, definition_file: Path) -> None:
    """A picture that is not in the folder is found before a model is asked."""
    data = write_exam(tmp_path, 4, pictures=1)
    (tmp_path / "images" / "chart-4.png").unlink()
    found = check(str(definition_file), data, tmp_path / "images")
    (finding,) = found.findings
    assert (finding.severity, finding.item) == (Severity.ERROR, "4")
    assert "chart-4.png" in str(finding)


def test_a_picture_that_is_none_is_an_error(tmp_path: Path, definition_file: Path) -> None:
    """A web page saved under a picture's name is not sent to anybody."""
    data = write_exam(tmp_path, 4, pictures=1)
    (tmp_path / "images" / "chart-4.png").write_text("<html>not found</html>", encoding="utf-8")
    found = check(str(definition_file), data, tmp_path / "images")
    assert [finding.severity for finding in found.findings] == [Severity.ERROR]


def test_a_picture_of_another_type_than_its_name_says_is_a_warning(tmp_path: Path, definition_file: Path) -> None:
    """A JPEG called .png is sent as what it is, and remarked on."""
    data = write_exam(tmp_path, 4, pictures=1)
    Image.new("RGB", (40, 30)).save(tmp_path / "images" / "chart-4.png", format="JPEG")
    found = check(str(definition_file), data, tmp_path / "images")
    (finding,) = found.findings
    assert finding.severity is Severity.WARNING
    assert "image/jpeg" in finding.problem


def test_a_path_that_leads_out_of_the_folder_is_an_error(tmp_path: Path, definition_file: Path) -> None:
    """A data file cannot make us send any other file of the machine."""
    shutil.copy(
        write_exam(tmp_path / "other", 1, pictures=1).parent / "images" / "chart-1.png", tmp_path / "secret.png"
    )
    (tmp_path / "images").mkdir()
    path = tmp_path / "exam.json"
    question = {"text": "?", "image": "../secret.png"}
    path.write_text(json.dumps([entry(1, question=question, multimodal=True)]), encoding="utf-8")
    found = check(str(definition_file), path, tmp_path / "images")
    assert [finding.severity for finding in found.findings] == [Severity.ERROR]


def test_pictures_that_were_not_looked_at_are_a_warning(tmp_path: Path, definition_file: Path) -> None:
    """Without a folder the preflight says what it could not look at."""
    found = check(str(definition_file), write_exam(tmp_path, 4, pictures=2), None)
    assert "2 pictures were not looked at" in found.findings[0].problem


def test_a_pipe_in_the_place_of_a_picture_is_an_error_and_no_wait(tmp_path: Path) -> None:
    """A named pipe has no end that could be read; it is refused before a byte is."""
    data = write_exam(tmp_path, 2, pictures=1)
    (tmp_path / "images" / "chart-2.png").unlink()
    os.mkfifo(tmp_path / "images" / "chart-2.png")
    arguments = ("--benchmark", "kmetbench", "--images", tmp_path / "images")
    done = exambench("run", "--data", data, *arguments, "--model", "baseline/first", "--store", tmp_path / "r.db")
    assert done.returncode == 2
    assert "chart-2.png" in done.stderr


def test_a_data_file_that_is_not_there_is_one_error() -> None:
    """A wrong path ends in one message and exit code 2, without a traceback."""
    done = exambench("check", "no-such-file.json")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
