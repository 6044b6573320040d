"""Implicit wordings become explicit ones: proposed by a model, decided by people, applied by the next build."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
from scipy.stats import binomtest

from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import write_proposals
from exambench.construct.records import Action
from exambench.errors import ConfigError, DataError
from tests.construct.projects import build, details, outcome, record, write_project
from tests.construct.sheets import decided, exambench, read_csv
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.exams import entry

STAGE = '[[stages]]\nuse = "explicit"\nmodel = "editor"\n{more}\n'
STEMS = {
    1: "1. 우리나라의 장마가 시작되는 시기는?",
    2: "2. 기상법에서 옳지 않은 것은?",
    3: "3. 대한민국의 기상청이 있는 곳은?",
    4: "4. 국내에서 태풍이 가장 많은 달은?",
    5: "5. 바람이 부는 까닭은?",
}
NEW = {
    1: "1. 한국의 장마가 시작되는 시기는?",
    2: "2. 대한민국 기상법에서 옳은 것은?",
    4: "4. 한국에서 태풍이 가장 많은 달은?",
}


def editor(call: Call) -> Reply:
    """Name the country in 1 and 4; turn 2 into its reverse, always."""
    match = re.search(r"(\d)\. ", str(call.body["messages"][1]["content"]))
    assert match is not None
    return completion(json.dumps({"question": NEW[int(match[1])]}, ensure_ascii=False))


def write(folder: Path, server: ChatServer, more: str = "", *, first: str = STEMS[1]) -> None:
    """Write a project of five items, four of which are about Korea."""
    entries = [
        entry(number, question={"text": text, "image": ""}, korean=number < 5)
        for number, text in (STEMS | {1: first}).items()
    ]
    write_project(folder, entries, STAGE.format(more=more), {"editor": server})


@pytest.fixture(name="server")
def _server() -> Iterator[ChatServer]:
    with serve(editor) as server:
        yield server


def test_proposals_change_nothing(tmp_path: Path, server: ChatServer) -> None:
    """1 and 4 are proposed, 2 broke a rule three times, 3 is explicit already, 5 is not about Korea."""
    write(tmp_path, server)
    assert build(tmp_path) is ExitCode.COMPLETE
    found, items = outcome(tmp_path, "explicit")
    assert all(items[str(number)].wording().question.text == text for number, text in STEMS.items())
    waiting = [(change.item, change.reason) for change in found.changes if change.action is Action.REVIEW]
    assert waiting == [
        ("1", "a stem that names the country is proposed"),
        ("2", "every proposal broke a rule"),
        ("4", "a stem that names the country is proposed"),
    ]
    assert len(server.calls) == 1 + 3 + 1
    numbers = [found.facts[name] for name in ("about_the_country", "explicit_already", "accepted", "waiting")]
    assert numbers == [4, 1, 0, 3]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("1. 우리나라 한국의 장마가 시작되는 시기는?", "Words that leave the country unsaid are left: 우리나라."),
        ("1. 장마가 시작되는 시기는?", "The country is not named: 한국, 대한민국, Korea."),
    ],
)
def test_a_proposal_names_the_country(tmp_path: Path, said: str, problem: str) -> None:
    """By one of its names, and no implicit word is left."""
    with serve(lambda _: completion(json.dumps({"question": said}, ensure_ascii=False))) as server:
        write(tmp_path, server)
        build(tmp_path)
    assert problem in details(outcome(tmp_path, "explicit")[0], Action.REVIEW)["1"]["problems"]


def mark(row: dict[str, str]) -> None:
    """Accept 1 as it is, correct 2, reject 4."""
    row["decision"] = {"4": "rejected"}.get(row["item id"], "accepted")
    if row["item id"] == "2":
        row["proposed question"] = "2. 대한민국 기상법에서 옳지 않은 것은?"


def test_people_accept_correct_and_reject(tmp_path: Path, server: ChatServer) -> None:
    """The next build does what they decided, and asks no model again; the old wording is kept."""
    write(tmp_path, server)
    build(tmp_path)
    assert decided(tmp_path, mark).strip().endswith("decisions.json: 2 accepted, 1 rejected, 0 open.")
    asked = len(server.calls)
    write(tmp_path, server, 'decisions = "decisions.json"')
    build(tmp_path)
    found, items = outcome(tmp_path, "explicit")
    assert len(server.calls) == asked
    assert items["1"].wording().question.text == NEW[1]
    assert items["1"].wording("implicit").question.text == STEMS[1]
    assert items["2"].wording().question.text == "2. 대한민국 기상법에서 옳지 않은 것은?"
    assert items["4"].wording().question.text == STEMS[4]
    numbers = [found.facts[name] for name in ("accepted", "waiting", "rejected")]
    assert numbers == [2, 0, 1]


def test_a_decision_holds_for_the_stem_that_people_saw(tmp_path: Path, server: ChatServer) -> None:
    """Once an earlier stage changes the stem, they are asked again."""
    write(tmp_path, server)
    build(tmp_path)
    decided(tmp_path, mark)
    write(tmp_path, server, 'decisions = "decisions.json"', first="1. 우리나라의 장마가 시작되는 때는?")
    build(tmp_path)
    found, items = outcome(tmp_path, "explicit")
    reasons = {change.item: change.reason for change in found.changes}
    assert reasons["1"] == "its stem is another one since people decided"
    assert set(items["1"].wordings) == {"explicit"}


def test_a_sheet_of_what_was_is_refused(tmp_path: Path, server: ChatServer) -> None:
    """The stem changed while the sheet was with people: what they accepted was written for another one."""
    write(tmp_path, server)
    build(tmp_path)
    exambench("build", "proposals", "explicit", "--project", tmp_path, "--out", tmp_path / "old.csv")
    old = {row["item id"]: row["version"] for row in read_csv(tmp_path / "old.csv")}
    write(tmp_path, server, first="1. 우리나라의 장마가 시작되는 때는?")
    build(tmp_path)
    with pytest.raises(DataError, match="another one since this sheet was written"):
        decided(tmp_path, lambda row: row.update(decision="accepted", version=old[row["item id"]]))
    assert not (tmp_path / "decisions.json").exists()


def test_what_people_corrected_is_counted(tmp_path: Path, server: ChatServer) -> None:
    """Of three stems that they checked they changed one, as K-MetBench counts; the interval is scipy's."""
    write(tmp_path, server)
    build(tmp_path)
    decided(tmp_path, mark)
    write(tmp_path, server, 'decisions = "decisions.json"')
    build(tmp_path)
    facts = outcome(tmp_path, "explicit")[0].facts
    interval = binomtest(1, 3).proportion_ci(method="wilson")
    assert [facts[name] for name in ("checked_by_people", "corrected_by_people", "decisions_not_used")] == [3, 1, 0]
    assert facts["corrected_share"] == pytest.approx(1 / 3)
    assert (facts["corrected_low"], facts["corrected_high"]) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.update(decision="perhaps"), "there is no such decision"),
        (lambda row: row.update({"decision": "accepted", "proposed question": ""}), "accepted that is not there"),
    ],
)
def test_faults_of_a_sheet_write_nothing(
    tmp_path: Path, server: ChatServer, change: Callable[[dict[str, str]], None], message: str
) -> None:
    """Each is named."""
    write(tmp_path, server)
    build(tmp_path)
    with pytest.raises(DataError, match=message):
        decided(tmp_path, change)
    assert not (tmp_path / "decisions.json").exists()


