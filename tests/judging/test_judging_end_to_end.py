"""From the command line: a run, a judge, its verdicts; killed, interrupted, resumed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ExambenchError
from exambench.store import open_existing_store
from tests.judging.examples import AXES, answer, verdict_text
from tests.support.chat_server import Call, ChatServer, Reply, after, always, completion, serve
from tests.support.commands import start
from tests.support.exams import entry


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def number_of(call: Call) -> int:
    """Return the number of the item that a call asks about."""
    match = re.search(r"(\d+)번 관측소", call.prompt)
    assert match is not None
    return int(match[1])


def reasons(call: Call) -> Reply:
    """Answer in the form of the reasoning protocol; every third item wrongly."""
    number = number_of(call)
    return completion(answer(number, f"{number}번의 풀이", choice=(number + 1) % 4 + 1 if number % 3 == 0 else None))


def mild(call: Call) -> Reply:
    """Judge: weak for even items, strong for odd ones, with one factual error each in the weak."""
    weak = number_of(call) % 2 == 0
    return completion(verdict_text((2, 3, 3, 4), 사실_오류_목록=["틀린 말"]) if weak else verdict_text((5, 5, 4, 4)))


def run_of(folder: Path, size: int) -> tuple[Path, str]:
    """Store a run of an exam in which each item has a rationale; return the store and the run's id."""
    data, store = folder / "exam.json", folder / "r.db"
    entries = [entry(number, rationale=f"{number}번의 참고 풀이") for number in range(1, size + 1)]
    data.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    with serve(reasons) as server:
        model = f"examinee@{server.base_url}"
        common: list[str | Path] = ["run", "--benchmark", "kmetbench", "--data", data, "--store", store]
        done = exambench(*common, "--protocol", "reasoning", "--model", model)
        assert done.exit_code == 0, done.stderr
        assert exambench(*common, "--model", model).exit_code == 0
    with open_existing_store(str(store)) as results:
        (run_id,) = [summary.run_id for summary in results.runs() if summary.run.protocol_name == "reasoning"]
    return store, run_id


def judging(run_id: str, server: ChatServer, store: Path, *more: str) -> list[str | Path]:
    """Return the arguments that have a run judged."""
    return ["judge", run_id[:8], "--judge", f"judge@{server.base_url}", "--store", store, *more]


def test_a_run_is_judged_and_its_verdicts_are_shown_in_every_form(tmp_path: Path) -> None:
    """The figures of the terminal, of Markdown, CSV and JSON are those of the script."""
    store, run_id = run_of(tmp_path, 12)
    with serve(mild) as server:
        shown = exambench(*judging(run_id, server, store, "--dry-run"))
        assert server.calls == []
        done = exambench(*judging(run_id, server, store))
    assert json.loads(shown.stdout)["requests"] == 12
    assert done.exit_code == 0, done.stderr
    (document,) = json.loads(exambench("verdicts", run_id, "--json", "--store", store).stdout)
    assert (document["asked"], document["judged"], document["unjudged"], document["open"]) == (12, 12, 0, 0)
    # Six weak verdicts of 2+3+3+4 = 12 and six of 5+5+4+4 = 18: mean total 15, (15 - 4)/16 = 0.6875.
    assert document["total"]["estimate"] == 15.0
    assert document["normalised"]["estimate"] == 0.6875
    assert [document["axes"][axis]["estimate"] for axis in AXES] == [3.5, 4.0, 3.5, 4.0]
    # Items 3, 6, 9, 12 are wrong: eight right ones, of which 2, 4, 8, 10 are weak (12 of 20 counts as weak).
    assert document["weak_reasoning"]["n"] == 8
    assert document["weak_reasoning"]["estimate"] == 0.5
    # All right answers together: four of 12 and four of 18, so the premium is nil; accuracy under the headline is 8/12
    # (the same script answers both), so the gap is 0.6875 - 0.6667.
    assert document["correct_premium"]["estimate"] == 0.0
    assert abs(document["reasoning_gap"]["estimate"] - (0.6875 - 8 / 12)) < 1e-12
    assert (document["factual_errors"], document["rationales_with_errors"]) == (6, 6)
    for told in ("3.50", "15.00", "0.688", "12/12", "4 of n=8"):
        assert told in done.stdout
    markdown = exambench("verdicts", run_id, "--markdown", "--store", store).stdout
    assert "| examinee" in markdown
    rows = list(csv.DictReader(io.StringIO(exambench("verdicts", run_id, "--csv", "--store", store).stdout)))
    assert {row["quantity"]: row["estimate"] for row in rows}["total"] == "15.0"
    errors = json.loads(exambench("verdicts", "--errors", "--json", "--store", store).stdout)
    assert [(error["item"], error["error"]) for error in errors] == [
        (str(number), "틀린 말") for number in range(2, 13, 2)
    ]
    listed = exambench("verdicts", "--errors", "--store", store).stdout
    assert "6 factual errors in 6 of 12 rationales" in listed


