"""The engine suite measures what it says, and counts no run that did something else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import engine
from bench.engine_report import Result, aims, table
from bench.exam import write_exam
from bench.measure import Cost, run_measured
from exambench.benchmarks.kmetbench_format import read_items

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000


def result(name: str, seconds: float, phase_seconds: float, *, peak: int = 0, error: str = "") -> Result:
    """A run of 1,000 items."""
    return Result(name, 1000, Cost(0, seconds, seconds, peak), phase_seconds, phase_seconds, peak, error)


def test_the_bare_loop_is_measured_from_outside_and_by_the_server(tmp_path: Path) -> None:
    """A small run leaves a table and JSON in which every question was asked once."""
    command = [sys.executable, "-m", "bench", "engine", "--items", "50", "--concurrency", "5", "--delay", "0.01"]
    ended = subprocess.run(
        [*command, "--only", "bare loop", "--output", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "bare loop" in ended.stdout
    (found,) = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["results"]
    assert found["error"] == ""
    # 50 questions over 5 connections are 10 rounds of at least 0.01 s each, and the phase is a part of the whole.
    assert 0.1 <= found["phase_seconds"] < found["cost"]["seconds"]
    assert 0 <= found["phase_cpu_seconds"] <= found["cost"]["cpu_seconds"]


def test_the_made_up_exam_is_a_valid_exam(tmp_path: Path) -> None:
    """The toolkit reads it without a finding, every question differs, and the prompts are as many."""
    write_exam(200, tmp_path / "exam.json", tmp_path / "prompts.jsonl")
    items, findings = read_items(tmp_path / "exam.json")
    prompts = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert findings == ()
    assert len(items) == len({entry["prompt"] for entry in prompts}) == 200


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """Beyond its time a command is killed with everything that it started, and the status says so."""
    cost = run_measured(["sleep", "60"], log=tmp_path / "log", env={"PATH": "/usr/bin:/bin"}, timeout=0.2)
    assert cost.status == -9


def test_processor_time_and_memory_are_the_commands_own(tmp_path: Path) -> None:
    """A command that fills 100 MB and loops for half a second of processor time is seen to do so."""
    program = "import time; held = bytearray(100_000_000)\nwhile time.process_time() < 0.5: pass"
    cost = run_measured([sys.executable, "-c", program], log=tmp_path / "log", env={}, timeout=60)
    assert cost.status == 0
    assert cost.cpu_seconds >= 0.5
    assert cost.peak_bytes >= 100 * MEGABYTE


@pytest.mark.parametrize(("status", "requests"), [(1, 1000), (0, 999), (0, 1001)])
def test_a_run_that_failed_or_asked_otherwise_does_not_count(status: int, requests: int, tmp_path: Path) -> None:
    """An error takes the place of the numbers."""
    phase = {
        "requests": requests,
        "answers": requests,
        "first": 0.0,
        "last": 1.0,
        "cpu_seconds": None,
        "peak_bytes": None,
    }
    run = Result.of("exambench", 1000, Cost(status, 1.0, 1.0, 1), phase, tmp_path / "log.txt")
    assert "log.txt" in run.error
    assert run.error in table([run])


def test_the_aims_compare_with_the_bare_loop_and_the_other_toolkits() -> None:
    """1,000 items: 0.5 s against 0.4 s in the phase is 80 %; 2 s against 30 s and 7 s whole are 15 and 3.5 times."""
    results = [
        result("bare loop", 1.0, 0.4),
        result("exambench", 2.0, 0.5, peak=150 * MEGABYTE),
        result("Inspect AI", 30.0, 25.0),
        result("lm-eval", 7.0, 0.6),
    ]
    found = list(aims(results, 0.2))
    assert [aim.found for aim in found] == pytest.approx([2500.0, 0.8, 15.0, 3.5, 150.0, 0.2])
    assert [aim.met for aim in found] == [True, True, True, False, True, True]


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    """Without the toolkit's own run there is no verdict about it."""
    verdicts = [aim.met for aim in aims([result("exambench", 2.0, 0.5, error="failed")], None)]
    assert verdicts == [None] * 6


def test_the_middle_run_counts_unless_one_failed() -> None:
    """Repeats are reported by the run with the middle time; a failure is never left out."""
    runs = [result("exambench", seconds, 0.5) for seconds in (3.0, 1.0, 2.0)]
    assert engine.middle(runs).cost.seconds == 2.0
    failed = result("exambench", 1.0, 0.5, error="failed")
    assert engine.middle([*runs, failed]) is failed