def test_a_failed_request_leaves_the_stage_undone(tmp_path: Path) -> None:
    """There is no record, and so nothing to decide on."""
    with serve(lambda _: status(500)) as server:
        write(tmp_path, server)
        assert build(tmp_path) is ExitCode.INCOMPLETE
    assert record(tmp_path, "explicit") is None
    with pytest.raises(DataError, match="has not run yet"):
        exambench("build", "proposals", "explicit", "--project", tmp_path, "--out", tmp_path / "sheet.csv")


def test_a_decision_without_a_stem_is_refused(tmp_path: Path, server: ChatServer) -> None:
    """A file that people wrote themselves is read as strictly as any other."""
    write(tmp_path, server, 'decisions = "decisions.json"')
    (tmp_path / "decisions.json").write_text('{"1": {"decision": "accepted", "stem": "x"}}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"decisions\.1.*accepted is missing|accepted is missing"):
        build(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_stems_that_look_like_cells_of_spreadsheets_come_back_as_they_were(tmp_path: Path, suffix: str) -> None:
    """An apostrophe before a sign is the stem's own; so is a number below 0 that an item is called by."""
    stems = {"-1": "'+극'이 있는 한국의 나침반은?", "2": "=한국의 한랭 전선", "3": "''-한국"}
    entries = [
        entry(number, question={"text": stem.replace("한국", "우리나라"), "image": ""}, korean=True)
        for number, stem in zip((-1, 2, 3), stems.values(), strict=True)
    ]

    def named(call: Call) -> Reply:
        stem = str(call.body["messages"][1]["content"]).split("\n")[1]
        return completion(json.dumps({"question": stem.replace("우리나라", "한국")}, ensure_ascii=False))

    with serve(named) as server:
        write_project(tmp_path, entries, STAGE.format(more='decisions = "decisions.json"'), {"editor": server})
        (tmp_path / "decisions.json").write_text("{}", encoding="utf-8")
        build(tmp_path)
        sheet = tmp_path / f"sheet.{suffix}"
        exambench("build", "proposals", "explicit", "--project", tmp_path, "--out", sheet)
        accept(sheet)
        back = ("--stage", "explicit", "--project", tmp_path, "--out", tmp_path / "decisions.json")
        exambench("build", "decide", sheet, *back)
        build(tmp_path)
    items = outcome(tmp_path, "explicit")[1]
    assert {name: item.wording().question.text for name, item in items.items()} == stems


def accept(sheet: Path) -> None:
    """Accept every row."""
    if sheet.suffix == ".xlsx":
        book = openpyxl.load_workbook(sheet)
        for row in book.worksheets[0].iter_rows(min_row=2):
            row[-1].value = "accepted"
        book.save(sheet)
    else:
        text = sheet.read_text(encoding="utf-8-sig")
        sheet.write_text(text.replace(",open\n", ",accepted\n"), encoding="utf-8")


@pytest.mark.parametrize("name", [".", "sheet", "sheet.txt"])
def test_a_sheet_has_the_name_of_one(tmp_path: Path, name: str) -> None:
    """Otherwise a file of another name would be written than the one that was asked for."""
    with pytest.raises(ConfigError, match="is no name of a sheet"):
        write_proposals(tmp_path, "explicit", Path(name))
