"""From ``run`` to corrected means on the command line: a judge too generous by one point, people with known noise."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError
from exambench.store import open_existing_store, open_store
from tests.judging.examples import AXES, answer, verdict_text
from tests.support.chat_server import Call, Reply, completion, serve
from tests.support.exams import entry

MODELS = 4
ITEMS = 30
PER_MODEL = 15
RATERS = ("김", "이")


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def merits(model: int, item: int) -> list[int]:
    """Return what an answer deserves: on each axis 2, 3 and 4 in turn, so that every mean over all answers is 3."""
    return [2 + (model + item + axis) % 3 for axis in range(len(AXES))]


def examinee(call: Call) -> Reply:
    """Answer with a rationale that tells model and item."""
    number = re.search(r"(\d+)번 관측소", call.prompt)
    assert number is not None
    return completion(answer(int(number[1]), f"근거 {call.body['model'][-1]}-{number[1]}"))


def generous(call: Call) -> Reply:
    """Judge: one point more than deserved on every axis."""
    match = re.search(r"근거 (\d+)-(\d+)", call.prompt)
    assert match is not None
    return completion(verdict_text([score + 1 for score in merits(int(match[1]), int(match[2]))]))


@dataclass(frozen=True)
class Study:
    """Where everything is, and what was printed at the draw."""

    store: Path
    sheets: Path
    drawn: str


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four models that sat thirty items, a judge, a random sample, and two people's scores of it."""
    folder = tmp_path_factory.mktemp("corrected")
    store, data = folder / "r.db", folder / "exam.json"
    entries = [entry(number, rationale=f"{number}번의 참고 풀이") for number in range(1, ITEMS + 1)]
    data.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    with serve(examinee) as server:
        models = [word for number in range(MODELS) for word in ("--model", f"model-{number}@{server.base_url}")]
        common: list[str | Path] = ["--benchmark", "kmetbench", "--data", data, "--store", store]
        assert exambench("run", *common, "--protocol", "reasoning", *models).exit_code == 0
    with open_existing_store(str(store)) as results:
        runs = [summary.run_id for summary in results.runs()]
    with serve(generous) as server:
        assert exambench("judge", *runs, "--judge", f"judge@{server.base_url}", "--store", store).exit_code == 0
    raters = [word for name in RATERS for word in ("--raters", name)]
    how = ["--sampling", "random", "--per-model", str(PER_MODEL), "--csv-only"]
    drawn = exambench("meta", "sample", folder / "sheets", "--judge", "judge", *how, *raters, "--store", store)
    assert drawn.exit_code == 0, drawn.stderr
    found = Study(store, folder / "sheets", drawn.stdout)
    exambench("meta", "import", *filled(found, folder), "--store", store)
    return found


def filled(study: Study, folder: Path) -> list[Path]:
    """Fill in the sheets: what is deserved, one point less or more with probability 1/4 each."""
    rng = random.Random(3)
    with open_existing_store(str(study.store)) as results:
        places = {place.answer_id: place for place in results.studies.places()}
        numbers = {each.run_id: int(each.run.model_name[-1]) for each in results.runs()}
    paths = []
    for rater in RATERS:
        source = study.sheets / f"scores-{rater}.csv"
        header, *rows = csv.reader(io.StringIO(source.read_text(encoding="utf-8-sig")))
        for row in rows:
            place = places[row[0]]
            deserved = merits(numbers[place.run_id], int(place.item_id))
            row[7:] = [str(score + rng.choice((-1, 0, 0, 1))) for score in deserved]
        paths.append(folder / source.name)
        with paths[-1].open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return paths


def corrected(study: Study, *more: str) -> Any:
    """Return what the command says as JSON."""
    return json.loads(exambench("trust", "corrected", "--json", "--store", study.store, *more).stdout)


