"""How much of an examination paper is read right: from its text layer, and from a scan of it."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.ingest_campaign import OUTCOMES, campaign, table
from bench.ingest_work import CONTENTS, Comparison, Found, Truth, compare, found_in, read_truth
from exambench.construct.ingest import INGEST
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.records import StageResult
from exambench.construct.stage import Context
from exambench.errors import InputError

SUMMARY: Final = "Measure how much of a typeset paper of 60 items, and of its scan, is read right."
ROOT: Final = Path(__file__).parent.parent
LEAST_EXACT: Final = 0.98
LEAST_OF_SCAN: Final = 0.85


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare where results go, and what is read."""
    parser.add_argument(
        "--output", type=Path, default=Path("bench-output/ingest"), help="folder for papers and results"
    )
    parser.add_argument("--text-only", action="store_true", help="leave the scan out, which takes minutes")
    parser.add_argument(
        "--campaign", type=int, default=0, metavar="PAPERS", help="read small papers of many kinds instead, 2 a second"
    )


def run(options: argparse.Namespace) -> int:
    """Typeset the paper, read it, print what is right and the aims, and write JSON; or read papers of many kinds."""
    if options.campaign:
        return _campaign(options.campaign)
    options.output.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(ROOT / "scripts" / "typeset_exam.py"), str(options.output)]
    if subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
        print("the paper could not be typeset", file=sys.stderr)
        return 1
    truth = read_truth()
    written: dict[str, Any] = {}
    try:
        written["text layer"] = _text_layer(options.output, truth)
        if not options.text_only:
            written["scan"] = _scan(options.output, truth)
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    text = json.dumps(written, ensure_ascii=False, indent=2)
    (options.output / "results.json").write_text(text + "\n", encoding="utf-8")
    return 0


def _campaign(papers: int) -> int:
    found = campaign(papers)
    print("\n".join(table(found)))
    missed = found["all", ""][OUTCOMES[-1]]
    _aim(f"wrong items that no one is told of: {missed} of {found['all', ''].total()} (aim 0)", met=not missed)
    return 0


def _text_layer(folder: Path, truth: Sequence[Truth]) -> dict[str, Any]:
    found, seconds = _read(folder, "exam.pdf")
    results = [compare(item, found.get(item.number), folder / "pictures") for item in truth]
    _table("text layer", results, seconds)
    exact = sum(result.is_exact for result in results)
    formulas, all_formulas = (sum(getattr(result, name) for result in results) for name in ("formulas", "all_formulas"))
    _aim(
        f"items exactly right: {exact} of {len(truth)}, {exact / len(truth):.1%} (aim ≥ {LEAST_EXACT:.0%})",
        met=exact / len(truth) >= LEAST_EXACT,
    )
    print(f"{'':8}  formulas marked at their place, with a picture: {formulas} of {all_formulas}")
    _aim_flagged(results)
    return _summary(results, seconds)


def _scan(folder: Path, truth: Sequence[Truth]) -> dict[str, Any]:
    found, seconds = _read(folder, "scan.pdf")
    results = [compare(item, found.get(item.number), None) for item in truth]
    _table("scan", results, seconds)
    right = sum(result.bounds and result.options and result.key for result in results)
    _aim(
        f"bounds, number of options and key right: {right} of {len(truth)}, {right / len(truth):.1%} "
        f"(aim ≥ {LEAST_OF_SCAN:.0%})",
        met=right / len(truth) >= LEAST_OF_SCAN,
    )
    _aim_flagged(results)
    for what in CONTENTS:
        wrong, size = (sum(result.errors[what][place] for result in results) for place in (0, 1))
        print(f"{'':8}  character errors, formulas apart, {what}: {wrong / size:.3f} (of {size:,})")
    return _summary(results, seconds)


def _read(folder: Path, name: str) -> tuple[dict[int, Found], float]:
    context = Context(folder, folder / "pictures", 42, {}, _progress)
    start = time.monotonic()
    result: StageResult = INGEST.work((), IngestSettings(paper=Path(name)), context)
    seconds = time.monotonic() - start
    return found_in(result), seconds


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr)


def _table(title: str, results: Sequence[Comparison], seconds: float) -> None:
    print(f"\n{title}, {len(results)} items, {seconds:.0f} s")
    for name in ("found", "bounds", "stem", "options", "option_texts", "key", "figures", "is_exact", "flagged"):
        print(f"  {name.replace('_', ' '):14} {sum(getattr(result, name) for result in results):4}")
    for result in results:
        if title == "text layer" and not result.is_exact:
            print(f"  not exact: {result.number}: {', '.join(result.faults)}")


def _aim_flagged(results: Sequence[Comparison]) -> None:
    missed = [result.number for result in results if not result.is_exact and not result.flagged]
    flagged = sum(result.flagged for result in results)
    named = f" {missed}" if missed else ""
    _aim(
        f"wrong items that no one is told of: {len(missed)}{named} (aim 0; {flagged} of {len(results)} flagged)",
        met=not missed,
    )


def _summary(results: Sequence[Comparison], seconds: float) -> dict[str, Any]:
    return {"seconds": round(seconds, 1), "items": [result.as_json() for result in results]}


def _aim(text: str, *, met: bool) -> None:
    print(f"{'met' if met else 'not met':8}  {text}")
