"""Datasets, runs and plans: the same command again changes nothing, another one adds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from exambench.errors import StoreError
from exambench.items import Axis, Benchmark
from exambench.outcomes import Answered
from exambench.store import OutcomeRow, Store
from tests.store.examples import RESPONSE, exam, keys_of, plan_of, planned_run, record, run_of


def test_a_dataset_comes_back_in_order(store: Store) -> None:
    """More items than fit one statement come back as they were, in the order of their file."""
    benchmark = exam(1201)
    store.register_dataset(benchmark)
    store.register_dataset(benchmark)
    assert store.benchmark(benchmark.name, benchmark.content_hash).items == benchmark.items


def test_what_a_benchmark_says_of_itself_comes_back(store: Store) -> None:
    """Title, axes, licence and limits are stored with a dataset, and follow the last registration."""
    axes = (Axis("P1", {"en": "One", "ko": "하나"}, {"part": (1,), "korean": (True, False)}),)
    benchmark = replace(
        exam(2), axes=axes, title="시험", licence="CC-BY-4.0", pass_mark=0.6, minutes=150, exam_items=100
    )
    store.register_dataset(exam(2))
    store.register_dataset(benchmark)
    assert store.benchmark(benchmark.name, benchmark.content_hash) == benchmark


def test_an_empty_dataset_is_known(store: Store) -> None:
    """A dataset without items has none; that is something else than an unknown one."""
    empty = exam(0)
    store.register_dataset(empty)
    assert store.benchmark(empty.name, empty.content_hash).items == ()
    with pytest.raises(StoreError, match="no dataset"):
        store.benchmark("other", empty.content_hash)


def test_labels_follow_the_last_registration(store: Store) -> None:
    """Facets are outside the content hash: when they or the order are mended, the dataset has the new ones.

    It has them for a reader, too, who has read the dataset before.
    """
    first = exam(part=1)
    store.register_dataset(first)
    assert store.benchmark(first.name, first.content_hash).items == first.items
    mended = exam(part=2)
    mended = replace(mended, items=mended.items[::-1])
    store.register_dataset(mended)
    assert mended.content_hash == exam(part=1).content_hash
    assert store.benchmark(mended.name, mended.content_hash).items == mended.items


def test_benchmarks_of_the_same_items_have_labels_of_their_own(store: Store) -> None:
    """Two benchmarks with the same content hash don't change each other's facets."""
    first, second = exam(name="first", part=1), exam(name="second", part=2)
    store.register_dataset(first)
    store.register_dataset(second)
    assert store.benchmark("first", first.content_hash).items == first.items
    assert store.benchmark("second", second.content_hash).items == second.items


def test_two_items_of_one_id_are_refused(store: Store) -> None:
    """Items that results could not tell apart are not registered."""
    item = exam(1).items[0]
    with pytest.raises(StoreError, match="two items have one id"):
        store.register_dataset(Benchmark("twice", "twice", (item, item), ()))


def test_a_run_needs_its_dataset(store: Store) -> None:
    """A run of a dataset that the store doesn't have is refused."""
    with pytest.raises(StoreError, match="Register the dataset first"):
        store.register_run(run_of(exam()))


def test_a_run_is_the_same_run_under_another_name_and_price(store: Store) -> None:
    """Identity, decoding, dataset, protocol and condition make a run; its names and prices are brought up to date."""
    benchmark = exam()
    store.register_dataset(benchmark)
    store.register_run(run_of(benchmark))
    renamed = replace(run_of(benchmark), model_name="새 이름", model={"price": 3})
    store.register_run(renamed)
    assert [summary.run for summary in store.runs()] == [renamed]


@pytest.mark.parametrize(
    "change",
    [
        {"benchmark": "other"},
        {"dataset_hash": "other"},
        {"identity": "other"},
        {"decoding": {"temperature": 1.0}},
        {"protocol_hash": "other"},
        {"condition": {"images": False}},
    ],
)
def test_what_makes_a_run_changes_its_identifier(change: dict[str, Any]) -> None:
    """Each part of a run's identity makes another run."""
    run = run_of(exam())
    assert replace(run, **change).run_id != run.run_id


