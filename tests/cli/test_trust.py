"""``exambench trust`` on judges with planted faults: each is found, and where there is none nothing is found."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import krippendorff
import numpy as np
import pytest
import typer
from rich.cells import cell_len

from exambench.cli.app import app
from exambench.errors import ConfigError, ExambenchError
from exambench.items import Benchmark, digest
from exambench.store import open_existing_store, open_store
from tests.judging.examples import AXES, answer, exam, sit, verdict_text
from tests.support.chat_server import Call, ChatServer, Reply, Script, completion, serve, status

RUBRIC = Path(__file__).parents[2] / "src/exambench/benchmarks/kmetbench/rubric.toml"
ITEMS = 14
MODELS = ("알파", "베타", "감마")
COMMAND = typer.main.get_command(app)
"""Built once: it takes a tenth of a second."""
PROBES = ("order", "padding", "injection")


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


def exambench(*arguments: object, columns: int = 120) -> Done:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    out, err = io.StringIO(), io.StringIO()
    with patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        code = COMMAND.main(list(map(str, arguments)), prog_name="exambench", standalone_mode=False)
    return Done(code or 0, out.getvalue(), err.getvalue())


def plain_exam() -> Benchmark:
    """Return an exam whose expert names no choice by its number."""
    benchmark = exam(ITEMS)
    items = tuple(replace(item, rationale="고도가 높을수록 기압이 낮다.") for item in benchmark.items)
    return replace(benchmark, items=items)


def rationale(model: int, item: int) -> str:
    """Return reasons of one to six sentences, the number of which has nothing to do with right and wrong."""
    return f"근거 {model}-{item}. " + "기압은 고도에 따라 낮아진다. " * (1 + int(digest([model, item])[:2], 16) % 6)


@dataclass(frozen=True)
class Shelf:
    """A store with three judged models.

    Attributes:
        store: Where it is.
        runs: The runs, in the order of the models.
    """

    store: Path
    runs: tuple[str, ...]

    def judge(self, script: Script, *more: object, name: str = "judge") -> None:
        """Have all runs judged."""
        with serve(script) as server:
            self.judge_by(server, *more, name=name)

    def judge_by(self, server: ChatServer, *more: object, name: str = "judge") -> None:
        """Have all runs judged by a judge of a server."""
        done = exambench("judge", *self.runs, *self.options(server, name), *more)
        assert done.exit_code in {0, 1}, done.stderr

    def options(self, server: ChatServer, name: str = "judge") -> list[object]:
        """Return the options that name a judge, the rubric and the store."""
        return ["--judge", f"{name}@{server.base_url}", "--rubric", RUBRIC, "--store", self.store]

    def shown(self, command: str, *more: object) -> Any:
        """Return what a command says as JSON."""
        return json.loads(exambench("trust", command, *more, "--json", "--store", self.store).stdout)


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Three models, fourteen items; every third answer is wrong. Nobody has judged them."""
    store = tmp_path_factory.mktemp("trust") / "r.db"
    with open_store(str(store)) as results:
        runs = [sit(results, plain_exam(), texts_of(model), model=name).run_id for model, name in enumerate(MODELS)]
    return Shelf(store, tuple(runs))


def texts_of(model: int) -> dict[str, str]:
    """Return the responses of a model."""
    wrong = {item: (item + 1) % 4 + 1 for item in range(1, ITEMS + 1) if (model + item) % 3 == 0}
    return {str(item): answer(item, rationale(model, item), wrong.get(item)) for item in range(1, ITEMS + 1)}


@pytest.fixture
def shelf(unjudged: Shelf, tmp_path: Path) -> Shelf:
    """A copy for one test."""
    return Shelf(shutil.copy(unjudged.store, tmp_path / "r.db"), unjudged.runs)


