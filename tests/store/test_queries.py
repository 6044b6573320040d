"""What a store tells about runs, and how one is found."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from exambench.errors import ConfigError, StoreError
from exambench.exchange import Response, Usage
from exambench.outcomes import (
    Answered,
    Failed,
    Flag,
    Outcome,
    OutcomeKind,
    Refused,
    Truncated,
    Unparsed,
    Unsupported,
)
from exambench.store import OutcomeRow, Store
from tests.store.examples import RESPONSE, behind, exam, keys_of, plan_of, planned_run, record, run_of


def test_an_empty_store_has_no_runs(store: Store) -> None:
    """There is nothing to sum up."""
    assert store.runs() == []


def test_a_registered_run_has_nothing_yet(store: Store) -> None:
    """A run without a plan is counted with zeros, and is not complete."""
    benchmark = exam()
    store.register_dataset(benchmark)
    store.register_run(run_of(benchmark))
    (summary,) = store.runs()
    assert (summary.planned, summary.answered, summary.usage, summary.outcomes) == (0, 0, Usage(), {})
    assert not summary.complete


def test_a_summary_counts_and_sums(store: Store) -> None:
    """Coverage, tokens, latencies and outcomes of a run in which something of everything happened.

    Of five items one cannot be asked, two are answered, of which one says nothing about tokens: 30 + 20 tokens, of
    which 10 cached and 5 for reasoning, and 0.5 s + 1.5 s.
    """
    run_id = planned_run(store, 5)
    store.plan(run_id, plan_of(exam(5), [*keys_of(4), None]), {})
    record(store, run_id, {keys_of(5)[0]: RESPONSE, keys_of(5)[1]: Response(text="?", seconds=1.5)})
    store.save_outcomes(
        run_id, "dict-strict", "1", [OutcomeRow("문항 0", 0, Answered(2)), OutcomeRow("문항 1", 0, Unparsed("no dict"))]
    )
    store.save_outcomes(run_id, "dict-lenient", "1", [OutcomeRow(f"문항 {n}", 0, Answered(n + 1)) for n in range(2)])
    (summary,) = store.runs()
    assert summary.run_id == run_id
    assert (summary.planned, summary.answered, summary.failed, summary.unsupported, summary.open) == (5, 2, 0, 1, 2)
    assert summary.usage == Usage(input_tokens=30, output_tokens=20, cached_tokens=10, reasoning_tokens=5)
    assert (summary.unmetered, summary.seconds) == (1, 2.0)
    assert summary.outcomes == {
        "dict-lenient": {OutcomeKind.ANSWERED: 2},
        "dict-strict": {OutcomeKind.ANSWERED: 1, OutcomeKind.UNPARSED: 1},
    }
    assert not summary.complete
    assert summary.created_at < summary.updated_at


def test_two_items_of_one_request_are_paid_once(store: Store) -> None:
    """When two items lead to the same request both are answered, and its tokens count once."""
    run_id = planned_run(store, 2)
    store.plan(run_id, plan_of(exam(2), keys_of(1) * 2), {})
    record(store, run_id, {keys_of(1)[0]: RESPONSE})
    (summary,) = store.runs()
    assert (summary.answered, summary.usage.input_tokens) == (2, 30)
    assert [stored.item_id for stored in store.responses(run_id)] == ["문항 0", "문항 1"]


def test_a_response_that_was_there_before_is_not_received(store: Store) -> None:
    """A run that leads to the same requests as an earlier one shares its responses, and receives only the third."""
    first, second = planned_run(store, model="first"), planned_run(store, model="second")
    record(store, first, dict.fromkeys(keys_of(2), RESPONSE))
    record(store, second, {keys_of(3)[2]: RESPONSE})
    found = {summary.run_id: (summary.answered, summary.received) for summary in store.runs()}
    assert found == {first: (3, 2), second: (3, 1)}


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=30), Usage(output_tokens=20)])
def test_a_response_is_metered_when_both_counts_are_there(store: Store, usage: Usage) -> None:
    """A price needs the tokens that went in and those that came out."""
    run_id = planned_run(store, 2)
    record(store, run_id, {keys_of(2)[0]: RESPONSE, keys_of(2)[1]: Response(text="?", usage=usage)})
    assert store.runs()[0].unmetered == 1


def test_counts_beyond_32_bits_are_kept_and_summed(store: Store) -> None:
    """PostgreSQL's integer ends at 2³¹ − 1, and the sum of its longer ones is a decimal: here it is 2 · 2⁴⁰."""
    run_id = planned_run(store, 2)
    usage = Usage(input_tokens=2**40, output_tokens=2**40, cached_tokens=2**40, reasoning_tokens=2**40)
    record(store, run_id, dict.fromkeys(keys_of(2), Response(text="?", usage=usage)))
    assert {stored.response.usage for stored in store.responses(run_id)} == {usage}
    (summary,) = store.runs()
    assert summary.usage == Usage(2**41, 2**41, 2**41, 2**41)
    assert type(summary.usage.input_tokens) is int


