"""What people decide about a paper that was read: sheets, decisions, and the items that come of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree

import openpyxl
import pytest

from exambench.cli.building import release_project
from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import decide, write_proposals
from exambench.construct.checked import Checked, Place, Ruling, read_checked
from exambench.construct.picture_marks import content_from, marked, problem_of
from exambench.construct.records import Action
from exambench.errors import ConfigError, DataError
from exambench.items import ChoiceKey, Content, Image
from tests.construct.papers import FOUR, KEYS, chart, question, read, typeset
from tests.construct.projects import build, details, outcome

BUILD = """
name = "small-exam"
title = "A small exam"
licence = "CC-BY-4.0"
seed = 7

[[stages]]
use = "ingest"
paper = "exam.pdf"
prefix = "a-"
part = 4
last = 7
"""
DECISIONS = 'decisions = "decisions.json"\n'
Row = dict[str, str]


def paper(folder: Path, stem: str = "가장 따뜻한 때는?") -> None:
    """Typeset a paper: 2 lacks an option, 3 and 7 are missing, 4 lacks its figure, 5 has a figure and no key."""
    chart().save(folder / "chart.png")
    figure = '표의 값은?\n\n#align(center, image("chart.png", width: 40%))'
    body = question(1) + question(2, stem, "① 가을 \\ ② 나비 \\ ③ 다리") + question(4, "그림에서 옳은 것은?")
    body += question(5, figure) + question(6, "습도가 높은 곳은?", FOUR)
    answers = zip((1, 2, 3, 4, 6), "①②③④②", strict=True)
    typeset(folder, body + KEYS.format(", ".join(f"[{number}], [{mark}]" for number, mark in answers)))


@pytest.fixture(name="read_once", scope="module")
def _read_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose paper was read, for tests to copy."""
    folder = tmp_path_factory.mktemp("paper")
    paper(folder)
    (folder / "build.toml").write_text(BUILD, encoding="utf-8")
    assert build(folder) is ExitCode.COMPLETE
    return folder


@pytest.fixture(name="project")
def _project(tmp_path: Path, read_once: Path) -> Path:
    """The same, to be changed."""
    return copytree(read_once, tmp_path / "project")


def sheet_of(project: Path, name: str = "sheet.csv") -> dict[str, Row]:
    """Take a sheet out, and return its rows."""
    write_proposals(project, "ingest", project / name)
    text = (project / name).with_suffix(".csv").read_text(encoding="utf-8-sig")
    return {row["item id"]: row for row in csv.DictReader(io.StringIO(text))}