def test_diagnose_has_the_reasoning_gap_and_says_whose_verdicts_it_rests_on(tmp_path: Path) -> None:
    """By hand: 12 verdicts with the mean (15 − 4)/16 = 11/16 less 8 right of 12; the same as ``verdicts`` says.

    Odd items score 14/16, even ones 8/16; wrong are 3, 6, 9, 12. Without item 3 the gap is
    (8.25 − 0.875)/11 − 8/11 = −0.625/11, the largest change from 0.25/12; so without any wrong item it is negative.
    """
    store, run_id = run_of(tmp_path, 12)
    data = tmp_path / "exam.json"
    exambench("run", "--benchmark", "kmetbench", "--data", data, "--store", store, "--model", "baseline/first")
    with serve(mild) as server:
        exambench(*judging(run_id, server, store))
    documents = json.loads(exambench("diagnose", "--json", "--store", store).stdout)
    (document,) = [each for each in documents if each["origin"]["protocol"].startswith("advanced")]
    ((gap,),) = [
        [each for each in family["gaps"] if (each["gap"], each["model"]) == ("reasoning", "examinee")]
        for family in document["gaps"]
    ]
    (verdicts,) = json.loads(exambench("verdicts", run_id, "--json", "--store", store).stdout)
    assert abs(gap["estimate"] - (11 / 16 - 8 / 12)) < 1e-12
    assert (gap["n_first"], gap["n_second"]) == (12, 12)
    assert [gap[name] for name in ("estimate", "low", "high")] == [
        verdicts["reasoning_gap"][name] for name in ("estimate", "low", "high")
    ]
    assert abs(gap["loo_max_change"] - (0.25 / 12 + 0.625 / 11)) < 1e-12
    assert (gap["loo_item"], gap["loo_n"], gap["loo_sign_flips"]) == ("3", 12, 4)
    assert gap["p_holm"] >= gap["p"]
    (counts,) = document["judged"]
    assert (counts["model"], counts["judge"], counts["run"]) == ("examinee", "judge", run_id)
    assert (counts["asked"], counts["judged"], counts["unjudged"], counts["open"]) == (12, 12, 0, 0)
    absent = {each["model"]: each["reason"] for each in document["absent_gaps"] if each["gap"] == "reasoning"}
    assert set(absent) == {"baseline/first"}
    assert absent["baseline/first"].startswith("the store has no run of it under the protocol reasoning")
    shown = " ".join(exambench("diagnose", "--store", store).stdout.split())
    assert "Reasoning is judged by judge, which sees the expert's rationale and no pictures" in shown
    assert "Judged of asked: examinee 12/12." in shown
    assert "reasoning gap of baseline/first: – (the store has no run of it" in shown
    rows = list(csv.DictReader(io.StringIO(exambench("diagnose", "--csv", "--store", store).stdout)))
    assert [(row["model"], row["judged"]) for row in rows if row["section"] == "judged"] == [("examinee", "12")]


