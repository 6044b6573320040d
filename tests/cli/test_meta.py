"""A meta-evaluation from the command line: runs, a judge in two conditions, sheets, people's scores, the report."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from scipy.stats import kendalltau
from sqlalchemy import text
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError, MissingExtraError
from exambench.items import Benchmark, digest
from exambench.store import RatingRow, open_existing_store, open_store
from tests.judging.examples import AXES, answer, exam, sit, verdict_text
from tests.store.examples import behind
from tests.support.chat_server import Call, Reply, completion, serve

MODELS = 12
ITEMS = 12
RATERS = ("김", "이")
NOISE = 0.5
"""How often a person differs from the judge, by a point up or down."""


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def labelled_exam() -> Benchmark:
    """Return an exam in five parts with two Korean-specific items."""
    plain = exam(ITEMS)
    items = tuple(
        replace(item, facets={"reasoning": True, "korean": number in {4, 11}, "part": number % 5 + 1})
        for number, item in enumerate(plain.items)
    )
    return replace(plain, items=items)


def true_scores(model: int, item: int) -> list[int]:
    """Return a score from 2 to 4 on each axis: better for later models, and different from item to item."""
    wiggle = (int(digest([model, item, axis])[:4], 16) / 0xFFFF - 0.5 for axis in AXES)
    return [min(4, max(2, round(2 + 2 * model / (MODELS - 1) + 1.6 * each))) for each in wiggle]


def judge(call: Call) -> Reply:
    """Give the true scores; without the expert's rationale one point less on the first axis."""
    match = re.search(r"근거 (\d+)-(\d+)", call.prompt)
    assert match is not None
    first, *others = true_scores(int(match[1]), int(match[2]))
    return completion(verdict_text((first - ("(자료 없음)" in call.prompt), *others)))


@dataclass(frozen=True)
class Study:
    """Where everything is."""

    store: Path
    sheets: Path
    drawn: str


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Twelve models judged with and without the expert's rationale, and a sample drawn from them."""
    folder = tmp_path_factory.mktemp("meta")
    store, rubric = folder / "r.db", Path(__file__).parents[2] / "src/exambench/benchmarks/kmetbench/rubric.toml"
    benchmark = labelled_exam()
    with open_store(str(store)) as results:
        runs = [
            sit(
                results,
                benchmark,
                {str(item): answer(item, f"모델-{model:02d}의 근거 {model}-{item}") for item in range(1, ITEMS + 1)},
                model=f"모델-{model:02d}",
            ).run_id
            for model in range(MODELS)
        ]
    with serve(judge) as server:
        common: list[str | Path] = [
            "judge",
            *runs,
            "--judge",
            f"judge@{server.base_url}",
            "--rubric",
            rubric,
            "--store",
            store,
        ]
        assert exambench(*common).exit_code == 0
        assert exambench(*common, "--without-rationale").exit_code == 0
    raters = itertools.chain.from_iterable(("--raters", name) for name in RATERS)
    drawn = exambench("meta", "sample", folder / "sheets", "--judge", "judge", *raters, "--store", store)
    assert drawn.exit_code == 0, drawn.stderr
    return Study(store, folder / "sheets", drawn.stdout)


def fill(study: Study, folder: Path, score: Callable[[str, str, int], int]) -> list[Path]:
    """Fill in every rater's sheet: ``score(rater, axis, true score)`` is what the person writes."""
    with open_existing_store(str(study.store)) as results:
        places = {place.answer_id: place for place in results.studies.places()}
        numbers = {each.run_id: int(each.run.model_name[-2:]) for each in results.runs()}
    paths = []
    for rater in RATERS:
        source = study.sheets / f"scores-{rater}.csv"
        header, *rows = csv.reader(io.StringIO(source.read_text(encoding="utf-8-sig")))
        for row in rows:
            place = places[row[0]]
            given = true_scores(numbers[place.run_id], int(place.item_id))
            row[7:] = [str(score(rater, axis, true)) for axis, true in zip(AXES, given, strict=True)]
        paths.append(folder / source.name)
        with paths[-1].open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return paths


