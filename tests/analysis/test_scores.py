"""What became of a run's plan: every item in every trial, with a score, a failure, or neither yet."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exambench.analysis.answer_judges import load_all_scores
from exambench.analysis.scores import Coverage, TrialRow, load_scores
from exambench.exchange import Failure
from exambench.items import EXPLICIT
from exambench.outcomes import Answered, OutcomeKind, Unparsed
from exambench.parsing import PARSER_VERSION
from exambench.store import Store, open_store
from exambench.store.records import OutcomeRow, PlanRow
from tests.store.examples import exam as stored_exam
from tests.store.examples import keys_of, plan_of, run_of
from tests.support.runs import exam, item, run

NAN = float("nan")
FOUR = exam(item(1), item(2), item(3), item(4, picture=True))


@pytest.mark.parametrize(
    ("trials", "complete"),
    [
        (("+-++",), True),
        (("+~/!",), True),  # no answer is an outcome, too
        (("+-+x",), False),
        (("+-+.",), False),
        (("+-+",), False),  # the last item was never planned
        (("+-++", "+-+x"), False),
        (("+-++", "+-"), True),  # two items have a second trial, and both have it
        ((), False),
    ],
)
def test_a_run_is_complete_when_every_planned_trial_of_every_expected_item_has_an_outcome(
    trials: tuple[str, ...],
    complete: bool,  # noqa: FBT001 - what is expected, not a switch
) -> None:
    """A failed request, a waiting one, and an item that was never planned leave it incomplete."""
    assert run(FOUR, *trials).complete is complete


def test_a_text_only_model_is_complete_without_pictures() -> None:
    """The item with the picture is not expected of it, whatever became of it."""
    reader = run(FOUR, "+-+", images=False)
    assert (reader.complete, reader.coverage) == (True, Coverage(items=3, expected=3, planned=3, scored=3, failed=0))


def test_coverage_counts_items_and_requests() -> None:
    """By hand: item 1 has both trials, 2 failed once, 3 waits twice, 4 is not planned in the second trial."""
    found = run(FOUR, "++.-", "-x. ").coverage
    assert found == Coverage(items=2, expected=4, planned=7, scored=4, failed=1)
    assert found.open == 2


def test_the_score_of_an_item_is_the_mean_of_its_scored_trials() -> None:
    """Right, wrong and right are 2/3; a failed trial has no score and is no wrong answer."""
    scores = run(FOUR, "++x-", "-xx~", "+.x ").scores
    assert scores == {"1": pytest.approx(2 / 3), "2": 1.0, "4": 0.0}


def test_the_lenient_score_is_over_the_same_trials() -> None:
    """Item 2 is right in another form in one of its two scored trials: strictly 0, leniently 1/2."""
    found = run(FOUR, "+~", "+?", " x")
    assert (found.scores, found.lenient) == ({"1": 1.0, "2": 0.0}, {"1": 1.0, "2": 0.5})


def test_numbers_of_trials() -> None:
    """One number as a rule; a plan may have more trials of some items than of others."""
    assert run(FOUR, "++++").trials == (1,)
    assert run(FOUR, "++++", "++++").trials == (2,)
    assert run(FOUR, "++++", "+", "+").trials == (1, 3)
    assert run(FOUR).trials == ()


def test_trials_by_items() -> None:
    """One row a trial; what has no score is NaN."""
    found = run(FOUR, "+x-+", "-++.").trial_scores(FOUR.items[:3])
    np.testing.assert_array_equal(found, [[1, NAN, 0], [0, 1, 1]])


def test_what_was_not_read_yet_is_read_by_the_present_parsers() -> None:
    """A run without outcomes has no parser version of its own; one that has names all of them."""
    assert run(FOUR).parser_version == PARSER_VERSION
    assert run(FOUR, "++++", versions=("0", "1")).parser == "dict-strict 0, 1"


def test_scores_are_loaded_with_the_plan_the_failures_and_the_version_of_the_parsers(tmp_path: Path) -> None:
    """Of two trials of three items one was read, one not parsed, one failed, one waits, and two are unsupported."""
    benchmark = stored_exam(3)
    first, second, third = (each.id for each in benchmark.items)
    record = replace(
        run_of(benchmark),
        protocol={"strict": "dict-strict", "lenient": "dict-lenient"},
        condition={"wording": EXPLICIT},
    )
    keys = keys_of(4)
    with open_store(str(tmp_path / "results.db")) as store:
        store.register_dataset(benchmark)
        store.register_run(record)
        rows: list[PlanRow] = [
            *plan_of(benchmark, [keys[0], keys[1], None]),
            *plan_of(benchmark, [keys[2], keys[3], None], trial=1),
        ]
        store.plan(record.run_id, rows, {key: {"messages": []} for key in keys})
        asyncio.run(fail(store, record.run_id, keys[2]))
        for parser, answer in (("dict-strict", Unparsed("no answer")), ("dict-lenient", Answered(1))):
            outcomes = [OutcomeRow(first, 0, Answered(1)), OutcomeRow(second, 0, answer)]
            store.save_outcomes(record.run_id, parser, "0.9", outcomes)
        found = load_scores(store, record)
    assert found.rows == (
        TrialRow(first, 0, OutcomeKind.ANSWERED, 1.0, 1.0, 1),
        TrialRow(first, 1, OutcomeKind.FAILED),
        TrialRow(second, 0, OutcomeKind.UNPARSED, 0.0, 1.0),
        TrialRow(second, 1, None),
        TrialRow(third, 0, OutcomeKind.UNSUPPORTED),
        TrialRow(third, 1, OutcomeKind.UNSUPPORTED),
    )
    assert (found.parser_versions, found.complete) == (("0.9",), False)


def test_runs_that_are_loaded_together_share_their_dataset(tmp_path: Path) -> None:
    """Two hundred runs hold the items once, not two hundred times; the scores are those of loading each alone."""
    benchmark = stored_exam(3)
    protocol = {"strict": "dict-strict", "lenient": "dict-lenient"}
    records = [
        replace(run_of(benchmark, name), protocol=protocol, condition={"wording": EXPLICIT}) for name in ("one", "two")
    ]
    with open_store(str(tmp_path / "results.db")) as store:
        store.register_dataset(benchmark)
        for record in records:
            store.register_run(record)
        first, second = load_all_scores(store, records)
        alone = load_scores(store, records[1])
    assert first.benchmark is second.benchmark
    assert second == alone


async def fail(store: Store, run_id: str, key: str) -> None:
    """Record that a request failed."""
    async with store.ledger(run_id) as ledger:
        await ledger.record_failure(key, Failure("HTTP 503"))
