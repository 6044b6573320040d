"""Open book against closed book through the command line: what reading the passage is worth to a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from exambench.cli.app import app
from tests.support.chat_server import Call, Reply, completion, serve
from tests.support.exams import entry
from tests.support.sittings import number_of, right

LOG = "관측 일지"
ABOUT, BOUND, WITHOUT = 12, 3, 2
"""Items about a passage, those of them that cannot stand without it, and items that have none."""


def write_exam_about_passages(folder: Path) -> Path:
    """Write an exam of items about passages, two items sharing each, and some without."""
    entries = [
        entry(number, passage=f"{LOG} {(number + 1) // 2}: 기압을 적는다.", needs_passage=number <= BOUND)
        for number in range(1, ABOUT + 1)
    ]
    entries += [entry(number) for number in range(ABOUT + 1, ABOUT + WITHOUT + 1)]
    path = folder / "exam.json"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path


def examinees(call: Call) -> Reply:
    """Answer rightly as the model that knows, as the one that reads only with the passage before it."""
    if call.body["model"] == "knows" or LOG in call.prompt:
        return right(call)
    return completion(json.dumps({"정답": (number_of(call) + 1) % 4 + 1}, ensure_ascii=False))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what ``exambench conditions`` says of both models."""
    folder = tmp_path_factory.mktemp("passages")
    with serve(examinees) as server:
        arguments = ["run", "--benchmark", "kmetbench", "--data", str(write_exam_about_passages(folder))]
        arguments += ["--store", str(folder / "r.db"), "--probe", "closed-book"]
        for model in ("knows", "reads"):
            arguments += ["--model", f"{model}@{server.base_url}"]
        run = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert run.exit_code == 0, run.output
    said = CliRunner().invoke(app, ["conditions", "--json", "--store", str(folder / "r.db")], catch_exceptions=False)
    return {document["model"]: document for document in json.loads(said.stdout)}


@pytest.mark.parametrize(("model", "accuracy"), [("knows", 1.0), ("reads", 0.0)])
def test_a_closed_book_tells_who_knows_from_who_reads(found: dict[str, Any], model: str, accuracy: float) -> None:
    """On the items about a passage whose question stands alone; both are compared with the open book."""
    (result,) = (each for each in found[model]["probes"] if each["probe"] == "closed-book")
    assert (result["n"], result["accuracy"], result["chance"]) == (ABOUT - BOUND, accuracy, 0.25)
    assert result["above_chance"] is (accuracy == 1.0)
    change = result["change"]
    assert (change["n"], change["points"]) == (ABOUT - BOUND, accuracy - 1.0)


def test_items_that_have_no_closed_book_are_not_asked_and_named(found: dict[str, Any]) -> None:
    """No passage to hide, or no question without it: neither is a wrong answer."""
    cells = {cell["condition"].get("passage", "shown"): cell for cell in found["reads"]["cells"]}
    assert cells["hidden"]["not_asked"] == {
        "its question cannot stand without its passage": BOUND,
        "it has no passage": WITHOUT,
    }
    assert cells["shown"]["not_asked"] == {}
