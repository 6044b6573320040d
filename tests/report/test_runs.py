"""The list of runs: how far each has come, what became of its requests, what it took."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.exchange import Usage
from exambench.items import EXPLICIT
from exambench.outcomes import OutcomeKind
from exambench.report import runs
from exambench.store import JudgingKind, JudgingRecord, JudgingTally, RunSummary
from exambench.store.records import RunRecord

HOSTILE = "[red]m[/red] :boom: \x1b[31m|*<b>"
MODEL: Mapping[str, object] = {
    "name": "qwen",
    "endpoint": {"kind": "openai", "base_url": "http://localhost:8000/v1"},
    "price": {"input": 2.0, "output": 10.0},
}
RECORD = RunRecord(
    benchmark="시험",
    dataset_hash="d" * 64,
    model_name="qwen",
    identity="qwen@http://localhost",
    decoding={"temperature": 0.0},
    model=MODEL,
    protocol_name="advanced",
    protocol_hash="p" * 64,
    protocol={"strict": "dict-strict", "lenient": "dict-lenient"},
    condition={"wording": EXPLICIT},
)
BEGUN = RunSummary(
    run=RECORD,
    created_at="2026-01-02T03:04:05Z",
    updated_at="2026-01-02T04:04:05Z",
    planned=30,
    answered=12,
    failed=5,
    unsupported=10,
    outcomes={
        "dict-strict": {OutcomeKind.ANSWERED: 9, OutcomeKind.UNPARSED: 2, OutcomeKind.REFUSED: 1},
        "dict-lenient": {OutcomeKind.ANSWERED: 11, OutcomeKind.REFUSED: 1},
    },
    usage=Usage(input_tokens=1_000_000, output_tokens=200_000),
    seconds=24.0,
    wall_seconds=3725.0,
)
"""Ten items in three trials, of which a text-only model is not shown ten: twelve have a response, five failed."""


def printed(*summaries: RunSummary, width: int = 100) -> str:
    """Return what a terminal without colours would show."""
    stream = io.StringIO()
    Console(file=stream, width=width, no_color=True).print(runs.terminal(summaries))
    return stream.getvalue()


def document(*summaries: RunSummary) -> list[dict[str, Any]]:
    """Return the runs of the JSON document."""
    found: list[dict[str, Any]] = json.loads(runs.as_json(summaries))
    return found


def test_coverage_is_of_what_can_be_asked() -> None:
    """Thirty planned, ten of them not for this model: 12 of 20 answered; failed ones are named."""
    text = printed(BEGUN)
    assert "12/20" in text
    assert "5 failed" in text
    assert "10 unsupported" in text


def test_a_run_without_trouble_names_none() -> None:
    """All is answered: no line for what did not happen."""
    text = printed(replace(BEGUN, planned=12, failed=0, unsupported=0))
    assert "12/12" in text
    assert "failed" not in text
    assert "unsupported" not in text


def test_outcomes_are_those_of_the_strict_parser() -> None:
    """Each kind apart; the lenient parser's eleven are in JSON alone."""
    text = printed(BEGUN)
    assert all(shown in text for shown in ("9 answered", "2 unparsed", "1 refused"))
    assert "11 answered" not in text
    (found,) = document(BEGUN)
    assert found["outcomes"] == {
        "dict-strict": {"answered": 9, "unparsed": 2, "refused": 1},
        "dict-lenient": {"answered": 11, "refused": 1},
    }


def test_a_run_whose_responses_were_not_read_has_no_outcomes() -> None:
    """A dash, not a zero; nor tokens and money where no response says them."""
    unread = replace(BEGUN, outcomes={}, usage=Usage())
    assert "–" in printed(unread)
    (found,) = document(unread)
    assert (found["outcomes"], found["cost"], found["currency"] or "USD") == ({}, None, "USD")
    assert (found["tokens"]["input"], found["tokens"]["output"]) == (None, None)


def test_what_it_took() -> None:
    """A million tokens at 2 and 200,000 at 10 a million are 4 dollars; an hour, two minutes and five seconds."""
    (found,) = document(BEGUN)
    assert (found["cost"], found["currency"]) == (pytest.approx(4.0), "USD")
    assert (found["wall_seconds"], found["response_seconds"]) == (3725.0, 24.0)
    text = printed(BEGUN)
    assert "1,000,000" in text
    assert "200,000" in text
    assert "1:02:05" in text


