"""A project folder that is broken, changed by hand or full of traps is refused in one message, and hurts nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from exambench.construct import files
from exambench.construct.building import State, final_items, states
from exambench.construct.files import digest_of_files, one_at_a_time, read_stage_record, write_stage
from exambench.construct.lineage import lineage
from exambench.construct.project import read_project
from exambench.construct.records import StageError, record_from_json, record_to_json
from exambench.errors import ConfigError, DataError, ImageError, InputError
from tests.construct.projects import build, outcome, write_project
from tests.support.exams import entry

DEDUP = '[[stages]]\nuse = "dedup"\n'


@pytest.fixture(name="built", scope="module")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of three items, built once; tests copy it."""
    folder = tmp_path_factory.mktemp("built")
    write_project(folder, [entry(number) for number in range(1, 4)], DEDUP, {})
    build(folder)
    return folder


@pytest.fixture(name="folder")
def _folder(built: Path, tmp_path: Path) -> Path:
    return copytree(built, tmp_path / "project")


def changed(folder: Path, stage: str, change: Callable[[str], str], name: str = "record.json") -> None:
    """Change a file of a stage by hand."""
    path = folder / "stages" / stage / name
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"near-duplicate"', '"whatever"').replace('"dropped"', '"noted"'),
        lambda text: text.replace('"facts": {', '"facts": {"more": 1, '),
        lambda text: text[: len(text) // 2],
        lambda _: "[]",
        lambda _: "[" * 100_000,
        lambda _: "9" * 6000,
    ],
)
def test_a_record_that_was_changed_by_hand_is_refused(folder: Path, change: Callable[[str], str]) -> None:
    """What a release and its datasheet say of the stages is what the stages did."""
    before = (folder / "stages" / "dedup" / "record.json").read_text(encoding="utf-8")
    changed(folder, "dedup", change)
    assert (folder / "stages" / "dedup" / "record.json").read_text(encoding="utf-8") != before
    with pytest.raises(DataError, match=r"record\.json: cannot be read: .*Delete the stage's folder"):
        states(read_project(folder))


@pytest.mark.parametrize(
    "change",
    [
        {"facts": []},
        {"name": 1},
        {"in": "1"},
        {"changes": {}},
        {"changes": [{"item": {}, "action": "noted", "reason": "", "details": {}}]},
        {"changes": [{"item": "1", "action": "noted", "reason": "", "details": []}]},
        {"spending": {}},
    ],
)
def test_a_record_of_other_types_is_none(folder: Path, change: dict[str, object]) -> None:
    """Somebody else's project may be sealed anew."""
    body = {**record_to_json(outcome(folder, "dedup")[0]), **change}
    with pytest.raises((KeyError, TypeError)):
        record_from_json(json.loads(json.dumps(body)))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_record_has_no_number_that_is_none(folder: Path, number: float) -> None:
    """Neither does a stage write one, which would be no JSON, nor is one read; what was there before stays."""
    stage = folder / "stages" / "dedup"
    before = {path: path.read_bytes() for path in stage.iterdir()}
    found, items = outcome(folder, "dedup")
    with pytest.raises(StageError, match="a number in its record is none"):
        write_stage(stage, tuple(items.values()), replace(found, facts={"threshold": number}))
    assert {path: path.read_bytes() for path in stage.iterdir()} == before
    changed(folder, "dedup", lambda text: text.replace('"threshold": 0.6', f'"threshold": {json.dumps(number)}'))
    with pytest.raises(DataError, match="cannot be read"):
        states(read_project(folder))


def test_a_record_that_was_laid_out_anew_is_the_same(folder: Path) -> None:
    """Only what it says is sealed."""
    changed(folder, "dedup", lambda text: json.dumps(json.loads(text), indent=4))
    assert [each.state for each in states(read_project(folder))] == [State.CURRENT, State.CURRENT]


@pytest.mark.parametrize("value", ["NaN", "1e999", "[1]", "{}", "null", '"\\ud800"'])
def test_items_that_no_stage_writes_are_refused(folder: Path, value: str) -> None:
    """Values that an item cannot have are told as any other change by hand is, in the history of an item too."""
    changed(folder, "dedup", lambda text: text.replace('"part": 2', f'"part": {value}'), "items.jsonl")
    with pytest.raises(DataError, match=r"was changed after the stage wrote it|cannot be read"):
        final_items(read_project(folder))
    (folder / "build.toml").write_text(
        (folder / "build.toml").read_text(encoding="utf-8") + "threshold = 0.9\n", encoding="utf-8"
    )
    with suppress(DataError):  # of a stale stage the last output is shown, if it can be read
        lineage(read_project(folder), "1")


