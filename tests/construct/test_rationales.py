"""Rationales: a sample, drafts drawn until the answer is right, and what experts make of them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import copytree

import pytest
from PIL import Image
from scipy.stats import binomtest
from typer.testing import CliRunner

from exambench.cli.app import app
from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import decide, write_proposals
from exambench.construct.records import Action
from exambench.errors import ConfigError, DataError
from exambench.items import ChoiceKey
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.exams import entry

STAGE = '[[stages]]\nuse = "rationale"\nsize = 6\ndraws = 3\n{more}\n'
DECIDED = 'decisions = "decisions.json"'


def number_of(call: Call) -> int:
    """Return the number of the item that a chat is about."""
    match = re.search(r"(\d+)번 관측소", str(call.body["messages"][1]["content"]))
    assert match is not None
    return int(match[1])


def said(rationale: str, answer: object) -> Reply:
    """Reply in the form that the prompt asks for."""
    return completion(json.dumps({"rationale": rationale, "answer": answer}, ensure_ascii=False))


def writer(call: Call) -> Reply:
    """Be right about 1 and 6 at once, about 2 in the third draw, 5 in the second; never about 3; say nothing of 4."""
    number, draw = number_of(call), call.body["seed"] - 41
    right = number % 4 + 1
    wrong = right % 4 + 1
    match number, draw:
        case (2, 1 | 2) | (3, _):
            return said(f"{number}의 그른 풀이", str(wrong))
        case 4, _:
            return completion("답은 1번입니다.")
        case 5, 1:
            return completion(None, refusal="no")
    return said(f"{number}의 {draw}번째 풀이", right)


def write(folder: Path, server: ChatServer, more: str = "", **changes: object) -> None:
    """Write a project of six items; the first one may be another."""
    entries = [entry(1, **changes), *(entry(number) for number in range(2, 7))]
    write_project(folder, entries, STAGE.format(more=more), {"writer": server})


@pytest.fixture(name="server")
def _server() -> Iterator[ChatServer]:
    with serve(writer) as server:
        yield server


@pytest.fixture(name="drafted", scope="module")
def _drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is built once, for tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("drafted")
    with serve(writer) as server:
        write(folder, server)
        build(folder)
    return folder


def sheet_of(folder: Path) -> list[dict[str, str]]:
    """Take the sheet out."""
    sheet = folder / "sheet.csv"
    sheet.unlink(missing_ok=True)
    write_proposals(folder, "rationale", sheet)
    return list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))


def bring_back(folder: Path, change: Callable[[dict[str, str]], None]) -> str:
    """Take the sheet out, fill it in, and bring it back."""
    rows = sheet_of(folder)
    for row in rows:
        change(row)
    with (folder / "sheet.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return "\n".join(decide(folder, "rationale", folder / "sheet.csv", folder / "decisions.json"))


MARKS: Mapping[str, Mapping[str, str]] = {
    "1": {"verdict": "adopt"},
    "2": {"verdict": "Minor", "rationale": "2의 고친 풀이", "revisions": "units, Terminology"},
    "3": {"verdict": "major", "rationale": "3의 새 풀이", "revisions": "supplement", "corrected key": "1"},
    "4": {"verdict": "discard", "reason": "보기가 모두 그르다"},
}


def mark(row: dict[str, str]) -> None:
    """Adopt 1, revise 2 a little and 3 with its key, discard 4, leave 5 and 6 open."""
    row.update(MARKS.get(row["item id"], {}))


def build_decided(folder: Path, server: ChatServer) -> None:
    """Build, decide, and build again."""
    write(folder, server)
    build(folder)
    bring_back(folder, mark)
    write(folder, server, DECIDED)
    build(folder)


def test_a_rationale_is_drawn_until_its_answer_is_right(tmp_path: Path, server: ChatServer) -> None:
    """Draws by item 1, 3, 3, 3, 2, 1, each with a seed of its own; no item gets a rationale before people decided."""
    write(tmp_path, server)
    assert build(tmp_path) is ExitCode.COMPLETE
    asked = [number_of(call) for call in server.calls]
    assert [asked.count(number) for number in range(1, 7)] == [1, 3, 3, 3, 2, 1]
    assert sorted(call.body["seed"] for call in server.calls if number_of(call) == 3) == [42, 43, 44]
    found, items = outcome(tmp_path, "rationale")
    assert not any(item.rationale for item in items.values())
    waiting = details(found, Action.REVIEW)
    drafts = [waiting[str(number)]["drafted"] for number in range(1, 7)]
    assert drafts == ["1의 1번째 풀이", "2의 3번째 풀이", None, None, "5의 2번째 풀이", "6의 1번째 풀이"]
    assert waiting["3"]["answers"] == ["1", "1", "1"]
    assert waiting["4"]["answers"] == [None, None, None]
    reasons = {change.item: change.reason for change in found.changes}
    assert reasons["3"] == reasons["4"] == "no draw led to the right answer"


def test_the_draws_that_were_needed_are_facts(drafted: Path) -> None:
    """Of six items four have a draft, after 1, 1, 2 and 3 draws: (1 + 1 + 2 + 3) / 4 = 1.75 in the mean."""
    facts = outcome(drafted, "rationale")[0].facts
    assert [facts[name] for name in ("sample", "drafted", "never_right", "verified", "waiting")] == [6, 4, 2, 0, 6]
    assert facts["mean_draws_of_drafted"] == 1.75
    assert facts["draws"] == [{"draws": 1, "items": 2}, {"draws": 2, "items": 1}, {"draws": 3, "items": 1}]
    assert all(row["share"] is None for row in facts["verdicts"])


def test_what_experts_decided_flows_into_the_items(tmp_path: Path, server: ChatServer) -> None:
    """Adopted and revised rationales are in the items, the key is repaired, an item is gone; no model is asked."""
    write(tmp_path, server)
    build(tmp_path)
    told = bring_back(tmp_path, mark)
    assert told.strip().endswith("1 adopt, 1 minor, 1 major, 1 discard, 2 open.")
    asked = len(server.calls)
    write(tmp_path, server, DECIDED)
    build(tmp_path)
    found, items = outcome(tmp_path, "rationale")
    assert len(server.calls) == asked
    assert [items[name].rationale for name in "12356"] == ["1의 1번째 풀이", "2의 고친 풀이", "3의 새 풀이", "", ""]
    assert items["1"].facets["reasoning"] is True
    assert (items["3"].key, "4" in items) == (ChoiceKey(1), False)
    assert details(found, Action.CHANGED)["3"] == {"before": "4", "after": "1"}
    assert details(found, Action.DROPPED)["4"]["why"] == "보기가 모두 그르다"
    assert details(found, Action.REVIEW).keys() == {"5", "6"}


def test_lines_of_a_text_stand_in_one_row_of_a_table(drafted: Path) -> None:
    """Choices are one a line in the record, and no line break is shown as an unknown character."""
    shown = CliRunner().invoke(app, ["build", "record", "rationale", "--project", str(drafted)]).output
    assert "1. 1001 hPa 2. 1002 hPa" in " ".join(shown.split())
    assert "\ufffd" not in shown


def test_verdicts_and_revisions_are_counted(verified: Path) -> None:
    """One verdict of each kind, 1 of 4, with Wilson's interval as scipy has it; kinds of two revised rationales."""
    facts = outcome(verified, "rationale")[0].facts
    interval = binomtest(1, 4).proportion_ci(method="wilson")
    for row in facts["verdicts"]:
        assert (row["items"], row["of"], row["share"]) == (1, 4, 0.25)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
    kinds = {row["kind"]: (row["items"], row["of"]) for row in facts["revisions"]}
    assert kinds == {
        "terminology": (1, 2),
        "units": (1, 2),
        "rewriting": (0, 2),
        "supplement": (1, 2),
        "polish": (0, 2),
    }
    assert (facts["verified"], facts["waiting"], facts["repaired_keys"]) == (4, 2, 1)