def test_report_and_runs_show_what_judges_said(tmp_path: Path) -> None:
    """By hand: six verdicts of 12 and six of 18 are (15 − 4)/16 = 0.6875 beside the accuracy, with the judge's name.

    In both rankings: that of the rationales' own protocol and that of the headline. A model that nobody judged has a
    dash and the reason. ``runs`` lists the judging below its run.
    """
    store, run_id = run_of(tmp_path, 12)
    data = tmp_path / "exam.json"
    exambench("run", "--benchmark", "kmetbench", "--data", data, "--store", store, "--model", "baseline/first")
    before = json.loads(exambench("report", "--json", "--store", store).stdout)
    assert {row["reasoning"] for ranking in before for row in ranking["rows"]} == {None}
    assert "Reasoning is judged" not in exambench("report", "--store", store).stdout
    with serve(mild) as server:
        exambench(*judging(run_id, server, store))
    rankings = json.loads(exambench("report", "--json", "--store", store).stdout)
    rows = {(ranking["protocol"], row["model"]): row["reasoning"] for ranking in rankings for row in ranking["rows"]}
    assert rows["advanced", "baseline/first"] is None
    for protocol in ("advanced", "reasoning"):
        found = rows[protocol, "examinee"]
        assert (found["normalised"], found["n"], found["judged"], found["asked"]) == (0.6875, 12, 12, 12)
        assert (found["judge"], found["run"]) == ("judge", run_id)
        assert found["low"] < 0.6875 < found["high"]
    shown = " ".join(exambench("report", "--store", store).stdout.split())
    for told in ("68.8", "n=12/12", "Reasoning is judged by judge", "its reasoning is not judged"):
        assert told in shown
    lines = list(csv.DictReader(io.StringIO(exambench("report", "--csv", "--store", store).stdout)))
    assert {(line["model"], line["reasoning_normalised"]) for line in lines} == {
        ("examinee", "0.6875"),
        ("baseline/first", ""),
    }
    listed = exambench("runs", "--store", store).stdout
    assert "1 judging" in listed
    assert "rationales, with the expert's" in listed


def test_judging_again_asks_nothing_and_rescore_covers_verdicts(tmp_path: Path) -> None:
    """Replies are kept as those of every model are."""
    store, run_id = run_of(tmp_path, 3)
    with serve(mild) as server:
        exambench(*judging(run_id, server, store))
        again = exambench(*judging(run_id, server, store))
    assert again.exit_code == 0
    assert len(server.calls) == 3
    assert "nothing to ask" in again.stderr
    with open_existing_store(str(store)) as results:
        (record,) = results.judgings.all()
        results.judgings.save_verdicts(record.judging_id, [])
    assert "0 outcomes changed" in exambench("rescore", run_id, "--store", store).stdout
    with open_existing_store(str(store)) as results:
        assert len(results.judgings.verdicts(record.judging_id)) == 3


def test_a_run_and_a_judge_that_are_named_twice_are_meant_once(tmp_path: Path) -> None:
    """By its beginning and in full: one turn, one row."""
    store, run_id = run_of(tmp_path, 2)
    with serve(mild) as server:
        judge = f"judge@{server.base_url}"
        done = exambench("judge", run_id[:8], run_id, "--judge", judge, "--judge", judge, "--store", store)
    assert "nothing to ask" not in done.stderr
    assert done.stdout.count("2/2") == 1


def test_without_verdicts_every_form_is_empty_and_says_so(tmp_path: Path) -> None:
    """No bare heading, and the next step on standard error."""
    store, _ = run_of(tmp_path, 1)
    for form, shown in ((), ""), (("--json",), "[]"), (("--csv",), ""), (("--markdown",), ""), (("--errors",), ""):
        done = exambench("verdicts", *form, "--store", store)
        assert (done.stdout.strip(), done.exit_code) == (shown, 0)
        assert done.stderr == "exambench: no judge has judged these runs yet; see: exambench judge\n"


def test_a_judge_is_no_model_of_the_leaderboard(tmp_path: Path) -> None:
    """Its requests are in the store, and neither runs nor rankings know of them."""
    store, run_id = run_of(tmp_path, 3)
    with serve(mild) as server:
        exambench(*judging(run_id, server, store))
    listed = json.loads(exambench("runs", "--json", "--store", store).stdout)
    assert [each["model"] for each in listed] == ["examinee", "examinee"]
    assert "judge@" not in json.dumps(listed)
    models = [
        row["model"]
        for ranking in json.loads(exambench("report", "--json", "--store", store).stdout)
        for row in ranking["rows"]
    ]
    assert models == ["examinee", "examinee"]