def test_a_stage_that_died_between_its_two_files_is_built_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No record of an older run stands beside newer items, so that nobody is told of a change by hand."""
    text, items = (folder / "build.toml").read_text(encoding="utf-8"), final_items(read_project(folder))
    write, written = files.write_whole, []

    def die(path: Path, content: bytes) -> None:
        if path.name == "record.json":
            raise KeyboardInterrupt
        written.append(path)
        write(path, content)

    monkeypatch.setattr(files, "write_whole", die)
    (folder / "build.toml").write_text(text + "threshold = 1.0\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        build(folder)
    assert written
    monkeypatch.undo()
    (folder / "build.toml").write_text(text, encoding="utf-8")
    assert [each.state for each in states(read_project(folder))] == [State.CURRENT, State.MISSING]
    build(folder)
    assert final_items(read_project(folder)) == items


def test_what_a_killed_build_left_behind_is_written_over(folder: Path) -> None:
    """Half a file under another name stays until the next one of that name, and never becomes the file."""
    part = folder / "stages" / "dedup" / ".items.jsonl.part"
    part.write_text("half", encoding="utf-8")
    (folder / "stages" / "dedup" / "record.json").unlink()
    build(folder)
    assert not part.exists()


def test_the_folder_of_another_stage_is_not_taken_for_its_own(folder: Path) -> None:
    """Two records of one name would be one file in a release."""
    (folder / "stages" / "read").rename(folder / "stages" / "first")
    text = (folder / "build.toml").read_text(encoding="utf-8")
    (folder / "build.toml").write_text(text.replace('use = "read"', 'use = "read"\nname = "first"'), encoding="utf-8")
    assert states(read_project(folder))[0].state is State.STALE


def into_pipe(path: Path) -> None:
    """Put a pipe in a file's place."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("build.toml", "there is no build.toml"),
        ("items.json", "this is no ordinary file"),
        ("stages/dedup/record.json", "this is no ordinary file"),
        ("stages/dedup/items.jsonl", "this is no ordinary file"),
    ],
)
def test_a_pipe_is_not_waited_for(folder: Path, name: str, message: str) -> None:
    """Nobody writes into it."""
    into_pipe(folder / name)
    with pytest.raises(InputError, match=message):
        build(folder)


@pytest.mark.parametrize(
    "place", [lambda path: path.mkdir(), lambda path: path.symlink_to("items.json")], ids=["folder", "link"]
)
def test_a_lock_that_is_no_file_of_ours_is_refused(folder: Path, place: Callable[[Path], None]) -> None:
    """A link would have the build empty the file behind it."""
    before = (folder / "items.json").read_bytes()
    (folder / ".build.lock").unlink()
    place(folder / ".build.lock")
    with pytest.raises(ConfigError, match=r"\.build\.lock: cannot be written"), one_at_a_time(folder):
        pass
    assert (folder / "items.json").read_bytes() == before


@pytest.mark.parametrize("path", ["a\0b", "x" * 300, "/dev/null", "none", "loop"])
def test_what_cannot_be_read_is_one_error_with_its_path(tmp_path: Path, path: str) -> None:
    """Whatever the system says of it."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(DataError, match=r"cannot be read: .*Correct its path in build\.toml"):
        digest_of_files(tmp_path, [Path(path)])


@pytest.mark.parametrize("path", [".", "..", "pictures", "stages/read"])
def test_a_stage_does_not_read_the_folder_that_builds_write(folder: Path, path: str) -> None:
    """It would change with every build, and never be current."""
    (folder / "pictures").mkdir(exist_ok=True)
    with pytest.raises(ConfigError, match="the build writes into this folder"):
        digest_of_files(folder, [Path(path)])


@pytest.mark.parametrize(
    "line", ["seed = true", "seed = 4294967296", f"seed = {'9' * 5000}", f"{'a.' * 3000}a = 1", "title = 3"]
)
def test_values_that_are_none_are_refused(folder: Path, line: str) -> None:
    """A truth value is no number, no generator takes a larger seed, and depth is no reason to fail."""
    text = (folder / "build.toml").read_text(encoding="utf-8").replace("seed = 7", line)
    (folder / "build.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"build\.toml"):
        read_project(folder)


def test_a_truth_value_is_no_threshold(folder: Path) -> None:
    """It would count as 1."""
    with (folder / "build.toml").open("a", encoding="utf-8") as file:
        file.write("threshold = true\n")
    with pytest.raises(ConfigError, match="field threshold: is a truth value"):
        read_project(folder)


def test_what_is_no_picture_ends_the_stage_that_brings_it(tmp_path: Path) -> None:
    """The item is named, and nothing of it is kept."""
    picture = entry(1, question={"text": "q", "image": "a.png"}, multimodal=True)
    write_project(tmp_path, [picture], DEDUP, {})
    (tmp_path / "images" / "a.png").write_bytes(b"<svg/>")
    with pytest.raises(ImageError, match=r"item 1.*SVG"):
        build(tmp_path)
    assert not (tmp_path / "pictures").exists()
    assert read_stage_record(tmp_path / "stages" / "read") is None