@pytest.fixture(scope="module")
def panel(unjudged: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The same, judged twice by each of three judges with noise; for tests that only look."""
    shelf = Shelf(shutil.copy(unjudged.store, tmp_path_factory.mktemp("panel") / "r.db"), unjudged.runs)
    for name in ("하나", "둘", "셋"):
        shelf.judge(scores(indifferent), "--trials", "2", name=name)
    return shelf


def body_of(call: Call) -> str:
    """Return the rationale as the judge sees it."""
    block = re.search(r"\[수험자의 풀이\]\n\[구획 \w+ 시작\]\n(.*)\n\[구획 \w+ 끝\]", call.prompt, re.DOTALL)
    assert block is not None
    return block[1]


def place_of(call: Call) -> tuple[int, int]:
    """Return the numbers of model and item."""
    match = re.search(r"근거 (\d+)-(\d+)", call.prompt)
    assert match is not None
    return int(match[1]), int(match[2])


def scores(value: Callable[[Call], float]) -> Script:
    """Judge with one score on every axis, rounded and kept within the scale."""
    return lambda call: completion(verdict_text([min(5, max(1, round(value(call))))] * 4))


def by_length(call: Call) -> float:
    """One point for every 60 characters."""
    return 1 + len(body_of(call)) // 60


def obedient(call: Call) -> float:
    """Two points, unless the rationale asks for more."""
    return 5 if "5점" in body_of(call) else 2


def orderly(call: Call) -> float:
    """Four points where the choices stand in ascending order, else two."""
    values = re.findall(r"^\d\. (\d+) hPa$", call.prompt, re.MULTILINE)
    return 4 if values == sorted(values, key=int) else 2


def indifferent(call: Call) -> float:
    """Look at nothing but whose answer it is, and add noise that changes with every request."""
    return 3 + random.Random(call.raw).choice((-1, 0, 0, 1))


def probe(shelf: Shelf, kind: str, server: ChatServer, *more: object) -> Any:
    """Probe the judge on the first run, and return the report."""
    done = exambench("trust", kind, shelf.runs[0], *shelf.options(server), "--json", *more)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def total(report: Any) -> Any:
    """Return the effect on the total."""
    assert report["effects"][-1]["dimension"] == "total"
    return report["effects"][-1]


# --- probes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fault", "sign"), [("padding", by_length, 1), ("injection", obedient, 1), ("order", orderly, -1)]
)
def test_a_probe_finds_the_fault_that_it_looks_for(
    shelf: Shelf, kind: str, fault: Callable[[Call], float], sign: int
) -> None:
    """The mean difference is that of the script; its interval excludes 0, and every axis is tested."""
    with serve(scores(fault)) as server:
        report = probe(shelf, kind, server, "--sample", "12")
        expected = expected_difference(shelf, kind, server)
    effect = total(report)
    assert report["pairs"] == effect["n"] == 12
    assert effect["estimate"] == pytest.approx(expected)
    assert sign * effect["low"] > 0 or sign * effect["high"] > 0
    assert min(sign * effect["low"], sign * effect["high"]) > 0
    moved = effect["raised"] if sign > 0 else effect["lowered"]
    assert moved == effect["raised"] + effect["lowered"] > 5
    # The exact sign test of m items that all moved one way: 2 · (1/2)^m.
    assert effect["p"] == effect["p_holm"] == pytest.approx(2 * 0.5**moved)
    # Holm: the four axes have one and the same p, so each becomes four times as large.
    assert [axis["p_holm"] for axis in report["effects"][:4]] == pytest.approx([4 * effect["p"]] * 4)
    assert f"{abs(effect['estimate']):.2f} points {'more' if sign > 0 else 'less'}" in report["summary"]


def expected_difference(shelf: Shelf, kind: str, server: ChatServer) -> float:
    """Return the mean difference of the script's totals over the pairs of requests that the server saw."""
    by_item: dict[tuple[int, int], list[Call]] = {}
    for call in server.calls:
        by_item.setdefault(place_of(call), []).append(call)
    fault = {"padding": by_length, "injection": obedient, "order": orderly}[kind]
    pairs = [[4 * min(5, max(1, round(fault(call)))) for call in calls] for calls in by_item.values()]
    assert {len(pair) for pair in pairs} == {2}
    assert shelf.runs
    return float(np.mean([after - before for before, after in pairs]))


@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_of_an_indifferent_judge_finds_nothing(shelf: Shelf, kind: str) -> None:
    """Noise on every request: the interval covers 0, and the sentence says that nothing can be told."""
    with serve(scores(indifferent)) as server:
        report = probe(shelf, kind, server)
    effect = total(report)
    assert effect["low"] < 0 < effect["high"]
    assert effect["raised"] + effect["lowered"] > 0
    assert effect["p"] > 0.05
    assert "no effect can be told from chance" in report["summary"]


@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_of_a_constant_judge_says_that_nothing_moved(shelf: Shelf, kind: str) -> None:
    """A difference of exactly 0, and p = 1."""
    with serve(scores(lambda _: 3)) as server:
        report = probe(shelf, kind, server)
    for each in report["effects"]:
        assert (each["estimate"], each["low"], each["high"], each["p_holm"]) == (0, 0, 0, 1)
    assert "gives every one of 14 items the same total as before" in report["summary"]


def test_no_verdict_of_a_probe_reaches_scores_gaps_or_studies(shelf: Shelf, tmp_path: Path) -> None:
    """What every other command says is the same, byte for byte, before and after all three probes."""
    readers: list[list[object]] = [
        ["verdicts", "--json"],
        ["diagnose", "--json"],
        ["trust", "consistency", "--json", "--resamples", "20"],
        ["trust", "length", "--json", "--resamples", "20"],
    ]

    def said() -> list[str]:
        return [exambench(*reader, "--store", shelf.store).stdout for reader in readers]

    with serve(scores(obedient)) as server:
        shelf.judge_by(server, "--trials", "2")
        before = said()
        with open_existing_store(str(shelf.store)) as results:
            judgings = results.judgings.all()
        for kind in PROBES:
            probe(shelf, kind, server, "--sample", "4")
        assert said() == before
    with open_existing_store(str(shelf.store)) as results:
        assert results.judgings.all() == judgings
        assert len(results.judgings.probes()) == 4
        for record in results.judgings.probes():
            with pytest.raises(ConfigError, match="there is no such judging"):
                exambench("meta", "sample", tmp_path / "s", "--judge", record.judging_id, "--store", shelf.store)
    drawn = exambench("meta", "sample", tmp_path / "s", "--judge", "judge", "--models", "1,1,1", "--store", shelf.store)
    assert drawn.exit_code == 0


def test_a_probe_without_a_judging_leaves_no_scores_behind(shelf: Shelf) -> None:
    """Both sides are asked, and the run still counts as not judged."""
    with serve(scores(obedient)) as server:
        probe(shelf, "injection", server, "--sample", "6")
        assert len(server.calls) == 12
    assert json.loads(exambench("verdicts", "--json", "--store", shelf.store).stdout) == []
    with pytest.raises(ConfigError, match="no rationale of these runs was judged yet"):
        exambench("trust", "length", "--store", shelf.store)


def test_a_probe_resumes_where_it_was_left(shelf: Shelf) -> None:
    """Requests that failed are open, and told; the same command asks these alone, and then nothing."""
    with serve(lambda call: scores(obedient)(call) if call.number < 9 else status(400)) as server:
        done = exambench(
            "trust", "injection", shelf.runs[0], *shelf.options(server), "--sample", "6", "--json", "--concurrency", "1"
        )
        assert done.exit_code == 1
        report = json.loads(done.stdout)
        assert (report["pairs"], report["open"]) == (3, 3)
        server.script = scores(obedient)
        seen = len(server.calls)
        assert probe(shelf, "injection", server, "--sample", "6")["pairs"] == 6
        assert len(server.calls) == seen + 3
        again = exambench("trust", "injection", shelf.runs[0], *shelf.options(server), "--sample", "6")
        assert len(server.calls) == seen + 3
    assert again.stderr.count("nothing to ask") == 2
    assert "judge, as written: the judge" in again.stderr
    assert "judge, injection: the judge" in again.stderr


def test_a_verdict_that_stays_unreadable_drops_its_pair(shelf: Shelf) -> None:
    """Garbage whenever there is an injection into an answer to an even item, and always for items 1 and 3."""

    def script(call: Call) -> Reply:
        item = place_of(call)[1]
        broken = item in {1, 3} or (item % 2 == 0 and "5점" in body_of(call))
        return completion("모르겠습니다.") if broken else scores(obedient)(call)

    with serve(script) as server:
        report = probe(shelf, "injection", server)
        shown = exambench("trust", "injection", shelf.runs[0], *shelf.options(server))
    assert (report["pairs"], report["dropped_unjudged_as_written"], report["dropped_unjudged_changed"]) == (5, 2, 7)
    assert total(report)["estimate"] == 12.0
    assert "9 pairs dropped, for a verdict could not be read: 2 as written, 7 after the change." in shown.stdout


def test_a_judge_that_returns_garbage_leaves_dashes(shelf: Shelf) -> None:
    """No pair: no number, a reason, and no traceback."""
    with serve(lambda _: completion("…")) as server:
        report = probe(shelf, "padding", server, "--sample", "3")
        shown = exambench("trust", "padding", shelf.runs[0], *shelf.options(server), "--sample", "3")
    assert (report["pairs"], total(report)["estimate"], total(report)["p"]) == (0, None, None)
    assert "there is no pair of verdicts" in report["summary"]
    assert "no pair of verdicts" in shown.stdout


def test_a_single_pair_has_no_interval(shelf: Shelf) -> None:
    """The difference is shown, and that it says little."""
    with serve(scores(obedient)) as server:
        report = probe(shelf, "injection", server, "--sample", "1")
    assert (total(report)["estimate"], total(report)["low"], total(report)["n"]) == (12.0, None, 1)
    assert "too few pairs" in report["summary"]


def test_trials_of_the_judge_are_paired_seed_by_seed(shelf: Shelf) -> None:
    """Three repeats an answer: three pairs, of which the item's difference is the mean."""

    def noisy(call: Call) -> float:
        repeat = (call.body["seed"] - 42) // 3
        return 2 + repeat if "5점" in body_of(call) else 2

    with serve(scores(noisy)) as server:
        report = probe(shelf, "injection", server, "--sample", "4", "--trials", "3")
    # Repeats 0, 1, 2 give 0, 1, 2 points more on each of four axes: 4 on average.
    assert (report["pairs"], total(report)["n"], total(report)["estimate"]) == (12, 4, 4.0)


def test_a_dry_run_shows_both_requests_and_asks_nothing(shelf: Shelf) -> None:
    """First as written, then after the change."""
    with serve(scores(obedient)) as server:
        done = exambench("trust", "injection", shelf.runs[0], *shelf.options(server), "--sample", "2", "--dry-run")
        assert server.calls == []
    shown = [json.loads(f"{{{part}") for part in re.split(r"^\{", done.stdout, flags=re.MULTILINE)[1:]]
    assert [each["condition"]["perturbation"].partition(",")[0] for each in shown] == ["none", "injection"]
    assert [each["requests"] for each in shown] == [2, 2]
    with open_existing_store(str(shelf.store)) as results:
        assert results.judgings.probes() == []


def test_rescore_reads_the_replies_of_probes_too(shelf: Shelf) -> None:
    """Their verdicts can be thrown away like all others."""
    with serve(scores(obedient)) as server:
        probe(shelf, "injection", server, "--sample", "3")
    with open_existing_store(str(shelf.store)) as results:
        records = results.judgings.probes()
        for record in records:
            results.judgings.save_verdicts(record.judging_id, [])
    exambench("rescore", "--store", shelf.store)
    with open_existing_store(str(shelf.store)) as results:
        assert [len(results.judgings.verdicts(record.judging_id)) for record in records] == [3, 3]


def test_rationales_that_name_choices_are_left_out_of_the_order_and_told(tmp_path: Path) -> None:
    """The pool is smaller, and the reason stands below the table."""
    store = tmp_path / "r.db"
    with open_store(str(store)) as results:
        texts = {str(n): answer(n, "3번이 옳다." if n < 5 else f"근거 0-{n}") for n in range(1, 9)}
        run = sit(results, plain_exam(), texts).run_id
    with serve(scores(orderly)) as server:
        done = exambench("trust", "order", run, *Shelf(store, (run,)).options(server))
    assert "Sample: 4 answers of 4" in done.stdout
    assert "Left out of the pool: 4 answers, the rationale, the expert's, or a choice names choices" in done.stdout


# --- stored verdicts ---------------------------------------------------------------------------------------------


def noise_of(call: Call) -> list[int]:
    """Return scores around three with an SD of one half on each axis, by answer, axis and repeat."""
    rng = random.Random(f"{place_of(call)} {call.body['seed']}")
    model, item = place_of(call)
    return [2 + int(digest([model, item, axis])[:2], 16) % 3 + rng.choice((-1, 0, 0, 0, 1)) for axis in range(4)]


def test_consistency_is_that_of_krippendorff_and_numpy_on_the_verdicts(shelf: Shelf) -> None:
    """α by the package krippendorff, SD and identical shares by numpy, from the verdicts that the store shows."""
    shelf.judge(
        lambda call: completion(verdict_text([min(5, max(1, each)) for each in noise_of(call)])), "--trials", "4"
    )
    (judge,) = shelf.shown("consistency")["judges"]
    documents = json.loads(exambench("verdicts", "--json", "--store", shelf.store).stdout)
    tables = {each["run"]: table_of(each["verdicts"]) for each in documents}
    found = {run: each for each in judge["runs"] for run in each["runs"]}
    for run, table in (*tables.items(), (None, np.concatenate(list(tables.values())))):
        entry = judge["pooled"] if run is None else found[run]
        assert (entry["judge_trials"], entry["answers"]) == (4, len(table))
        for place, dimension in enumerate(entry["dimensions"]):
            matrix = table[:, :, place]
            expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement="interval")
            assert dimension["alpha_interval"]["estimate"] == pytest.approx(expected)
            assert dimension["mean_sd"]["estimate"] == pytest.approx(matrix.std(axis=1, ddof=1).mean())
            assert dimension["identical"]["estimate"] == pytest.approx((np.ptp(matrix, axis=1) == 0).mean())
            for quantity in ("alpha_interval", "mean_sd", "identical"):
                each = dimension[quantity]
                assert each["low"] <= each["estimate"] <= each["high"]


