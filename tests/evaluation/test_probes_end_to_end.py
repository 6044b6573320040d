"""Probes and grids through the command line: models of known behaviour get the verdicts that they must."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.items import ChoiceKey, Item
from exambench.outcomes import Answered
from exambench.store import open_existing_store
from tests.support.chat_server import serve
from tests.support.examinees import examinees, write_cued_exam
from tests.support.exams import write_exam
from tests.support.sittings import right, run_arguments

PROBES = ("no-question", "no-choices", "all-gold", "no-image", "reshuffle=3")
MODELS = ("solver", "memory", "seer", "cue", "first")


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; none of these fails."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    done = CliRunner().invoke(app, [*map(str, arguments)], env=environment, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def read(*arguments: str | Path) -> str:
    """Return what a command prints."""
    return exambench(*arguments).stdout


def guesser(folder: Path) -> Path:
    """Write a model file of the baseline that guesses, with a seed that is neither lucky nor unlucky (6 of 24)."""
    path = folder / "guesser.toml"
    lines = ['name = "guesser"', "[endpoint]", 'kind = "baseline"', 'strategy = "random"', "[decoding]", "seed = 6"]
    path.write_text("\n".join([*lines, "[capabilities]", "images = true", ""]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store in which every model was put to every probe, and the reasoner to the one that it fails."""
    folder = tmp_path_factory.mktemp("probes")
    place = folder / "r.db"
    with serve(examinees) as server:
        arguments: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", write_cued_exam(folder)]
        arguments += ["--images", folder / "images", "--vision", "--store", place, "--concurrency", "64"]
        exambench(*arguments, "--model", f"reasoner@{server.base_url}", "--probe", "all-gold")
        for model in MODELS:
            arguments += ["--model", f"{model}@{server.base_url}"]
        arguments += ["--model", "baseline/longest", "--model", guesser(folder)]
        for probe in PROBES:
            arguments += ["--probe", probe]
        exambench(*arguments)
    return place


@pytest.fixture(scope="module")
def found(store: Path) -> dict[str, dict[str, Any]]:
    """Return what ``exambench conditions`` finds of each model."""
    documents = json.loads(read("conditions", "--json", "--store", store))
    return {document["model"]: document for document in documents}


