"""``exambench describe`` reads a benchmark and its pictures, and says what it did not look at."""

from __future__ import annotations

import json
import os
from pathlib import Path

from exambench.benchmarks import find_definition, load_benchmark
from exambench.evaluation.pictures import with_pictures
from tests.support.commands import exambench
from tests.support.exams import write_exam


def test_our_own_exam_needs_no_further_argument() -> None:
    """Data and pictures lie beside the definition; the digest is the one that runs carry."""
    done = exambench("describe", "--benchmark", "kmet-mini", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    definition = find_definition("kmet-mini")
    exam = with_pictures(load_benchmark(definition), definition.folder / "images")
    assert (document["n"], document["content_hash"]) == (len(exam.items), exam.content_hash)
    assert [count["value"] for count in document["pictures"]["kinds"]] == ["PNG"]
    assert {lengths["unit"] for lengths in document["lengths"]} >= {"characters", "words"}
    assert document["duplicates"] == []


def test_pictures_without_a_folder_are_not_looked_at(tmp_path: Path) -> None:
    """Where they are shown is counted, and a note says how to look at them."""
    done = exambench("describe", write_exam(tmp_path, 3, pictures=1), "--benchmark", "kmetbench", "--json")
    document = json.loads(done.stdout)
    assert (document["pictures"]["shown"], document["pictures"]["kinds"]) == (1, [])
    assert document["notes"] == ["The pictures were not looked at: name their folder with --images."]
    assert "warning: " in done.stderr


def test_a_folder_of_pictures_can_be_named(tmp_path: Path) -> None:
    """The files below it are looked at."""
    done = exambench("describe", write_exam(tmp_path, 3, pictures=1), "--images", tmp_path / "images", "--csv")
    assert ",pictures,width,,mean,40.0\n" in done.stdout


def test_a_missing_picture_ends_in_exit_code_2(tmp_path: Path) -> None:
    """The error names the item and the file."""
    data = write_exam(tmp_path, 3, pictures=1)
    (tmp_path / "images" / "chart-3.png").unlink()
    done = exambench("describe", data, "--images", tmp_path / "images")
    assert (done.returncode, done.stdout) == (2, "")
    assert "item 3: there is no such picture" in done.stderr


def test_data_with_errors_ends_in_exit_code_2(tmp_path: Path) -> None:
    """Every error of the data is told; nothing is counted."""
    path = tmp_path / "exam.json"
    path.write_text("[{}]", encoding="utf-8")
    done = exambench("describe", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "field id" in done.stderr


def test_without_the_korean_extra_there_are_characters_and_words(tmp_path: Path) -> None:
    """The note names the extra and how to install it."""
    # A module that raises on import stands in for an installation without Kiwi.
    (tmp_path / "kiwipiepy.py").write_text("raise ImportError", encoding="utf-8")
    source = Path(__file__).parents[2] / "src"
    done = exambench(
        "describe",
        "--benchmark",
        "kmet-mini",
        "--json",
        env={"PYTHONPATH": os.pathsep.join([str(tmp_path), str(source)])},
    )
    document = json.loads(done.stdout)
    assert {lengths["unit"] for lengths in document["lengths"]} == {"characters", "words"}
    (note,) = document["notes"]
    assert note.startswith("Lengths are given in characters and words only: ")
    assert "pip install 'exambench[korean]'" in note