@pytest.fixture(scope="module")
def reported(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report as JSON, after two people have scored: the judge's scores with noise of a known size."""
    rng = random.Random(20)

    def noisy(_rater: str, _axis: str, true: int) -> int:
        return true + (rng.choice((-1, 1)) if rng.random() < NOISE else 0)

    paths = fill(study, tmp_path_factory.mktemp("filled"), noisy)
    done = exambench("meta", "import", *paths, "--store", study.store)
    assert [line.partition(",")[0] for line in done.stdout.splitlines()] == [
        f"{rater}: 100 answers scored" for rater in RATERS
    ]
    return json.loads(exambench("meta", "report", "--json", "--store", study.store).stdout)


def coefficient(dimension: Any, name: str) -> Any:
    """Return a coefficient of the judge and the people's mean."""
    (found,) = [each for each in dimension["against"] if each["name"] == name and not each["pair"]]
    return found


def test_the_sample_says_why_each_model_and_item_is_in(study: Study) -> None:
    """Ten models and ten items, each with its tier and reason, and the seed."""
    assert "A sample of 10 models and 10 items, seed 42" in study.drawn
    assert study.drawn.count("by normalised score") == 10
    assert study.drawn.count("items by spread") + study.drawn.count("covers ") == 10
    with open_existing_store(str(study.store)) as results:
        sample: Any = results.studies.find().sample
    assert [model["tier"] for model in sample["models"]] == ["top"] * 3 + ["middle"] * 4 + ["low"] * 3
    assert {item["facets"]["part"] for item in sample["items"]} == {1, 2, 3, 4, 5}
    assert {item["facets"]["korean"] for item in sample["items"]} == {True, False}


def test_no_sheet_has_a_models_name_or_a_runs_id(study: Study) -> None:
    """Each rationale begins with its model's name, which no sheet shows; the key is in the store alone."""
    with open_existing_store(str(study.store)) as results:
        runs = [each.run_id for each in results.runs()]
    assert sorted(path.name for path in study.sheets.iterdir()) == sorted(
        ["rubric.txt", *(f"scores-{rater}.{form}" for rater in RATERS for form in ("csv", "xlsx"))]
    )
    for rater in RATERS:
        sheet = (study.sheets / f"scores-{rater}.csv").read_text(encoding="utf-8-sig")
        assert sheet.count("[…]의 근거") == 100
        assert not re.search(r"모델-\d\d", sheet)
        assert not any(run in sheet for run in runs)


def test_the_planted_agreement_lies_in_the_reported_intervals(reported: Any, study: Study) -> None:
    """α of every axis covers what the noise makes it.

    Two people differ from the judge by a point with probability p = 0.5 each, so their mean M = J + e has E(e²) = p/2.
    Krippendorff's interval α of J and M is 1 - E(e²) / (2 Var of the pooled values), and the pooled variance is
    Var(J) + E(e²)/2 (both have one mean, half of the values have the noise): α = 1 - p/2 / (2 Var(J) + p/2).
    """
    assert reported["answers"] == 100
    truth = sampled_truth(study)
    for axis, dimension in zip(AXES, reported["conditions"][0]["dimensions"], strict=False):
        alpha = coefficient(dimension, "Krippendorff α (interval)")
        planted = 1 - NOISE / 2 / (2 * float(np.var(truth[axis])) + NOISE / 2)
        assert dimension["dimension"] == axis
        assert alpha["low"] < planted < alpha["high"]
        assert (alpha["n_units"], alpha["n_ratings"]) == (100, 300)
        icc = coefficient(dimension, "ICC(A,1)")
        assert icc["low"] < planted < icc["high"]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # pingouin's use of pandas
def test_every_figure_is_that_of_other_programs_on_the_stored_scores(reported: Any, study: Study) -> None:
    """As by krippendorff, pingouin (ICC(A,1)) and scipy (τ-b over models), and by the formulas of Bland and Altman."""
    people, truth, runs = stored_scores(study)
    for number, dimension in enumerate(reported["conditions"][0]["dimensions"]):
        of_axis = slice(None) if dimension["dimension"] == "total" else slice(number, number + 1)
        judge = truth[:, of_axis].sum(axis=1)
        mean = people[:, :, of_axis].sum(axis=2).mean(axis=1)
        alpha = krippendorff.alpha(np.stack([judge, mean]), level_of_measurement="interval")
        assert coefficient(dimension, "Krippendorff α (interval)")["estimate"] == pytest.approx(alpha)
        long = [(unit, rater, score) for unit in range(100) for rater, score in enumerate((judge[unit], mean[unit]))]
        frame = pd.DataFrame(long, columns=["unit", "rater", "score"])
        icc = pingouin.intraclass_corr(frame, "unit", "rater", "score").set_index("Type")["ICC"]["ICC(A,1)"]
        assert coefficient(dimension, "ICC(A,1)")["estimate"] == pytest.approx(icc)
        difference = judge - mean
        half = 1.959963984540054 * difference.std(ddof=1)
        for name, value in (("bias", 0.0), ("lower limit", -half), ("upper limit", half)):
            found = coefficient(dimension, f"Bland–Altman {name}")["estimate"]
            assert found == pytest.approx(difference.mean() + value)
        models = sorted(set(runs))
        means = [[scores[np.array(runs) == run].mean() for run in models] for scores in (judge, mean)]
        assert dimension["over_models"]["estimate"] == pytest.approx(kendalltau(*means, variant="b").statistic)
        among = {each["name"]: each["estimate"] for each in dimension["among"] if not each["pair"]}
        both = people[:, :, of_axis].sum(axis=2).T
        expected = krippendorff.alpha(both, level_of_measurement="interval")
        assert among["Krippendorff α (interval)"] == pytest.approx(expected)


def stored_scores(study: Study) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[str]]:
    """Return people's scores (answers × raters × axes), the judge's (answers × axes), and each answer's run."""
    with open_existing_store(str(study.store)) as results:
        record = results.studies.find()
        numbers = {each.run_id: int(each.run.model_name[-2:]) for each in results.runs()}
        places = {place.answer_id: place for place in results.studies.places(record.study_id)}
        given = {
            (place.run_id, place.item_id, place.rater, row.dimension): row.score
            for row in results.studies.ratings(record.study_id)
            for place in [places[row.answer_id]]
        }
    answers = sorted({(place.run_id, place.item_id) for place in places.values()})
    people = [[[given[*each, rater, axis] for axis in AXES] for rater in RATERS] for each in answers]
    truth = [true_scores(numbers[run], int(item)) for run, item in answers]
    return np.array(people, dtype=float), np.array(truth, dtype=float), [run for run, _ in answers]


