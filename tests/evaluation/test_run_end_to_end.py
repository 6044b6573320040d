"""A benchmark goes in, scores come out, through the command line, a real server on loopback and a real store."""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.support.chat_server import Call, Reply, after, html, serve
from tests.support.commands import exambench, start
from tests.support.exams import entry, write_exam
from tests.support.sittings import number_of, right, run_arguments, slowly, stored_texts, wait_for_calls, write_model


def test_a_model_that_is_right_scores_one_hundred(tmp_path: Path) -> None:
    """Every item is asked once, and every right answer counts."""
    data = write_exam(tmp_path, 20)
    with serve(right) as server:
        done = exambench(*run_arguments(data, server, tmp_path / "r.db"))
    assert done.returncode == 0, done.stderr
    assert Counter(map(number_of, server.calls)) == Counter(range(1, 21))
    report = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    accuracy = report[0]["rows"][0]["axes"]["accuracy"]
    assert accuracy == {"n": 20, "accuracy": 1.0, "low": 1.0, "high": 1.0}


def test_running_again_asks_nothing(tmp_path: Path) -> None:
    """A model that has answered is never asked again for the same request."""
    data = write_exam(tmp_path, 8)
    with serve(right) as server:
        exambench(*run_arguments(data, server, tmp_path / "r.db"))
        asked = len(server.calls)
        again = exambench(*run_arguments(data, server, tmp_path / "r.db"))
    assert again.returncode == 0
    assert len(server.calls) == asked == 8
    assert "nothing to ask" in again.stderr


def test_how_many_items_have_the_wording_is_said_at_the_start_and_above_the_ranking(tmp_path: Path) -> None:
    """Two of five items are put in the implicit wording; a run in the explicit one has nothing to say."""
    data = tmp_path / "exam.json"
    other = {"question_implicit": "우리나라에서는?"}
    entries = [entry(number, **(other if number < 3 else {})) for number in range(1, 6)]
    data.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    common: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", data, "--model", "baseline/first"]
    told = "2 of 5 items have the wording implicit; the others are put explicitly."
    implicit = exambench(*common, "--store", tmp_path / "r.db", "--wording", "implicit")
    assert told in " ".join(implicit.stderr.split())
    assert told in " ".join(implicit.stdout.split())
    (ranking,) = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    assert told in ranking["notes"]
    explicit = exambench(*common, "--store", tmp_path / "s.db")
    assert "items have the wording" not in explicit.stderr + explicit.stdout


def test_a_trial_more_asks_only_what_is_new(tmp_path: Path) -> None:
    """Adding trials to a run keeps the trials that it has."""
    data = write_exam(tmp_path, 5)
    with serve(right) as server:
        exambench(*run_arguments(data, server, tmp_path / "r.db"))
        exambench(*run_arguments(data, server, tmp_path / "r.db", "--trials", "3"))
        seeds = [call.body["seed"] for call in server.calls]
    assert Counter(seeds) == {42: 5, 43: 5, 44: 5}


def test_a_run_with_fewer_trials_minds_its_own_requests_alone(tmp_path: Path) -> None:
    """The trials that an earlier command left open are not asked, and don't count as this one's."""
    data = write_exam(tmp_path, 5)
    with serve(lambda call: right(call) if call.body["seed"] == 42 else html()) as server:
        model = write_model(tmp_path / "model.toml", server)
        arguments: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", data]
        arguments += ["--model", model, "--store", tmp_path / "r.db"]
        assert exambench(*arguments, "--trials", "4").returncode == 1
        asked = len(server.calls)
        once = exambench(*arguments, "--trials", "1")
        assert (once.returncode, len(server.calls)) == (0, asked)
        assert "tester: all 5 requests have their responses; nothing to ask.\n" in once.stderr
        twice = exambench(*arguments, "--trials", "2")
        assert (twice.returncode, len(server.calls)) == (1, asked + 5)
        assert "tester: 5 requests failed, 0 were not asked." in twice.stderr


