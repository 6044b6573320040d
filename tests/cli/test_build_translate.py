"""Translation from the command line: drafts by a model, rules, a sheet for people, both languages compared."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError
from tests.support.chat_server import Call, Reply, Script, completion, serve
from tests.support.exams import write_exam

SIZE = 8


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def number_of(text: str) -> int:
    """Return the number of the station that a chat is about."""
    match = re.search(r"(\d+)번 관측소", text)
    assert match is not None
    return int(match[1])


def english(number: int, *, value: int | None = None) -> str:
    """Return a translation of an item of tests.support.exams; another value breaks a rule."""
    choices = [f"{1000 + number + step} hPa" for step in range(4)]
    question = f"What is the pressure at station {value or number}?"
    return json.dumps({"question": question, "choices": choices})


def translator(call: Call) -> Reply:
    """Translate well; item 2 wrongly at first, item 3 wrongly always, item 4 unreadably always."""
    messages = call.body["messages"]
    number = number_of(messages[1]["content"])
    if number == 3 or (number == 2 and len(messages) == 2):
        return completion(english(number, value=99))
    return completion("Here you are." if number == 4 else english(number))


def translate(data: Path, folder: Path, script: Script, *more: str | Path) -> Result:
    """Have an exam translated."""
    with serve(script) as server:
        return exambench(
            *("build", "translate", "--benchmark", "kmetbench", "--data", data, "--model", f"t@{server.base_url}"),
            *("--out", folder / "drafts.json", "--sheet", folder / "review.xlsx", "--store", folder / "r.db", *more),
        )


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> Path:
    """An exam of eight items, the last of which shows a picture."""
    return write_exam(tmp_path, SIZE, pictures=1)


def entries(path: Path) -> dict[int, Any]:
    """Return the items of a data file by number."""
    return {entry["id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


def test_drafts_are_written_and_what_breaks_a_rule_is_left_to_people(data: Path, tmp_path: Path) -> None:
    """Asked again with the complaint; after three tries it is on the sheet, and not in the data."""
    calls: list[Call] = []

    def watched(call: Call) -> Reply:
        calls.append(call)
        return translator(call)

    done = translate(data, tmp_path, watched)
    assert done.exit_code == 1
    assert "6 of 8 items have a draft; 2 break a rule after the last try" in done.stdout
    assert "item 3: Question: numbers are missing: 3. Question: numbers were added: 99." in done.stderr
    tries = [number_of(call.body["messages"][1]["content"]) for call in calls]
    assert [tries.count(number) for number in (1, 2, 3, 4)] == [1, 2, 3, 3]
    complaint = next(call.prompt for call in calls if len(call.body["messages"]) == 4)
    assert "numbers" in complaint or "JSON" in complaint
    drafts = entries(tmp_path / "drafts.json")
    assert drafts[2]["question_english"] == "What is the pressure at station 2?"
    assert (drafts[1]["translation"], drafts[8]["question"]["image"]) == ("draft", "chart-8.png")
    assert not {"question_english", "translation"} & (drafts[3].keys() | drafts[4].keys())
    before = entries(data)
    assert all(drafts[number][name] == value for number, entry in before.items() for name, value in entry.items())


def test_the_same_command_again_asks_nothing(data: Path, tmp_path: Path) -> None:
    """Replies are in the store; the sheet is there, so another name is needed for it."""
    with serve(translator) as server:
        common: list[str | Path] = [
            *("build", "translate", "--benchmark", "kmetbench", "--data", data, "--items", "1,2"),
            *("--model", f"t@{server.base_url}", "--store", tmp_path / "r.db"),
        ]
        exambench(*common, "--out", tmp_path / "a.json")
        asked = len(server.calls)
        exambench(*common, "--out", tmp_path / "b.json")
        assert (asked, len(server.calls)) == (3, 3)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_sheet_that_may_be_filled_in_is_seen_before_anything_is_asked(data: Path, tmp_path: Path) -> None:
    """Nobody pays for replies that then have no place."""
    (tmp_path / "review.csv").write_text("kept", encoding="utf-8")
    calls: list[Call] = []

    def watched(call: Call) -> Reply:
        calls.append(call)
        return translator(call)

    with pytest.raises(ConfigError, match="is there already"):
        translate(data, tmp_path, watched)
    assert not calls


def review(folder: Path, change: Callable[[dict[str, str]], None], name: str = "reviewed.csv") -> Result:
    """Fill in the sheet and bring it back."""
    rows = list(csv.DictReader(io.StringIO((folder / "review.csv").read_text(encoding="utf-8-sig"))))
    for row in rows:
        change(row)
    with (folder / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return exambench(
        *("build", "review", folder / name, "--benchmark", "kmetbench", "--data", folder / "drafts.json"),
        *("--out", folder / "checked.json"),
    )


def approve(row: dict[str, str]) -> None:
    """Correct item 3, reject item 4, leave item 5 a draft, approve the others."""
    row["state"] = {"4": "rejected", "5": "draft"}.get(row["item id"], "checked")
    if row["item id"] == "3":
        row["English question"] = "What is the pressure at station 3?"


def test_people_correct_check_and_reject(data: Path, tmp_path: Path) -> None:
    """The sheet shows original, problems and English; what comes back is in the data."""
    translate(data, tmp_path, translator)
    sheet = openpyxl.load_workbook(tmp_path / "review.xlsx").worksheets[0]
    header = [cell.value for cell in sheet[1]]
    assert header[:5] == ["item id", "question", "choices", "problems", "English question"]
    assert sheet["D4"].value == "Question: numbers are missing: 3.\nQuestion: numbers were added: 99."
    assert (sheet["J4"].value, sheet["J2"].value) == ("rejected", "draft")
    assert review(tmp_path, approve).stdout.endswith("checked.json: 6 checked, 1 drafts, 1 rejected.\n")
    checked = entries(tmp_path / "checked.json")
    assert checked[3]["question_english"] == "What is the pressure at station 3?"
    assert [checked[number].get("translation") for number in (1, 3, 4, 5)] == ["checked", "checked", None, "draft"]


def broken(row: dict[str, str]) -> None:
    """Break four rows, each in another way."""
    approve(row)
    match row["item id"]:
        case "1":
            row["state"] = "fine"
        case "2":
            row["English choice 2"] = ""
        case "5":
            row["English question"] = "What is the pressure?"
        case "6":
            row["item id"] = "66"


def test_one_fault_keeps_the_data_as_it_was(data: Path, tmp_path: Path) -> None:
    """Every fault is named: a state, a missing choice, a draft that breaks a rule, an unknown item."""
    translate(data, tmp_path, translator)
    with pytest.raises(DataError, match=r"there is no such state \(found 'fine'\)"):
        review(tmp_path, broken)
    with pytest.raises(DataError) as error:
        review(tmp_path, lambda row: None if row["item id"] in {"1", "6"} else broken(row))
    assert "item '2': the English choice 2 is missing" in str(error.value)
    assert "item '5': Question: numbers are missing: 5" in str(error.value)
    assert not (tmp_path / "checked.json").exists()


def test_an_exam_without_an_english_side_says_how_to_get_one(data: Path) -> None:
    """Before any model is asked."""
    with pytest.raises(ConfigError, match="Translate items first: exambench build translate"):
        exambench(
            *("run", "--benchmark", "kmetbench", "--data", data, "--model", "baseline/first"),
            *("--probe", "english", "--dry-run"),
        )


def test_rows_that_were_mixed_up_are_named(data: Path, tmp_path: Path) -> None:
    """A column that was sorted by itself puts identifiers beside the questions of other items; spaces are no matter."""
    translate(data, tmp_path, translator, "--items", "5,6,7")

    def mix(row: dict[str, str]) -> None:
        row["question"] = f" {row['question']}\n"
        row["item id"] = {"5": "6", "6": "5"}.get(row["item id"], row["item id"])

    with pytest.raises(DataError) as error:
        review(tmp_path, mix)
    assert "item '5': the question beside it is that of item 6" in str(error.value)
    assert "item '6': the question beside it is that of item 5" in str(error.value)
    assert "item '7'" not in str(error.value)


def test_both_languages_are_compared_on_checked_items(data: Path, tmp_path: Path) -> None:
    """A model that knows Korean alone: right on every item in Korean, on none in English; 6 items are checked."""
    translate(data, tmp_path, translator)
    review(tmp_path, approve)

    def knows_korean(call: Call) -> Reply:
        match = re.search(r"(\d+)번 관측소", call.prompt)
        return completion(json.dumps({"정답": int(match[1]) % 4 + 1 if match else 0}, ensure_ascii=False))

    with serve(knows_korean) as server:
        for wording in ("explicit", "english"):
            exambench(
                *("run", "--benchmark", "kmetbench", "--data", tmp_path / "checked.json", "--wording", wording),
                *("--images", tmp_path / "images", "--vision"),
                *("--model", f"seoul@{server.base_url}", "--store", tmp_path / "runs.db"),
            )
    common: list[str | Path] = ["crosslingual", "--store", tmp_path / "runs.db", "--resamples", "50"]
    (model,) = json.loads(exambench(*common, "--json").stdout)["models"]
    assert (model["both"], model["only_korean"], model["only_english"], model["neither"]) == (0, 6, 0, 0)
    assert model["p"] == pytest.approx(2 / 2**6)  # six discordant items, all one way
    assert model["difference"] == {"estimate": 1.0, "low": 1.0, "high": 1.0, "n": 6}
    (with_drafts,) = json.loads(exambench(*common, "--drafts", "--json").stdout)["models"]
    assert with_drafts["difference"]["n"] == 7
    for page in (exambench(*common).stdout, exambench(*common, "--markdown").stdout):
        assert "1 draft, 6 checked. Used here: checked." in page
    (row,) = csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout))
    assert (row["only_korean"], row["difference_estimate"]) == ("6", "1.0")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--items", "77"), "there is no such item"),
        (("--where", "korean"), "is no condition"),
        (("--where", "part=9"), "no item is chosen"),
    ],
)
def test_what_cannot_be_translated_is_said(data: Path, tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    """Items, conditions; no model is asked."""
    with pytest.raises(ConfigError, match=told):
        translate(data, tmp_path, translator, *more)


def test_a_question_that_is_a_picture_alone_stays_one(data: Path, tmp_path: Path) -> None:
    """Its choices are translated; the item can be put in English."""
    found = json.loads(data.read_text(encoding="utf-8"))
    found[7]["question"]["text"] = ""
    found[7]["choices"] = [{"text": f"{step}번 관측소", "image": ""} for step in range(1, 5)]
    data.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    reply = {"question": "", "choices": [f"Station {step}" for step in range(1, 5)]}
    done = translate(data, tmp_path, lambda _: completion(json.dumps(reply)), "--items", "8")
    assert done.exit_code == 0
    entry = entries(tmp_path / "drafts.json")[8]
    assert (entry["question_english"], entry["choices_english"][0]) == (
        {"text": "", "image": "chart-8.png"},
        "Station 1",
    )
    assert (
        exambench(
            "check", tmp_path / "drafts.json", "--benchmark", "kmetbench", "--images", tmp_path / "images"
        ).exit_code
        < 2
    )


def test_a_state_that_is_none_is_a_fault_of_the_data(data: Path) -> None:
    """The check names it."""
    found = json.loads(data.read_text(encoding="utf-8"))
    found[0] |= {"question_english": "What?", "translation": "perfect"}
    data.write_text(json.dumps(found), encoding="utf-8")
    done = exambench("check", data, "--benchmark", "kmetbench")
    assert "is no state of a translation (found 'perfect'); allowed: draft, checked" in done.stdout + done.stderr


def test_what_was_changed_against_a_rule_is_told_without_commands_to_the_terminal(data: Path, tmp_path: Path) -> None:
    """A formula of the data that is missing in a checked translation is quoted, escaped."""
    found = json.loads(data.read_text(encoding="utf-8"))[:1]
    found[0]["question"]["text"] += " $\x1b]0;evil\x07$"
    data.write_text(json.dumps(found), encoding="utf-8")
    translate(data, tmp_path, translator)
    shown = review(tmp_path, lambda row: row.update({"state": "checked"})).stdout
    assert "checked although" in shown
    assert "evil" in shown
    assert "\x1b" not in shown


def test_a_translation_with_controls_is_no_translation(data: Path, tmp_path: Path) -> None:
    """It is asked for again, and then left to people."""

    def hostile(call: Call) -> Reply:
        text = english(number_of(call.body["messages"][1]["content"]))
        return completion(text.replace("What", "\x1b[31mWhat"))

    done = translate(data, tmp_path, hostile, "--items", "1")
    assert "0 of 1 items have a draft; 1 break a rule" in done.stdout