def sampled_truth(study: Study) -> dict[str, list[int]]:
    """Return the true scores of the sampled answers by axis."""
    with open_existing_store(str(study.store)) as results:
        numbers = {each.run_id: int(each.run.model_name[-2:]) for each in results.runs()}
        places = [place for place in results.studies.places() if place.rater == RATERS[0]]
    scores = [true_scores(numbers[place.run_id], int(place.item_id)) for place in places]
    return {axis: [each[number] for each in scores] for number, axis in enumerate(AXES)}


def test_without_the_rationale_the_planted_bias_shows(reported: Any) -> None:
    """The judge gives one point less on the first axis: its bias is 1 lower there and in the total."""
    seen, unseen = reported["conditions"]
    assert (seen["reference"], unseen["reference"]) == (True, False)
    differences = [
        coefficient(first, "Bland–Altman bias")["estimate"] - coefficient(second, "Bland–Altman bias")["estimate"]
        for first, second in zip(seen["dimensions"], unseen["dimensions"], strict=True)
    ]
    assert differences == pytest.approx([1, 0, 0, 0, 1])


def test_models_are_ranked_and_tau_counts_their_pairs(reported: Any) -> None:
    """τ-b of the total is what counting pairs gives; a rank change is the difference of the ranks.

    Without ties τ-b = (concordant - discordant) / pairs; with ties each factor of the denominator leaves out its own.
    """
    for condition in reported["conditions"]:
        models = condition["models"]
        pairs = list(itertools.combinations(models, 2))
        signs = [(np.sign(a["people"] - b["people"]), np.sign(a["judge"] - b["judge"])) for a, b in pairs]
        untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
        expected = sum(one * other for one, other in signs) / (untied[0] * untied[1]) ** 0.5
        total = condition["dimensions"][-1]
        assert (total["dimension"], total["over_models"]["n_units"]) == ("total", 10)
        assert total["over_models"]["estimate"] == pytest.approx(expected)
        assert [model["people"] for model in models] == sorted((m["people"] for m in models), reverse=True)
        assert all(model["change"] == model["people_rank"] - model["judge_rank"] for model in models)


