"""What finding near-duplicates takes, beside asking ``difflib`` about every pair, and whether both decide alike."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.measure import run_measured
from bench.similarity_work import EXAM, LARGE, SAMPLED, TEMPLATED

SUMMARY: Final = "Measure near-duplicates of 2,500 stems against difflib; with --large, of 68,000 stems too."
ROOT: Final = Path(__file__).parent.parent
SMALLEST_RATIO: Final = 50
MOST_SECONDS: Final = 900
MOST_BYTES: Final = 4_000_000_000
TITLES: Final = {
    "difflib": f"difflib, one pair of {SAMPLED} of {EXAM:,} stems",
    "every pair": f"difflib, {EXAM:,} stems, its own bounds first",
    "ours": f"exambench, {EXAM:,} stems",
    "large": f"exambench, {LARGE:,} stems",
    "templated": f"exambench, {TEMPLATED:,} stems of one template",
}


@dataclass(frozen=True, slots=True)
class Result:
    """What one piece of work took and found; the memory is that of the whole process."""

    work: str
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    texts: int
    mean_length: float
    found: int
    digest: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare where results go, and how much is measured."""
    parser.add_argument("--output", type=Path, default=Path("bench-output/similarity"), help="folder for results")
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds for one piece of work")
    parser.add_argument("--large", action="store_true", help="measure the large corpora too (minutes)")


def run(options: argparse.Namespace) -> int:
    """Measure each piece of work in a process of its own, print a table and the aims, and write JSON."""
    options.output.mkdir(parents=True, exist_ok=True)
    works = ["difflib", "every pair", "ours", *(["large", "templated"] if options.large else [])]
    results = [_measure(work, options.output, options.timeout) for work in works]
    print(f"{'work':44}  length    found  seconds    CPU s  peak MB")
    for result in results:
        figures = f"{result.mean_length:8.0f} {result.found:8} {result.seconds:8.1f} {result.cpu_seconds:8.1f}"
        print(f"{TITLES[result.work]:44} {figures} {result.peak_bytes / 1e6:8.0f}")
    sample, every, ours = results[:3]
    _aim("the same decisions as difflib on every pair", met=every.digest == ours.digest)
    ratio = SAMPLED * sample.cpu_seconds / ours.cpu_seconds
    _aim(
        f"times less processor time than difflib: {ratio:.0f} (aim ≥ {SMALLEST_RATIO}, its sample's × {SAMPLED})",
        met=ratio >= SMALLEST_RATIO,
    )
    for result in results[3:]:
        _aim(f"{result.work}, seconds: {result.seconds:.0f} (aim ≤ {MOST_SECONDS})", met=result.seconds <= MOST_SECONDS)
        _aim(
            f"{result.work}, peak memory, MB: {result.peak_bytes / 1e6:.0f} (aim ≤ 4000)",
            met=result.peak_bytes <= MOST_BYTES,
        )
    written = [{field: getattr(result, field) for field in Result.__slots__} for result in results]
    (options.output / "results.json").write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    return 0


def _measure(work: str, output: Path, timeout: float) -> Result:
    log = output / f"{work.replace(' ', '-')}.log"
    command = [sys.executable, "-m", "bench.similarity_work", work]
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    cost = run_measured(command, log=log, env=env, timeout=timeout)
    if cost.status:
        sys.exit(f"{work} ended with status {cost.status}, see {log}")
    took = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return Result(work, peak_bytes=cost.peak_bytes, **took)


def _aim(text: str, *, met: bool) -> None:
    print(f"{'met' if met else 'not met':8}  {text}")
