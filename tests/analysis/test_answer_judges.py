"""Free answers have the scores that one named judge gave them; what is unjudged has none, and two are never mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.analysis.answer_judges import load_all_scores
from exambench.analysis.run_groups import comparable
from exambench.analysis.scores import load_scores
from exambench.cli.app import app
from exambench.errors import ConfigError
from exambench.items import TextKey
from exambench.outcomes import AnswerVerdict, Settlement, Unjudged
from exambench.protocols import Protocol
from exambench.store import JudgeRow, JudgingKind, JudgingRecord, RunRecord, Store, VerdictRow, open_store
from tests.judging.examples import exam, sit
from tests.support.chat_server import Call, Reply, completion, serve

FREE = Protocol(name="free", user="{{question}}", choice="", answer="", strict="boxed-free", lenient="boxed-free")
EXAM = exam(4, key=TextKey("1013 hPa"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened


def free_run(store: Store, model: str = "m", texts: Mapping[str, str | None] | None = None) -> RunRecord:
    """Store a run with a free answer to each of four items."""
    default: dict[str, str | None] = {str(item): f"\\boxed{{답 {item}}}" for item in range(1, 5)}
    return sit(store, EXAM, default if texts is None else texts, model=model, protocol=FREE)


def judge(store: Store, run: RunRecord, said: Mapping[str, str], name: str = "judge") -> JudgingRecord:
    """Store a judging of free answers: for each item one sign a judge's trial, ``+``, ``-``, ``?`` or ``.`` (open)."""
    record = JudgingRecord(
        run_id=run.run_id,
        kind=JudgingKind.ANSWER,
        judge_name=name,
        identity=f"{name}@u",
        decoding={},
        judge={},
        rubric_name="answers",
        rubric_hash="r" * 64,
        rubric={},
        condition={"reference": False, "images": False},
    )
    places = [(item, trial, sign) for item, signs in said.items() for trial, sign in enumerate(signs)]
    store.judgings.register(record)
    store.judgings.plan(
        record.judging_id, [JudgeRow(item, 0, trial, 0, None, "judge") for item, trial, _ in places], {}
    )
    rows = [
        VerdictRow(item, 0, trial, 1, Unjudged("?") if sign == "?" else AnswerVerdict(sign == "+", Settlement.JUDGE))
        for item, trial, sign in places
        if sign != "."
    ]
    store.judgings.save_verdicts(record.judging_id, rows)
    return record


def test_without_a_judge_free_answers_have_no_score_and_are_counted(store: Store) -> None:
    """Nor has one that could not be read, which would be the only kind with a score."""
    run = free_run(store, texts={"1": "\\boxed{답}", "2": "모르겠습니다", "3": "\\boxed{1013 hPa}"})
    found = load_scores(store, run)
    assert found.scores == {}
    assert (found.coverage.unjudged, found.coverage.open, found.coverage.scored) == (3, 1, 0)
    assert not found.complete


def test_verdicts_are_scores_and_the_mean_over_the_judges_trials_counts(store: Store) -> None:
    """Right, wrong, right in two of three readable trials; unreadable and open ones have no score."""
    run = free_run(store)
    record = judge(store, run, {"1": "+", "2": "-", "3": "++-?", "4": "?"})
    (found,) = load_all_scores(store, [run])
    assert found.scores == {"1": 1.0, "2": 0.0, "3": pytest.approx(2 / 3)}
    assert found.lenient == found.scores
    assert found.judging == record
    assert (found.coverage.scored, found.coverage.unjudged, found.coverage.open) == (3, 1, 0)


