"""What the statistics of a whole leaderboard take, beside the same work model by model through scipy."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.measure import run_measured
from bench.statistics_work import ITEMS, LARGE_ITEMS, LARGE_RESAMPLES, MODELS, RESAMPLES

SUMMARY: Final = "Measure the statistics of 60 models on 1,774 items, and KMMMU's 100,000 resamples."
ROOT: Final = Path(__file__).parent.parent
SMALLEST_RATIO: Final = 50
MOST_BYTES: Final = 500_000_000
TITLES: Final = {
    "ours": f"exambench, {MODELS} × {ITEMS}, B = {RESAMPLES}",
    "scipy": "scipy.stats.bootstrap, the same",
    "many-resamples": f"exambench, {LARGE_ITEMS} items, B = {LARGE_RESAMPLES}",
}


@dataclass(frozen=True, slots=True)
class Result:
    """What one piece of work took; the memory is that of the whole process."""

    work: str
    seconds: float
    cpu_seconds: float
    peak_bytes: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare where results go and how long a piece of work may take."""
    parser.add_argument("--output", type=Path, default=Path("bench-output/statistics"), help="folder for results")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one piece of work")


def run(options: argparse.Namespace) -> int:
    """Measure each piece of work in a process of its own, print a table and the aims, and write JSON."""
    options.output.mkdir(parents=True, exist_ok=True)
    results = [_measure(work, options.output, options.timeout) for work in TITLES]
    print(f"{'work':44}  seconds    CPU s  peak MB")
    for result in results:
        figures = f"{result.seconds:8.2f} {result.cpu_seconds:8.2f} {result.peak_bytes / 1e6:8.0f}"
        print(f"{TITLES[result.work]:44} {figures}")
    ours, scipy, large = results
    ratio = scipy.cpu_seconds / ours.cpu_seconds
    _aim(f"times less processor time than scipy: {ratio:.0f} (aim ≥ {SMALLEST_RATIO})", met=ratio >= SMALLEST_RATIO)
    _aim(f"peak memory, MB: {ours.peak_bytes / 1e6:.0f} (aim ≤ 500)", met=ours.peak_bytes <= MOST_BYTES)
    whole = LARGE_ITEMS * LARGE_RESAMPLES
    said = (
        f"peak memory of many resamples, MB: {large.peak_bytes / 1e6:.0f} (aim ≤ 500; one array: {8 * whole / 1e6:.0f})"
    )
    _aim(said, met=large.peak_bytes <= MOST_BYTES)
    written = [
        {"work": result.work, "seconds": result.seconds, "cpu_seconds": result.cpu_seconds, "peak": result.peak_bytes}
        for result in results
    ]
    (options.output / "results.json").write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    return 0


def _measure(work: str, output: Path, timeout: float) -> Result:
    log = output / f"{work}.log"
    command = [sys.executable, "-m", "bench.statistics_work", work]
    # One thread each: threads that wait for each other in small matrix products would count as processor time.
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    cost = run_measured(command, log=log, env=env, timeout=timeout)
    if cost.status:
        sys.exit(f"{work} ended with status {cost.status}, see {log}")
    took = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return Result(work, took["seconds"], took["cpu_seconds"], cost.peak_bytes)


def _aim(text: str, *, met: bool) -> None:
    print(f"{'met' if met else 'not met':8}  {text}")