def test_a_text_only_model_is_not_shown_pictures_and_its_denominator_is_its_own(tmp_path: Path) -> None:
    """Image items are unsupported for it: not asked, not scored, not wrong."""
    data = write_exam(tmp_path, 10, pictures=3)
    with serve(right) as server:
        done = exambench(*run_arguments(data, server, tmp_path / "r.db", "--images", str(tmp_path / "images")))
    assert len(server.calls) == 7
    assert "3 items with pictures are not asked" in done.stderr
    (ranking,) = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    assert ranking["scope"] == "text only: 7 of 10 items"
    assert ranking["rows"][0]["complete"] is True
    assert ranking["rows"][0]["axes"]["accuracy"]["n"] == 7
    assert ranking["rows"][0]["axes"]["multimodal"] == {"n": 0, "accuracy": None, "low": None, "high": None}


def test_a_vision_model_gets_the_pictures(tmp_path: Path) -> None:
    """Pictures go out as data URIs of their true type, after the stem."""
    data = write_exam(tmp_path, 4, pictures=1)
    with serve(right) as server:
        done = exambench(
            *run_arguments(data, server, tmp_path / "r.db", "--images", str(tmp_path / "images"), "--vision")
        )
    assert done.returncode == 0, done.stderr
    parts = [call.body["messages"][-1]["content"] for call in server.calls]
    (with_picture,) = [part for part in parts if isinstance(part, list)]
    assert [part["type"] for part in with_picture] == ["text", "image_url", "text"]
    assert with_picture[1]["image_url"]["url"].startswith("data:image/png;base64,")


def test_a_missing_picture_stops_the_run_before_the_first_request(tmp_path: Path) -> None:
    """Nothing is paid for a run that cannot be completed, and every missing picture is named."""
    data = write_exam(tmp_path, 6, pictures=2)
    for picture in (tmp_path / "images").iterdir():
        picture.unlink()
    with serve(right) as server:
        done = exambench(
            *run_arguments(data, server, tmp_path / "r.db", "--images", str(tmp_path / "images"), "--vision")
        )
    assert done.returncode == 2
    assert server.calls == []
    assert "chart-5.png" in done.stderr
    assert "chart-6.png" in done.stderr


def test_a_broken_picture_is_named_with_its_item(tmp_path: Path) -> None:
    """It is there, and no picture: found before the first request, with the item to look up."""
    data = write_exam(tmp_path, 6, pictures=1)
    (tmp_path / "images" / "chart-6.png").write_text("<html>", encoding="utf-8")
    with serve(right) as server:
        done = exambench(
            *run_arguments(data, server, tmp_path / "r.db", "--images", str(tmp_path / "images"), "--vision")
        )
        assert server.calls == []
    assert done.returncode == 2
    assert "chart-6.png, item 6" in done.stderr


def test_text_only_and_full_models_are_never_in_one_ranking(tmp_path: Path) -> None:
    """Two models on different items are ranked apart, or on the items that both have scores for."""
    data = write_exam(tmp_path, 10, pictures=3)
    images = ["--images", str(tmp_path / "images")]
    with serve(right) as server:
        exambench(*run_arguments(data, server, tmp_path / "r.db", *images, "--model", "baseline/first"))
    apart = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    assert [ranking["items"] for ranking in apart] == [10, 7]
    assert [[row["model"] for row in ranking["rows"]] for ranking in apart] == [["baseline/first"], ["tester"]]
    (common,) = json.loads(exambench("report", "--json", "--common", "--store", tmp_path / "r.db").stdout)
    assert common["items"] == 7
    assert [row["model"] for row in common["rows"]] == ["tester", "baseline/first"]