def bring_back(project: Path, rows: Mapping[str, Row]) -> str:
    """Bring filled-in rows back, and return what is told."""
    first = next(iter(rows.values()))
    with (project / "filled.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(first))
        table.writeheader()
        table.writerows(rows.values())
    return "\n".join(decide(project, "ingest", project / "filled.csv", project / "decisions.json"))


def use_decisions(project: Path) -> ExitCode:
    """Name the decisions in the stage, and build."""
    (project / "build.toml").write_text(BUILD + DECISIONS, encoding="utf-8")
    return build(project)


FILLED: dict[str, Row] = {
    "a-2": {"choices": "1. 가을\n2. 나비\n3. 다리\n4. 라면", "decision": "corrected"},
    "a-3": {"question": "=비는?", "choices": "1. 산\n2. 강\n3. 들\n4. 섬", "decision": "Corrected"},
    "a-4": {"decision": "right"},
    "a-5": {"key": "②", "part": "5", "decision": "corrected"},
    "a-7": {"reason": "the paper ends with 6", "decision": "drop"},
}


def fill(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Decide about everything."""
    return {name: row | FILLED[name] for name, row in rows.items()}


def test_the_sheet_has_all_that_was_left_for_people_in_the_order_of_the_paper(project: Path) -> None:
    """With what was read, the pictures of its place, and, of a number that is missing, the key that a table names."""
    rows = sheet_of(project)
    found, _ = outcome(project, "ingest")
    assert list(rows) == ["a-2", "a-3", "a-4", "a-5", "a-7"]
    assert found.count(Action.REVIEW) == len(rows)
    assert {row["decision"] for row in rows.values()} == {"open"}
    assert rows["a-2"]["question"] == "가장 따뜻한 때는?"
    assert rows["a-2"]["choices"] == "1. 가을\n2. 나비\n3. 다리"
    assert (rows["a-2"]["key"], rows["a-2"]["part"]) == ("2", "4")
    assert "it has 3 options where 4 are expected" in rows["a-2"]["doubts"]
    assert (project / rows["a-2"]["place"].partition(",")[0]).is_file()
    assert [rows["a-3"][name] for name in ("question", "choices", "key")] == ["", "", "3"]
    assert rows["a-5"]["question"].startswith("표의 값은?\n⟦picture ")


def test_decisions_become_items_in_their_place(project: Path) -> None:
    """Corrected, supplied and right ones go on with what ingest gives them; nothing is left for people."""
    assert "1 right, 3 corrected, 1 drop, 0 open." in bring_back(project, fill(sheet_of(project)))
    assert use_decisions(project) is ExitCode.COMPLETE
    found, items = outcome(project, "ingest")
    assert list(items) == ["a-1", "a-2", "a-3", "a-4", "a-5", "a-6"]
    assert [items[name].key for name in ("a-2", "a-3", "a-5")] == [ChoiceKey(2), ChoiceKey(3), ChoiceKey(2)]
    assert [choice.text for choice in items["a-2"].wording().choices] == ["가을", "나비", "다리", "라면"]
    assert (items["a-2"].facets, items["a-2"].source) == (
        {"part": 4, "modality": "text"},
        "exam.pdf, page 1, number 2",
    )
    assert (items["a-3"].wording().question.text, items["a-3"].source) == ("=비는?", "exam.pdf, number 3")
    assert items["a-5"].facets == {"part": 5, "modality": "image"}
    assert [(project / "pictures" / image.path).is_file() for image in items["a-5"].wording().images] == [True]
    assert found.count(Action.REVIEW) == 0
    said = {change.item: change.reason for change in found.changes}
    assert (said["a-3"], said["a-7"]) == ("corrected by people", "dropped by people")
    assert said["a-4"] == "checked by people: right as it was read"
    assert details(found, Action.NOTED)["a-7"]["why"] == "the paper ends with 6"
    assert details(found, Action.ADDED)["a-2"]["options"] == ["가을", "나비", "다리"]
    facts = {name: found.facts[name] for name in found.facts if name.endswith(("by_people", "not_used"))}
    assert facts == {"right_by_people": 1, "corrected_by_people": 3, "dropped_by_people": 1, "decisions_not_used": 0}


def test_a_held_back_item_and_a_gap_that_people_corrected_are_in_the_release(project: Path) -> None:
    """K-MetBench's format has them between the others."""
    bring_back(project, fill(sheet_of(project)))
    use_decisions(project)
    release_project(project, "1.0", project / "releases", canary_seed=1)
    data = project / "releases" / "small-exam-1.0" / "small-exam.json"
    entries = {entry["id"]: entry for entry in json.loads(data.read_text(encoding="utf-8"))}
    assert list(entries) == ["a-1", "a-2", "a-3", "a-4", "a-5", "a-6"]
    assert [choice["text"] for choice in entries["a-3"]["choices"]] == ["산", "강", "들", "섬"]
    assert (entries["a-2"]["answer"], entries["a-3"]["answer"]) == (2, 3)


def test_a_sheet_in_xlsx_comes_back_the_same(project: Path) -> None:
    """A workbook whose keys and parts became numbers gives the decisions of the CSV file; a new sheet shows them."""
    rows = fill(sheet_of(project, "sheet.xlsx"))
    bring_back(project, rows)
    book = openpyxl.load_workbook(project / "sheet.xlsx")
    sheet = book.worksheets[0]
    header = [str(cell.value) for cell in sheet[1]]
    for cells in sheet.iter_rows(min_row=2):
        for place, name in enumerate(header):
            value = rows[str(cells[0].value)][name]
            cells[place].value = float(value) if name in {"key", "part"} and value.isascii() and value else value
            cells[place].data_type = "n" if isinstance(cells[place].value, float) else "s"
    book.save(project / "sheet.xlsx")
    decide(project, "ingest", project / "sheet.xlsx", project / "other.json")
    assert read_checked(project / "other.json") == read_checked(project / "decisions.json")
    use_decisions(project)
    again = sheet_of(project, "again.csv")
    assert {name: row["decision"] for name, row in again.items()} == {
        name: row["decision"].lower() for name, row in rows.items()
    }
    assert again["a-2"]["choices"] == rows["a-2"]["choices"]
    assert again["a-5"]["part"] == "5"
    before = read_checked(project / "decisions.json")
    bring_back(project, again)
    assert read_checked(project / "decisions.json") == before


def test_an_open_row_takes_a_decision_back(project: Path) -> None:
    """The sheet shows what was decided; what is opened again waits for people."""
    bring_back(project, fill(sheet_of(project)))
    use_decisions(project)
    rows = sheet_of(project, "again.csv")
    rows["a-2"]["decision"] = ""
    bring_back(project, rows)
    build(project)
    found, items = outcome(project, "ingest")
    assert "a-2" not in items
    assert list(details(found, Action.REVIEW)) == ["a-2"]


def test_a_decision_is_void_once_something_else_is_read(project: Path) -> None:
    """The item waits for people again, and says why; a sheet from before is refused; the others hold."""
    rows = fill(sheet_of(project))
    bring_back(project, rows)
    paper(project, stem="가장 추운 때는?")
    use_decisions(project)
    found, items = outcome(project, "ingest")
    assert list(items) == ["a-1", "a-3", "a-4", "a-5", "a-6"]
    (left,) = [change for change in found.changes if change.action is Action.REVIEW]
    assert (left.item, left.details["stem"]) == ("a-2", "가장 추운 때는?")
    assert left.reason.endswith("; something else was read since people decided")
    assert found.facts["decisions_not_used"] == 1
    with pytest.raises(DataError, match="something else was read there since this sheet was written"):
        bring_back(project, rows)


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("a-2", {"decision": "right"}, "what was read is no item"),
        ("a-3", {"decision": "right"}, "question is empty"),
        ("a-2", {"decision": "corrected"}, "there are not 4 choices"),
        ("a-2", FILLED["a-2"] | {"choices": "1. 가\n2. 나\n3. 다\n4. "}, "there are not 4 choices"),
        ("a-2", FILLED["a-2"] | {"choices": "1. 가\n2. 나\n3. 다\n4. 다"}, "two of them are the same"),
        ("a-2", FILLED["a-2"] | {"key": "5"}, "names no single choice by its number, 1 to 4"),
        ("a-2", FILLED["a-2"] | {"key": "1, 2"}, "names no single choice"),
        ("a-2", FILLED["a-2"] | {"question": "값은 ⟦formula 0123456789ab⟧?"}, "there is no picture for ⟦formula"),
        ("a-2", FILLED["a-2"] | {"question": "값은 ⟦?"}, "⟦ or ⟧ stands outside of a mark"),
        ("a-2", FILLED["a-2"] | {"question": " \n"}, "is empty"),
        ("a-2", FILLED["a-2"] | {"question": "\x1b[2J"}, "characters that no text has"),
        ("a-2", FILLED["a-2"] | {"question": "가" * 30_001}, "longer than 30,000 characters"),
        ("a-2", FILLED["a-2"] | {"part": "x" * 65}, "field part: is none"),
        ("a-2", {"decision": "drop"}, "dropped without a reason"),
        ("a-2", {"decision": "yes"}, "there is no such decision"),
        ("a-4", {"decision": "right", "key": "1"}, "differs from what was read"),
        ("a-4", {"decision": "corrected"}, "it is said to be corrected, and nothing is"),
        ("a-4", {"item id": "../../etc/passwd"}, "there is none of that name"),
    ],
)
def test_what_is_no_item_is_a_finding_and_nothing_is_written(
    project: Path, name: str, cells: Row, message: str
) -> None:
    """Every cell is checked before anything is kept."""
    rows = sheet_of(project)
    rows[name].update(cells)
    with pytest.raises(DataError, match=message):
        bring_back(project, rows)
    assert not (project / "decisions.json").exists()


