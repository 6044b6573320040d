"""Do other harnesses find the same of an exported exam as we do? Each asks one server whose answers are known."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from bench.engine import CONTENDERS, environment, exambench
from bench.known_answers import KnownAnswers, Planned, serving
from bench.measure import run_measured
from exambench.analysis.scores import find_run, load_scores
from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.loading import image_path
from exambench.interop.harness_tasks import function_name
from exambench.store import open_store_read_only

SUMMARY: Final = "Run exported tasks in Inspect AI and lm-eval, and compare item by item with exambench's own scores."
BENCHMARK: Final = "kmet-mini"
SAME: Final = 1e-9


@dataclass(frozen=True)
class Found:
    """What a program finds.

    Attributes:
        program: Its name and version.
        accuracy: As it tells it, in [0, 1].
        scores: Of each item, 0 or 1.
    """

    program: str
    accuracy: float
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """What a program finds beside what we find.

    Attributes:
        program: Its name and version.
        items: How many items it asked.
        accuracy: As it tells it.
        ours: Our accuracy on these items.
        differ: The items that it scores otherwise.
    """

    program: str
    items: int
    accuracy: float
    ours: float
    differ: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every item has the same score, and so has the whole."""
        return self.items > 0 and not self.differ and abs(self.accuracy - self.ours) < SAME


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this suite."""
    parser.add_argument("--others", required=True, help="Python with the other toolkits (requirements/bench.txt)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("bench-output/exports"), help="folder for logs and JSON")


def run(options: argparse.Namespace) -> int:
    """Export, run each harness, print the table and whether they agree, write ``results.json``."""
    output: Path = options.output.absolute()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    definition = find_definition(BENCHMARK)
    images = image_path(definition)
    assert images is not None  # noqa: S101 - this benchmark carries its pictures
    answers = KnownAnswers(read_benchmark(definition)[0].items, images)
    with serving(answers) as server:
        ours = _ours(server, output, options.timeout)
        others = [
            _inspect(options.others, server, output, options.timeout),
            _lm_eval(options.others, server, output, options.timeout),
        ]
    planned = {item: float(how is Planned.RIGHT) for item, how in answers.planned.items()}
    comparisons = [compare(ours, Found("as planned", fmean(planned.values()), planned))]
    comparisons += [compare(ours, found) for found in others]
    _print(comparisons)
    text = json.dumps([asdict(each) for each in comparisons], ensure_ascii=False, indent=2)
    (output / "results.json").write_text(text + "\n", encoding="utf-8")
    return int(not all(each.agrees for each in comparisons))


def compare(ours: Mapping[str, float], found: Found) -> Comparison:
    """Compare the scores of a program with ours on the items that it asked."""
    known = {item: ours[item] for item in found.scores if item in ours}
    differ = tuple(item for item, score in found.scores.items() if known.get(item) != score)
    mean = fmean(known.values()) if known else float("nan")
    return Comparison(found.program, len(found.scores), found.accuracy, mean, differ)


def _ours(server: str, output: Path, timeout: float) -> Mapping[str, float]:
    store = output / "store.db"
    model = f"known@{server}/exambench/v1"
    arguments = ["run", "--benchmark", BENCHMARK, "--model", model, "--vision", "--store", str(store)]
    _run([*exambench(), *arguments], output, "exambench", timeout)
    with open_store_read_only(str(store)) as opened:
        return load_scores(opened, find_run(opened, "known")).scores


def _inspect(python: str, server: str, output: Path, timeout: float) -> Found:
    tasks = _export("inspect", output, timeout)
    task = tasks / f"{function_name(BENCHMARK)}.py"
    arguments = [str(task), f"{server}/inspect/v1"]
    return _contend([python, str(CONTENDERS / "inspect_task.py"), *arguments], output, "inspect-run", timeout)


def _lm_eval(python: str, server: str, output: Path, timeout: float) -> Found:
    tasks = _export("lm-eval", output, timeout)
    arguments = [str(tasks), f"{function_name(BENCHMARK)}_generative", f"{server}/lm-eval/v1"]
    return _contend([python, str(CONTENDERS / "lm_eval_task.py"), *arguments], output, "lm-eval-run", timeout)


def _export(form: str, output: Path, timeout: float) -> Path:
    folder = output / form
    _run([*exambench(), "export", form, str(folder), "--benchmark", BENCHMARK], output, f"export-{form}", timeout)
    return folder


def _contend(command: Sequence[str], output: Path, name: str, timeout: float) -> Found:
    folder = output / name
    folder.mkdir()
    _run([*command, str(folder)], output, name, timeout)
    return Found(**json.loads((folder / "result.json").read_text(encoding="utf-8")))


def _run(command: Sequence[str], output: Path, name: str, timeout: float) -> None:
    log = output / f"{name}.txt"
    print(f"{name} …", file=sys.stderr, flush=True)
    cost = run_measured(command, log=log, env=environment(output), timeout=timeout)
    if cost.status:
        raise SystemExit(f"{name} ended with status {cost.status}, see {log}")


def _print(comparisons: Sequence[Comparison]) -> None:
    print(f"{'':28}  items  accuracy  exambench on these  items that differ")
    for each in comparisons:
        figures = f"{each.items:5}  {each.accuracy:8.4f}  {each.ours:18.4f}  {len(each.differ):17}"
        print(f"{each.program:28}  {figures}")
    for each in comparisons:
        named = f": {', '.join(each.differ)}" if each.differ else ""
        print(f"{'met' if each.agrees else 'not met':8}  {each.program} and exambench agree on every item{named}")
