"""Several judges of the same answers from the command line, held against sums on paper."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError
from exambench.stats.agreement import IccForm, Metric, intraclass_correlations, krippendorff_alpha
from exambench.store import open_existing_store, open_store
from tests.judging.examples import answer, exam, sit, verdict_text
from tests.support.chat_server import Call, Reply, completion, serve

RUBRIC = Path(__file__).parents[2] / "src/exambench/benchmarks/kmetbench/rubric.toml"
ITEMS = 6
TOTALS = {
    "strict": {"alpha": (8, 8, 8, 12, 12, 16), "beta": (8, 8, 8, 8, 8, 8)},
    "mild": {"alpha": (12, 12, 12, 12, 16, 20), "beta": (12, 8, 8, 12, 8, 20)},
    "third": {"alpha": (12, 8, 8, 16, 16, 16), "beta": (8, 8, 12, 12, 8, 12)},
}
"""Totals of four equal scores by judge, model and item. The third judge's reply to beta's last item is unreadable."""


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def judges(call: Call) -> Reply:
    """Judge as the table says, by the name in the request and by what the rationale tells."""
    match = re.search(r"근거 (alpha|beta)-(\d+)", call.prompt)
    name = call.body["model"]
    if match is None:  # no rationale: the lowest score, as the rubric says
        return completion(verdict_text((1, 1, 1, 1)))
    if name == "third" and match.groups() == ("beta", str(ITEMS)):
        return completion("잘 모르겠습니다.")
    return completion(verdict_text((TOTALS[name][match[1]][int(match[2]) - 1] // 4,) * 4))


@dataclass(frozen=True)
class Judged:
    """A store with two judged runs."""

    store: Path
    runs: tuple[str, str]
    base_url: str

    def panel(self, *more: str | Path) -> Any:
        """Return what the command says as JSON."""
        return json.loads(exambench("trust", "panel", *self.runs, *more, "--json", "--store", self.store).stdout)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Two runs of six items that three judges looked at."""
    store = tmp_path_factory.mktemp("panel") / "r.db"
    benchmark = exam(ITEMS)
    with open_store(str(store)) as results:
        alpha, beta = (
            sit(
                results,
                benchmark,
                {str(item): answer(item, f"근거 {name}-{item}") for item in range(1, ITEMS + 1)},
                model=f"{name}-7b",
            ).run_id
            for name in ("alpha", "beta")
        )
    with serve(judges) as server:
        names = [word for name in TOTALS for word in ("--judge", f"{name}@{server.base_url}")]
        done = exambench("judge", alpha, beta, *names, "--rubric", RUBRIC, "--store", store)
        assert done.exit_code == 0, done.stderr
    return Judged(store, (alpha, beta), server.base_url)


def test_mean_and_median_of_the_judges_by_hand(judged: Judged) -> None:
    """Judges of alpha: 8 12 12 | 8 12 8 | 8 12 8 | 12 12 16 | 12 16 16 | 16 20 16.

    Means 32/3, 28/3, 28/3, 40/3, 44/3, 52/3, mean 224/18; medians 12, 8, 8, 12, 16, 16, mean 12.
    beta has five answers that all three scored: means 28/3, 8, 28/3, 32/3, 8, mean 136/15; medians 8, 8, 8, 12, 8.
    """
    alpha, beta = judged.panel()["runs"]
    assert (alpha["asked"], alpha["answers"], beta["asked"], beta["answers"]) == (6, 6, 6, 5)
    assert alpha["dimensions"]["total"]["mean"]["estimate"] == pytest.approx(224 / 18)
    assert alpha["dimensions"]["total"]["median"]["estimate"] == pytest.approx(12)
    assert beta["dimensions"]["total"]["mean"]["estimate"] == pytest.approx(136 / 15)
    assert beta["dimensions"]["total"]["median"]["estimate"] == pytest.approx(44 / 5)
    assert beta["dimensions"]["total"]["mean"]["n"] == 5
    # Each judge on these answers alone: without beta's last item the mild one gives 12 8 8 12 8.
    assert beta["judges"]["mild"]["estimate"] == pytest.approx(48 / 5)
    assert alpha["judges"]["strict"]["estimate"] == pytest.approx(64 / 6)
    assert alpha["dimensions"]["정확성"]["mean"]["estimate"] == pytest.approx(224 / 18 / 4)


