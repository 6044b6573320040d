"""What the site of a large leaderboard takes: to build, to send, and in the reader's browser."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.measure import run_measured

if TYPE_CHECKING:
    from playwright.sync_api import Page

SUMMARY: Final = "Build the site of 200 models on 1,774 items, and measure its first page in Chromium."
ROOT: Final = Path(__file__).parent.parent
MOST_SECONDS: Final = 20.0
MOST_PEAK: Final = 1_000_000_000
MOST_TRANSFER: Final = 500_000
MOST_INTERACTIVE: Final = 1000.0
MOST_SORT: Final = 50.0
REPEATS: Final = 5

SORT: Final = """() => {
  const button = document.querySelector("th.axis:not([hidden]) button");
  const start = performance.now();
  button.click();
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""
"""Sorts by a column and lays the page out again; in milliseconds."""
INTERACTIVE: Final = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
"""When the page's scripts had run, in milliseconds after the reader asked for it."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare where results go and how long a build may take."""
    parser.add_argument("--output", type=Path, default=Path("bench-output/site"), help="folder for results")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one build")
    parser.add_argument("--with-items", action="store_true", help="build the pages of the items too")


def run(options: argparse.Namespace) -> int:
    """Build, open, print the figures and the aims, write ``results.json``."""
    output: Path = options.output.absolute()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    built = _build(output, options.timeout, ["--with-items"] if options.with_items else [])
    page = (output / "site" / "index.html").read_bytes()
    assets = [(output / "site" / "assets" / name).read_bytes() for name in ("early.js", "site.css", "site.js")]
    sent = sum(len(gzip.compress(content, 9, mtime=0)) for content in (page, *assets))
    opened = _opened(output / "site" / "index.html")
    _print(f"built {built['pages']:,} pages in s: {built['seconds']:.1f}", MOST_SECONDS, built["seconds"])
    _print(f"peak memory, MB: {built['peak'] / 1e6:.0f}", MOST_PEAK / 1e6, built["peak"] / 1e6)
    _print(f"leaderboard with its style and scripts, gzip, kB: {sent / 1e3:.0f}", MOST_TRANSFER / 1e3, sent / 1e3)
    if opened is not None:
        _print(f"interactive in ms: {opened['interactive']:.0f}", MOST_INTERACTIVE, opened["interactive"])
        _print(f"sorted in ms: {opened['sort']:.0f}", MOST_SORT, opened["sort"])
    results = {**built, "sent": sent, **(opened or {})}
    (output / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


def _build(output: Path, timeout: float, more: list[str]) -> dict[str, Any]:
    """Build the site in a process of its own; return what that took."""
    log = output / "build.log"
    command = [sys.executable, "-m", "bench.site_work", str(output / "site"), *more]
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    cost = run_measured(command, log=log, env=env, timeout=timeout)
    if cost.status:
        sys.exit(f"the build ended with status {cost.status}, see {log}")
    took: dict[str, Any] = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return took | {"cpu_seconds": cost.cpu_seconds, "peak": cost.peak_bytes}


def _opened(page: Path) -> dict[str, float] | None:
    """Return what the page takes in the browser, the middle of several times; nothing where there is no browser."""
    program = shutil.which("chromium")
    if program is None:
        print("no chromium on this machine: its two aims are not measured")
        return None
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the other suites do without

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            taken = [_measured(browser.new_page(), page) for _ in range(REPEATS)]
        finally:
            browser.close()
    return {name: sorted(each[name] for each in taken)[REPEATS // 2] for name in ("interactive", "sort")}


def _measured(tab: Page, page: Path) -> dict[str, float]:
    tab.goto(page.as_uri())
    return {"interactive": float(tab.evaluate(INTERACTIVE)), "sort": float(tab.evaluate(SORT))}


def _print(text: str, aim: float, found: float) -> None:
    print(f"{'met' if found <= aim else 'not met':8}  {text} (aim ≤ {aim:g})")
