"""Choices that leave the country unsaid: proposed with their stem, decided by people, released with what was before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from exambench.benchmarks.kmetbench_format import read_items
from exambench.cli.building import release_project
from exambench.cli.stem_sheets import STEMS as STEMS_ALONE
from exambench.construct.choice_wordings import DecidedChoices
from exambench.construct.decisions import Decided, Decision, as_decided, read_decisions
from exambench.construct.lineage import lineage
from exambench.construct.project import read_project
from exambench.construct.records import Action
from exambench.construct.reviewed import numbered
from exambench.errors import ConfigError, DataError
from exambench.items import ChoiceKey, Content, Image, Item, Wording
from exambench.report.building import RecordRendering
from tests.construct.projects import build, details, outcome, write_project
from tests.construct.sheets import Row, decided, exambench, read_csv
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve
from tests.support.exams import entry

STEMS: Final = {
    1: "1. 우리나라의 장마를 알리는 때는?",
    2: "2. 대한민국의 기상청이 하는 일은?",
    3: "3. 우리나라의 섬은?",
    4: "4. 국내에서 부는 바람은?",
}
CHOICES: Final = {
    1: ("국내 관측소가 정한다", "6월 하순", "7월", "8월"),
    2: ("우리나라의 5일 예보", "국내 지진 통보", "달력 발행", "시각 통보"),
    3: ("독도", "대마도", "오키나와", "사할린"),
    4: ("국내에는 없다", "해풍", "육풍", "산풍"),
}
NEW_STEMS: Final = {1: "1. 한국의 장마를 알리는 때는?", 3: "3. 한국의 섬은?"}
NEW: Final = {
    1: ("한국 관측소가 정한다", *CHOICES[1][1:]),
    2: ("한국의 5일 예보", "한국 지진 통보", *CHOICES[2][2:]),
}
LOST: Final = ("한국의 주간 예보", *NEW[2][1:])
"""Choices of 2 that lose a number."""
STAGE: Final = '[[stages]]\nuse = "explicit"\nmodel = "editor"\n{more}\n'
DECISIONS: Final = 'decisions = "decisions.json"'


def as_text(choices: tuple[str, ...]) -> str:
    """Return choices as the model writes them and as a sheet shows them."""
    return numbered([Content(text) for text in choices])


def editor(call: Call) -> Reply:
    """Name the country at once, but lose a number of the choices of 2 on the first try."""
    system, user = (str(message["content"]) for message in call.body["messages"][:2])
    match = re.search(r"(\d)\. ", user)
    assert match is not None
    number, tries = int(match[1]), len(call.body["messages"]) // 2
    if '{"question"' in system:
        return completion(json.dumps({"question": NEW_STEMS[number]}, ensure_ascii=False))
    choices = LOST if number == 2 and tries == 1 else NEW[number]
    return completion(json.dumps({"choices": as_text(choices)}, ensure_ascii=False))


def write(folder: Path, server: ChatServer, more: str = "", *, second: tuple[str, ...] = CHOICES[2]) -> None:
    """Write a project of four items, three of which are about Korea, and the second of which was paraphrased."""
    entries = [
        entry(
            number,
            question={"text": stem, "image": ""},
            choices=[{"text": text, "image": ""} for text in (second if number == 2 else CHOICES[number])],
            korean=number < 4,
        )
        for number, stem in STEMS.items()
    ]
    entries[1]["question_original"] = "2. 대한민국 기상청의 일은?"
    write_project(folder, entries, STAGE.format(more=more), {"editor": server})
    path = folder / "build.toml"
    path.write_text('licence = "CC-BY-4.0"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")


@pytest.fixture(name="server")
def _server() -> Iterator[ChatServer]:
    with serve(editor) as server:
        yield server


@pytest.fixture(name="proposed")
def _proposed(tmp_path: Path, server: ChatServer) -> Path:
    """Return a project folder whose stage has made its proposals."""
    write(tmp_path, server)
    build(tmp_path)
    return tmp_path


@pytest.fixture(name="seen", scope="module")
def _seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ChatServer]:
    """Return such a folder and its server for tests that change neither."""
    folder = tmp_path_factory.mktemp("project")
    with serve(editor) as server:
        write(folder, server)
        build(folder)
    return folder, server


def texts(item: Item, wording: str = "explicit") -> tuple[str, ...]:
    """Return the texts of an item's choices."""
    return tuple(choice.text for choice in item.wording(wording).choices)