def test_the_papers_figures_stand_beside_ours(reported: Any) -> None:
    """K-MetBench, Table 5 and Figure 4."""
    seen, unseen = ([each["published"] for each in one["dimensions"]] for one in reported["conditions"])
    assert [each["Krippendorff α (interval)"] for each in seen] == [0.827, 0.827, 0.742, 0.825, 0.838]
    assert [each["ICC(A,1)"] for each in seen] == [0.829, 0.83, 0.747, 0.827, 0.841]
    assert (seen[-1]["Kendall τ-b"], unseen[-1]["Kendall τ-b"]) == (0.99, 0.96)
    assert {each["Krippendorff α (interval)"] for each in unseen} == {None}


@pytest.mark.usefixtures("reported")
def test_every_form_has_the_same_figures(study: Study, reported: Any) -> None:
    """Terminal, Markdown and CSV show what JSON has."""
    total = reported["conditions"][0]["dimensions"][-1]
    alpha = coefficient(total, "Krippendorff α (interval)")["estimate"]
    common: list[str | Path] = ["--resamples", "20", "--store", study.store]  # no estimate depends on the resamples
    shown = exambench("meta", "report", *common).stdout
    markdown = exambench("meta", "report", "--markdown", *common).stdout
    table = exambench("meta", "report", "--csv", *common).stdout
    for page in (shown, markdown):
        assert f"{alpha:.3f}".removeprefix("0") in page
        assert all(figure in page for figure in (".838", ".841", ".99", ".96"))
        assert page.count("other models, people and answers.") == 1  # the other condition has no figure in that table
    rows = [
        row
        for row in csv.DictReader(io.StringIO(table))
        if (row["dimension"], row["reference"], row["question"], row["pair"]) == ("total", "True", "against", "False")
    ]
    assert {row["coefficient"]: row["estimate"] for row in rows}["Krippendorff α (interval)"] == str(alpha)
    assert {(row["coefficient"], row["over"]): row["published"] for row in rows}["Kendall τ-b", "models"] == "0.99"
    assert exambench("meta", "report", "--csv", *common).stdout == table


@pytest.mark.usefixtures("reported")
def test_one_fault_keeps_every_score_out(study: Study, tmp_path: Path) -> None:
    """A sound sheet beside a faulty one changes nothing."""
    before = ratings_in(study)
    first, second = fill(study, tmp_path, lambda _rater, _axis, _true: 1)
    second.write_text(second.read_text(encoding="utf-8").replace(",1,1,1,1", ",1,1,1,7", 1), encoding="utf-8")
    with pytest.raises(DataError, match=r"outside of the scale \(found '7'\)"):
        exambench("meta", "import", first, second, "--store", study.store)
    assert len(before) == 800
    assert ratings_in(study) == before


def test_scores_that_take_the_place_of_others_are_counted(study: Study, tmp_path: Path) -> None:
    """A sheet that comes again by mistake does not overwrite scores without a word; true scores are 2 or more."""
    store = tmp_path / "copy.db"
    store.write_bytes(study.store.read_bytes())
    with behind(str(store)) as connection:
        connection.execute(text("DELETE FROM ratings"))
    told = []
    opinions: list[Callable[[str, str, int], int]] = [
        lambda _rater, _axis, true: true,
        lambda _rater, _axis, true: true,
        lambda _rater, axis, true: 1 if axis == AXES[0] else true,
    ]
    for opinion in opinions:
        (sheet, _) = fill(study, tmp_path, opinion)
        told.append(exambench("meta", "import", sheet, "--store", store).stdout.partition(",")[2])
    assert told[0] == told[1]
    assert told[2] == f"{told[0].rstrip()}; 100 scores replaced\n"


def ratings_in(study: Study) -> list[RatingRow]:
    """Return the stored scores."""
    with open_existing_store(str(study.store)) as results:
        return results.studies.ratings(results.studies.find().study_id)