def test_pictures_may_go_to_another_item_or_away(project: Path) -> None:
    """A figure that was read into one item can be given to another; labels follow what is shown."""
    rows = fill(sheet_of(project))
    stem, _, mark = rows["a-5"]["question"].partition("\n")
    rows["a-5"]["question"] = stem
    rows["a-3"]["question"] = f"그림에서 비는?\n{mark}"
    bring_back(project, rows)
    use_decisions(project)
    _, items = outcome(project, "ingest")
    assert [items[name].facets["modality"] for name in ("a-3", "a-5")] == ["image", "text"]
    assert [len(items[name].wording().images) for name in ("a-3", "a-5")] == [1, 0]
    assert items["a-3"].wording().question.text == "그림에서 비는?"


def test_a_row_of_a_table_that_was_held_back_can_be_corrected(tmp_path: Path) -> None:
    """It keeps the part and the reasoning that the table gives."""
    header = "번호,문제,보기1,보기2,보기3,보기4,정답,과목,해설\n"
    (tmp_path / "exam.csv").write_text(header + "1,값은?,1,2,3,4,,2,까닭\n2,층은?,가,나,다,라,1,2,\n", encoding="utf-8")
    (held,) = [change for change in read(tmp_path, "exam.csv").changes if change.action is Action.REVIEW]
    decision = Checked(
        ruling=Ruling.CORRECTED,
        seen=held.details["reading"]["version"],
        question="값은?",
        choices=("1", "2", "3", "4"),
        key=4,
    )
    text = json.dumps({"1": decision.model_dump(mode="json")})
    (tmp_path / "decisions.json").write_text(text, encoding="utf-8")
    result = read(tmp_path, "exam.csv", decisions="decisions.json")
    assert [item.id for item in result.items] == ["1", "2"]
    item = result.items[0]
    assert (item.key, item.facets, item.rationale) == (ChoiceKey(4), {"part": 2, "modality": "text"}, "까닭")


