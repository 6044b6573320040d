"""The engine suite: how fast one exam goes through each toolkit, against one local server.

Every contender runs alone, in a process of its own, and asks the same number of questions over the same number of
connections. All of them find their bytecode compiled, as an installed program does: installers compile packages, and
this toolkit is compiled here, since it may run from its sources. The whole process is measured from outside (time,
processor time, peak memory); the request phase is measured by the server, from the first request's arrival to the last
answer.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Final

import exambench as toolkit
from bench.engine_report import Result, aims, as_json, table
from bench.exam import write_exam
from bench.measure import run_measured

SUMMARY = "one exam through this toolkit and others, against one local server"
CONTENDERS: Final = Path(__file__).parent / "contenders"
HELP_RUNS: Final = 5


@dataclass(frozen=True, slots=True)
class Setup:
    """What all contenders of one suite share.

    Attributes:
        server: Address of the server.
        exam: The exam in K-MetBench's format.
        prompts: The same questions, for the contenders that know no exams.
        others: Python of the environment with the other toolkits.
    """

    server: str
    exam: Path
    prompts: Path
    others: str
    items: int
    concurrency: int
    timeout: float
    output: Path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this suite."""
    parser.add_argument(
        "--others", default=sys.executable, help="Python with the other toolkits (requirements/bench.txt)"
    )
    parser.add_argument("--items", type=int, default=1774, help="questions (default: %(default)s)")
    parser.add_argument("--concurrency", type=int, default=64, help="connections (default: %(default)s)")
    parser.add_argument("--delay", type=float, default=0.02, help="seconds for a response (default: %(default)s)")
    parser.add_argument(
        "--repeats", type=int, default=1, help="runs of each; the middle one counts (default: %(default)s)"
    )
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="contenders to run, by name")
    parser.add_argument("--output", type=Path, default=Path("bench-output/engine"), help="folder for logs and JSON")


def run(options: argparse.Namespace) -> int:
    """Measure every contender, print the table and the aims, write ``results.json``."""
    output: Path = options.output.absolute()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    exam, prompts = output / "exam.json", output / "prompts.jsonl"
    write_exam(options.items, exam, prompts)
    compile_toolkit()
    with running_server(options.items, options.delay) as server:
        setup = Setup(
            server, exam, prompts, options.others, options.items, options.concurrency, options.timeout, output
        )
        results = [
            middle([contend(name, setup, repeat) for repeat in range(options.repeats)])
            for name in commands(setup, output)
            if not options.only or name in options.only
        ]
    help_seconds = measure_help(output)
    print(table(results))
    for aim in aims(results, help_seconds):
        print(aim)
    (output / "results.json").write_text(as_json(results, help_seconds, vars(options)), encoding="utf-8")
    return int(any(result.error for result in results))


def commands(setup: Setup, folder: Path) -> dict[str, list[str]]:
    """Return the command of every contender; each may write into ``folder``."""
    base_url = f"{setup.server}/v1"
    arguments = [str(setup.prompts), base_url, str(setup.concurrency), str(folder)]
    ours = [*exambench(), "run", "--benchmark", "kmetbench", "--data", str(setup.exam)]
    ours += ["--model", f"bench@{base_url}", "--protocol", "advanced"]
    ours += ["--concurrency", str(setup.concurrency), "--store", str(folder / "store.db")]
    return {
        "bare loop": [sys.executable, str(CONTENDERS / "bare_loop.py"), *arguments],
        "exambench": ours,
        "OpenAI SDK": [setup.others, str(CONTENDERS / "openai_sdk.py"), *arguments],
        "Inspect AI": [setup.others, str(CONTENDERS / "inspect_ai_eval.py"), *arguments],
        "lm-eval": [setup.others, str(CONTENDERS / "lm_eval_run.py"), *arguments],
    }


def exambench() -> list[str]:
    """Return the command that a user types: the script beside this Python, or the module where there is no script."""
    script = Path(sys.executable).with_name("exambench")
    return [str(script)] if script.exists() else [sys.executable, "-m", "exambench"]


def compile_toolkit() -> None:
    """Compile this toolkit's sources as an installer does, where they may be written."""
    compileall.compile_dir(Path(toolkit.__file__).parent, quiet=2)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of contenders: this one, without keys, without proxies, and with nothing to look up."""
    kept = {
        name: value for name, value in os.environ.items() if not name.lower().endswith(("_proxy", "_key", "_token"))
    }
    return kept | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hf")}


def contend(name: str, setup: Setup, repeat: int) -> Result:
    """Run one contender once."""
    folder = setup.output / f"{name.replace(' ', '-').lower()}-{repeat + 1}"
    folder.mkdir()
    log = folder / "log.txt"
    print(f"{name} …", file=sys.stderr, flush=True)
    cost = run_measured(
        commands(setup, folder)[name],
        log=log,
        env=environment(folder),
        timeout=setup.timeout,
        started=lambda pid: begin_phase(setup.server, pid),
    )
    phase = json.loads(ask(f"{setup.server}/measure"))
    return Result.of(name, setup.items, cost, phase, log)


def middle(results: list[Result]) -> Result:
    """Return the run with the middle time; a failed one, if there is any."""
    failed = [result for result in results if result.error]
    if failed:
        return failed[0]
    wanted = median_low(result.cost.seconds for result in results)
    return next(result for result in results if result.cost.seconds == wanted)


def measure_help(output: Path) -> float | None:
    """Return the middle time of ``exambench --help``; ``None`` if it fails."""
    command = [*exambench(), "--help"]
    runs = [
        run_measured(command, log=output / "help.txt", env=environment(output), timeout=30) for _ in range(HELP_RUNS)
    ]
    return None if any(cost.status for cost in runs) else median_low(cost.seconds for cost in runs)


@contextmanager
def running_server(items: int, delay: float) -> Iterator[str]:
    """Run the server in a process of its own and lend its address."""
    command = [sys.executable, "-m", "bench.server", "--expected", str(items), "--delay", str(delay)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
        yield process.stdout.readline().strip()
        # Leaving closes standard input, which ends the server.


def begin_phase(server: str, pid: int) -> None:
    """Tell the server whom to measure."""
    ask(f"{server}/measure/{pid}", method="POST")


def ask(url: str, method: str = "GET") -> bytes:
    """Ask the server."""
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=10) as reply:  # noqa: S310 - our own server
        body: bytes = reply.read()
        return body
