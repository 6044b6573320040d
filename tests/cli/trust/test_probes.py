"""Probes of judges with planted faults: each is found, and where there is none nothing is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from exambench.benchmarks import find_definition
from exambench.errors import ConfigError
from exambench.store import open_existing_store, open_store
from tests.judging.examples import answer, sit
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.judges import (
    MODELS,
    PROBES,
    Shelf,
    body_of,
    by_length,
    exambench,
    indifferent,
    obedient,
    orderly,
    place_of,
    plain_exam,
    probe,
    scores,
    texts_of,
    total,
)


@pytest.mark.parametrize(
    ("kind", "fault", "sign"), [("padding", by_length, 1), ("injection", obedient, 1), ("order", orderly, -1)]
)
def test_a_probe_finds_the_fault_that_it_looks_for(
    shelf: Shelf, kind: str, fault: Callable[[Call], float], sign: int
) -> None:
    """The mean difference is that of the script; its interval excludes 0, and every axis is tested."""
    with serve(scores(fault)) as server:
        report = probe(shelf, kind, server, "--sample", "12")
        expected = expected_difference(fault, server)
    effect = total(report)
    assert report["pairs"] == effect["n"] == 12
    assert effect["estimate"] == pytest.approx(expected)
    assert min(sign * effect["low"], sign * effect["high"]) > 0
    moved = effect["raised"] if sign > 0 else effect["lowered"]
    assert moved == effect["raised"] + effect["lowered"] > 5
    # The exact sign test of m items that all moved one way: 2 · (1/2)^m.
    assert effect["p"] == effect["p_holm"] == pytest.approx(2 * 0.5**moved)
    # Holm: the four axes have one and the same p, so each becomes four times as large.
    assert [axis["p_holm"] for axis in report["effects"][:4]] == pytest.approx([4 * effect["p"]] * 4)
    assert f"{abs(effect['estimate']):.2f} points {'more' if sign > 0 else 'less'}" in report["summary"]


def expected_difference(fault: Callable[[Call], float], server: ChatServer) -> float:
    """Return the mean difference of the script's totals; the server saw each answer twice, as written first."""
    by_answer: dict[tuple[int, int], list[Call]] = {}
    for call in server.calls:
        by_answer.setdefault(place_of(call), []).append(call)
    pairs = [[4 * min(5, max(1, round(fault(call)))) for call in calls] for calls in by_answer.values()]
    return float(np.mean([after - before for before, after in pairs]))


def test_a_probe_of_an_indifferent_judge_finds_nothing(shelf: Shelf) -> None:
    """Noise on every request: the interval covers 0, and the sentence says that nothing can be told."""
    with serve(scores(indifferent)) as server:
        reports = [probe(shelf, kind, server) for kind in PROBES]
    for report in reports:
        effect = total(report)
        assert effect["low"] < 0 < effect["high"]
        assert effect["raised"] + effect["lowered"] > 0
        assert effect["p"] > 0.05
        assert "no effect can be told from chance" in report["summary"]


def test_a_probe_of_a_constant_judge_says_that_nothing_moved(shelf: Shelf) -> None:
    """A difference of exactly 0, and p = 1."""
    with serve(scores(lambda _: 3)) as server:
        reports = [probe(shelf, kind, server, "--sample", "5") for kind in PROBES]
    for report in reports:
        for each in report["effects"]:
            assert (each["estimate"], each["low"], each["high"], each["p_holm"]) == (0, 0, 0, 1)
        assert "gives every one of 5 items the same total as before" in report["summary"]


def test_no_verdict_of_a_probe_reaches_scores_gaps_or_studies(shelf: Shelf, tmp_path: Path) -> None:
    """What every other command says is the same, byte for byte, before and after all three probes."""
    readers: list[list[object]] = [
        ["verdicts", "--json"],
        ["diagnose", "--json", "--resamples", "20"],
        ["trust", "consistency", "--json", "--resamples", "20"],
        ["trust", "length", "--json", "--resamples", "20"],
    ]

    def said() -> list[str]:
        return [exambench(*reader, "--store", shelf.store).stdout for reader in readers]

    with open_store(str(shelf.store)) as results:
        sit(
            results,
            plain_exam(),
            texts_of(0),
            model=MODELS[0],
            protocol=find_definition("kmetbench").protocol("advanced"),
        )
    with serve(scores(obedient)) as server:
        shelf.judge_by(server, "--trials", "2")
        before = said()
        assert '"gap": "reasoning"' in before[1]  # diagnose has what a judge says
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
    assert "9 pairs dropped, for a verdict could not be read: 2 as written, 7 only after the change." in shown.stdout


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