def test_time_is_counted_once_when_two_work_at_one_time(location: str, store: Store) -> None:
    """Sessions of 0-60 s, 30-90 s and 40-50 s overlap, one of 200-210 s is apart: 90 s + 10 s."""
    run_id = planned_run(store)
    start = "2026-01-01T00:{:02}:{:02}.000000Z"
    with behind(location) as connection:
        for begin, end in ((0, 60), (30, 90), (40, 50), (200, 210)):
            connection.execute(
                text("INSERT INTO sessions (run_id, started_at, heartbeat_at, ended_at) VALUES (:run, :a, :b, :b)"),
                {"run": run_id, "a": start.format(*divmod(begin, 60)), "b": start.format(*divmod(end, 60))},
            )
    assert store.runs()[0].wall_seconds == 100


def test_outcomes_of_every_kind_come_back(store: Store) -> None:
    """Outcomes come back in item order with their parser; a later parse takes the place of an earlier one."""
    run_id = planned_run(store, 7)
    found: list[Outcome] = [
        Answered(2, (Flag.EARLIER_ANSWER, Flag.LENGTH_LIMIT)),
        Answered(("a", "c")),
        Unparsed("no dict"),
        Truncated(),
        Refused("policy"),
        Failed("HTTP 500"),
        Unsupported("takes no pictures"),
    ]
    rows = [OutcomeRow(f"문항 {number}", 0, outcome) for number, outcome in enumerate(found)]
    store.save_outcomes(run_id, "letters-strict", "1", [OutcomeRow(row.item_id, 0, Truncated()) for row in rows])
    store.save_outcomes(run_id, "letters-strict", "2", reversed(rows))
    stored = store.outcomes(run_id, "letters-strict")
    assert [(row.item_id, row.outcome) for row in stored] == [(row.item_id, row.outcome) for row in rows]
    assert {(row.parser, row.parser_version) for row in stored} == {("letters-strict", "2")}
    assert store.outcomes(run_id, "letters-lenient") == []


def test_a_run_is_found_by_its_beginning(store: Store) -> None:
    """The whole identifier, or enough of it, finds the run."""
    first, second = planned_run(store, model="first"), planned_run(store, model="second")
    assert store.run(first).model_name == "first"
    assert store.run(second[:10]).model_name == "second"


def test_an_ambiguous_beginning_names_the_candidates(store: Store) -> None:
    """The error lists the runs that begin like this."""
    runs = [planned_run(store, model=model) for model in ("first", "second")]
    with pytest.raises(ConfigError, match="several runs begin like this") as caught:
        store.run("")
    assert all(f"{run_id} (" in str(caught.value) for run_id in runs)


@pytest.mark.parametrize("unknown", ["nothing", "%", "_" * 16])
def test_an_unknown_run_names_those_that_are_there(store: Store, unknown: str) -> None:
    """The error lists runs of the store; wildcards of SQL are letters like others."""
    run_id = planned_run(store)
    with pytest.raises(ConfigError, match=rf"there is no such run .*{run_id} \(model on exam\)"):
        store.run(unknown)


def test_an_empty_store_says_so_when_a_run_is_looked_for(store: Store) -> None:
    """Without any run the error says that there is none to choose from."""
    with pytest.raises(ConfigError, match="the store has no runs yet"):
        store.run("0123")


def test_a_damaged_outcome_is_an_error(location: str, store: Store) -> None:
    """An outcome that another program spoiled is reported, not counted."""
    run_id = planned_run(store)
    store.save_outcomes(run_id, "dict-strict", "1", [OutcomeRow("문항 0", 0, Answered(1))])
    with behind(location) as connection:
        connection.execute(text("UPDATE outcomes SET kind = 'guessed'"))
    with pytest.raises(StoreError, match="cannot be read"):
        store.outcomes(run_id, "dict-strict")
