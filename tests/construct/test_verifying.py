"""Items that a model wrote, under review: sheets, decisions of several people, their agreement, and what is done."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import krippendorff
import numpy as np
import pytest
from openpyxl import load_workbook
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import decide, write_proposals
from exambench.construct.records import Action, StageRecord
from exambench.construct.review_agreement import agreement
from exambench.construct.reviewed import Reviewed, Ruling, choices_from, read_reviewed
from exambench.construct.verifying import VerifySettings
from exambench.errors import ConfigError, DataError
from exambench.items import EXPLICIT, ChoiceKey, Content, Item, TextKey, Wording
from tests.construct.generation import write_papers, writer
from tests.construct.projects import build, details, outcome
from tests.support.chat_server import serve

VERIFY = '[[stages]]\nuse = "verify"\nreviewers = 3\nshared = 0.5\n{more}\n'
FILLED = {"paragraph fits": "yes", "answer is right": "yes", "quality": "4", "decision": "keep"}
Row = dict[str, str]


@pytest.fixture(name="written", scope="module")
def _written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose 20 Korean items wait for review, for tests to copy."""
    folder = tmp_path_factory.mktemp("written")
    with serve(writer) as server:
        write_papers(folder, server, papers=["paddy"], more=VERIFY.format(more=""))
        build(folder)
    return folder


@pytest.fixture(name="project")
def _project(tmp_path: Path, written: Path) -> Path:
    """The same, to be changed."""
    return copytree(written, tmp_path / "project")


def settings(project: Path, more: str) -> None:
    """Give the stage further settings."""
    path = project / "build.toml"
    path.write_text(
        path.read_text(encoding="utf-8").partition('[[stages]]\nuse = "verify"')[0] + VERIFY.format(more=more),
        encoding="utf-8",
    )


def sheet_of(project: Path) -> list[Row]:
    """Take a sheet out."""
    sheet = project / "sheet.csv"
    sheet.unlink(missing_ok=True)
    write_proposals(project, "verify", sheet)
    return list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))


