"""Labels by models: fixed and open sets, outlines, the union of two, agreement, and what goes to people."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import decide, write_proposals
from exambench.construct.records import Action
from exambench.errors import ConfigError, DataError
from exambench.report.building import RecordRendering
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, Reply, Script, completion, serve, status
from tests.support.exams import entry, write_exam

SIZE = 8
STAGE = '[[stages]]\nuse = "label"\nabout = "무엇에 관한 문항인가"\n{settings}\n'
YES_NO = 'facet = "local"\nkind = "yes-no"\nmodels = ["one", "two"]\n'
OPEN = 'facet = "topic"\nkind = "open"\nmodels = ["one"]\n'


def number_of(call: Call) -> int:
    """Return the number of the item that a chat is about."""
    match = re.search(r"(\d+)번 관측소", str(call.body["messages"][1]["content"]))
    assert match is not None
    return int(match[1])


def says(labels: Mapping[int, str], otherwise: str, odd: Mapping[int, Reply] | None = None) -> Script:
    """Label items by number."""

    def script(call: Call) -> Reply:
        number = number_of(call)
        label = json.dumps({"label": labels.get(number, otherwise)}, ensure_ascii=False)
        return (odd or {}).get(number) or completion(label)

    return script


def labelled(folder: Path, settings: str, one: Script, two: Script | None = None) -> tuple[ExitCode, list[int]]:
    """Build with one or two models; return the exit code and how many requests each got."""
    with serve(one) as first, serve(two or one) as second:
        entries = [entry(number) for number in range(1, SIZE + 1)]
        write_project(folder, entries, STAGE.format(settings=settings), {"one": first, "two": second})
        return build(folder), [len(first.calls), len(second.calls)]


def test_labels_that_are_numbers_are_numbers(tmp_path: Path) -> None:
    """A part is one, in the data and in what a release takes."""
    settings = 'facet = "part"\nkind = "fixed"\nmodels = ["one"]\nlabels = { 1 = "열역학", 2 = "기후" }'
    labelled(tmp_path, settings, says({1: "2"}, "1"))
    parts = [item.facets["part"] for item in outcome(tmp_path, "label")[1].values()]
    assert parts == [2] + [1] * (SIZE - 1)
    assert all(type(part) is int for part in parts)


def test_the_union_of_two_models(tmp_path: Path) -> None:
    """1 and 2 by both, 3 by one of them; all positives go to people, and where the two differ it says so."""
    settings = YES_NO + 'combine = "union"\npeople = "positives"'
    labelled(tmp_path, settings, says({1: "yes", 2: "yes", 3: "yes"}, "no"), says({1: "Yes", 2: "yes."}, "no"))
    found, items = outcome(tmp_path, "label")
    assert [items[str(number)].facets["local"] for number in range(1, SIZE + 1)] == [True] * 3 + [False] * 5
    reasons = {change.item: change.reason for change in found.changes if change.action is Action.REVIEW}
    assert reasons == {"1": "local is yes", "2": "local is yes", "3": "the models disagree"}
    assert details(found, Action.REVIEW)["3"]["said"] == {"one-model": "yes", "two-model": "no"}


def test_agreement_is_that_of_the_models(tmp_path: Path) -> None:
    """κ as scikit-learn has it; with its interval, and the share beside it."""
    one, two = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 1]
    scripts = [says({at: "yes" for at, value in enumerate(each, 1) if value}, "no") for each in (one, two)]
    labelled(tmp_path, YES_NO, *scripts)
    facts = outcome(tmp_path, "label")[0].facts
    assert facts["kappa"] == pytest.approx(cohen_kappa_score(one, two))
    assert facts["agreement"] == pytest.approx(6 / 8)
    assert facts["kappa_low"] <= facts["kappa"] <= facts["kappa_high"]
    assert (facts["both_labelled"], facts["kappa_seed"]) == (8, 7)


def test_one_label_throughout_has_no_kappa(tmp_path: Path) -> None:
    """It is undefined, not 1 and not 0."""
    labelled(tmp_path, YES_NO, says({}, "no"))
    facts = outcome(tmp_path, "label")[0].facts
    assert (facts["kappa"], facts["agreement"]) == (None, 1.0)


def test_an_unusable_label_is_asked_again_then_left_to_people(tmp_path: Path) -> None:
    """Item 2 gets a label that is none, 3 gets a refusal: three tries each, no facet, and a review."""
    odd = {2: completion('{"label": "maybe"}'), 3: completion(None, refusal="no")}
    code, calls = labelled(tmp_path, YES_NO.replace('"one", "two"', '"one"'), says({1: "yes"}, "no", odd))
    found, items = outcome(tmp_path, "label")
    assert (code, calls[0]) == (ExitCode.COMPLETE, 6 + 3 + 3)
    assert "local" not in items["2"].facets
    assert details(found, Action.REVIEW).keys() == {"2", "3"}
    assert (found.facts["labelled"], found.facts["without_label"]) == (6, 2)


def test_pictures_that_a_model_did_not_see_are_noted(tmp_path: Path) -> None:
    """Its label is of the text alone."""
    write_exam(tmp_path, 3, pictures=1)
    entries = json.loads((tmp_path / "exam.json").read_text(encoding="utf-8"))
    with serve(says({}, "no")) as server:
        stages = STAGE.format(settings=YES_NO.replace('"one", "two"', '"one"'))
        write_project(tmp_path, entries, stages, {"one": server})
        build(tmp_path)
    found, _ = outcome(tmp_path, "label")
    assert details(found, Action.NOTED) == {"3": {"models": ["one-model"]}}
    assert found.facts["pictures_not_seen"] == 1


def test_a_failed_request_is_no_label(tmp_path: Path) -> None:
    """The stage is not done."""
    code, _ = labelled(tmp_path, YES_NO, says({}, "no", {2: status(503)}))
    assert (code, record(tmp_path, "label")) == (ExitCode.INCOMPLETE, None)


def test_open_labels_are_consolidated(tmp_path: Path) -> None:
    """Phrases become labels; one that the map does not have goes to people, and is in the table with nothing."""
    (tmp_path / "map.toml").write_text('[labels]\n"대기" = ["기압", "대기 역학"]\n', encoding="utf-8")
    labelled(tmp_path, OPEN + 'consolidation = "map.toml"', says({1: "대기역학", 2: "바다"}, "기압"))
    found, items = outcome(tmp_path, "label")
    assert [items[name].facets.get("topic") for name in ("1", "2", "3")] == ["대기", None, "대기"]
    assert found.facts["open_labels"] == [
        {"said": "기압", "becomes": "대기", "times": 6},
        {"said": "대기역학", "becomes": "대기", "times": 1},
        {"said": "바다", "becomes": None, "times": 1},
    ]
    assert details(found, Action.REVIEW).keys() == {"2"}


def test_another_map_asks_nobody_again(tmp_path: Path) -> None:
    """People change the map as often as they like."""
    with serve(says({}, "기압")) as server:
        for label in ("대기", "물리"):
            (tmp_path / "map.toml").write_text(f'[labels]\n"{label}" = ["기압"]\n', encoding="utf-8")
            stages = STAGE.format(settings=OPEN + 'consolidation = "map.toml"')
            write_project(tmp_path, [entry(1), entry(2)], stages, {"one": server})
            build(tmp_path)
            assert outcome(tmp_path, "label")[1]["1"].facets["topic"] == label
        assert len(server.calls) == 2


def test_topics_are_leaves_of_an_outline(tmp_path: Path) -> None:
    """A topic that has topics below it is no label: it is asked again."""
    (tmp_path / "outline.toml").write_text('[topics]\n1 = "대기"\n"1.1" = "열역학"\n2 = "법규"\n', encoding="utf-8")
    settings = 'facet = "topic"\nkind = "outline"\noutline = "outline.toml"\nmodels = ["one"]'
    _, calls = labelled(tmp_path, settings, says({1: "1", 2: "2"}, "1.1"))
    found, items = outcome(tmp_path, "label")
    assert calls[0] == SIZE + 2
    assert (items["2"].facets["topic"], items["3"].facets["topic"]) == ("2", "1.1")
    assert details(found, Action.REVIEW).keys() == {"1"}


AUDIT = YES_NO + 'combine = "union"\npeople = "nothing"\naudit = {size}\n{more}'
DECIDED = 'decisions = "decisions.json"'


def bring_back(folder: Path, labels: Mapping[str, str], more: Mapping[str, str] | None = None) -> str:
    """Take the sheet out, label some of its items, and bring it back."""
    sheet = folder / "sheet.csv"
    sheet.unlink(missing_ok=True)
    write_proposals(folder, "label", sheet)
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    for row in rows:
        row |= {"label": labels.get(row["item id"], ""), **(more or {})}
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return "\n".join(decide(folder, "label", sheet, folder / "decisions.json"))


def test_the_audit_sample_is_the_seeds(tmp_path: Path) -> None:
    """Three of eight for people: those whose digests with the project's seed, 7, are the least."""
    labelled(tmp_path, AUDIT.format(size=3, more=""), says({1: "yes"}, "no"))
    found, _ = outcome(tmp_path, "label")
    digests = {name: hashlib.sha256(f'[7,"audit local","{name}"]'.encode()).hexdigest() for name in "12345678"}
    assert details(found, Action.REVIEW).keys() == set(sorted(digests, key=digests.__getitem__)[:3])
    assert (found.facts["audit_sample"], found.facts["audited"]) == (3, 0)
    assert [row["agreement"] for row in found.facts["audit"]] == [None, None, None]