def test_the_draw_tells_its_probabilities_and_keeps_them(study: Study) -> None:
    """Fifteen of thirty answers of each of four models, each with probability 1/2; different items of each model."""
    assert "A random sample of 60 answers of 4 models, seed 42" in study.drawn
    assert study.drawn.count("0.500") == MODELS
    with open_existing_store(str(study.store)) as results:
        record = results.studies.find()
        places = [place for place in results.studies.places() if place.rater == RATERS[0]]
    sample: Any = record.sample
    assert [(model["drawn"], model["of"], model["probability"]) for model in sample["models"]] == [(15, 30, 0.5)] * 4
    chosen = {run: frozenset(place.item_id for place in places if place.run_id == run) for run in results_of(places)}
    assert {len(items) for items in chosen.values()} == {PER_MODEL}
    assert len(set(chosen.values())) == MODELS


def results_of(places: Any) -> set[str]:
    """Return the runs of some places."""
    return {place.run_id for place in places}


def test_people_correct_a_judge_that_is_one_point_too_generous(study: Study) -> None:
    """The judge's total is 16 on all answers and its interval far from 12, which every corrected interval holds."""
    total, *axes = corrected(study)["dimensions"]
    assert total["dimension"] == "total"
    assert [axis["dimension"] for axis in axes] == list(AXES)
    for row in total["rows"]:
        assert row["judge"] == pytest.approx(16)
        assert row["judge_low"] > 15
        assert row["low"] < 12 < row["high"]
        assert row["correction"] == pytest.approx(-4, abs=0.8)
    assert [(row["n_people"], row["n_judge"]) for row in total["rows"]] == [(15, 30)] * MODELS + [(60, 120)]
    together = [axis["rows"][-1] for axis in axes]
    assert all(row["low"] < 3 < row["high"] and row["judge"] == pytest.approx(4) for row in together)


def test_the_planted_agreement_is_reported(study: Study) -> None:
    """α is 0.4 and ICC(A,1) 0.516 by construction, on every axis.

    Merits are 2, 3, 4, each as often: Var(T) = 2/3. The judge gives J = T + 1. Two people are off by −1, 0, 0, 1 each,
    variance 1/2, so their mean M has Var(M) = 2/3 + 1/4, and d = J − M has E(d²) = 1 + 1/4.
    Krippendorff: α = 1 − E(d²)/(Var J + Var M + (1/2)(E J − E M)²) = 1 − 1.25/(2/3 + 11/12 + 1/2) = 0.4.
    ICC(A,1) = cov/(cov + raters + error) with cov(J, M) = 2/3, raters 1²/2, error Var(d)/2 = 1/8: 0.5161.

    All eight intervals are to hold what was planted, so each is one of 99.9 %; the mean over the axes lies close.
    """
    report = json.loads(exambench("meta", "report", "--level", "0.999", "--json", "--store", study.store).stdout)
    assert report["answers"] == MODELS * PER_MODEL
    for name, planted in (("Krippendorff α (interval)", 0.4), ("ICC(A,1)", 0.5161)):
        found = [
            each
            for dimension in report["conditions"][0]["dimensions"][: len(AXES)]
            for each in dimension["against"]
            if each["name"] == name and not each["pair"]
        ]
        assert [each["low"] < planted < each["high"] for each in found] == [True] * len(AXES)
        assert sum(each["estimate"] for each in found) / len(AXES) == pytest.approx(planted, abs=0.1)


def test_every_form_says_what_the_means_assume(study: Study) -> None:
    """Terminal, Markdown, CSV and JSON have the same figures; a random sample assumes nothing about the judge."""
    row = corrected(study)["dimensions"][0]["rows"][0]
    shown = exambench("trust", "corrected", "--store", study.store).stdout
    markdown = exambench("trust", "corrected", "--markdown", "--store", study.store).stdout
    for page in (shown, markdown):
        assert f"{row['corrected']:.2f}" in page
        assert f"{row['low']:.2f}–{row['high']:.2f}" in page
        assert "15 of 30" in page
        assert "drawn at random" in page
    lines = list(csv.DictReader(io.StringIO(exambench("trust", "corrected", "--csv", "--store", study.store).stdout)))
    assert len(lines) == 5 * (MODELS + 1)
    assert float(lines[0]["corrected"]) == row["corrected"]
    assert lines[0]["sampling"] == "random"


