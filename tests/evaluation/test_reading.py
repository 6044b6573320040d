"""Responses are read before their scores are looked at, whatever became of the process that asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exambench.evaluation.reading import Reading, read_all, read_unread
from exambench.exchange import Response
from exambench.items import Axis
from exambench.outcomes import Answered, Unparsed
from exambench.parsing import PARSER_VERSION
from exambench.store import OutcomeRow, RunRecord, Store, open_existing_store, open_store
from tests.store.examples import exam, keys_of, plan_of, record
from tests.support.chat_server import after, serve
from tests.support.commands import exambench, start
from tests.support.exams import write_exam
from tests.support.postgres import postgres_server
from tests.support.sittings import number_of, right, run_arguments, wait_for_calls

STRICT, LENIENT = "dict-strict", "dict-lenient"
RIGHT, PROSE = Response(text="{'정답': 1}"), Response(text="1")


def run_with(store: Store, *responses: Response) -> RunRecord:
    """Store a run of as many items with these responses, none of which was read."""
    benchmark = replace(exam(len(responses)), axes=(Axis("accuracy", {"en": "Accuracy"}),))
    run = RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name="model",
        identity="model@http://localhost",
        decoding={},
        model={"name": "model"},
        protocol_name="advanced",
        protocol_hash="p" * 64,
        protocol={"strict": STRICT, "lenient": LENIENT},
        condition={"wording": "explicit"},
    )
    keys = keys_of(len(responses))
    store.register_dataset(benchmark)
    store.register_run(run)
    store.plan(run.run_id, plan_of(benchmark, keys), {key: {"messages": []} for key in keys})
    record(store, run.run_id, dict(zip(keys, responses, strict=True)))
    return run


def kinds(store: Store, run: RunRecord, parser: str) -> list[str]:
    """Return the kinds of the stored outcomes by a parser."""
    return [str(row.outcome.kind) for row in store.outcomes(run.run_id, parser)]


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    """Return an empty store."""
    return open_store(str(tmp_path / "r.db"))


def test_what_has_no_outcome_is_read_by_both_parsers(store: Store) -> None:
    """A dictionary is an answer for both, a bare number for the lenient one alone."""
    with store:
        run = run_with(store, RIGHT, PROSE)
        assert read_unread(store, run) == Reading(first=2)
        assert kinds(store, run, STRICT) == ["answered", "unparsed"]
        assert kinds(store, run, LENIENT) == ["answered", "answered"]


def test_what_was_read_is_not_read_again(store: Store) -> None:
    """Not even when the stored outcome is another than the parser would give: that is for rescoring to tell."""
    with store:
        run = run_with(store, RIGHT)
        read_unread(store, run)
        store.save_outcomes(run.run_id, STRICT, PARSER_VERSION, [OutcomeRow("문항 0", 0, Unparsed("spoiled"))])
        assert read_unread(store, run) == Reading()
        assert kinds(store, run, STRICT) == ["unparsed"]
        reading = read_all(store, run)
        assert reading.first == 0
        (change,) = reading.changes
        assert (change.parser, change.before, change.after) == (STRICT, Unparsed("spoiled"), Answered(1))


def test_what_an_older_version_read_is_read_again_and_the_change_is_told(store: Store) -> None:
    """One run is read by one version of its parsers, so that its scores compare."""
    with store:
        run = run_with(store, RIGHT, RIGHT)
        for parser in (STRICT, LENIENT):
            older = [OutcomeRow("문항 0", 0, Unparsed("not seen")), OutcomeRow("문항 1", 0, Answered(1))]
            store.save_outcomes(run.run_id, parser, "0", older)
        reading = read_unread(store, run)
        assert reading.first == 0
        assert [(change.item_id, change.parser) for change in reading.changes] == [
            ("문항 0", STRICT),
            ("문항 0", LENIENT),
        ]
        assert {row.parser_version for row in store.outcomes(run.run_id, STRICT)} == {PARSER_VERSION}


def test_one_parser_that_was_interrupted_is_enough_to_read_again(store: Store) -> None:
    """The strict outcomes were stored, and then the process died."""
    with store:
        run = run_with(store, RIGHT)
        store.save_outcomes(run.run_id, STRICT, PARSER_VERSION, [OutcomeRow("문항 0", 0, Answered(1))])
        assert read_unread(store, run) == Reading(first=1)
        assert kinds(store, run, LENIENT) == ["answered"]


def test_rescoring_tells_first_readings_from_changes(store: Store) -> None:
    """Both are counted for each run."""
    with store:
        run = run_with(store, RIGHT, PROSE)
        for parser in (STRICT, LENIENT):
            store.save_outcomes(run.run_id, parser, PARSER_VERSION, [OutcomeRow("문항 0", 0, Answered(2))])
        place = store.place
    done = exambench("rescore", "--store", place)
    assert done.stdout.splitlines() == [
        f"{run.run_id} item '문항 0' trial 0 dict-strict: answered 2 → answered 1",
        f"{run.run_id} item '문항 0' trial 0 dict-lenient: answered 2 → answered 1",
        f"{run.run_id} model: 1 responses read for the first time, 2 outcomes changed.",
    ]


def test_a_killed_run_is_reported_with_what_it_got(tmp_path: Path) -> None:
    """After SIGKILL the responses are stored and not read; the report reads them once, and says so."""
    data, place = write_exam(tmp_path, 20), tmp_path / "r.db"
    with serve(lambda call: right(call) if number_of(call) <= 5 else after(60.0, right(call))) as server:
        process = start(run_arguments(data, server, place, "--concurrency", "1"))
        wait_for_calls(server, 6)
        process.kill()
        process.communicate()
    with open_existing_store(str(place)) as results:
        (summary,) = results.runs()
    # The fifth response may have been on its way to the disk.
    assert 4 <= summary.answered <= 5
    assert summary.outcomes == {}
    first, second = (exambench("report", "--json", "--store", place) for _ in range(2))
    assert f"{summary.answered} responses read for the first time, 0 outcomes changed" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout
    assert json.loads(first.stdout)[0]["rows"][0]["scored"] == summary.answered


def test_a_store_that_may_only_be_read_is_still_reported() -> None:
    """What could not be read is a warning that names the run; the numbers are those that are stored."""
    with postgres_server() as server:
        url = server.create_database()
        with open_store(url) as store:
            run = run_with(store, RIGHT, RIGHT)
            store.save_outcomes(run.run_id, STRICT, PARSER_VERSION, [OutcomeRow("문항 0", 0, Answered(1))])
        done = exambench("report", "--json", "--store", f"{url}&options=-cdefault_transaction_read_only%3Don")
        assert done.returncode == 0, done.stderr
        assert f"warning: run {run.run_id}: there are responses that could not be read: " in done.stderr
        assert "read-only" in done.stderr
        assert json.loads(done.stdout)[0]["rows"][0]["scored"] == 1
        with open_existing_store(url) as store:
            assert kinds(store, run, LENIENT) == []