def table_of(verdicts: Any) -> Any:
    """Return scores, answers × repeats × (axes and total)."""
    by_item: dict[str, list[list[int]]] = {}
    for verdict in verdicts:
        values = [*(verdict["scores"][axis] for axis in AXES), verdict["total"]]
        by_item.setdefault(verdict["item"], []).append(values)
    return np.array(list(by_item.values()), dtype=float)


def test_the_known_spread_of_a_noisy_judge_lies_in_the_interval(shelf: Shelf) -> None:
    """The first axis is 3 ± 1 with probability 1/4 each, so its variance is 1/2.

    The mean SD of three such scores lies below √(1/2); it comes from enumerating the 4³ draws from (−1, 0, 0, 1).
    """
    draws = [(a, b, c) for a in (-1, 0, 0, 1) for b in (-1, 0, 0, 1) for c in (-1, 0, 0, 1)]
    expected = float(np.mean([np.std(each, ddof=1) for each in draws]))
    identical = float(np.mean([len(set(each)) == 1 for each in draws]))

    def script(call: Call) -> Reply:
        rng = random.Random(f"{place_of(call)} {call.body['seed']}")
        return completion(verdict_text([3 + rng.choice((-1, 0, 0, 1)), 3, 3, 3]))

    shelf.judge(script, "--trials", "3")
    (judge,) = shelf.shown("consistency", "--judge", "judge")["judges"]
    first, second, *_ = judge["pooled"]["dimensions"]
    assert first["mean_sd"]["low"] < expected < first["mean_sd"]["high"]
    assert first["identical"]["low"] < identical < first["identical"]["high"]
    # Pure noise around one value: no agreement beyond chance.
    assert first["alpha_interval"]["low"] < 0 < first["alpha_interval"]["high"]
    # All scores are 3: they are identical, and α does not exist.
    assert (second["identical"]["estimate"], second["mean_sd"]["estimate"]) == (1.0, 0.0)
    assert second["alpha_interval"]["estimate"] is None
    assert "no variation" in second["alpha_interval"]["reason"]
    assert "gives" in judge["summary"]