def test_at_least_two_of_three_judges(judged: Judged) -> None:
    """Then beta's last item counts with 8 and 20: mean and median 14; α takes it too, ICC does not."""
    report = judged.panel("--at-least", "2")
    beta = report["runs"][1]
    assert beta["answers"] == 6
    assert beta["dimensions"]["total"]["mean"]["estimate"] == pytest.approx((136 / 3 + 14) / 6)
    assert beta["judges"]["third"]["n"] == 5
    alpha, single, _ = report["agreement"]["total"]
    assert (alpha["n_units"], alpha["n_ratings"], single["n_units"]) == (12, 35, 11)


def test_agreement_is_that_of_the_scores(judged: Judged) -> None:
    """α and ICC of eleven answers and three judges, computed here from the table."""
    table = np.array([scores["alpha"] + scores["beta"][:5] for scores in TOTALS.values()], dtype=float).T
    alpha, single, mean = judged.panel()["agreement"]["total"]
    assert alpha["estimate"] == pytest.approx(krippendorff_alpha(table, Metric.INTERVAL).estimate)
    found = intraclass_correlations(table)
    assert single["estimate"] == pytest.approx(found[IccForm.ABSOLUTE_SINGLE].estimate)
    assert mean["estimate"] == pytest.approx(found[IccForm.ABSOLUTE_MEAN].estimate)
    assert (single["name"], mean["name"], single["n_units"]) == ("ICC(A,1)", "ICC(A,k)", 11)
    assert alpha["low"] < alpha["estimate"] < alpha["high"]


def test_the_answers_to_look_at_first_are_those_with_the_widest_spread(judged: Judged) -> None:
    """Beta's last item with 12 points between two judges, then all with 4, then those on which they agree."""
    answers = judged.panel("--at-least", "2")["answers"]
    assert (answers[0]["model"], answers[0]["item"], answers[0]["spread"]) == ("beta-7b", "6", 12)
    assert answers[0]["scores"]["total"] == {"strict": 8, "mild": 20, "third": None}
    assert answers[0]["question"] == "6번 관측소의 기압은?"
    assert [each["spread"] for each in answers] == [12] + [4] * 9 + [0] * 2
    assert {(each["model"], each["item"]) for each in answers[-2:]} == {("beta-7b", "2"), ("beta-7b", "5")}


def test_every_form_has_the_same_figures(judged: Judged) -> None:
    """Terminal, Markdown and CSV show what JSON has, and name the judges."""
    report = judged.panel()
    common: list[str | Path] = ["trust", "panel", *judged.runs, "--store", judged.store]
    shown, markdown = exambench(*common).stdout, exambench(*common, "--markdown").stdout
    for page in (shown, markdown):
        for told in ("12.44", "9.07", "5 of 6", "6번 관측소의 기압은?", "strict, mild, third"):
            assert told in page
        assert "all 3 judges" in page
    lines = list(csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout)))
    assert [(line["item"], float(line["judge:mild"])) for line in lines] == [
        (each["item"], each["scores"]["total"]["mild"]) for each in report["answers"]
    ]


def test_named_judges_alone_are_the_panel(judged: Judged) -> None:
    """By name, or by the beginning of a judging's id, which names the judge of that run alone."""
    assert [each["judge"] for each in judged.panel("--judge", "mild", "--judge", "third")["judges"]] == [
        "mild",
        "third",
    ]
    with open_existing_store(str(judged.store)) as results:
        (one,) = [each for each in results.judgings.all(judged.runs[0]) if each.judge_name == "third"]
    report = judged.panel("--judge", "mild", "--judge", one.judging_id[:10])
    assert [run["answers"] for run in report["runs"]] == [6, 0]
    assert report["runs"][1]["dimensions"] == {}