def test_stem_and_choices_are_proposed_and_nothing_is_changed(seen: tuple[Path, ChatServer]) -> None:
    """1 lacks the country in both, 2 in its choices, 3 in its stem; 4 is not about Korea."""
    folder, server = seen
    found, items = outcome(folder, "explicit")
    assert {int(name): texts(item) for name, item in items.items()} == CHOICES
    assert {change.item: change.reason for change in found.changes} == {
        "1": "a stem and choices that name the country are proposed",
        "2": "choices that name the country are proposed",
        "3": "a stem that names the country is proposed",
    }
    review = details(found, Action.REVIEW)
    assert [review[name]["proposed"] for name in "123"] == [NEW_STEMS[1], STEMS[2], NEW_STEMS[3]]
    assert [review[name]["proposed choices"] for name in "12"] == [list(NEW[1]), list(NEW[2])]
    assert "proposed choices" not in review["3"]
    assert [found.facts[name] for name in ("about_the_country", "with_implicit_choices", "waiting")] == [3, 2, 3]
    assert len(server.calls) == 2 + (1 + 2)


def test_a_record_shows_where_a_choice_ends(seen: tuple[Path, ChatServer]) -> None:
    """Choices have spaces themselves."""
    text = RecordRendering().as_csv(outcome(seen[0], "explicit")[0])
    assert "국내 관측소가 정한다 / 6월 하순 / 7월 / 8월" in text


def test_choices_that_break_a_rule_are_asked_for_again_with_what_is_wrong(seen: tuple[Path, ChatServer]) -> None:
    """The first try lost the number of days, and is told so."""
    folder, server = seen
    again = [str(call.body["messages"][-1]["content"]) for call in server.calls if len(call.body["messages"]) > 2]
    assert len(again) == 1
    assert "- Choice 1: Numbers are missing: 5." in again[0]
    assert details(outcome(folder, "explicit")[0], Action.REVIEW)["2"]["tries for choices"] == 2


def test_after_three_tries_choices_are_left_for_people(tmp_path: Path) -> None:
    """With the last ones that could be read, and what is wrong with them."""

    def stubborn(call: Call) -> Reply:
        if '{"question"' in str(call.body["messages"][0]["content"]):
            return editor(call)
        return completion(json.dumps({"choices": as_text(LOST)}, ensure_ascii=False))

    with serve(stubborn) as server:
        write(tmp_path, server)
        build(tmp_path)
    found, _ = outcome(tmp_path, "explicit")
    assert {change.item: change.reason for change in found.changes}["2"] == "every proposal broke a rule"
    left = details(found, Action.REVIEW)["2"]
    assert (left["tries for choices"], left["proposed choices"]) == (3, list(LOST))
    assert left["problems"] == ["Choice 1: Numbers are missing: 5."]


def mark(row: Row) -> None:
    """Accept 1 with the stem corrected, 2 with a choice corrected, and reject 3."""
    row["decision"] = {"3": "rejected"}.get(row["item id"], "accepted")
    if row["item id"] == "1":
        row["proposed question"] = "1. 대한민국의 장마를 알리는 때는?"
    if row["item id"] == "2":
        row["proposed choices"] = row["proposed choices"].replace("2. 한국 지진", "2. 대한민국 지진")


