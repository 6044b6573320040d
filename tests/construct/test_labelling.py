"""Labels by models: fixed and open sets, outlines, the union of two, agreement, and what goes to people."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from exambench.cli.exit_codes import ExitCode
from exambench.construct.records import Action
from exambench.errors import ConfigError
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, Reply, Script, completion, serve, status
from tests.support.exams import entry

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


def test_the_audit_sample_is_the_seeds(tmp_path: Path) -> None:
    """Three of eight for people, the same in every build; agreement within it is told."""
    settings = YES_NO + 'people = "nothing"\naudit = 3'
    labelled(tmp_path, settings, says({1: "yes"}, "no"))
    found, _ = outcome(tmp_path, "label")
    sample = details(found, Action.REVIEW).keys()
    assert (len(sample), found.facts["audit_sample"], found.facts["audit_agreement"]) == (3, 3, 1.0)
    # The seed of the project is 7; drawn here as the standard library draws.
    drawn = random.Random(7).sample(range(SIZE), 3)
    assert sample == {str(place + 1) for place in drawn}


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