def test_means_from_a_stratified_sample_say_that_they_assume_something(study: Study, tmp_path: Path) -> None:
    """The same judge and people; items chosen by the judge's scores cannot stand for all of them."""
    store = tmp_path / "copy.db"
    store.write_bytes(study.store.read_bytes())
    raters = [word for name in RATERS for word in ("--raters", name)]
    quotas = ["--models", "1,1,1", "--items", "2,2,2"]
    exambench("meta", "sample", tmp_path / "sheets", "--judge", "judge", *quotas, *raters, "--store", store)
    with open_existing_store(str(store)) as results:
        (other,) = [each.study_id for each in results.studies.all() if "sampling" not in each.sample]
    again = Study(store, tmp_path / "sheets", "")
    (tmp_path / "filled").mkdir()
    exambench("meta", "import", *filled(again, tmp_path / "filled"), "--store", store)
    report = corrected(again, "--study", other)
    assert report["sampling"] == "stratified"
    assert report["assumption"].startswith("ASSUMED, not known")
    assert [row["n_people"] for row in report["dimensions"][0]["rows"]] == [6, 6, 6, 18]
    shown = " ".join(exambench("trust", "corrected", "--study", other, "--store", store).stdout.split())
    assert "exambench meta sample --sampling random" in shown
    with pytest.raises(ConfigError, match="several studies may be meant"):
        corrected(again)


def test_without_a_study_it_is_said_how_to_draw_one(tmp_path: Path) -> None:
    """And not that an identifier was not found which nobody gave."""
    store = tmp_path / "r.db"
    open_store(str(store)).close()
    with pytest.raises(ConfigError, match=r"--study: there is no study yet; allowed: none.*exambench meta sample"):
        exambench("trust", "corrected", "--store", store)


def test_verdicts_that_come_after_the_draw_are_told(study: Study, tmp_path: Path) -> None:
    """The sample stands for the answers that it was drawn from."""
    store = tmp_path / "copy.db"
    store.write_bytes(study.store.read_bytes())
    with open_existing_store(str(store)) as results:
        judging = results.studies.find().judgings[0]
        rows = results.judgings.verdicts(judging)
        results.judgings.save_verdicts(judging, rows[1:])
    report = corrected(Study(store, tmp_path, ""))
    assert report["changed_since_the_draw"] == [report["models"][0]["model"]]
    assert (report["models"][0]["answers"], report["models"][0]["unjudged"]) == (29, 1)
    shown = " ".join(exambench("trust", "corrected", "--store", store).stdout.split())
    assert "0 without reasons, 1 without a verdict" in shown
    assert "number of judged answers has changed" in shown


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--sampling", "random", "--models", "3,4,3"), "says nothing about a random sample"),
        (("--per-model", "10"), "says nothing about a stratified sample"),
        (("--sampling", "random", "--per-model", "2"), "so few answers of a model"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_is_written(
    study: Study, tmp_path: Path, more: tuple[str, ...], told: str
) -> None:
    """An option of the other way of sampling, and a sample too small to correct anything."""
    with pytest.raises(ConfigError, match=told):
        exambench("meta", "sample", tmp_path / "out", "--judge", "judge", *more, "--store", study.store)
    assert not (tmp_path / "out").exists()


def test_a_level_that_is_none_is_refused(study: Study) -> None:
    """Before anything is read."""
    with pytest.raises(ConfigError, match="is not a level of intervals"):
        exambench("trust", "corrected", "--level", "95", "--store", study.store)