@pytest.fixture(name="accepted", scope="module")
def _accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder that was built with what people decided, for tests that do not change it."""
    folder = tmp_path_factory.mktemp("accepted")
    with serve(editor) as server:
        write(folder, server)
        build(folder)
        decided(folder, mark)
        write(folder, server, DECISIONS)
        build(folder)
    return folder


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_what_people_accept_is_used_and_the_wording_before_is_kept(
    proposed: Path, server: ChatServer, suffix: str
) -> None:
    """Stem and choices go over the sheet together, and no model is asked again."""
    asked = len(server.calls)
    assert decided(proposed, mark, suffix=suffix).strip().endswith("2 accepted, 1 rejected, 0 open.")
    write(proposed, server, DECISIONS)
    build(proposed)
    found, items = outcome(proposed, "explicit")
    assert len(server.calls) == asked
    assert texts(items["1"]) == NEW[1]
    assert texts(items["2"]) == (NEW[2][0], "대한민국 지진 통보", *NEW[2][2:])
    assert texts(items["3"]) == CHOICES[3]
    assert items["1"].wording().question.text == "1. 대한민국의 장마를 알리는 때는?"
    assert [texts(items[name], "implicit") for name in "12"] == [CHOICES[1], CHOICES[2]]
    assert items["1"].wording("implicit").question.text == STEMS[1]
    facts = ("accepted", "waiting", "rejected", "checked_by_people", "corrected_by_people")
    assert [found.facts[name] for name in facts] == [2, 0, 1, 3, 2]


def test_the_sheet_shows_choices_before_and_after(accepted: Path) -> None:
    """Also once they are accepted: then the proposal is what people made of it."""
    exambench("build", "proposals", "explicit", "--project", accepted, "--out", accepted / "again.csv")
    rows = {row["item id"]: row for row in read_csv(accepted / "again.csv")}
    assert rows["2"]["choices"] == as_text(CHOICES[2])
    assert rows["2"]["proposed choices"].splitlines()[1] == "2. 대한민국 지진 통보"
    assert [(row["decision"], bool(row["proposed choices"])) for row in rows.values()] == [
        ("accepted", True),
        ("accepted", True),
        ("rejected", False),
    ]


def test_lineage_tells_each_choice_before_and_after(accepted: Path) -> None:
    """As of any other field of an item."""
    last = lineage(read_project(accepted), "2")[-1]
    (found,) = [each for each in last.differences if each.after == "한국의 5일 예보"]
    assert (found.field, found.before) == ("wordings.explicit.choices[1].text", "우리나라의 5일 예보")


def test_a_release_has_the_choices_before(accepted: Path) -> None:
    """``choices_implicit`` of K-MetBench; and the exam's own wording keeps its choices, in ``choices_original``."""
    release_project(accepted, "1.0", accepted / "releases", 7)
    path = accepted / "releases" / "small-exam-1.0" / "small-exam.json"
    records = {record["id"]: record for record in json.loads(path.read_text(encoding="utf-8"))}
    assert [choice["text"] for choice in records[2]["choices_implicit"]] == list(CHOICES[2])
    assert [choice["text"] for choice in records[2]["choices_original"]] == list(CHOICES[2])
    assert "choices_implicit" not in records[3]
    items, findings = read_items(path)
    assert findings == ()
    built = outcome(accepted, "explicit")[1]
    assert [item.content_hash for item in items] == [built[item.id].content_hash for item in items]


def test_a_decision_holds_for_the_choices_that_people_saw(proposed: Path, server: ChatServer) -> None:
    """In another order they are others."""
    decided(proposed, mark)
    write(proposed, server, DECISIONS, second=(CHOICES[2][1], CHOICES[2][0], *CHOICES[2][2:]))
    build(proposed)
    found, items = outcome(proposed, "explicit")
    assert {change.item: change.reason for change in found.changes}[
        "2"
    ] == "its choices are others since people decided"
    assert "implicit" not in items["2"].wordings