def probe(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the first result of a probe."""
    return next(result for result in document["probes"] if result["probe"] == name)


@pytest.mark.parametrize(
    ("model", "name", "above", "changed"),
    [
        ("solver", "no-question", False, True),
        ("solver", "no-choices", False, True),
        ("solver", "no-image", True, False),
        ("memory", "no-question", False, True),
        ("memory", "no-choices", True, False),
        ("seer", "no-image", False, True),
        ("seer", "no-question", False, True),
        ("cue", "no-question", True, False),
        ("cue", "no-choices", False, True),
        ("first", "no-question", False, False),
        ("first", "no-choices", False, False),
        ("baseline/longest", "no-question", True, False),
        ("baseline/longest", "no-choices", False, True),
        ("guesser", "no-question", False, False),
        ("guesser", "no-choices", False, False),
        ("guesser", "no-image", False, False),
    ],
)
def test_a_probe_tells_what_a_model_lives_on(
    found: dict[str, dict[str, Any]],
    model: str,
    name: str,
    *,
    above: bool,
    changed: bool,
) -> None:
    """Whether it is above chance without what was hidden, and whether its score changes."""
    result = probe(found[model], name)
    assert (result["above_chance"], result["changed"]) == (above, changed)
    assert result["chance"] == 0.25
    assert result["n"] == (12 if name == "no-image" else 24)


def test_where_all_is_right_only_the_form_can_be_wrong(found: dict[str, dict[str, Any]]) -> None:
    """Chance is 1, any answer in the form is right, and one that is not in the form shows."""
    for model, document in found.items():
        result = probe(document, "all-gold")
        assert result["chance"] == 1.0
        assert result["above_chance"] is None
        assert result["accuracy"] == (0.0 if model == "reasoner" else 1.0)


@pytest.mark.parametrize(
    ("model", "hangs", "consistency", "preferred"),
    [
        ("solver", False, 1.0, None),
        ("cue", False, 1.0, None),
        ("baseline/longest", False, 1.0, None),
        ("memory", True, 0.0, None),
        ("first", False, 0.0, 1),
        ("guesser", False, 0.0, None),
    ],
)
def test_other_orders_tell_content_from_memory_from_place(
    found: dict[str, dict[str, Any]],
    model: str,
    consistency: float,
    preferred: int | None,
    *,
    hangs: bool,
) -> None:
    """Who reads keeps its choice, who remembers places loses, who likes a place is caught, and a guess likes none."""
    (result,) = found[model]["reshuffling"]
    assert result["n"] == 24
    assert len(result["accuracies"]) == 3
    assert result["hangs_on_the_order"] is hangs
    assert result["preferred_place"] == preferred
    assert result["consistency"] == pytest.approx(consistency, abs=0.1)


def test_a_model_that_knows_keeps_its_score_under_other_labels(tmp_path: Path) -> None:
    """Answers A to D and ㄱ to ㄹ are read, and brought back to the choices; a number is no answer there."""
    place = tmp_path / "r.db"
    with serve(examinees) as server:
        arguments: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", write_cued_exam(tmp_path)]
        arguments += ["--store", place, "--probe", "relabel", "--condition", "order=reversed"]
        exambench(*arguments, "--model", f"solver@{server.base_url}", "--model", f"first@{server.base_url}")
    with open_existing_store(str(place)) as results:
        runs = [summary.run for summary in results.runs()]
        items = results.benchmark("kmetbench", runs[0].dataset_hash).by_id
        assert len(runs) == 6
        for run in runs:
            outcomes = results.outcomes(run.run_id, "dict-strict")
            assert len(outcomes) == 12
            if run.model_name == "first" and "labels" in run.condition:
                assert all(row.outcome.kind == "unparsed" for row in outcomes)
            if run.model_name == "solver":
                assert [row.outcome for row in outcomes] == [Answered(key_of(items[row.item_id])) for row in outcomes]


def key_of(item: Item) -> int:
    """Return the right choice of an item."""
    assert isinstance(item.key, ChoiceKey)
    return item.key.index


def test_the_items_that_need_no_picture_are_listed(found: dict[str, dict[str, Any]]) -> None:
    """The seer solves those blindly whose key is the place that it marks when it sees nothing."""
    assert probe(found["seer"], "no-image")["solved"] == ["16", "20", "24"]
    change = probe(found["seer"], "no-image")["change"]
    assert change["points"] == pytest.approx(-0.75)


def test_no_probe_touches_a_key_and_what_is_stored_is_in_the_items_own_numbering(store: Path) -> None:
    """Every run has the dataset of the usual one, and the solver's stored answer is the key in every order."""
    with open_existing_store(str(store)) as results:
        runs = [summary.run for summary in results.runs()]
        assert len({run.dataset_hash for run in runs}) == 1
        items = results.benchmark("kmetbench", runs[0].dataset_hash).by_id
        shuffled = [run for run in runs if "order" in run.condition and run.model_name == "solver"]
        assert len(shuffled) == 3
        for run in shuffled:
            orders = {row.item_id: row.order for row in results.planned(run.run_id)}
            assert all(sorted(order) == [1, 2, 3, 4] and order != (1, 2, 3, 4) for order in orders.values())
            for row in results.outcomes(run.run_id, "dict-strict"):
                assert row.outcome == Answered(key_of(items[row.item_id]))


def test_reading_again_changes_nothing(store: Path) -> None:
    """The order that was shown is stored, so stored responses are read to the same choices."""
    told = read("rescore", "solver", "--store", store)
    assert told.count(" 0 outcomes changed") == 8
    assert "→" not in told


def test_conditions_are_never_in_one_ranking(store: Path) -> None:
    """A ranking is of one condition, which its title tells."""
    rankings = json.loads(read("report", "--json", "--store", store))
    assert len(rankings) == 8
    assert len({json.dumps(ranking["condition"]) for ranking in rankings}) == 8
    titles = [ranking["title"] for ranking in rankings]
    assert any("wording explicit, no question" in title for title in titles)
    gold = next(ranking for ranking in rankings if ranking["condition"].get("choices") == "gold")
    assert gold["chance"]["accuracy"] == 1.0


def test_the_terminal_says_it_in_words(store: Path) -> None:
    """The verdicts stand beside the numbers."""
    shown = " ".join(read("conditions", "memory", "--store", store).split())
    for words in ("hangs on the original order", "not above chance", "Items that flip", "no preference shown"):
        assert words in shown


def test_the_geo_cultural_square(tmp_path: Path) -> None:
    """A model that does not know whose "our country" is unless it is told: effects by hand.

    Explicit: 1 under both prompts. Implicit: 6 of 24 keys are the place that it marks blindly, .25, under the standard
    prompt, 1 under the advanced one. Main effects ±(0.75 + 0)/2, interaction 0.75.
    """
    data, place = write_cued_exam(tmp_path), tmp_path / "r.db"
    with serve(examinees) as server:
        arguments = run_arguments(data, server, place, "--images", tmp_path / "images", "--vision")
        arguments[arguments.index(f"tester@{server.base_url}")] = f"foreigner@{server.base_url}"
        grid = ("--grid", "wording=explicit,implicit", "prompt=standard,advanced")
        done = exambench(*arguments, *grid)
        asked = len(server.calls)
        again = exambench(*arguments, *grid)
        assert len(server.calls) == asked == 4 * 24
    assert "prompt × wording, 24 items" in done.stdout
    assert "nothing to ask" in again.stderr
    (document,) = json.loads(read("conditions", "--json", "--store", place))
    (effects,) = document["effects"]
    assert effects["factors"] == ["prompt", "wording"]
    assert effects["means"] == [[1.0, 0.25], [1.0, 1.0]]
    assert effects["first"]["effect_size"] == pytest.approx(0.375)
    assert effects["second"]["effect_size"] == pytest.approx(-0.375)
    assert effects["interaction"]["effect_size"] == pytest.approx(0.75)
    changed = {(each["first"], each["second"]): each for each in document["contrasts"]}
    assert len(changed) == 4
    loss = changed["as usual", "wording implicit"]
    # mcnemar([[6, 18], [0, 0]], exact=True) of statsmodels: 2 · 0.5^18; Holm over four: × 4 for one of the smallest.
    assert (loss["n_lost"], loss["n_gained"], loss["p"]) == (18, 0, pytest.approx(2 * 0.5**18))
    assert loss["p_holm"] == pytest.approx(4 * 2 * 0.5**18)


def test_the_model_gets_the_picture_that_the_condition_promises(tmp_path: Path) -> None:
    """At half the resolution 40 × 30 pixels go out as 20 × 15; the usual request is another one."""
    data = write_exam(tmp_path, 2, pictures=1)
    with serve(right) as server:
        arguments = run_arguments(data, server, tmp_path / "r.db", "--images", tmp_path / "images", "--vision")
        done = exambench(*arguments, "--grid", "images=shown,half")
        pictures = [
            Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2]))).size
            for call in server.calls
            if isinstance(content := call.body["messages"][-1]["content"], list)
            for part in content
            if part["type"] == "image_url"
        ]
    assert pictures == [(40, 30), (20, 15)]
    assert "1 of 2 items are not asked: it has no picture." in done.stderr
