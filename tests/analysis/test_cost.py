"""What a run took, in figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.analysis.cost import Money, RunCost, cost_of
from exambench.exchange import Usage
from exambench.items import Benchmark
from exambench.store import RunSummary
from exambench.store.records import RunRecord

EXAM = Benchmark(name="exam", title="시험", items=(), axes=(), minutes=150, exam_items=100)
MODEL = {
    "name": "qwen",
    "endpoint": {"kind": "openai", "base_url": "http://localhost:8000/v1"},
    "price": {"input": 2.0, "output": 10.0, "cached_input": 0.5},
    "serving": {"gpu": "H100", "gpus": 2},
}


def cost(benchmark: Benchmark = EXAM, model: dict[str, object] | None = None, **changes: object) -> RunCost:
    """Return what a run of 400 questions took: half an hour, a million tokens in and 200,000 out."""
    record = RunRecord(
        benchmark="exam",
        dataset_hash="d",
        model_name="qwen",
        identity="qwen",
        decoding={},
        model=model or MODEL,
        protocol_name="advanced",
        protocol_hash="p",
        protocol={},
    )
    usage = Usage(input_tokens=1_000_000, output_tokens=200_000, cached_tokens=400_000, reasoning_tokens=50_000)
    summary = RunSummary(record, "", "", planned=400, answered=400, received=400, usage=usage, wall_seconds=1800.0)
    return cost_of(replace(summary, **changes), benchmark)  # type: ignore[arg-type]  # fields of the dataclass


def test_gpu_hours_per_hundred_questions() -> None:
    """K-MetBench's measure: wall × GPUs × 100 / n = 0.5 h × 2 × 100 / 400 = 0.25."""
    assert cost().gpu_hours_per_100 == pytest.approx(0.25)


def test_wall_time_against_the_time_limit() -> None:
    """30 minutes for 400 questions are 7.5 for the 100 of one sitting: a twentieth of the 150 minutes."""
    assert cost().minutes_per_exam == pytest.approx(7.5)
    assert cost().share_of_time_limit == pytest.approx(0.05)


def test_money_with_cached_tokens() -> None:
    """(600,000 × 2 + 400,000 × 0.5 + 200,000 × 10) / 10⁶ = 3.4, and 0.85 for a hundred questions."""
    assert cost().money == Money(3.4, "USD", at_least=False)
    assert cost(unmetered=1).money == Money(3.4, "USD", at_least=True)
    assert cost().money_per_100 == pytest.approx(0.85)


def test_what_is_not_known_is_not_zero() -> None:
    """Without tokens, prices, GPUs, a time limit or responses there is no figure."""
    bare = cost(model={"name": "m", "endpoint": {"kind": "baseline", "strategy": "first"}})
    assert (bare.money, bare.gpu_hours_per_100) == (None, None)
    assert cost(usage=Usage()).money is None
    untimed = cost(replace(EXAM, minutes=None, exam_items=None))
    assert (untimed.minutes_per_exam, untimed.share_of_time_limit) == (None, None)
    unanswered = cost(answered=0, received=0)
    assert (unanswered.money_per_100, unanswered.gpu_hours_per_100, unanswered.minutes_per_exam) == (None, None, None)


def test_time_is_set_against_what_arrived_in_it() -> None:
    """Of 400 responses 300 were there before: half an hour for 100 is 1 GPU-hour, and 30 minutes for one sitting."""
    resumed = cost(received=100)
    assert (resumed.n, resumed.received) == (400, 100)
    assert resumed.gpu_hours_per_100 == pytest.approx(1.0)
    assert resumed.minutes_per_exam == pytest.approx(30.0)
    assert resumed.money_per_100 == pytest.approx(0.85)


def test_a_run_that_received_nothing_has_no_speed() -> None:
    """All its responses are from earlier runs: no time was spent on them, and that is not 0 GPU-hours."""
    reused = cost(received=0, wall_seconds=0.02)
    assert (reused.seconds_per_question, reused.gpu_hours_per_100, reused.minutes_per_exam) == (None, None, None)
    assert reused.share_of_time_limit is None