def test_nothing_is_lost_or_asked_again_when_the_judge_is_killed(tmp_path: Path) -> None:
    """SIGKILL at random moments: a stored reply stays, and its request is never sent again."""
    store, run_id = run_of(tmp_path, 60)
    rng = random.Random(4)
    stored: set[int] = set()
    with serve(lambda call: after(0.02, mild(call))) as server:
        for _ in range(3):
            seen = len(server.calls)
            process = start(judging(run_id, server, store, "--concurrency", "3"))
            wait_for_calls(server, seen + 2)
            time.sleep(rng.uniform(0.0, 0.1))
            process.kill()
            process.communicate()
            assert stored.isdisjoint(asked_numbers(server)[seen:])
            assert stored <= stored_items(store)
            stored = stored_items(store)
        seen = len(server.calls)
        assert exambench(*judging(run_id, server, store)).exit_code == 0
        assert stored.isdisjoint(asked_numbers(server)[seen:])
    (document,) = json.loads(exambench("verdicts", run_id, "--json", "--store", store).stdout)
    assert (document["judged"], document["open"]) == (60, 0)


def test_an_interrupt_keeps_what_was_judged(tmp_path: Path) -> None:
    """After Ctrl-C the verdicts so far are there, and the rest is open."""
    store, run_id = run_of(tmp_path, 40)
    with serve(lambda call: after(0.05, mild(call))) as server:
        process = start(judging(run_id, server, store, "--concurrency", "2"))
        wait_for_calls(server, 4)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 1, errors
        (document,) = json.loads(exambench("verdicts", run_id, "--json", "--store", store).stdout)
        assert document["judged"] == len(server.calls) < 40
        assert document["open"] == 40 - document["judged"]
        server.script = mild
        assert exambench(*judging(run_id, server, store)).exit_code == 0
    assert Counter(asked_numbers(server)) == Counter(range(1, 41))


def test_a_second_interrupt_keeps_the_verdicts_so_far(tmp_path: Path) -> None:
    """The judges whose turn has not come are named; exit code 130 and no traceback."""
    store, run_id = run_of(tmp_path, 10)
    with serve(lambda call: mild(call) if call.number < 4 else after(60.0, mild(call))) as server:
        others = ["--judge", f"second@{server.base_url}"]
        process = start(judging(run_id, server, store, "--concurrency", "1", *others))
        wait_for_calls(server, 5)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert any("Ctrl-C abandons them" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "judge: 6 requests have no response." in errors
    assert "Not asked: second.\n" in errors
    (document,) = json.loads(exambench("verdicts", run_id, "--json", "--store", store).stdout)
    assert (document["judged"], document["open"]) == (4, 6)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--judge", "nobody"], "there is no such model"),
        (["--rubric", "nothing.toml"], "nothing.toml: cannot be read"),
        (["--answers"], "has no answer to judge"),
        (["--benchmark", "nothing"], "there is no such benchmark"),
    ],
)
def test_what_cannot_be_used_is_said_before_the_judge_is_asked(tmp_path: Path, more: list[str], told: str) -> None:
    """A judge, a rubric, a benchmark that do not exist; answers of another kind."""
    store, run_id = run_of(tmp_path, 2)
    with serve(always(completion(verdict_text()))) as server, pytest.raises(ExambenchError, match=told):
        exambench(*judging(run_id, server, store, *more))
    assert server.calls == []


def stored_items(store: Path) -> set[int]:
    """Return the numbers of the items whose verdict's reply is stored."""
    with open_existing_store(str(store)) as results:
        return {
            int(reply.row.item_id)
            for record in results.judgings.all()
            for reply in results.judgings.replies(record.judging_id)
        }


def asked_numbers(server: ChatServer) -> list[int]:
    """Return the numbers of all items that were asked about."""
    return list(map(number_of, server.calls))


def wait_for_calls(server: ChatServer, count: int) -> None:
    """Wait until the server has seen as many calls."""
    deadline = time.monotonic() + 30
    while len(server.calls) < count:
        assert time.monotonic() < deadline, f"only {len(server.calls)} calls came"
        time.sleep(0.005)
