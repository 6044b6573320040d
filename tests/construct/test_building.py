"""A build does what has changed, accounts for every item, and tells the history of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from exambench.construct import near_duplicates
from exambench.construct.building import State, build, final_items, states
from exambench.construct.files import one_at_a_time
from exambench.construct.lineage import lineage
from exambench.construct.project import Project, read_project
from exambench.construct.records import Action, Change, StageError, StageResult, check_result
from exambench.construct.stage import Context
from exambench.errors import ConfigError, DataError
from exambench.items import Item
from tests.construct.items import item

BUILD = """
name = "small-exam"
seed = 7

[[stages]]
use = "read"
data = "items.json"

[[stages]]
use = "dedup"
{settings}

[[stages]]
use = "shuffle"
"""


def entry(number: int, text: str) -> dict[str, object]:
    """Return an item as K-MetBench's format writes it."""
    choices = [{"text": f"{number}의 {letter}", "image": ""} for letter in "갑을병정"]
    return {
        "id": number,
        "question": {"text": text, "image": ""},
        "choices": choices,
        "answer": 1,
        "part": 1,
        "multimodal": False,
        "korean": False,
        "rationale": "",
    }


STEMS = ("대기의 조성에 대하여 옳은 것은?", "대기의 조성에 대하여 옳은 것은??", "해륙풍이 부는 까닭을 고르시오.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project folder with three items, two of them nearly the same."""
    entries = [entry(number, text) for number, text in enumerate(STEMS, start=1)]
    entries[1]["choices"] = entries[0]["choices"]
    (tmp_path / "items.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "build.toml").write_text(BUILD.format(settings=""), encoding="utf-8")
    return tmp_path


def run(folder: Path, until: str | None = None) -> list[tuple[str, State]]:
    """Build a project, and return the states of its stages as they were reported."""
    project = read_project(folder)
    return [(each.step.name, each.state) for each in build(project, contexts(project), until)]


def contexts(project: Project) -> dict[str, Context]:
    """Return what each stage may use: no models."""
    return {step.name: Context(project.folder, project.pictures, project.seed, {}) for step in project.steps}


def worked(found: Sequence[tuple[str, State]]) -> list[str]:
    """Return the stages that were not current when the build came to them."""
    return [name for name, state in found if state is not State.CURRENT]


def test_a_first_build_runs_every_stage(folder: Path) -> None:
    """Two of three items remain, since one is nearly another."""
    assert worked(run(folder)) == ["read", "dedup", "shuffle"]
    assert [each.id for each in final_items(read_project(folder))] == ["1", "3"]


def test_a_second_build_does_nothing(folder: Path) -> None:
    """Neither settings, nor files, nor items have changed."""
    run(folder)
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert worked(run(folder)) == []
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == written


def test_a_changed_setting_runs_its_stage_and_those_after_it(folder: Path) -> None:
    """With a threshold of 1 nothing is a near-duplicate; the data file is not read again."""
    run(folder)
    (folder / "build.toml").write_text(BUILD.format(settings="threshold = 1.0"), encoding="utf-8")
    assert [each.state for each in states(read_project(folder))] == [State.CURRENT, State.STALE, State.STALE]
    assert worked(run(folder)) == ["dedup", "shuffle"]
    assert len(final_items(read_project(folder))) == 3


def test_another_word_list_of_the_toolkit_runs_its_stage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer version of the toolkit decides otherwise; a list of the project's own does not change with it."""
    run(folder)
    newer = folder / "newer.toml"
    newer.write_text('negations = ["틀린"]\n', encoding="utf-8")
    monkeypatch.setattr(near_duplicates, "SHIPPED", newer)
    assert [each.state for each in states(read_project(folder))] == [State.CURRENT, State.STALE, State.STALE]
    (folder / "build.toml").write_text(BUILD.format(settings='opposites = "newer.toml"'), encoding="utf-8")
    run(folder)
    monkeypatch.undo()
    assert worked(run(folder)) == []


def test_a_stage_whose_input_is_the_same_again_is_not_run(folder: Path) -> None:
    """A remark added to the data file changes no item, so only reading is done again."""
    run(folder)
    path = folder / "items.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert worked(run(folder)) == ["read"]


def test_a_build_may_end_at_a_stage(folder: Path) -> None:
    """Later stages are not touched, and an unknown name is refused with the names that there are."""
    assert worked(run(folder, "dedup")) == ["read", "dedup"]
    assert not (folder / "stages" / "shuffle").exists()
    with pytest.raises(ConfigError, match="read, dedup, shuffle"):
        run(folder, "filter")


def test_an_output_that_was_changed_by_hand_is_refused(folder: Path) -> None:
    """The record vouches for the items by their digest."""
    run(folder, "read")
    path = folder / "stages" / "read" / "items.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("해륙풍", "산곡풍"), encoding="utf-8")
    with pytest.raises(DataError, match="was changed after the stage wrote it"):
        run(folder)


def test_the_same_project_gives_the_same_bytes(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Items and records hold no time and no path of the machine."""
    other = tmp_path_factory.mktemp("other")
    for name in ("items.json", "build.toml"):
        (other / name).write_bytes((folder / name).read_bytes())
    run(folder)
    run(other)
    made = {path.relative_to(folder): path.read_bytes() for path in (folder / "stages").rglob("*.json*")}
    assert made == {path.relative_to(other): path.read_bytes() for path in (other / "stages").rglob("*.json*")}


def test_lineage_tells_what_a_stage_changed(folder: Path) -> None:
    """The key of an item whose choices were shuffled is shown before and after."""
    run(folder)
    project = read_project(folder)
    moved = next(each for each in final_items(project) if each.key != item("x", "").key)
    stations = lineage(project, moved.id)
    assert [station.stage for station in stations] == ["read", "dedup", "shuffle"]
    assert {difference.field for difference in stations[2].differences} >= {"key.choice"}


def test_lineage_ends_where_an_item_was_dropped(folder: Path) -> None:
    """The stage says of what it is a near-duplicate, and later stages do not know it."""
    run(folder)
    last = lineage(read_project(folder), "2")[-1]
    assert (last.stage, last.present, last.changes[0].details["of"]) == ("dedup", False, "1")


def test_an_unknown_item_is_an_error(folder: Path) -> None:
    """It is named, as in every message."""
    run(folder)
    with pytest.raises(DataError, match="no stage that has run knows this item"):
        lineage(read_project(folder), "99")


A, B = item("a", "하나"), item("b", "둘")


@pytest.mark.parametrize(
    ("before", "result", "message"),
    [
        ([A, B], StageResult((A,)), "item b: the stage did not say that it was dropped"),
        ([A], StageResult((A, B)), "item b: the stage did not say that it was added"),
        ([A], StageResult((item("a", "셋"),)), "item a: the stage did not say that it was changed"),
        ([A], StageResult((A,), (Change("a", Action.DROPPED, "why"),)), "item a: the stage says that it was dropped"),
        ([A], StageResult((A, A)), "two items of its output have the same identifier"),
    ],
)
def test_a_stage_has_to_say_what_it_did(before: list[Item], result: StageResult, message: str) -> None:
    """Nothing is dropped, added or changed in silence."""
    with pytest.raises(StageError, match=message):
        check_result("stage", before, result)


def test_two_builds_of_one_project_do_not_run_at_once(folder: Path) -> None:
    """The second is told so and touches nothing."""
    with one_at_a_time(folder), pytest.raises(ConfigError, match="another process"), one_at_a_time(folder):
        pass


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\nstages = []', "stages"),
        ('name = "X y"\n[[stages]]\nuse = "read"\ndata = "d"', "name"),
        ('name = "x"\n[[stages]]\nuse = "reed"', r"stages\[1\]\.use.*read, dedup, shuffle"),
        ('name = "x"\n[[stages]]\nuse = "dedup"\nthreshold = 2', r"stages\[1\] \(dedup\), field threshold"),
        ('name = "x"\n[[stages]]\nuse = "dedup"\n[[stages]]\nuse = "dedup"', "two stages have the same name"),
        ('name = "x"\n[[stages]]\nuse = "dedup"\ntreshold = 0.5', "treshold"),
        ('name = "x"\n[[stages]]\nuse = "dedup"\n[[stages]]', r"field stages\[2\]\.use: Field required"),
    ],
)
def test_a_project_file_that_cannot_be_used_names_the_field(tmp_path: Path, text: str, message: str) -> None:
    """File, field, value and what is allowed."""
    (tmp_path / "build.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_project(tmp_path)


def test_identifiers_that_are_there_already_are_refused(folder: Path) -> None:
    """A second exam session has to have identifiers of its own."""
    twice = BUILD.format(settings="") + '\n[[stages]]\nuse = "read"\nname = "again"\ndata = "items.json"\n'
    (folder / "build.toml").write_text(twice, encoding="utf-8")
    with pytest.raises(DataError, match="that of an item of an earlier stage"):
        run(folder)


def test_a_missing_data_file_is_one_error(folder: Path) -> None:
    """No stage has run, and no folder was made."""
    (folder / "items.json").unlink()
    with pytest.raises(DataError, match=r"items\.json.*cannot be read"):
        run(folder)
    assert not (folder / "stages").exists()