def test_answers_without_a_rationale_are_in_the_means_and_in_no_agreement(tmp_path: Path) -> None:
    """All judges must give them the lowest score, so their agreement on them says nothing."""
    store = tmp_path / "r.db"
    with open_store(str(store)) as results:
        texts = {str(item): answer(item, "" if item == 1 else f"근거 alpha-{item}") for item in range(1, ITEMS + 1)}
        run = sit(results, exam(ITEMS), texts)
    with serve(judges) as server:
        names = [word for name in ("strict", "mild") for word in ("--judge", f"{name}@{server.base_url}")]
        exambench("judge", run.run_id, *names, "--rubric", RUBRIC, "--store", store)
    report = json.loads(exambench("trust", "panel", run.run_id, "--json", "--store", store).stdout)
    assert report["runs"][0]["answers"] == 6
    assert [each["has_rationale"] for each in report["answers"]].count(False) == 1
    assert {found["n_units"] for found in report["agreement"]["total"]} == {5}


def test_judges_of_one_name_are_told_apart(judged: Judged, tmp_path: Path) -> None:
    """By numbers, with the address of each below the title; and so in the tables of trust."""
    store = tmp_path / "copy.db"
    store.write_bytes(judged.store.read_bytes())
    with serve(judges) as server:
        exambench("judge", *judged.runs, "--judge", f"mild@{server.base_url}", "--rubric", RUBRIC, "--store", store)
    for page in (
        exambench("trust", "panel", *judged.runs, "--judge", "mild", "--store", store).stdout,
        exambench("trust", "length", *judged.runs, "--judge", "mild", "--resamples", "20", "--store", store).stdout,
    ):
        assert f"mild (1) is mild@{judged.base_url}" in page
        assert f"mild (2) is mild@{server.base_url}" in page


def test_a_panel_without_a_common_answer_says_so(judged: Judged, tmp_path: Path) -> None:
    """An empty table alone could be a fault."""
    store = tmp_path / "copy.db"
    store.write_bytes(judged.store.read_bytes())
    with serve(lambda _: completion("…")) as server:
        judge = f"mute@{server.base_url}"
        exambench("judge", judged.runs[0], "--judge", judge, "--rubric", RUBRIC, "--store", store)
    shown = exambench("trust", "panel", judged.runs[0], "--judge", "mute", "--judge", "strict", "--store", store).stdout
    assert "Only answers count that both judges scored." in shown
    assert "There is no answer that enough judges scored." in shown


def test_judges_that_do_not_belong_together_are_no_panel(judged: Judged, tmp_path: Path) -> None:
    """Another rubric, another sight of the expert's rationale, another dataset: named, and nothing is averaged."""
    store = tmp_path / "copy.db"
    store.write_bytes(judged.store.read_bytes())
    shipped = RUBRIC.read_text(encoding="utf-8")
    changed = tmp_path / "rubric.toml"
    changed.write_text(shipped.replace("정확성", "사실성"), encoding="utf-8")
    with open_store(str(store)) as results:
        other = sit(results, exam(ITEMS + 1), {"1": answer(1, "근거 alpha-1")}).run_id
    run = judged.runs[0]

    def script(call: Call) -> Reply:
        asks_anew = "사실성" in str(call.body["messages"])
        return completion(verdict_text().replace("정확성", "사실성")) if asks_anew else judges(call)

    with serve(script) as server:
        exambench("judge", run, "--judge", f"other@{server.base_url}", "--rubric", changed, "--store", store)
        common: list[str | Path] = ["--judge", f"strict@{server.base_url}", "--rubric", RUBRIC, "--store", store]
        exambench("judge", run, *common, "--without-rationale")
    with pytest.raises(ConfigError, match="a panel is about one rubric"):
        exambench("trust", "panel", run, "--store", store)
    with open_existing_store(str(store)) as results:
        (blind,) = [each for each in results.judgings.all(run) if not each.with_reference]
    with pytest.raises(ConfigError, match="one sight of the expert's rationale"):
        exambench("trust", "panel", run, "--judge", "mild", "--judge", blind.judging_id, "--store", store)
    with pytest.raises(ConfigError, match="a panel is about one dataset"):
        exambench("trust", "panel", run, other, "--store", store)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--judge", "mild"), "a panel needs two judges"),
        (("--judge", "nobody"), "no such judge has scored rationales"),
        (("--at-least", "1"), "one judge is no panel"),
        (("--at-least", "4"), "so many judges are not in this panel"),
    ],
)
def test_what_is_no_panel_is_said(judged: Judged, more: tuple[str, ...], told: str) -> None:
    """One judge, nobody, and counts that no panel of three has."""
    with pytest.raises(ConfigError, match=told):
        judged.panel(*more)
