"""No command writes to the terminal what a data file, a model's name or a model's words would have it obey."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exambench.cli.app import app
from exambench.evaluation.reading import read_all
from exambench.exchange import Failure, Response
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Item, Wording, digest
from exambench.outcomes import Answered
from exambench.parsing import PARSER_VERSION
from exambench.store import OutcomeRow, PlanRow, RunRecord, Store, open_store
from tests.store.examples import record
from tests.support.exams import entry

EVIL = "\x1b]0;evil\x07\x9b2J"
"""Sets a terminal's title, and clears its screen with the one-byte spelling of the sequence."""


def a_run(store: Store, benchmark: Benchmark, model: str, choice: int) -> None:
    """Store a run in which a model picks one choice, refuses an item, and was read otherwise before."""
    run = RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=f"{EVIL}{model}",
        identity=f"{EVIL}{model}@http://localhost",
        decoding={},
        model={"name": f"{EVIL}{model}", "endpoint": {"kind": "openai", "base_url": "http://localhost"}},
        protocol_name=EVIL,
        protocol_hash="p" * 64,
        protocol={"strict": "dict-strict", "lenient": "dict-lenient", "where": {}},
        condition={"wording": EXPLICIT},
    )
    keys = [digest([model, item.id]) for item in benchmark.items]
    store.register_run(run)
    rows = [PlanRow(item.id, item.content_hash, 0, key) for item, key in zip(benchmark.items, keys, strict=True)]
    store.plan(run.run_id, rows, {key: {"messages": []} for key in keys})
    answers = {key: Response(text=f"{{'정답': {choice}}}") for key in keys[1:]}
    record(store, run.run_id, answers | {keys[0]: Response(text=EVIL, refusal=EVIL)})
    read_all(store, run)
    before = [OutcomeRow(benchmark.items[0].id, 0, Answered(EVIL))]
    store.save_outcomes(run.run_id, "dict-strict", PARSER_VERSION, before)


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    """Return a store with two runs of an exam in which everything that can be called is called something evil."""
    items = tuple(
        Item(
            id=f"{EVIL}{number}",
            wordings={EXPLICIT: Wording(Content(f"{EVIL}{number}"), (Content(EVIL), Content("b")))},
            key=ChoiceKey(1),
            facets={"part": EVIL if number % 2 else "other", "korean": number % 3 == 0},
        )
        for number in range(12)
    )
    axes = (Axis("accuracy", {"en": EVIL, "ko": EVIL}), Axis(EVIL, {"en": EVIL}, {"part": (EVIL,)}))
    benchmark = Benchmark(name="exam", title=EVIL, items=items, axes=axes)
    with open_store(str(tmp_path / "r.db")) as store:
        store.register_dataset(benchmark)
        a_run(store, benchmark, "one", 1)
        a_run(store, benchmark, "two", 2)
    return tmp_path / "r.db"


def ids(place: Path) -> list[str]:
    """Return the runs' identifiers."""
    with open_store(str(place)) as store:
        return [summary.run_id for summary in store.runs()]


def shown_by(*arguments: str | Path) -> str:
    """Run a command in this process and return everything that it wrote, the message of its error included."""
    done = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100", "TERM": "dumb"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return done.output + str(done.exception)
    return done.output


def commands_in(text: str) -> set[str]:
    """Return the control characters of a text, line ends apart."""
    return {character for character in text if not character.isprintable() and character != "\n"}


@pytest.mark.parametrize(
    "command",
    [
        ["runs"],
        ["report"],
        ["report", "--common"],
        ["report", "--markdown"],
        ["rescore"],
        ["diagnose", "--resamples", "20", "--by", "part"],
        ["diagnose", "--resamples", "20", "--markdown"],
        ["items"],
        ["items", "--markdown"],
        ["cost"],
        ["cost", "--markdown"],
        *([name, form] for name in ("report", "diagnose", "items", "cost") for form in ("--json", "--csv")),
        ["runs", "--json"],
    ],
    ids=" ".join,
)
def test_no_command_on_stored_runs_writes_controls(place: Path, command: list[str]) -> None:
    """Names and refusals are shown, escaped or with the controls replaced."""
    shown = shown_by(*command, "--store", place)
    assert "evil" in shown
    assert commands_in(shown) == set()


@pytest.mark.parametrize("form", [[], ["--markdown"]], ids=["terminal", "markdown"])
def test_a_comparison_writes_no_controls(place: Path, form: list[str]) -> None:
    """The two runs that are compared, and the items on which they differ."""
    shown = shown_by("compare", *ids(place), "--resamples", "20", "--store", place, *form)
    assert "evil" in shown
    assert commands_in(shown) == set()


@pytest.mark.parametrize("command", [["check"], ["describe"], ["run", "--model", "baseline/first", "--dry-run"]])
@pytest.mark.parametrize(
    "changes", [{"id": f"{EVIL}1"}, {"answer": EVIL}, {"part": EVIL}, {"question": {"text": "?", "image": EVIL}}]
)
def test_no_command_on_a_data_file_writes_controls(
    tmp_path: Path, command: list[str], changes: dict[str, object]
) -> None:
    """What is wrong with an item is told, whatever it holds."""
    data = tmp_path / "exam.json"
    data.write_text(json.dumps([entry(1, **changes), entry(2)]), encoding="utf-8")
    (tmp_path / "images").mkdir()
    given = [data] if command[0] != "run" else ["--data", data]
    shown = shown_by(*command, *given, "--benchmark", "kmetbench", "--images", tmp_path / "images")
    assert "evil" in shown
    assert commands_in(shown) == set()


@pytest.mark.parametrize("name", ["report", "rescore", "diagnose", "items", "cost"])
def test_a_run_that_is_not_there_is_named_without_controls(place: Path, name: str) -> None:
    """What was typed, and what there is instead."""
    shown = shown_by(name, EVIL, "--store", place)
    assert "evil" in shown
    assert commands_in(shown) == set()


def test_the_words_of_an_endpoint_are_quoted(place: Path) -> None:
    """The reasons of failures stand in ``runs --json`` as what a message may show."""
    with open_store(str(place)) as store:
        run = store.runs()[0].run
        (item, *_) = store.benchmark(run.benchmark, run.dataset_hash).items
        key = digest("open")
        store.plan(run.run_id, [PlanRow(item.id, item.content_hash, 1, key)], {key: {"messages": []}})
        fail(store, run.run_id, key)
    shown = shown_by("runs", "--json", "--store", place)
    assert json.loads(shown)[0]["failed_for"] == [{"reason": repr(EVIL), "count": 1}]


def fail(store: Store, run_id: str, key: str) -> None:
    """Record that a request failed with evil words."""

    async def session() -> None:
        async with store.ledger(run_id) as ledger:
            await ledger.record_failure(key, Failure(EVIL))

    asyncio.run(session())