def test_labels_of_people_come_first(tmp_path: Path) -> None:
    """Of eight items to audit they label three, one of them otherwise than the models; nobody is asked again."""
    script = says({1: "yes", 2: "yes"}, "no")
    with serve(script) as server:
        entries = [entry(number) for number in range(1, SIZE + 1)]
        for more in ("", DECIDED):
            stages = STAGE.format(settings=AUDIT.format(size=SIZE, more=more))
            write_project(tmp_path, entries, stages, {"one": server, "two": server})
            build(tmp_path)
            if not more:
                assert bring_back(tmp_path, {"1": "no", "2": "Yes", "3": "no"}).endswith("2 no, 1 yes, 5 open.")
        assert len(server.calls) == 2 * SIZE
    found, items = outcome(tmp_path, "label")
    assert [items[name].facets["local"] for name in "1234"] == [False, True, False, False]
    assert [found.facts[name] for name in ("labelled_by_people", "changed_by_people", "audited")] == [3, 1, 3]
    assert details(found, Action.REVIEW).keys() == set("45678")
    assert details(found, Action.CHANGED)["1"]["models"] == "yes"


def test_an_audit_tells_how_far_people_agree_with_the_models(tmp_path: Path) -> None:
    """Share with Wilson's interval as scipy has it, and κ as scikit-learn has it: of the union, and of either model."""
    one, two, people = [1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 0, 1]
    scripts = [says({at: "yes" for at, value in enumerate(each, 1) if value}, "no") for each in (one, two)]
    labelled(tmp_path, AUDIT.format(size=SIZE, more=""), *scripts)
    bring_back(tmp_path, {str(at): "yes" if value else "no" for at, value in enumerate(people, 1)})
    labelled(tmp_path, AUDIT.format(size=SIZE, more=DECIDED), *scripts)
    union = [max(pair) for pair in zip(one, two, strict=True)]
    rows = {row["between"]: row for row in outcome(tmp_path, "label")[0].facts["audit"]}
    for name, labels in (("the models together", union), ("one-model", one), ("two-model", two)):
        row = rows[f"people and {name}"]
        agree = sum(a == b for a, b in zip(labels, people, strict=True))
        interval = binomtest(agree, SIZE).proportion_ci(method="wilson")
        assert (row["items"], row["agreement"]) == (SIZE, agree / SIZE)
        assert (row["agreement_low"], row["agreement_high"]) == pytest.approx((interval.low, interval.high))
        assert row["kappa"] == pytest.approx(cohen_kappa_score(labels, people))
        assert row["kappa_low"] <= row["kappa"] <= row["kappa_high"]