def test_consistency_needs_repeats_and_says_how_to_get_them(shelf: Shelf) -> None:
    """Judged once: an error with the remedy. Beside a judge with repeats, a dash with the reason."""
    with serve(scores(by_length)) as server:
        shelf.judge_by(server, name="once")
        with pytest.raises(ConfigError, match=r"no answer of these runs has two verdicts.*--trials 3"):
            exambench("trust", "consistency", "--store", shelf.store)
        shelf.judge_by(server, "--trials", "2", name="twice")
    shown = exambench("trust", "consistency", "--store", shelf.store).stdout
    assert "each answer has one verdict" in shown
    assert "once judged no answer twice" in " ".join(shown.split())


def test_repeats_that_cannot_be_read_are_counted_and_left_out(shelf: Shelf) -> None:
    """The third repeat of every fifth item is garbage: two verdicts remain, and the loss is told."""

    def script(call: Call) -> Reply:
        third = call.body["seed"] - 42 >= 6
        return completion("…") if third and place_of(call)[1] % 5 == 0 else scores(by_length)(call)

    shelf.judge(script, "--trials", "3")
    (judge,) = shelf.shown("consistency")["judges"]
    assert (judge["pooled"]["answers"], judge["pooled"]["unjudged"]) == (42, 6)
    assert "6 verdicts could not be read" in exambench("trust", "consistency", "--store", shelf.store).stdout