def test_json_says_which_run_it_is_and_how_far() -> None:
    """Open are those that wait for a response, failed ones included: 30 − 12 − 10."""
    (found,) = document(BEGUN)
    identified = ("run", "benchmark", "dataset", "protocol", "condition", "model", "identity")
    assert [found[name] for name in identified] == [
        RECORD.run_id,
        "시험",
        "d" * 64,
        "advanced",
        {"wording": EXPLICIT},
        "qwen",
        "qwen@http://localhost",
    ]
    assert [found[name] for name in ("planned", "answered", "failed", "unsupported", "open")] == [30, 12, 5, 10, 8]


def test_no_runs_are_an_empty_list() -> None:
    """In JSON, and in words on a terminal."""
    assert document() == []
    assert "0 runs" in printed()


@pytest.mark.parametrize("width", [80, 100])
def test_runs_fit_the_terminal(width: int) -> None:
    """Whatever the names are; nothing in them steers the terminal or is taken for markup."""
    text = printed(BEGUN, replace(BEGUN, run=replace(RECORD, model_name=HOSTILE, benchmark=HOSTILE)), width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "[red]m[" in text


def test_a_lower_bound_of_tokens_and_money_is_marked() -> None:
    """Three of twelve responses don't say their tokens: what is counted is at least that much, in JSON too."""
    text = printed(replace(BEGUN, unmetered=3))
    assert all(shown in text for shown in ("≥ 1,000,000", "≥ 200,000", "≥ 4 USD"))
    assert "3 of 12 responses don't say how many tokens they took" in text
    (found,) = document(replace(BEGUN, unmetered=3))
    assert (found["cost_is_lower_bound"], found["tokens"]["unmetered_responses"]) == (True, 3)
    assert document(BEGUN)[0]["cost_is_lower_bound"] is False
    assert "≥" not in printed(BEGUN)


def test_json_has_the_facts_of_the_model_file() -> None:
    """Size, language, licence and date of release, as far as the file says."""
    facts = {"size_b": 32.0, "korean": True, "proprietary": False, "released": "2026-03"}
    (found,) = document(replace(BEGUN, run=replace(RECORD, model={**MODEL, **facts})))
    assert {name: found[name] for name in facts} == facts
    (bare,) = document(BEGUN)
    assert (bare["size_b"], bare["released"]) == (None, None)


JUDGING = JudgingRecord(
    run_id=RECORD.run_id,
    kind=JudgingKind.RUBRIC,
    judge_name="심판 [b]",
    identity="judge@http://localhost",
    decoding={},
    judge={},
    rubric_name="루브릭",
    rubric_hash="r" * 64,
    rubric={},
    condition={"reference": True, "images": False},
)


def test_judgings_stand_below_the_runs_with_what_is_open() -> None:
    """Who judged what of which run, in which condition, and how far; a judging of another run is not here."""
    free = replace(JUDGING, kind=JudgingKind.ANSWER, condition={"reference": False, "images": False})
    other = replace(JUDGING, run_id="another")
    tallies = {JUDGING.judging_id: JudgingTally(12, 9, 1), free.judging_id: JudgingTally(12, 12, 0)}
    stream = io.StringIO()
    shown = runs.terminal([BEGUN], [JUDGING, free, other], tallies)
    Console(file=stream, width=100, no_color=True).print(shown)
    text = stream.getvalue()
    assert "2 judgings" in text
    for told in ("심판 [b]", "rationales, with the expert's", "free answers", "9/12", "1 unjudged", "2 open", "12/12"):
        assert told in text
    (found,) = json.loads(runs.as_json([BEGUN], [JUDGING, free, other], tallies))
    assert [(each["kind"], each["judged"], each["unjudged"], each["open"]) for each in found["judgings"]] == [
        ("rubric", 9, 1, 2),
        ("answer", 12, 0, 0),
    ]
    assert "http://localhost" not in json.dumps(found["judgings"])


def test_without_judgings_nothing_is_said_of_them() -> None:
    """A store of runs alone looks as before; one whose plan is missing has asked nothing."""
    assert "judging" not in printed(BEGUN)
    (found,) = json.loads(runs.as_json([BEGUN], [JUDGING]))
    assert [(each["asked"], each["open"]) for each in found["judgings"]] == [(0, 0)]