def test_a_further_sheet_shows_what_was_decided(verified: Path) -> None:
    """Items that are gone too, so that people can change their minds; brought back unchanged it changes nothing."""
    before = (verified / "decisions.json").read_text(encoding="utf-8")
    verdicts = {row["item id"]: row["verdict"] for row in sheet_of(verified)}
    assert verdicts == {"1": "adopt", "2": "minor", "3": "major", "4": "discard", "5": "open", "6": "open"}
    bring_back(verified, lambda _: None)
    assert (verified / "decisions.json").read_text(encoding="utf-8") == before


@pytest.fixture(name="verified", scope="module")
def _verified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose drafts were decided on, for tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("verified")
    with serve(writer) as server:
        build_decided(folder, server)
    return folder


@pytest.mark.parametrize(
    ("change", "draft"),
    [
        ({"answer": 3}, None),
        ({"question": {"text": "1번 관측소에서 잰 기압은?", "image": ""}}, "1의 1번째 풀이"),
    ],
)
def test_a_decision_holds_for_what_experts_saw(
    tmp_path: Path, verified: Path, server: ChatServer, change: dict[str, object], draft: str | None
) -> None:
    """Another key or another stem: the item is left for people again, and has no rationale."""
    copytree(verified, tmp_path, dirs_exist_ok=True)
    write(tmp_path, server, DECIDED, **change)
    build(tmp_path)
    found, items = outcome(tmp_path, "rationale")
    assert items["1"].rationale == ""
    assert details(found, Action.REVIEW)["1"]["drafted"] == draft
    assert {change.item: change.reason for change in found.changes}["1"].startswith("the item or its draft is another")
    assert items["2"].rationale == "2의 고친 풀이"