def write(project: Path, rows: list[Row]) -> None:
    """Write the rows of a sheet."""
    with (project / "sheet.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def bring_back(project: Path, name: str, fill: Callable[[Row], None]) -> str:
    """Take a sheet out, fill it in, and bring it back as the decisions of a reviewer."""
    rows = sheet_of(project)
    for row in rows:
        fill(row)
    write(project, rows)
    return "\n".join(decide(project, "verify", project / "sheet.csv", project / f"{name}.json"))


def keep(row: Row) -> None:
    """Keep an item."""
    row.update(FILLED)


def drop(row: Row) -> None:
    """Drop an item whose answer is wrong."""
    row.update(
        {"paragraph fits": "yes", "answer is right": "no", "quality": "", "decision": "drop", "reason": "정답이 둘이다"}
    )


def reasons(found: StageRecord) -> dict[str, str]:
    """Return what is said of each item."""
    return {change.item: change.reason for change in found.changes}


def test_every_generated_item_is_on_a_sheet_with_its_paragraph(written: Path) -> None:
    """20 items wait; half of them, drawn with the seed, are for all, the others each for one of three."""
    found, items = outcome(written, "verify")
    rows = sheet_of(written)
    assert len(rows) == found.count(Action.REVIEW) == len(items) == 20
    assert set(reasons(found).values()) == {"it waits for review"}
    assert all(row["passage"] == items[row["item id"]].passage for row in rows)
    assert sum(row["reviewer"] == "all" for row in rows) == found.facts["shared"] == 10
    assert {row["reviewer"] for row in rows} == {"all", "1", "2", "3"}
    choice = next(row for row in rows if row["item id"] == "paddy-1-multiple_choice")
    assert choice["choices"].splitlines()[0] == "1. 첫째 결과가 커진다"
    assert (choice["key"], choice["topic"], choice["decision"]) == ("1", "change", "open")


def test_decisions_flow_into_the_items(project: Path) -> None:
    """Kept, changed with key and choices, and dropped, each with its reason; the rest waits."""

    def fill(row: Row) -> None:
        if row["reviewer"] == "all":
            return
        match row["task"]:
            case "multiple_choice":
                text = row["choices"].replace("둘째 결과가 작아진다", "둘째 결과가 커진다")
                row.update({**FILLED, "answer is right": "no", "quality": "", "decision": "change"})
                row.update({"question": "무엇이 커지는가?", "choices": text, "key": "2", "reason": "보기가 모호하다"})
            case "short_answer":
                drop(row)
            case _:
                keep(row)

    told = bring_back(project, "first", fill)
    settings(project, 'decisions = ["first.json"]')
    assert build(project) is ExitCode.COMPLETE
    found, items = outcome(project, "verify")
    said = reasons(found)
    changed = [name for name, reason in said.items() if reason == "reviewers changed it"]
    dropped = [name for name, reason in said.items() if reason == "reviewers dropped it"]
    assert changed
    assert dropped
    assert all(name not in items for name in dropped)
    item = items[changed[0]]
    assert item.wording().question.text == "무엇이 커지는가?"
    assert item.wording().choices[1].text == "둘째 결과가 커진다"
    assert item.key == ChoiceKey(2)
    assert details(found, Action.CHANGED)[changed[0]]["why"] == "보기가 모호하다"
    assert details(found, Action.DROPPED)[dropped[0]]["why"] == "정답이 둘이다"
    facts = found.facts
    assert (facts["under_review"], facts["waiting"], facts["changed"], facts["dropped"]) == (
        20,
        10,
        len(changed),
        len(dropped),
    )
    assert f"{facts['kept']} keep, {len(changed)} change, {len(dropped)} drop, 10 open" in told
    assert len(sheet_of(project)) == 20


def test_a_sheet_shows_no_decision_of_anybody(project: Path) -> None:
    """Reviewers are blind to each other; a dropped item is there with its paragraph."""
    bring_back(project, "first", drop)
    settings(project, 'decisions = ["first.json"]')
    build(project)
    rows = sheet_of(project)
    assert {row["decision"] for row in rows} == {"open"}
    assert not any(row["reason"] or row["quality"] for row in rows)
    assert all(row["passage"] for row in rows)


def test_a_shared_item_waits_for_all_and_then_the_majority_decides(project: Path) -> None:
    """One of three is too few; two to one is a majority; three ways are none, until that is adjudicated."""
    everyone = ("first", "second", "third")

    def by(name: str) -> Callable[[Row], None]:
        def fill(row: Row) -> None:
            keep(row)
            if row["task"] == "true_false" and name != "first":
                drop(row)
            if row["task"] == "short_answer" and name == "second":
                drop(row)
            if row["task"] == "short_answer" and name == "third":
                row.update({"decision": "change", "question": "다른 물음인가?", "reason": "모호하다"})

        return fill

    bring_back(project, "first", by("first"))
    settings(project, 'decisions = ["first.json"]')
    build(project)
    found, _ = outcome(project, "verify")
    shared = [row["item id"] for row in sheet_of(project) if row["reviewer"] == "all"]
    assert {reasons(found)[name] for name in shared} == {"1 of 3 reviewers have decided"}
    for name in everyone[1:]:
        bring_back(project, name, by(name))
    settings(project, f"decisions = {[f'{name}.json' for name in everyone]}")
    build(project)
    found, items = outcome(project, "verify")
    assert not any(name.endswith("true_false") for name in items)
    open_ = {name for name, reason in reasons(found).items() if reason == "the reviewers disagree"}
    assert open_ == {name for name in items if name.endswith("short_answer")}
    assert found.facts["disagreed"] == 4
    bring_back(project, "final", lambda row: keep(row) if row["task"] == "short_answer" else None)
    settings(project, f'decisions = {[f"{name}.json" for name in everyone]}\nadjudicated = "final.json"')
    build(project)
    found, items = outcome(project, "verify")
    assert found.facts["waiting"] == 0
    assert sum(name.endswith("short_answer") for name in items) == 4


def test_reviewers_who_change_an_item_differently_disagree(project: Path) -> None:
    """Two of three who make the same of a shared item are a majority; three who each write another text are none."""

    def by(name: str) -> Callable[[Row], None]:
        def fill(row: Row) -> None:
            keep(row)
            alike = row["task"] == "multiple_choice" and name != "first"
            if row["reviewer"] == "all" and row["task"] in {"multiple_choice", "short_answer"}:
                question = "무엇이 커지는가?" if alike else f"{name}: 무엇인가?"
                row.update({"decision": "change", "question": question, "reason": name})

        return fill

    names = ("first", "second", "third")
    for name in names:
        bring_back(project, name, by(name))
    settings(project, f"decisions = {[f'{name}.json' for name in names]}")
    build(project)
    found, items = outcome(project, "verify")
    said = reasons(found)
    shared = [row["item id"] for row in sheet_of(project) if row["reviewer"] == "all"]
    choices = [name for name in shared if name.endswith("multiple_choice")]
    answers = [name for name in shared if name.endswith("short_answer")]
    assert choices
    assert answers
    assert {items[name].wording().question.text for name in choices} == {"무엇이 커지는가?"}
    assert {said[name] for name in answers} == {"the reviewers disagree"}
    assert {items[name].wording().question.text for name in answers} == {
        "서로 이어지는 두 변화에서 알 수 있는 것은 무엇인가?"
    }


def test_agreement_is_fleiss_kappa_on_the_shared_items(project: Path) -> None:
    """Planted disagreements; the oracle is statsmodels' Fleiss' kappa on the same table."""
    matrix: dict[str, list[int]] = {}
    for place, name in enumerate(("first", "second", "third")):

        def fill(row: Row, place: int = place) -> None:
            wrong = int.from_bytes(row["item id"].encode()) % 7 < 2 + place
            (drop if wrong else keep)(row)
            if row["reviewer"] == "all":
                matrix.setdefault(row["item id"], []).append(int(not wrong))

        bring_back(project, name, fill)
    settings(project, 'decisions = ["first.json", "second.json", "third.json"]')
    build(project)
    facts = outcome(project, "verify")[0].facts
    row = next(row for row in facts["agreement"] if row["question"] == "answer is right")
    expected = fleiss_kappa(aggregate_raters(np.array(list(matrix.values())))[0])
    assert row["value"] == pytest.approx(expected)
    assert row["low"] <= row["value"] <= row["high"]
    assert {row["language"] for row in facts["agreement"]} == {"all"}
    assert (row["coefficient"], row["items"], row["reviewers"], row["seed"]) == ("Fleiss κ", 10, 3, 7)
    fits = next(row for row in facts["agreement"] if row["question"] == "paragraph fits")
    assert (fits["value"], fits["items"]) == (None, 10)
    people = {row["reviewer"]: row for row in facts["reviewers"]}
    assert people["first"]["items"] == 20
    assert people["first"]["quality"] == 4.0


def test_two_reviewers_have_cohens_kappa_in_each_language() -> None:
    """Two planted tables; the oracle is scikit-learn's cohen_kappa_score, of quality krippendorff's alpha."""
    said = {"ko": [(1, 1), (1, 0), (0, 0), (1, 1), (0, 0), (1, 1)], "en": [(1, 1), (0, 1), (1, 0), (0, 0)]}
    items, reviews = [], {"first": dict[str, Reviewed](), "second": dict[str, Reviewed]()}
    for language, pairs in said.items():
        for number, pair in enumerate(pairs):
            item = Item(f"{language}{number}", {EXPLICIT: Wording(Content())}, TextKey(""), {"language": language})
            items.append(item)
            for found, right in zip(reviews.values(), pair, strict=True):
                ruling = Ruling.KEEP if right else Ruling.DROP
                found[item.id] = Reviewed(
                    ruling=ruling,
                    seen="",
                    fits=True,
                    right=bool(right),
                    quality=3 + number % 3 if right else None,
                    reason="x",
                )
    rows = {(row["language"], row["question"]): row for row in agreement(items, reviews, 7)}
    both = [pair for pairs in said.values() for pair in pairs]
    for language, pairs in {**said, "all": both}.items():
        row = rows[language, "answer is right"]
        assert row["value"] == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
        assert (row["coefficient"], row["items"]) == ("Cohen κ", len(pairs))
    table = [[found[item.id].quality or np.nan for item in items] for found in reviews.values()]
    expected = krippendorff.alpha(np.array(table, dtype=float), level_of_measurement="ordinal")
    assert rows["all", "quality"]["value"] == pytest.approx(expected)
    assert agreement(items, {"first": reviews["first"]}, 7) == []


def test_items_that_a_reviewer_has_not_seen_yet_are_left_out_of_kappa() -> None:
    """Of 12 items the third reviewer saw 9; the oracle is statsmodels' Fleiss' kappa on those 9."""
    right = [(1, 1, 1), (1, 0, 1), (0, 0, 0), (1, 1, 0)] * 3
    items = [Item(str(number), {EXPLICIT: Wording(Content())}, TextKey("")) for number in range(len(right))]
    reviews = {
        str(reviewer): {
            item.id: Reviewed(ruling=Ruling.DROP, seen="", fits=bool(said[reviewer]), right=False, reason="x")
            for number, (item, said) in enumerate(zip(items, right, strict=True))
            if reviewer < 2 or number % 4 != 1
        }
        for reviewer in range(3)
    }
    row = next(row for row in agreement(items, reviews, 7) if row["question"] == "paragraph fits")
    seen = np.array([said for number, said in enumerate(right) if number % 4 != 1])
    assert row["value"] == pytest.approx(fleiss_kappa(aggregate_raters(seen)[0]))
    assert (row["coefficient"], row["items"]) == ("Fleiss κ", 9)


def test_a_review_does_not_count_once_the_item_is_another_one(project: Path) -> None:
    """The decision is there, and the item waits; a sheet from before is refused."""
    bring_back(project, "first", keep)
    rows = sheet_of(project)
    path = project / "first.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"seen": "', '"seen": "0'), encoding="utf-8")
    settings(project, 'decisions = ["first.json"]')
    build(project)
    assert set(reasons(outcome(project, "verify")[0]).values()) == {"the item is another one since it was reviewed"}
    assert rows[0]["version"].startswith("v")
    with pytest.raises(DataError, match="take a new one"):
        bring_back(project, "second", lambda row: row.update({**FILLED, "version": "v0"}))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"quality": ""}, "rated from 1 to 5"),
        ({"quality": "6"}, "is no rating"),
        ({"answer is right": "no"}, "whose answer is wrong is not rated"),
        ({"answer is right": "no", "quality": ""}, "kept whose answer is wrong"),
        ({"paragraph fits": "no"}, "whose paragraph does not fit"),
        ({"paragraph fits": ""}, "is not filled in"),
        ({"decision": "drop"}, "without a reason"),
        ({"decision": "perhaps"}, "there is no such decision"),
        ({"question": "다른 물음인가?"}, "it is kept and differs"),
        ({"decision": "change", "reason": "x"}, "and nothing is"),
        ({"decision": "change", "reason": "x", "question": ""}, "is empty"),
        ({"decision": "change", "reason": "x", "key": "7"}, "no key of the item"),
        ({"decision": "change", "reason": "x", "choices": "1. 하나\n2. 둘"}, "there are not 4 choices"),
        (
            {"decision": "change", "reason": "x", "choices": "1. 하나\n2. 하나.\n3. 셋\n4. 넷"},
            "two of them are the same",
        ),
        ({"decision": "change", "reason": "x", "choices": "하나\n둘\n셋\n넷"}, "there are not 4 choices"),
    ],
)
def test_what_does_not_go_together_is_a_finding_and_nothing_is_written(
    project: Path, changes: dict[str, str], problem: str
) -> None:
    """Each rule of the review, on one row of a sheet."""

    def fill(row: Row) -> None:
        if row["item id"] == "paddy-1-multiple_choice":
            row.update(FILLED | changes)

    with pytest.raises(DataError, match=problem):
        bring_back(project, "first", fill)
    assert not (project / "first.json").exists()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows.append(rows[0]), "row 22, field item id: it stands in .*, row 2 already"),
        (lambda rows: rows[3].update({"item id": "other"}), r"row 5, field item id: there is none of that name"),
        (lambda rows: [row.update({"item id": "other"}) for row in rows], "holds no item id of any sheet"),
    ],
    ids=["twice", "unknown", "another sheet"],
)
def test_rows_that_are_none_of_the_sheet_are_named(
    project: Path, change: Callable[[list[Row]], object], problem: str
) -> None:
    """By the header that the sheet has; a sheet with fewer rows is one, for reviewers share the work."""
    rows = sheet_of(project)
    for row in rows:
        keep(row)
    change(rows)
    write(project, rows)
    with pytest.raises(DataError, match=problem):
        decide(project, "verify", project / "sheet.csv", project / "first.json")
    assert not (project / "first.json").exists()