def test_drawing_again_writes_over_nothing(study: Study) -> None:
    """The same command finds the sheets there; the store keeps one study."""
    with pytest.raises(ConfigError, match="may be filled in"):
        exambench("meta", "sample", study.sheets, "--judge", "judge", "--raters", "김", "--store", study.store)
    with open_existing_store(str(study.store)) as results:
        assert len(results.studies.all()) == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--judge", "nobody"), "there is no such judging"),
        (("--judge", "judge", "--models", "3,4"), "three whole numbers"),
        (("--judge", "judge", "--items", "3,x,3"), "three whole numbers"),
        (("--judge", "judge", "--models", f"{'9' * 5000},1,1"), "three whole numbers"),
        (("--judge", "judge", "--models", "5,5,5"), "12 for 15 places"),
        (("--judge", "judge", "--items", "9,9,9"), "12 for 27 places"),
        (("--judge", "judge", "--raters", "../etc"), "letters, digits, dots, hyphens and underscores"),
        (("--judge", "judge", "--raters", "Kim", "--raters", "kim"), "two raters have one name"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_is_written(
    study: Study, tmp_path: Path, more: tuple[str, ...], told: str
) -> None:
    """The judge, the quotas, the raters."""
    with pytest.raises(ConfigError, match=told):
        exambench("meta", "sample", tmp_path / "out", *more, "--store", study.store)
    assert not (tmp_path / "out").exists()


def test_without_openpyxl_csv_is_still_written(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLSX asks for its extra by name; --csv-only does without."""
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    store = tmp_path / "copy.db"
    store.write_bytes(study.store.read_bytes())
    with pytest.raises(MissingExtraError, match=r"\.\[sheets\]"):
        exambench("meta", "sample", tmp_path / "out", "--judge", "judge", "--store", store)
    done = exambench("meta", "sample", tmp_path / "out", "--judge", "judge", "--csv-only", "--store", store)
    assert done.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "rubric.txt",
        "scores-rater-1.csv",
        "scores-rater-2.csv",
    ]


def test_a_report_before_any_scores_says_what_is_missing(study: Study, tmp_path: Path) -> None:
    """No scores, no figures."""
    store = tmp_path / "copy.db"
    with open_existing_store(str(study.store)) as results:
        record = results.studies.find()
    assert store.write_bytes(study.store.read_bytes())
    exambench("meta", "sample", tmp_path / "out", "--judge", "judge", "--seed", "1", "--csv-only", "--store", store)
    with open_existing_store(str(store)) as results:
        (other,) = [each for each in results.studies.all() if each.study_id != record.study_id]
    with pytest.raises(ConfigError, match="no scores of people are in yet"):
        exambench("meta", "report", "--study", other.study_id, "--store", store)


def test_half_a_study_is_reported_as_what_it_is(study: Study, tmp_path: Path) -> None:
    """One of two people, and a judge without a verdict on one item: told, in no figure, and no agreement of one."""
    store = tmp_path / "copy.db"
    store.write_bytes(study.store.read_bytes())
    (path, *_) = fill(study, tmp_path, lambda _rater, _axis, true: true)
    with open_existing_store(str(store)) as results:
        record = results.studies.find()
        mine = [place for place in results.studies.places(record.study_id) if place.rater == RATERS[0]]
        for judging in record.judgings:
            kept = [row for row in results.judgings.verdicts(judging) if row.item_id != mine[0].item_id]
            results.judgings.save_verdicts(judging, kept)
    with behind(str(store)) as connection:
        connection.execute(text("DELETE FROM ratings"))
    exambench("meta", "import", path, "--store", store)
    common: list[str | Path] = ["meta", "report", "--study", record.study_id[:6], "--resamples", "20", "--store", store]
    report = json.loads(exambench(*common, "--json").stdout)
    seen = report["conditions"][0]
    assert (report["raters"], report["raters_without_scores"], seen["unjudged"]) == ([RATERS[0]], [RATERS[1]], 10)
    (alpha, *_) = seen["dimensions"][0]["among"]
    assert (alpha["estimate"], alpha["reason"]) == (None, "needs at least 2 raters; found 1")
    # The person wrote the judge's own scores: agreement is perfect on the 90 answers that have a verdict.
    judge_alpha = coefficient(seen["dimensions"][0], "Krippendorff α (interval)")
    assert (judge_alpha["estimate"], judge_alpha["n_units"]) == (pytest.approx(1.0), 90)
    assert f"Not in yet: the scores of {RATERS[1]}." in exambench(*common).stdout