def test_a_sheet_of_labels_shows_the_question_and_not_what_models_said(tmp_path: Path) -> None:
    """People who see a label agree with it more often; what they may answer a CSV file has no other place for."""
    labelled(tmp_path, AUDIT.format(size=SIZE, more=""), says({}, "no"))
    write_proposals(tmp_path, "label", tmp_path / "sheet.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "sheet.csv").read_text(encoding="utf-8-sig"))))
    assert len(rows) == SIZE
    assert {row["asked"] for row in rows} == {"무엇에 관한 문항인가: yes, no"}
    assert {cell for row in rows for cell in row.values()}.isdisjoint({"yes", "no"})
    assert "version" not in RecordRendering().markdown(outcome(tmp_path, "label")[0])


def test_a_label_of_people_holds_for_what_they_saw(tmp_path: Path) -> None:
    """Asked another question, the items are theirs again, and have the labels of models."""
    with serve(says({}, "no")) as server:
        for about, more in (("가", ""), ("나", DECIDED)):
            settings = AUDIT.format(size=SIZE, more=more)
            stages = STAGE.format(settings=settings).replace("무엇에 관한 문항인가", about)
            write_project(tmp_path, [entry(1), entry(2)], stages, {"one": server, "two": server})
            build(tmp_path)
            if not more:
                bring_back(tmp_path, {"1": "yes"})
    found, items = outcome(tmp_path, "label")
    assert (items["1"].facets["local"], found.facts["decisions_not_used"]) == (False, 1)
    assert (
        "another one since people labelled it"
        in {change.item: change.reason for change in found.changes if change.action is Action.REVIEW}["1"]
    )


@pytest.mark.parametrize(
    ("labels", "more", "message"),
    [
        ({"1": "perhaps"}, {}, "this is no label; the labels are yes, no"),
        ({"1": "yes"}, {"version": "v0"}, "another one since this sheet was written"),
    ],
)
def test_faults_of_a_sheet_write_nothing(
    tmp_path: Path, labels: dict[str, str], more: dict[str, str], message: str
) -> None:
    """Each is named with the item and the column."""
    labelled(tmp_path, AUDIT.format(size=SIZE, more=""), says({}, "no"))
    with pytest.raises(DataError, match=message):
        bring_back(tmp_path, labels, more)
    assert not (tmp_path / "decisions.json").exists()


def test_a_decision_that_is_no_label_is_refused(tmp_path: Path) -> None:
    """The set may have changed since people labelled; nothing is dropped in silence."""
    labelled(tmp_path, AUDIT.format(size=SIZE, more=""), says({}, "no"))
    bring_back(tmp_path, {"1": "yes"})
    path = tmp_path / "decisions.json"
    path.write_text(path.read_text(encoding="utf-8").replace("yes", "perhaps"), encoding="utf-8")
    with pytest.raises(ConfigError, match="people gave a label that is not in the set"):
        labelled(tmp_path, AUDIT.format(size=SIZE, more=DECIDED), says({}, "no"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('facet = "f"\nkind = "fixed"\nmodels = ["one"]', "labels: needed for kind = 'fixed'"),
        ('facet = "f"\nkind = "open"\nmodels = ["one"]\noutline = "x.toml"', "outline: needed for kind = 'outline'"),
        ('facet = "f"\nkind = "open"\nmodels = ["one", "two"]\ncombine = "union"', "a union is one of labels of kind"),
        (YES_NO + 'consolidation = "x.toml"', "only labels of kind = 'open' are consolidated"),
        ('facet = "f"\nkind = "yes-no"\nmodels = ["one", "one"]', "a model stands twice"),
    ],
)
def test_settings_that_do_not_fit_are_said(tmp_path: Path, settings: str, message: str) -> None:
    """Before anything is asked."""
    with pytest.raises(ConfigError, match=message):
        labelled(tmp_path, settings, says({}, "no"))