def test_two_judges_are_never_mixed(store: Store) -> None:
    """The one with verdicts on most runs counts for all; a run that only the other judged has no scores."""
    runs = [free_run(store, name) for name in ("a", "b", "c")]
    for run in runs[:2]:
        judge(store, run, {"1": "+", "2": "+"}, "first")
    judge(store, runs[0], {"1": "-", "3": "-"}, "second")
    judge(store, runs[2], {"1": "-"}, "second")
    judge(store, runs[2], {"1": "?"}, "unreadable")
    both = [each.scores for each in load_all_scores(store, runs[:2])]
    assert both == [{"1": 1.0, "2": 1.0}] * 2
    latest = load_all_scores(store, runs)  # two judges with two runs each: the one that was asked last
    assert [each.scores for each in latest] == [{"1": 0.0, "3": 0.0}, {}, {"1": 0.0}]
    assert [each.judging and each.judging.judge_name for each in latest] == ["second", None, "second"]
    named = load_all_scores(store, runs, "first")
    assert [each.scores for each in named] == [*both, {}]


def test_scores_by_different_judges_are_in_different_groups(store: Store) -> None:
    """However they came together; a run that nobody judged stands with the first."""
    runs = [free_run(store, name) for name in ("a", "b", "c")]
    first, second = (judge(store, run, {"1": "+"}, name) for run, name in zip(runs, ("x", "y"), strict=False))
    loaded = [load_scores(store, runs[0], first), load_scores(store, runs[1], second), load_scores(store, runs[2])]
    groups = [[run.record.model_name for run in group] for group in comparable(loaded)]
    assert groups == [["a", "c"], ["b"]]


def test_a_judge_that_is_not_there_is_said(store: Store) -> None:
    """With the names of those that are."""
    run = free_run(store)
    judge(store, run, {"1": "+"}, "known")
    with pytest.raises(ConfigError, match=r"no judge of free answers .*found 'nobody'.*allowed: known"):
        load_all_scores(store, [run], "nobody")


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def lenient_judge(call: Call) -> Reply:
    """Find the standard pressure right, in words; say nothing that can be read of the fourth item."""
    if "4번" in call.prompt:
        return completion("글쎄요")
    return completion("TRUE" if "표준" in call.prompt else "FALSE")


def test_from_judge_to_report_diagnose_and_items(tmp_path: Path) -> None:
    """By hand: a match, a judge's TRUE and FALSE, and one unjudged: 2 of 3, no place, and the judge is named."""
    path = tmp_path / "r.db"
    texts = {"1": "\\boxed{1013 hPa}", "2": "\\boxed{표준 기압}", "3": "\\boxed{낮은 기압}", "4": "\\boxed{모름}"}
    with open_store(str(path)) as results:
        run = free_run(results, "examinee", dict(texts))
    before = " ".join(exambench("report", "--store", path).stdout.split())
    assert "4 of 4 free answers have no verdict" in before
    with serve(lenient_judge) as server:
        done = exambench("judge", run.run_id, "--judge", f"judge@{server.base_url}", "--answers", "--store", path)
    assert done.exit_code == 0
    (ranking,) = json.loads(exambench("report", "--json", "--store", path).stdout)
    (row,) = ranking["rows"]
    assert (row["axes"]["accuracy"]["n"], row["axes"]["accuracy"]["accuracy"]) == (3, pytest.approx(2 / 3))
    assert (row["rank"], row["requests_unjudged"], row["requests_open"]) == (None, 1, 0)
    shown = " ".join(exambench("report", "--store", path).stdout.split())
    assert "judged by judge" in shown
    assert "1 of 4 free answers have no verdict; it takes no place. Have them judged" in shown
    for command in ("diagnose", "items"):
        (document,) = json.loads(exambench(command, "--json", "--store", path).stdout)
        assert any("judged by judge" in note for note in document["notes"])
    (items,) = json.loads(exambench("items", "--json", "--store", path).stdout)
    assert difficulties(items) == {"1": 1.0, "2": 1.0, "3": 0.0, "4": None}
    with pytest.raises(ConfigError, match="no judge of free answers"):
        exambench("report", "--answer-judge", "nobody", "--store", path)


def difficulties(document: Any) -> dict[str, float | None]:
    """Return the difficulty of each item of a document of ``items``."""
    return {each["item"]: each["difficulty"] for each in document["items"]}
