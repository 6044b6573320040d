"""Does every stage that asks a model about texts come to an end with a real, small model on this machine?"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench.engine import environment, exambench
from bench.measure import Cost, run_measured
from bench.stages_work import Sizes, write_project
from exambench.construct.building import State, states
from exambench.construct.project import read_project
from exambench.construct.records import Action, StageRecord

SUMMARY: Final = (
    "Build a small project whose stages ask a model that is served on this machine; tell what became of it."
)
ROOT: Final = Path(__file__).parent.parent
MODEL: Final = ROOT / "models" / "qwen2.5-coder-1.5b.toml"


@dataclass(frozen=True)
class Result:
    """What became of the items of one stage.

    Attributes:
        stage: Its name.
        items: How many went in.
        requests: How many responses its result rests on.
        kept: Items that went on as they were, without a person being needed.
        changed: Items that the stage changed.
        dropped: Items that it dropped.
        people: Items, or what could not be made one, that are left for people.
        seconds: How long the command took that built it, the loading of the model included.
        reasons: Why something is left for people, and how often.
    """

    stage: str
    items: int
    requests: int
    kept: int
    changed: int
    dropped: int
    people: int
    seconds: float
    reasons: dict[str, int]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare which model is asked, and about how much."""
    parser.add_argument("--model", type=Path, default=MODEL, help="model file of a local model (default: the demo's)")
    parser.add_argument("--items", type=int, default=4, help="items of kmet-mini, the shortest (default: %(default)s)")
    parser.add_argument("--max-tokens", type=int, default=600, help="most tokens of a reply (default: %(default)s)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of prompt and reply (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one stage (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("bench-output/stages"), help="folder of the project")


def run(options: argparse.Namespace) -> int:
    """Build stage by stage, then all of it again; print a table and the aims, and write ``results.json``."""
    folder: Path = options.output.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_project(folder, options.model, Sizes(options.items, options.max_tokens, options.context))
    names = [step.name for step in read_project(folder).steps]
    costs = {name: _build(folder, options.timeout, name, "--until", name) for name in names}
    asked = _responses(folder)
    again = _build(folder, options.timeout, "again")
    found = states(read_project(folder))
    results = [result_of(each.record, costs[each.step.name]) for each in found if each.record is not None]
    _print(results)
    undone = [each.step.name for each in found if each.state is not State.CURRENT]
    _aim(f"every stage is done{': not ' + ', '.join(undone) if undone else ''}", met=not undone)
    new = _responses(folder) - asked
    _aim(f"a second build asks nothing: {new} requests, {again.seconds:.1f} s", met=new == 0 and again.status == 0)
    text = json.dumps([asdict(result) for result in results], ensure_ascii=False, indent=2)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")
    return int(bool(undone) or new > 0)


def result_of(record: StageRecord, cost: Cost) -> Result:
    """Count what a stage did."""
    acted = (Action.ADDED, Action.CHANGED, Action.DROPPED, Action.REVIEW)
    touched = {change.item for change in record.changes if change.action in acted}
    review = [change.reason for change in record.changes if change.action is Action.REVIEW]
    return Result(
        stage=record.name,
        items=record.n_in,
        requests=record.spending.requests,
        kept=max(0, record.n_in - len(touched)),
        changed=record.count(Action.ADDED) + record.count(Action.CHANGED),
        dropped=record.count(Action.DROPPED),
        people=record.count(Action.REVIEW),
        seconds=cost.seconds,
        reasons=dict(Counter(review)),
    )


def _build(folder: Path, timeout: float, name: str, *arguments: str) -> Cost:
    print(f"{name} …", file=sys.stderr, flush=True)
    command = [*exambench(), "build", "--project", str(folder), *arguments]
    return run_measured(command, log=folder / f"{name}.log", env=environment(folder), timeout=timeout)


def _responses(folder: Path) -> int:
    with sqlite3.connect(folder / "build.db") as store:
        return int(store.execute("SELECT count(*) FROM responses").fetchone()[0])


def _print(results: Sequence[Result]) -> None:
    print(f"{'stage':12}  items  requests  kept  changed  dropped  for people  seconds")
    for each in results:
        counts = f"{each.items:5}  {each.requests:8}  {each.kept:4}  {each.changed:7}  {each.dropped:7}"
        print(f"{each.stage:12}  {counts}  {each.people:10}  {each.seconds:7.1f}")
    for each in results:
        for reason, times in each.reasons.items():
            print(f"{'':8}  {each.stage}: {reason} ({times})")


def _aim(text: str, *, met: bool) -> None:
    print(f"{'met' if met else 'not met':8}  {text}")