def test_a_fault_of_the_server_is_never_a_wrong_answer(tmp_path: Path) -> None:
    """Failed requests have no score, the run is marked, and a healthy server completes it with one response each."""
    data = write_exam(tmp_path, 6)
    with serve(right) as server:
        server.script = lambda call: right(call) if number_of(call) <= 4 else html()
        model = write_model(tmp_path / "model.toml", server)
        arguments: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", data]
        arguments += ["--model", model, "--store", tmp_path / "r.db"]
        done = exambench(*arguments)
        assert done.returncode == 1
        assert "2 requests failed" in done.stderr
        assert "  2 × 'the reply is HTML; it begins: <!DOCTYPE html>" in done.stderr
        (run,) = json.loads(exambench("runs", "--json", "--store", tmp_path / "r.db").stdout)
        (reason,) = run["failed_for"]
        assert reason["count"] == run["failed"] == 2
        assert reason["reason"].startswith("'the reply is HTML")
        (ranking,) = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
        (row,) = ranking["rows"]
        assert (row["rank"], row["complete"], row["scored"], row["expected"]) == (None, False, 4, 6)
        assert row["axes"]["accuracy"]["accuracy"] == 1.0
        server.script = right
        healthy = exambench(*arguments)
        assert healthy.returncode == 0
    (ranking,) = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    assert ranking["rows"][0]["complete"] is True
    assert len(stored_texts(tmp_path / "r.db")) == 6
    assert Counter(map(number_of, server.calls)) == Counter({1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2})


def test_two_processes_on_one_run_never_ask_twice(tmp_path: Path) -> None:
    """Two processes that share a store share its run: each request goes out once."""
    data = write_exam(tmp_path, 80)
    with serve(right) as server:
        server.script = slowly(0.02)
        arguments = run_arguments(data, server, tmp_path / "r.db", "--concurrency", "4")
        processes = [start(arguments), start(arguments)]
        for process in processes:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
    assert Counter(map(number_of, server.calls)) == Counter(range(1, 81))


def test_nothing_is_lost_or_asked_again_when_the_process_is_killed_twenty_times(tmp_path: Path) -> None:
    """SIGKILL at random moments: a stored response stays, and its request is never sent again."""
    data = write_exam(tmp_path, 400)
    arrivals: defaultdict[int, list[float]] = defaultdict(list)
    rng = random.Random(20)
    store = tmp_path / "r.db"
    stored_before: dict[str, str | None] = {}
    last_kill = 0.0
    with serve(right) as server:

        def script(call: Call) -> Reply:
            arrivals[number_of(call)].append(time.monotonic())
            return after(0.02, right(call))

        server.script = script
        arguments = run_arguments(data, server, store, "--concurrency", "4")
        for _ in range(20):
            calls = len(server.calls)
            process = start(arguments)
            wait_for_calls(server, calls + 1)
            time.sleep(rng.uniform(0.0, 0.12))
            process.kill()
            process.communicate()
            stored = stored_texts(store)
            assert stored_before.items() <= stored.items()
            assert [item for item in stored_before if arrivals[int(item)][-1] > last_kill] == []
            stored_before, last_kill = stored, time.monotonic()
        assert exambench(*arguments).returncode == 0
        assert [item for item in stored_before if arrivals[int(item)][-1] > last_kill] == []
    final = stored_texts(store)
    assert {item: json.loads(text or "")["정답"] for item, text in final.items()} == {
        str(number): number % 4 + 1 for number in range(1, 401)
    }


@pytest.mark.parametrize("strategy", ["random", "first", "longest", "oracle"])
def test_a_baseline_needs_no_model(tmp_path: Path, strategy: str) -> None:
    """Baselines sit the exam through the same store, parser and scorer as every model; the oracle knows all."""
    data = write_exam(tmp_path, 40)
    done = exambench(
        *("run", "--benchmark", "kmetbench", "--data", data),
        *("--model", f"baseline/{strategy}", "--store", tmp_path / "r.db"),
    )
    assert done.returncode == 0, done.stderr
    (ranking,) = json.loads(exambench("report", "--json", "--store", tmp_path / "r.db").stdout)
    accuracy = ranking["rows"][0]["axes"]["accuracy"]["accuracy"]
    # Keys are the number modulo four, so the first choice is right for ten of forty items; all choices are of one
    # length, so the longest is the first.
    expected = {"first": 0.25, "longest": 0.25, "oracle": 1.0}
    assert accuracy == expected.get(strategy, accuracy)
    assert 0.0 <= accuracy <= 1.0