def test_a_sheet_of_what_was_is_refused(tmp_path: Path, drafted: Path, server: ChatServer) -> None:
    """The stem changed while the sheet was with an expert, whose verdict is about the old one."""
    copytree(drafted, tmp_path, dirs_exist_ok=True)
    version = sheet_of(tmp_path)[0]["version"]
    write(tmp_path, server, question={"text": "1번 관측소에서 잰 기압은?", "image": ""})
    build(tmp_path)
    with pytest.raises(DataError, match="another one since this sheet was written"):
        bring_back(
            tmp_path, lambda row: row.update(verdict="adopt", version=version) if row["item id"] == "1" else None
        )


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"verdict": "perhaps"}, "there is no such decision"),
        ({"verdict": "adopt", "rationale": "다른 풀이"}, "a changed one is minor or major"),
        ({"verdict": "adopt", "revisions": "units"}, "adopted has no revisions"),
        ({"verdict": "adopt", "corrected key": "1"}, "another key needs another rationale"),
        ({"verdict": "minor", "revisions": "polish"}, "said to be revised and is the draft"),
        ({"verdict": "minor", "rationale": "다른 풀이"}, "it is not said what was revised"),
        ({"verdict": "major", "rationale": "다른 풀이", "revisions": "magic"}, "no such kind of revision"),
        ({"verdict": "major", "rationale": "", "revisions": "units"}, "there is no rationale"),
        (
            {"verdict": "major", "rationale": "x", "revisions": "units", "corrected key": "9"},
            "this is no key of the item",
        ),
        ({"verdict": "major", "rationale": "x", "revisions": "units", "corrected key": "2"}, "this is the key already"),
        ({"verdict": "discard"}, "discarded without a reason"),
    ],
)
def test_faults_of_a_sheet_write_nothing(drafted: Path, cells: dict[str, str], message: str) -> None:
    """Each is named with the item and the column."""
    with pytest.raises(DataError, match=message):
        bring_back(drafted, lambda row: row.update(cells) if row["item id"] == "1" else None)
    assert not (drafted / "decisions.json").exists()


def test_a_decision_that_does_not_hold_together_is_refused(tmp_path: Path, server: ChatServer) -> None:
    """A file that people wrote themselves is read as strictly as a sheet."""
    write(tmp_path, server, DECIDED)
    (tmp_path / "decisions.json").write_text('{"1": {"verdict": "discard", "seen": "x"}}', encoding="utf-8")
    with pytest.raises(ConfigError, match="discarded without a reason"):
        build(tmp_path)


