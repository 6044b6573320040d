"""A benchmark is opened alike for every command: found, read, refused when it has errors, its pictures read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from exambench.errors import ConfigError, DataError, ImageError, Severity
from exambench.evaluation.opening import open_benchmark, read_as_far_as_possible
from tests.support.exams import entry, write_exam


def write(folder: Path, *entries: object) -> Path:
    """Write a data file."""
    path = folder / "exam.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_opening_raises_every_error(tmp_path: Path) -> None:
    """A benchmark that must be usable is refused as a whole, each fault named."""
    data = write(tmp_path, entry(1), entry(2, answer=9), entry(3, part=0))
    with pytest.raises(DataError) as caught:
        open_benchmark("kmetbench", data, None)
    assert [(finding.item, finding.field) for finding in caught.value.findings] == [("2", "answer"), ("3", "part")]


def test_reading_goes_as_far_as_it_can(tmp_path: Path) -> None:
    """The sound item is there, and the faults of the other one."""
    opened = read_as_far_as_possible("kmetbench", write(tmp_path, entry(1), entry(2, answer=9)), None)
    assert [item.id for item in opened.benchmark.items] == ["1"]
    assert "answer" in {finding.field for finding in opened.findings if finding.severity is Severity.ERROR}


def test_warnings_stop_nobody(tmp_path: Path) -> None:
    """Sizes that differ from the release are told, and the items can be used."""
    opened = open_benchmark("kmetbench", write_exam(tmp_path, 3), None)
    assert len(opened.benchmark.items) == 3
    assert {finding.severity for finding in opened.findings} == {Severity.WARNING}


def test_pictures_are_read_where_their_folder_is_known(tmp_path: Path) -> None:
    """With the folder an item has the digest of its picture's file; without, it has none."""
    data, images = write_exam(tmp_path, 3, pictures=1), tmp_path / "images"
    digest = hashlib.sha256((images / "chart-3.png").read_bytes()).hexdigest()
    for folder, expected in ((images, digest), (None, None)):
        opened = open_benchmark("kmetbench", data, folder)
        (image,) = opened.benchmark.by_id["3"].wording().images
        assert (opened.images, image.sha256) == (folder, expected)


def test_our_own_exam_brings_its_pictures() -> None:
    """Nothing but the name is needed."""
    opened = open_benchmark("kmet-mini", None, None)
    assert opened.images == opened.benchmark.image_root == opened.definition.folder / "images"
    assert opened.findings == ()


def test_a_missing_picture_is_refused_with_its_item(tmp_path: Path) -> None:
    """Every missing picture is a finding."""
    data = write_exam(tmp_path, 3, pictures=2)
    for picture in (tmp_path / "images").iterdir():
        picture.unlink()
    with pytest.raises(ImageError) as caught:
        open_benchmark("kmetbench", data, tmp_path / "images")
    assert [finding.item for finding in caught.value.findings] == ["2", "3"]


def test_a_benchmark_that_is_not_there_is_refused() -> None:
    """The name is looked for among the shipped ones, then as a path."""
    with pytest.raises(ConfigError, match="nobody"):
        open_benchmark("nobody", None, None)