def test_a_correction_holds_though_the_stage_has_no_doubt_any_more(tmp_path: Path) -> None:
    """What people saw is still read; that nobody would be asked today makes it no better."""
    rows = "번호,문제,보기1,보기2,보기3,보기4,정답\n1,옮은 것은?,가,나,다,라,1\n2,층은?,가,나,다,라,1\n"
    (tmp_path / "exam.csv").write_text(rows, encoding="utf-8")
    seen = Place("옮은 것은?", ("가", "나", "다", "라"), (1,)).version
    table = {
        "1": {
            "ruling": "corrected",
            "seen": seen,
            "question": "옳은 것은?",
            "choices": ["가", "나", "다", "라"],
            "key": 1,
        },
        "2": {"ruling": "drop", "seen": seen, "reason": "of another item"},
    }
    (tmp_path / "decisions.json").write_text(json.dumps(table), encoding="utf-8")
    result = read(tmp_path, "exam.csv", decisions="decisions.json")
    assert [item.wording().question.text for item in result.items] == ["옳은 것은?", "층은?"]
    assert [(change.item, change.reason) for change in result.changes] == [
        ("2", "read from the paper"),
        ("1", "corrected by people"),
    ]
    assert result.facts["decisions_not_used"] == 1


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ({"ruling": "keep", "seen": "x"}, "ruling"),
        ({"ruling": "drop", "seen": "x"}, "dropped without a reason"),
        ({"ruling": "corrected", "seen": "x", "question": "\u1100\u1161"}, "not composed"),
        ({"ruling": "corrected", "seen": "x", "question": "\u202e"}, "characters that no text has"),
        ({"ruling": "corrected", "seen": "x", "key": True}, "key"),
        ({"ruling": "right", "seen": "x", "more": 1}, "more"),
    ],
)
def test_decisions_that_are_none_are_refused(tmp_path: Path, decision: dict[str, object], message: str) -> None:
    """A file that was written by hand is checked as sheets are."""
    (tmp_path / "decisions.json").write_text(json.dumps({"a-2": decision}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_checked(tmp_path / "decisions.json")


def test_a_decision_that_makes_no_item_stops_the_stage(project: Path) -> None:
    """One that was written by hand, and names a choice that there is not."""
    bring_back(project, fill(sheet_of(project)))
    path = project / "decisions.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    table["a-2"]["key"] = 9
    path.write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"decisions.json, item 'a-2', field key: names no single choice"):
        use_decisions(project)


def test_marks_come_back_as_the_pictures_that_they_stand_for() -> None:
    """Figures have a line each below the text, formulas their place in it."""
    figure, formula = Image("a" * 32 + ".png", "a" * 64), Image("b" * 32 + ".png", "b" * 64)
    content = Content(f"값 ⟦formula {'b' * 12}⟧ 는?", (figure, formula))
    pictures = {"a" * 12: figure, "b" * 12: formula}
    text = marked(content)
    assert text == f"{content.text}\n⟦picture {'a' * 12}⟧"
    assert problem_of(text, pictures) is None
    assert content_from(text, pictures) == content
    assert marked(Content("", (figure,))) == f"⟦picture {'a' * 12}⟧"


def test_what_people_see_has_a_version_and_its_margin_none() -> None:
    """A picture of a place that was cut out otherwise voids nothing where something was read."""
    held = Place("물음?", ("가", "나"), (1,), regions=(("x.png", 1),))
    assert held.version == Place("물음?", ("가", "나"), (1,), regions=(("y.png", 1),)).version
    assert held.version != Place("물음?", ("가", "나"), (2,)).version
    assert Place(regions=(("x.png", 1),)).version != Place(regions=(("y.png", 1),)).version
    assert Place(after=2).version != Place(after=3).version


def test_a_gap_has_the_place_and_the_part_of_its_stream(tmp_path: Path) -> None:
    """Where numbers start anew in each part, one that is missing at the end of the first stands before the second."""
    body = "제1과목\n\n" + question(1) + question(2) + "제2과목\n\n" + question(1) + question(2) + question(3)
    table = "#pagebreak() #align(center)[정답표] 제1과목 #table(columns: 2, [1], [①], [2], [②])"
    typeset(tmp_path, body + table + " 제2과목 #table(columns: 2, [1], [①], [2], [②], [3], [④])")
    (gap,) = [change for change in read(tmp_path, last=3).changes if change.action is Action.REVIEW]
    assert (gap.item, gap.details["reading"]["facets"]["part"], gap.details["after"]) == ("1-3", 1, 2)
    decision = {"ruling": "corrected", "seen": gap.details["reading"]["version"], "question": "비는?", "key": 1}
    text = json.dumps({"1-3": {**decision, "choices": ["산", "강", "들", "섬"]}}, ensure_ascii=False)
    (tmp_path / "decisions.json").write_text(text, encoding="utf-8")
    result = read(tmp_path, last=3, decisions="decisions.json")
    assert [item.id for item in result.items] == ["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"]
    assert result.items[2].facets == {"part": 1, "modality": "text"}


def test_a_gap_between_two_parts_has_the_part_that_people_give_it(tmp_path: Path) -> None:
    """Nobody knows whether it was the last of the first part or the first of the second."""
    body = "제1과목\n\n" + question(1) + question(2) + "제2과목\n\n" + question(4) + question(5)
    typeset(tmp_path, body + KEYS.format("[1], [①], [2], [②], [4], [①], [5], [①]"))
    (gap,) = [change for change in read(tmp_path).changes if change.item == "3"]
    assert gap.details["reading"]["facets"] == {"modality": "text"}
    decision = {"ruling": "corrected", "seen": gap.details["reading"]["version"], "question": "비는?", "key": 1}
    table = {"3": {**decision, "choices": ["산", "강", "들", "섬"], "part": 2}}
    (tmp_path / "decisions.json").write_text(json.dumps(table), encoding="utf-8")
    result = read(tmp_path, decisions="decisions.json")
    assert [(item.id, item.facets["part"]) for item in result.items][1:4] == [("2", 1), ("3", 2), ("4", 2)]


def test_an_item_that_only_the_key_table_names_can_be_supplied(tmp_path: Path) -> None:
    """The number after the last that was found, with its key, at the end."""
    typeset(tmp_path, question(1) + question(2) + KEYS.format("[1], [①], [2], [②], [3], [④]"))
    (gap,) = [change for change in read(tmp_path).changes if change.item == "3"]
    assert gap.reason == "the key table names it, and no item of this number was found"
    assert gap.details["answer"] == [4]
    decision = {"ruling": "corrected", "seen": gap.details["reading"]["version"], "question": "비는?", "key": 4}
    table = {"3": {**decision, "choices": ["산", "강", "들", "섬"]}}
    (tmp_path / "decisions.json").write_text(json.dumps(table), encoding="utf-8")
    result = read(tmp_path, decisions="decisions.json")
    assert [item.id for item in result.items] == ["1", "2", "3"]