def test_a_reviewer_may_bring_the_work_back_in_parts(project: Path) -> None:
    """Sheets never show a decision, so that a row that is open on the second one takes none of the first one back."""
    bring_back(project, "first", lambda row: keep(row) if row["task"] == "true_false" else None)
    bring_back(project, "first", lambda row: drop(row) if row["task"] == "short_answer" else None)
    bring_back(project, "first", lambda row: drop(row) if row["item id"] == "paddy-1-true_false" else None)
    rulings = {name: found.ruling for name, found in read_reviewed(project / "first.json").items()}
    assert len(rulings) == 8
    assert rulings["paddy-1-true_false"] is Ruling.DROP
    assert rulings["paddy-2-true_false"] is Ruling.KEEP


def test_what_waits_can_be_held_back(project: Path) -> None:
    """With undecided = "go" only reviewed items go on; the others are still on the sheet."""
    bring_back(project, "first", lambda row: keep(row) if row["reviewer"] == "1" else None)
    settings(project, 'decisions = ["first.json"]\nundecided = "go"')
    build(project)
    found, items = outcome(project, "verify")
    assert 0 < len(items) == found.facts["kept"] < 20
    assert len(sheet_of(project)) == 20


def test_one_reviewer_shares_with_nobody(project: Path) -> None:
    """All items are for all, and one decision suffices."""
    settings(project, "")
    text = (project / "build.toml").read_text(encoding="utf-8").replace("reviewers = 3", "reviewers = 1")
    (project / "build.toml").write_text(text, encoding="utf-8")
    build(project)
    found, _ = outcome(project, "verify")
    assert found.facts["shared"] == 0
    assert {row["reviewer"] for row in sheet_of(project)} == {"all"}
    assert found.facts["agreement"] == []