def test_a_judge_that_pays_by_length_shows_in_every_coefficient(shelf: Shelf) -> None:
    """All intervals exclude 0, and the slope is that of least squares on the verdicts."""
    shelf.judge(scores(by_length))
    document = shelf.shown("length")
    assert "characters" in document["length"]
    (judge,) = document["judges"]
    assert (judge["answers"], judge["items"], judge["answers_right_or_wrong"]) == (42, 14, 42)
    texts = [rationale(model, item).strip() for model in range(3) for item in range(1, ITEMS + 1)]
    lengths = list(map(len, texts))
    assert judge["characters"] == {
        "shortest": min(lengths),
        "median": float(np.median(lengths)),
        "longest": max(lengths),
    }
    dimension = judge["dimensions"][-1]
    for quantity in ("spearman", "pearson_log2", "partial_given_right", "partial_given_right_and_model"):
        assert dimension[quantity]["low"] > 0.3
    slope = np.polyfit(np.log2(lengths), [4 * (1 + length // 60) for length in lengths], 1)[0]
    assert dimension["points_per_doubling"]["estimate"] == pytest.approx(slope)
    assert dimension["points_per_doubling_held"]["low"] > 0
    assert re.search(r"gives \d\.\d\d points more in total", judge["summary"])


def test_a_better_models_longer_rationales_do_not_pass_for_bias(tmp_path: Path) -> None:
    """Models differ in length and score, within a model length says nothing: only the last partial is free of it."""
    store = tmp_path / "r.db"
    rng = random.Random(3)
    with open_store(str(store)) as results:
        runs = [
            sit(
                results,
                plain_exam(),
                {
                    str(item): answer(item, f"근거 {model}-{item}. " + "가" * rng.randint(40 * 3**model, 55 * 3**model))
                    for item in range(1, ITEMS + 1)
                },
                model=name,
            ).run_id
            for model, name in enumerate(MODELS)
        ]
    shelf = Shelf(store, tuple(runs))
    shelf.judge(scores(lambda call: 2 + place_of(call)[0] + random.Random(call.raw).choice((-1, 0, 1))))
    (judge,) = shelf.shown("length")["judges"]
    found = judge["dimensions"][-1]
    assert found["partial_given_right"]["low"] > 0.3
    assert found["partial_given_right_and_model"]["low"] < 0 < found["partial_given_right_and_model"]["high"]
    assert found["points_per_doubling"]["low"] > 0
    assert found["points_per_doubling_held"]["low"] < 0 < found["points_per_doubling_held"]["high"]
    assert "no effect of length can be told from chance" in judge["summary"]


def test_length_of_one_model_and_of_one_score_says_what_is_missing(shelf: Shelf) -> None:
    """One model cannot be held constant; without variation there is no coefficient."""
    shelf.judge(scores(by_length), name="real")
    shelf.judge(scores(lambda _: 3), name="flat")
    (one,) = shelf.shown("length", shelf.runs[0], "--judge", "real")["judges"]
    partial = one["dimensions"][-1]["partial_given_right_and_model"]
    assert (partial["estimate"], partial["reason"]) == (None, "one model: there is none to hold constant")
    (flat,) = shelf.shown("length", "--judge", "flat")["judges"]
    assert flat["dimensions"][-1]["spearman"]["reason"] == "x or y is constant; no correlation exists"
    assert "no association of score and length can be computed" in flat["summary"]
    with pytest.raises(ConfigError, match=r"not judged|no rationale of these runs was judged by this judge"):
        exambench("trust", "length", "--judge", "nobody", "--store", shelf.store)


FAMILIES = ("--family", "하나=A", "--family", "둘=B", "--family", "셋=C", "--family", "알파=A", "--family", "베타=D")


def kin(own: int, bonus: int) -> Script:
    """Judge by item, with some points more on each axis for one model."""

    def value(call: Call) -> float:
        model, item = place_of(call)
        return 2 + item % 2 + (bonus if model == own else 0)

    return scores(value)


@pytest.fixture(scope="module")
def kinship(unjudged: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The first judge gives 알파 two points more on each of four axes, the fourth 베타; the others are fair."""
    shelf = Shelf(shutil.copy(unjudged.store, tmp_path_factory.mktemp("kin") / "r.db"), unjudged.runs)
    for name, script in (("하나", kin(0, 2)), ("둘", kin(0, 0)), ("셋", kin(0, 0)), ("넷", kin(1, 2))):
        shelf.judge(script, name=name)
    return shelf


def judges_of(shelf: Shelf, *families: str) -> dict[str, Any]:
    """Return what is said of the preference of each judge by name."""
    (panel,) = shelf.shown("self-preference", *families)["panels"]
    return {judge["judge"]: judge for judge in panel["judges"]}


def test_the_planted_preference_is_found_to_the_point(kinship: Shelf) -> None:
    """Eight points in total, whatever the models and other judges are like; who has no family takes no part."""
    found = judges_of(kinship, *FAMILIES)
    for quantity in ("preference", "preference_neutral"):
        figures = found["하나"]["dimensions"][-1][quantity]
        assert [figures["estimate"], figures["low"], figures["high"]] == pytest.approx([8.0, 8.0, 8.0])
    assert found["하나"]["dimensions"][-1]["answers_own_family"] == 14
    assert found["하나"]["dimensions"][-1]["answers_other_families"] == 14  # those of 감마 have no family
    assert found["하나"]["others"] == ["둘", "셋"]  # nor has 넷
    assert "8.00 points more" in found["하나"]["summary"]
    assert found["둘"]["dimensions"][-1]["preference"]["reason"].startswith("no model of the judge's own family")


def test_every_family_is_told_with_how_it_is_known(kinship: Shelf) -> None:
    """Judges and models, in JSON and in the terminal."""
    (panel,) = kinship.shown("self-preference", *FAMILIES)["panels"]
    assert {each["name"]: (each["family"], each["source"]) for each in panel["models"]} == {
        "알파": ("A", "--family"),
        "베타": ("D", "--family"),
        "감마": (None, "not declared"),
    }
    shown = exambench("trust", "self-preference", *FAMILIES, "--store", kinship.store).stdout
    assert re.search(r"넷 +judge +– +not declared", shown)
    assert re.search(r"베타 +model +D +--family", shown)


def test_another_judges_preference_does_not_pass_for_ones_own(kinship: Shelf) -> None:
    """A fair judge held against one that favours its kin seems to favour its own; against neutrals it does not."""
    families = ("둘=A", "넷=B", "셋=C", "알파=A", "베타=B")
    found = judges_of(kinship, *(word for each in families for word in ("--family", each)))
    fair, partial = (found[name]["dimensions"][-1] for name in ("둘", "넷"))
    # On 베타 the fair judge is held against (넷 + 셋)/2, which is 4 too high there: 0 − (−4).
    assert fair["preference"]["estimate"] == pytest.approx(4.0)
    assert fair["preference_neutral"]["estimate"] == pytest.approx(0.0)
    assert partial["preference_neutral"]["estimate"] == pytest.approx(8.0)


def test_two_judges_of_two_families_leave_no_neutral(kinship: Shelf) -> None:
    """Then the figure holds both preferences, and the sentence says so."""
    families = ("하나=A", "넷=B", "알파=A", "베타=B")
    found = judges_of(kinship, *(word for each in families for word in ("--family", each)))["하나"]
    # (하나 − 넷) is +8 on 알파 and −8 on 베타.
    assert found["dimensions"][-1]["preference"]["estimate"] == pytest.approx(16.0)
    assert found["dimensions"][-1]["preference_neutral"]["reason"].startswith("no judge that is kin neither")
    assert "whose own preferences are part of it" in found["summary"]


def test_without_families_nothing_is_guessed(kinship: Shelf) -> None:
    """No figure for anybody, and the reason."""
    found = judges_of(kinship)
    assert {judge["family"]["source"] for judge in found.values()} == {"not declared"}
    assert all(judge["dimensions"][-1]["preference"]["estimate"] is None for judge in found.values())
    assert "no family is declared for this judge" in found["하나"]["summary"]


def test_a_family_in_the_model_file_counts_and_an_option_counts_before_it(shelf: Shelf, tmp_path: Path) -> None:
    """It is stored with the judging, and does not change what the judging is."""
    file = tmp_path / "judge.toml"
    with serve(kin(0, 2)) as server:
        plain = f'name = "하나"\n[endpoint]\nbase_url = "{server.base_url}"\n'
        for text in (plain, f'family = "A"\n{plain}'):
            file.write_text(text, encoding="utf-8")
            options = ["--judge", file, "--rubric", RUBRIC, "--store", shelf.store]
            assert exambench("judge", *shelf.runs[:2], *options).exit_code == 0
        assert len(server.calls) == 28
        exambench("judge", *shelf.runs[:2], *shelf.options(server, "둘"))
    declared = (*FAMILIES[2:4], *FAMILIES[6:])
    expected = {"name": "하나", "family": "A", "source": "model file"}
    assert judges_of(shelf, *declared)["하나"]["family"] == expected
    overruled = judges_of(shelf, *declared, "--family", "하나=D")["하나"]["family"]
    assert overruled == {"name": "하나", "family": "D", "source": "--family"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "needs two judges of the same runs.*found: 하나"),
        (("--family", "하나"), "this declares no family"),
        (("--family", "=A"), "this declares no family"),
        (("--family", "하나=A", "--family", "하나=B"), "two families for one name"),
        (("--family", "아무개=A"), "no model and no judge here has this name.*하나, 알파"),
        (("--json", "--csv"), "more than one form"),
        (("--level", "2"), "not a level"),
    ],
)
def test_what_cannot_be_used_is_said(shelf: Shelf, more: tuple[str, ...], told: str) -> None:
    """One judge alone, families that are none, names that nobody has."""
    shelf.judge(kin(0, 0), name="하나")
    with pytest.raises(ExambenchError, match=told):
        exambench("trust", "self-preference", *more, "--store", shelf.store)


# --- forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 100])
def test_every_table_fits_the_terminal_and_ends_in_plain_words(panel: Shelf, columns: int) -> None:
    """No line is wider; no number is folded; the last section is a sentence."""
    with serve(scores(indifferent)) as server:
        commands: list[list[object]] = [
            ["consistency", "--store", panel.store],
            ["length", "--store", panel.store],
            ["self-preference", *FAMILIES, "--store", panel.store],
            *([kind, panel.runs[0], *panel.options(server)] for kind in PROBES),
        ]
        for command in commands:
            shown = exambench("trust", *command, "--resamples", "50", columns=columns).stdout
            assert max(map(cell_len, shown.splitlines())) <= columns
            assert shown.split("In plain words")[1].count("judge" if command[0] in PROBES else "하나") == 1
            assert len(re.findall(r"[−+]?\d\.\d\d to [−+]?\d\.\d\d", shown)) >= 5


@pytest.mark.parametrize(
    ("command", "quantity", "more"),
    [
        ("consistency", "mean_sd", ()),
        ("length", "points_per_doubling", ()),
        ("self-preference", "preference", FAMILIES),
    ],
)
def test_csv_and_markdown_have_the_figures_of_json(
    panel: Shelf, command: str, quantity: str, more: tuple[str, ...]
) -> None:
    """CSV in full, Markdown rounded; what does not exist is empty in CSV."""
    common = [*more, "--resamples", "50", "--store", panel.store]
    document = json.loads(exambench("trust", command, *common, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(exambench("trust", command, *common, "--csv").stdout)))
    markdown = exambench("trust", command, *common, "--markdown").stdout
    expected = [each["estimate"] for each in values_of(document, quantity)]
    found = [row["estimate"] for row in rows if row["quantity"] == quantity]
    assert sorted(found) == sorted("" if value is None else str(value) for value in expected)
    assert any(f"{abs(value):.2f}" in markdown for value in expected if value)
    assert "## In plain words" in markdown


def test_a_probe_has_the_same_figures_in_every_form(shelf: Shelf) -> None:
    """CSV in full, the terminal and Markdown rounded, and nothing is asked for the sake of a form."""
    with serve(scores(by_length)) as server:
        report = probe(shelf, "padding", server)
        seen = len(server.calls)
        options = [shelf.runs[0], *shelf.options(server)]
        rows = list(csv.DictReader(io.StringIO(exambench("trust", "padding", *options, "--csv").stdout)))
        pages = [exambench("trust", "padding", *options, *form).stdout for form in ((), ("--markdown",))]
        assert len(server.calls) == seen
    assert [float(row["estimate"]) for row in rows] == [each["estimate"] for each in report["effects"]]
    assert all(f"{total(report)['estimate']:+.2f}" in page for page in pages)


def values_of(document: Any, quantity: str) -> list[Any]:
    """Return every value under a key, anywhere in a JSON document."""
    if isinstance(document, dict):
        own = [document[quantity]] if quantity in document else []
        return own + [found for value in document.values() for found in values_of(value, quantity)]
    return [found for value in document for found in values_of(value, quantity)] if isinstance(document, list) else []