def test_a_failed_request_is_no_draw(tmp_path: Path) -> None:
    """The stage is not done; the next build asks what failed and what follows from it, and nothing else."""
    failing: Callable[[Call], Reply] = lambda call: status(500) if number_of(call) == 2 else writer(call)  # noqa: E731 - a script
    with serve(failing) as server:
        write(tmp_path, server)
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "rationale") is None
        asked = len(server.calls)
        server.script = writer
        assert build(tmp_path) is ExitCode.COMPLETE
        again = [number_of(call) for call in server.calls[asked:]]
    assert [again.count(number) for number in range(1, 7)] == [0, 3, 3 - 1, 3 - 1, 1, 0]


def test_a_budget_bounds_the_draws(tmp_path: Path, server: ChatServer) -> None:
    """Ten responses are not enough for thirteen draws."""
    write(tmp_path, server, "max_requests = 10")
    assert build(tmp_path) is ExitCode.INCOMPLETE
    assert len(server.calls) == 10


def test_the_sample_is_stratified(tmp_path: Path, server: ChatServer) -> None:
    """One of each part: five parts, the sixth item shares the part of the first; the rest is not asked about."""
    write(tmp_path, server)
    text = (tmp_path / "build.toml").read_text(encoding="utf-8")
    settings = text.replace("size = 6", 'per_stratum = 1\nfacets = ["part"]')
    (tmp_path / "build.toml").write_text(settings, encoding="utf-8")
    build(tmp_path)
    facts = outcome(tmp_path, "rationale")[0].facts
    assert [(row["stratum"], row["items"], row["drawn"]) for row in facts["strata"]] == [
        ("part 1", 1, 1),
        ("part 2", 2, 1),
        ("part 3", 1, 1),
        ("part 4", 1, 1),
        ("part 5", 1, 1),
    ]
    assert len({number_of(call) for call in server.calls} & {1, 6}) == 1


def test_a_facet_that_no_item_has_makes_no_strata(tmp_path: Path, server: ChatServer) -> None:
    """A word that is misspelt would draw a simple random sample, and say nothing."""
    write(tmp_path, server, 'facets = ["part", "modalty"]')
    with pytest.raises(ConfigError, match=r"modalty.*korean, modality, part"):
        build(tmp_path)
    assert not server.calls


def test_a_decision_about_an_item_that_is_not_drawn_is_counted(
    tmp_path: Path, verified: Path, server: ChatServer
) -> None:
    """Experts see that their work on it waits; of four verdicts three are about items of the sample."""
    copytree(verified, tmp_path, dirs_exist_ok=True)
    write(tmp_path, server, DECIDED, rationale="사람이 쓴 풀이")
    build(tmp_path)
    facts = outcome(tmp_path, "rationale")[0].facts
    assert (facts["verified"], facts["decisions_not_used"]) == (3, 1)


def test_an_item_that_has_a_rationale_keeps_it(tmp_path: Path, server: ChatServer) -> None:
    """It is not in the pool."""
    write(tmp_path, server, rationale="사람이 쓴 풀이")
    build(tmp_path)
    found, items = outcome(tmp_path, "rationale")
    assert (found.facts["pool"], items["1"].rationale) == (5, "사람이 쓴 풀이")
    assert all(number_of(call) != 1 for call in server.calls)


def test_a_picture_that_the_model_does_not_see_is_no_guess(tmp_path: Path, server: ChatServer) -> None:
    """The item is left for people without a draft."""
    (tmp_path / "images").mkdir()
    Image.new("RGB", (40, 30), (200, 80, 160)).save(tmp_path / "images" / "chart.png")
    write(tmp_path, server, question={"text": "1번 관측소의 기압은?", "image": "chart.png"}, multimodal=True)
    build(tmp_path)
    found, _ = outcome(tmp_path, "rationale")
    reasons = {change.item: change.reason for change in found.changes}
    assert reasons["1"] == "it has pictures, and the model takes text only"
    assert all(number_of(call) != 1 for call in server.calls)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("per_stratum = 2", "either size or per_stratum"),
        ('critic = "writer"', "critic and enhancer refine the instructions together"),
        ('writer = "nobody"', "asks a model that the project does not have"),
    ],
)
def test_settings_that_do_not_fit_are_said(tmp_path: Path, server: ChatServer, more: str, message: str) -> None:
    """Before anything is asked."""
    write(tmp_path, server, more)
    with pytest.raises(ConfigError, match=message):
        build(tmp_path)
    assert not server.calls