def test_a_summary_can_be_corrected(project: Path) -> None:
    """It has no question; what is right is its text, whatever it begins with."""

    def fill(row: Row) -> None:
        if row["task"] == "summarization":
            row.update({**FILLED, "decision": "change", "reason": "문체", "key": "=1에서 시작하는 요약이다."})

    bring_back(project, "first", fill)
    bring_back(project, "second", fill)
    bring_back(project, "third", fill)
    settings(project, 'decisions = ["first.json", "second.json", "third.json"]')
    build(project)
    items = outcome(project, "verify")[1]
    assert items["paddy-1-summarization"].key == TextKey("=1에서 시작하는 요약이다.")


def test_no_cell_of_a_sheet_is_a_formula(project: Path) -> None:
    """Text that a model wrote begins with an apostrophe where a spreadsheet would evaluate it, in CSV and in XLSX."""

    def fill(row: Row) -> None:
        if row["task"] == "summarization":
            row.update({**FILLED, "decision": "change", "reason": "x", "key": "=1+1"})

    for name in ("first", "second", "third"):
        bring_back(project, name, fill)
    settings(project, 'decisions = ["first.json", "second.json", "third.json"]')
    path = project / "build.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + '\n[[stages]]\nuse = "verify"\nname = "twice"\n', encoding="utf-8")
    build(project)
    write_proposals(project, "twice", project / "twice.xlsx")
    raw = (project / "twice.csv").read_text(encoding="utf-8-sig")
    assert "'=1+1" in raw
    assert ",=1+1" not in raw
    cells = [cell for row in load_workbook(project / "twice.xlsx").worksheets[0].iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]


def test_decisions_that_are_none_are_refused(project: Path) -> None:
    """Two reviewers of one name cannot be told apart; a review that contradicts itself is none."""
    with pytest.raises(ValueError, match="the same name"):
        VerifySettings.model_validate({"decisions": ["a/first.json", "b/first.json"]})
    with pytest.raises(ValueError, match="without a reason"):
        Reviewed(ruling="drop", seen="x", fits=True, right=False)
    (project / "first.json").write_text('{"paddy-1-true_false": {"ruling": "keep"}}', encoding="utf-8")
    settings(project, 'decisions = ["first.json"]')
    with pytest.raises(ConfigError, match=r"first\.json"):
        build(project)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. a\n2. b", ("a", "b")),
        ("1. a\nwith more\n2. b", ("a\nwith more", "b")),
        ("1. 3. is a number\n2. b", ("3. is a number", "b")),
        ("2. a", None),
        ("a", None),
        ("", ()),
    ],
)
def test_choices_come_back_by_their_numbers(text: str, expected: tuple[str, ...] | None) -> None:
    """A line that does not begin with the next number goes on."""
    assert choices_from(text) == expected