@pytest.mark.parametrize(
    ("old", "stem", "done"),
    [
        ({"decision": "accepted", "question": NEW_STEMS[1]}, NEW_STEMS[1], Action.CHANGED),
        ({"decision": "rejected"}, STEMS[1], Action.NOTED),
    ],
)
def test_decisions_from_before_choices_were_proposed_are_used(
    proposed: Path, server: ChatServer, old: dict[str, str], stem: str, done: Action
) -> None:
    """They speak of the stem: it is as they say, also on the sheet on which the choices wait for people."""
    (proposed / "decisions.json").write_text(json.dumps({"1": {"stem": STEMS[1], **old}}), encoding="utf-8")
    write(proposed, server, DECISIONS)
    build(proposed)
    found, items = outcome(proposed, "explicit")
    assert (items["1"].wording().question.text, texts(items["1"])) == (stem, CHOICES[1])
    assert [(change.action, change.reason) for change in found.changes if change.item == "1"][1:] == [
        (Action.REVIEW, "people have not decided on its choices yet")
    ]
    assert found.changes[0].action is done
    decided(proposed, lambda row: row.update(decision="accepted") if row["item id"] == "1" else None)
    build(proposed)
    after = outcome(proposed, "explicit")[1]["1"]
    assert (after.wording().question.text, texts(after)) == (stem, NEW[1])
    assert (after.wording("implicit").question.text, texts(after, "implicit")) == (STEMS[1], CHOICES[1])


@pytest.mark.parametrize(
    ("number", "choices", "message"),
    [
        ("2", "", "there are not 4 choices"),
        ("2", "1. 한국의 5일 예보\n2. 한국 지진 통보\n3. 달력 발행", "there are not 4 choices"),
        ("2", as_text((*NEW[2][:2], "달력 발행", "한국 지진 통보")), "choices 2 and 4 became equal"),
        ("2", as_text(("", *NEW[2][1:])), "choice 1 is empty"),
        ("3", as_text(CHOICES[3]), "leave the cell empty"),
    ],
)
def test_choices_that_cannot_be_taken_are_faults_of_the_sheet(
    seen: tuple[Path, ChatServer], number: str, choices: str, message: str
) -> None:
    """Nothing is written."""

    def accept(row: Row) -> None:
        if row["item id"] == number:
            row |= {"decision": "accepted", "proposed choices": choices}

    with pytest.raises(DataError, match=message):
        decided(seen[0], accept)
    assert not (seen[0] / "decisions.json").exists()


@pytest.mark.parametrize(
    ("decision", "accepted", "message"),
    [
        ("accepted", ["한국"], "there are not 4 choices"),
        ("accepted", [], "choices are accepted with their stem"),
        ("rejected", ["가", "나", "다", "라"], "choices are accepted with their stem"),
        ("accepted", ["가", "나", "다", "라\u202e"], "characters that no text has"),
    ],
)
def test_a_file_of_decisions_is_read_as_strictly_as_a_sheet(
    tmp_path: Path, decision: str, accepted: list[str], message: str
) -> None:
    """People may have written it themselves."""
    choices = {"before": CHOICES[2], "accepted": accepted}
    table = {"2": {"decision": decision, "stem": STEMS[2], "question": STEMS[2], "choices": choices}}
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_decisions(path)


def test_sheets_have_a_column_for_choices_only_where_such_are_proposed(tmp_path: Path, server: ChatServer) -> None:
    """A sheet of stems alone is as it was before there were proposals for choices."""
    third = entry(3, question={"text": STEMS[3], "image": ""}, korean=True)
    write_project(tmp_path, [third], STAGE.format(more=""), {"editor": server})
    build(tmp_path)
    exambench("build", "proposals", "explicit", "--project", tmp_path, "--out", tmp_path / "sheet.csv")
    (row,) = read_csv(tmp_path / "sheet.csv")
    assert list(row) == list(STEMS_ALONE.header)


def test_an_item_whose_stem_is_a_picture_takes_choices() -> None:
    """There is no stem that could be accepted; pictures of choices stay, and so does what differs in spaces alone."""
    picture = Image("chart.png")
    wording = Wording(Content("", (picture,)), (Content("국내"), Content("", (picture,)), Content("두 곳")))
    before = Item("1", {"explicit": wording}, ChoiceKey(1))
    choices = DecidedChoices(before=("국내", "", "두 곳"), accepted=("한국", "", "두  곳"))
    decided_so = Decided(decision=Decision.ACCEPTED, stem="", question="", choices=choices)
    settled = as_decided(before, {}, decided_so, "implicit")
    assert settled is not None
    after = settled[0].wording()
    assert after == replace(wording, choices=(Content("한국"), *wording.choices[1:]))
    assert settled[0].wording("implicit") == wording