def test_planning_again_changes_nothing(store: Store) -> None:
    """The same plan twice is the plan once."""
    run_id = planned_run(store)
    before = store.planned(run_id)
    planned_run(store)
    assert store.planned(run_id) == before == plan_of(exam(), keys_of(3))


def test_further_trials_are_added(store: Store) -> None:
    """A second trial adds its rows, item by item, and leaves the first as it was."""
    run_id = planned_run(store)
    record(store, run_id, dict.fromkeys(keys_of(3), RESPONSE))
    further = [f"trial 1 of {key}" for key in keys_of(3)]
    store.plan(run_id, plan_of(exam(), further, trial=1), {key: {} for key in further})
    assert [(row.item_id, row.trial) for row in store.planned(run_id)] == [
        (f"문항 {number}", trial) for number in range(3) for trial in range(2)
    ]
    assert store.unanswered(run_id) == plan_of(exam(), further, trial=1)


def test_a_request_that_changed_replaces_the_former_and_its_outcome(store: Store) -> None:
    """When an item now leads to another request, what was read from the former response goes; the rest stays."""
    run_id = planned_run(store)
    record(store, run_id, dict.fromkeys(keys_of(3), RESPONSE))
    rows = [OutcomeRow(item.id, 0, Answered(2)) for item in exam().items]
    store.save_outcomes(run_id, "dict-strict", "1", rows)
    store.plan(run_id, plan_of(exam(), ["new", *keys_of(3)[1:]]), {"new": {}})
    assert [row.request_key for row in store.unanswered(run_id)] == ["new"]
    assert [row.item_id for row in store.outcomes(run_id, "dict-strict")] == ["문항 1", "문항 2"]


def test_what_was_asked_is_written_once(store: Store) -> None:
    """The body of a request stays as it was first stored, for the key stands for it."""
    run_id = planned_run(store)
    body = {"messages": [{"role": "user", "parts": [{"text": "기온\ud800"}]}]}
    store.plan(run_id, plan_of(exam(), ["key", None, None]), {"key": body})
    store.plan(run_id, plan_of(exam(), ["key", "key", None]), {"key": {"messages": "others"}})
    assert store.request("key") == body


def test_an_unknown_request_is_an_error(store: Store) -> None:
    """What was never asked cannot be shown."""
    with pytest.raises(StoreError, match="no request 'nothing'"):
        store.request("nothing")


def test_a_plan_names_items_of_its_dataset_only(store: Store) -> None:
    """A row for an item that the dataset lacks is refused, with the whole plan."""
    run_id = planned_run(store, 3)
    with pytest.raises(StoreError, match="its dataset has no items"):
        store.plan(run_id, plan_of(exam(4), [None] * 4), {})
    assert len(store.planned(run_id)) == 3


def test_a_plan_needs_a_run(store: Store) -> None:
    """A plan for a run that is not registered is refused."""
    with pytest.raises(StoreError, match="has no run 0123"):
        store.plan("0123", [], {})


def test_a_request_without_body_is_refused(store: Store) -> None:
    """What was asked must be known before it is asked."""
    run_id = planned_run(store)
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        store.plan(run_id, plan_of(exam(), ["unknown", None, None]), {})
    assert store.planned(run_id) == plan_of(exam(), keys_of(3))


@pytest.mark.parametrize("hostile", ["\ud800", "a\0b"])
def test_a_text_that_no_database_holds_is_refused_whole(store: Store, hostile: str) -> None:
    """A benchmark's name with a lone surrogate or a NUL is an error, and nothing of it is stored."""
    with pytest.raises(StoreError, match="NUL or a lone surrogate"):
        store.register_dataset(exam(2, name=hostile))
    store.register_dataset(exam(2))
    assert len(store.benchmark("exam", exam(2).content_hash).items) == 2
