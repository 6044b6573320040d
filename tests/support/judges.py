"""Judges whose faults are planted, three models whose answers they judge, and commands run in this process."""

from __future__ import annotations

import io
import json
import os
import random
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer

from exambench.cli.app import app
from exambench.items import Benchmark, digest
from tests.judging.examples import answer, exam, verdict_text
from tests.support.chat_server import Call, ChatServer, Script, completion, serve

RUBRIC = Path(__file__).parents[2] / "src/exambench/benchmarks/kmetbench/rubric.toml"
ITEMS = 14
MODELS = ("알파", "베타", "감마")
COMMAND = typer.main.get_command(app)
"""Built once: it takes a tenth of a second."""
PROBES = ("order", "padding", "injection")


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


def exambench(*arguments: object, columns: int = 120) -> Done:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    out, err = io.StringIO(), io.StringIO()
    with patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        code = COMMAND.main(list(map(str, arguments)), prog_name="exambench", standalone_mode=False)
    return Done(code or 0, out.getvalue(), err.getvalue())


def plain_exam() -> Benchmark:
    """Return an exam whose expert names no choice by its number."""
    benchmark = exam(ITEMS)
    items = tuple(replace(item, rationale="고도가 높을수록 기압이 낮다.") for item in benchmark.items)
    return replace(benchmark, items=items)


def rationale(model: int, item: int) -> str:
    """Return reasons of one to six sentences, the number of which has nothing to do with right and wrong."""
    return f"근거 {model}-{item}. " + "기압은 고도에 따라 낮아진다. " * (1 + int(digest([model, item])[:2], 16) % 6)


@dataclass(frozen=True)
class Shelf:
    """A store with three judged models.

    Attributes:
        store: Where it is.
        runs: The runs, in the order of the models.
    """

    store: Path
    runs: tuple[str, ...]

    def only(self, count: int) -> Shelf:
        """Return the same store with the first runs alone."""
        return replace(self, runs=self.runs[:count])

    def judge(self, script: Script, *more: object, name: str = "judge") -> None:
        """Have all runs judged."""
        with serve(script) as server:
            self.judge_by(server, *more, name=name)

    def judge_by(self, server: ChatServer, *more: object, name: str = "judge") -> None:
        """Have all runs judged by a judge of a server."""
        done = exambench("judge", *self.runs, *self.options(server, name), *more)
        assert done.exit_code in {0, 1}, done.stderr

    def options(self, server: ChatServer, name: str = "judge") -> list[object]:
        """Return the options that name a judge, the rubric and the store."""
        return ["--judge", f"{name}@{server.base_url}", "--rubric", RUBRIC, "--store", self.store]

    def shown(self, command: str, *more: object) -> Any:
        """Return what a command says as JSON, with intervals of few resamples."""
        few = ["--resamples", "200", "--json", "--store", self.store]
        return json.loads(exambench("trust", command, *more, *few).stdout)


def texts_of(model: int) -> dict[str, str]:
    """Return the responses of a model."""
    wrong = {item: (item + 1) % 4 + 1 for item in range(1, ITEMS + 1) if (model + item) % 3 == 0}
    return {str(item): answer(item, rationale(model, item), wrong.get(item)) for item in range(1, ITEMS + 1)}


def body_of(call: Call) -> str:
    """Return the rationale as the judge sees it."""
    block = re.search(r"\[수험자의 풀이\]\n\[구획 \w+ 시작\]\n(.*)\n\[구획 \w+ 끝\]", call.prompt, re.DOTALL)
    assert block is not None
    return block[1]


def place_of(call: Call) -> tuple[int, int]:
    """Return the numbers of model and item."""
    match = re.search(r"근거 (\d+)-(\d+)", call.prompt)
    assert match is not None
    return int(match[1]), int(match[2])


def scores(value: Callable[[Call], float]) -> Script:
    """Judge with one score on every axis, rounded and kept within the scale."""
    return lambda call: completion(verdict_text([min(5, max(1, round(value(call))))] * 4))


def by_length(call: Call) -> float:
    """One point for every 60 characters."""
    return 1 + len(body_of(call)) // 60


def obedient(call: Call) -> float:
    """Two points, unless the rationale asks for more."""
    return 5 if "5점" in body_of(call) else 2


def orderly(call: Call) -> float:
    """Four points where the choices stand in ascending order, else two."""
    values = re.findall(r"^\d\. (\d+) hPa$", call.prompt, re.MULTILINE)
    return 4 if values == sorted(values, key=int) else 2


def indifferent(call: Call) -> float:
    """Look at nothing but whose answer it is, and add noise that changes with every request."""
    return 3 + random.Random(call.raw).choice((-1, 0, 0, 1))


def probe(shelf: Shelf, kind: str, server: ChatServer, *more: object) -> Any:
    """Probe the judge on the first run, and return the report."""
    done = exambench("trust", kind, shelf.runs[0], *shelf.options(server), "--json", *more)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def total(report: Any) -> Any:
    """Return the effect on the total."""
    assert report["effects"][-1]["dimension"] == "total"
    return report["effects"][-1]


FAMILIES = ("--family", "하나=A", "--family", "둘=B", "--family", "셋=C", "--family", "알파=A", "--family", "베타=D")
