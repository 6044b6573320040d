"""The answers of a run in pages, on both databases; the oracle is the analysis of whole runs, or a count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.analysis.marks import marks_of
from exambench.analysis.scores import load_scores
from exambench.errors import StoreError
from exambench.evaluation.looking import FreshReadings
from exambench.outcomes import Answered
from exambench.store import RunRecord, Store, open_store, open_store_read_only
from exambench.store.answer_records import AnswerOrder, AnswerState, Neighbours, RunFacts, Selection
from tests.support import stored_runs as made

QUOTED = "q'\"%_\\문"
BENCHMARK = made.exam(
    *(made.item(number) for number in range(8)), made.item(8, item_id=QUOTED, question="100%_가을 장마"), made.item(9)
)
WRITTEN: dict[str, list[made.Written]] = {
    "문항 0": [made.answer(1), made.answer(1)],  # right, right
    "문항 1": [made.answer(3), made.answer(2)],  # wrong, right
    "문항 2": ["정답: 3", made.answer(3)],  # unparsed by the strict parser, right by the lenient one; right
    "문항 3": [made.WAITING, made.FAILED],
    "문항 4": [made.UNSUPPORTED, made.UNSUPPORTED],
    "문항 5": [made.response("Vielleicht Nebel?", seconds=99, tokens=900, reasoning="안개 때문"), made.answer(2)],
    "문항 6": [made.answer(4), made.answer(4)],  # wrong, wrong
    QUOTED: [made.answer(1), made.answer(1)],  # right, right
}


def run(store: Store, *, read: bool = True) -> RunRecord:
    """Put the run into a store."""
    return made.add_run(store, BENCHMARK, "model", WRITTEN, read=read)


def facts(store: Store, record: RunRecord) -> RunFacts:
    """Return what queries need, what is fresh read and what is right included."""
    fresh = FreshReadings().of(store, record, BENCHMARK)
    return RunFacts(
        run_id=record.run_id,
        benchmark=record.benchmark,
        dataset_hash=record.dataset_hash,
        strict="dict-strict",
        lenient="dict-lenient",
        fresh=fresh,
        marks=marks_of(store, record, BENCHMARK, fresh.values()).values,
    )


def places(store: Store, about: RunFacts, selection: Selection, *, first: int = 0, most: int = 100) -> list[str]:
    """Return the selected answers, as item and trial."""
    return [f"{row.item_id}/{row.trial}" for row in store.answers.page(about, selection, first=first, most=most)]


EXPECTED = {
    AnswerState.RIGHT: ["문항 0/0", "문항 0/1", "문항 1/1", "문항 2/1", "문항 5/1", f"{QUOTED}/0", f"{QUOTED}/1"],
    AnswerState.WRONG: ["문항 1/0", "문항 6/0", "문항 6/1"],
    AnswerState.UNPARSED: ["문항 2/0", "문항 5/0"],
    AnswerState.FAILED: ["문항 3/1"],
    AnswerState.UNSUPPORTED: ["문항 4/0", "문항 4/1"],
    AnswerState.WAITING: ["문항 3/0"],
}


@pytest.mark.parametrize("read", [True, False], ids=["read", "unread"])
def test_each_state_selects_its_answers(store: Store, read: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    """In exam order, whether the outcomes are stored or were read just now; the counts of states are theirs."""
    record = run(store, read=read)
    about = facts(store, record)
    assert {state: places(store, about, Selection(states=frozenset({state}))) for state in EXPECTED} == EXPECTED
    assert store.answers.states(about) == {state: len(found) for state, found in EXPECTED.items()}
    both = Selection(states=frozenset({AnswerState.WRONG, AnswerState.WAITING}))
    assert store.answers.count(about, both) == 4


def test_right_and_wrong_are_what_the_scores_of_the_run_say(store: Store) -> None:
    """The oracle is the score table of the whole run."""
    record = run(store)
    rows = load_scores(store, record).rows
    about = facts(store, record)
    right = [f"{row.item_id}/{row.trial}" for row in rows if row.score == 1.0]
    assert places(store, about, Selection(states=frozenset({AnswerState.RIGHT}))) == right


def test_what_is_read_just_now_counts_as_if_it_were_stored(store: Store) -> None:
    """The scores of a run in progress are those that it has when its outcomes are stored."""
    record = run(store, read=False)
    fresh = FreshReadings().of(store, record, BENCHMARK)
    seen = load_scores(store, record, fresh=fresh.values())
    run(store)
    stored = load_scores(store, record)
    assert (seen.rows, seen.parser_versions) == (stored.rows, stored.parser_versions)


def test_pages_are_cut_from_the_whole_list(store: Store) -> None:
    """Pages of three, one after the other, are the list."""
    about = facts(store, run(store))
    whole = places(store, about, Selection())
    assert len(whole) == store.answers.count(about, Selection()) == 16
    assert [place for at in range(0, 18, 3) for place in places(store, about, Selection(), first=at, most=3)] == whole
    assert places(store, about, Selection(), first=16) == []


def test_neighbours_are_those_of_the_list(store: Store) -> None:
    """In every order, going on from the first answer leads through the list, and back again."""
    about = facts(store, run(store))
    states = frozenset({AnswerState.RIGHT, AnswerState.WRONG, AnswerState.UNPARSED})
    for order in AnswerOrder:
        selection = Selection(states=states, order=order)
        listed = [row.place for row in store.answers.page(about, selection, first=0, most=100)]
        assert len(listed) == 12, order
        for number, place in enumerate(listed):
            around = Neighbours(number + 1, 12, [None, *listed][number], [*listed, None][number + 1])
            assert store.answers.neighbours(about, selection, place) == around, order
        assert store.answers.neighbours(about, selection, ("문항 3", 0)) is None


def test_orders_sort_by_what_they_are_called(store: Store) -> None:
    """The slowest and the longest answer is the one that took 99 seconds; what has no response stands last."""
    about = facts(store, run(store))
    for order in (AnswerOrder.SLOWEST, AnswerOrder.LONGEST):
        found = places(store, about, Selection(order=order))
        assert found[0] == "문항 5/0"
        assert set(found[-4:]) == {"문항 3/0", "문항 3/1", "문항 4/0", "문항 4/1"}


def test_contrasts_within_a_run(store: Store) -> None:
    """Strict and lenient reading differ on one answer; trials on the items 1, 2 and 5; stored or read just now."""
    for read in (False, True):
        about = facts(store, run(store, read=read))
        assert places(store, about, Selection(readings_differ=True)) == ["문항 2/0"]
        assert places(store, about, Selection(trials_differ=True)) == [
            f"문항 {number}/{trial}" for number in (1, 2, 5) for trial in (0, 1)
        ]


def test_text_is_searched_for_as_it_stands(store: Store) -> None:
    """In answers, reasoning and identifiers."""
    about = facts(store, run(store))
    expected = {
        "vielleicht": ["문항 5/0"],  # in the text, whatever the case
        "안개": ["문항 5/0"],  # in the reasoning
        "%_\\": [f"{QUOTED}/0", f"{QUOTED}/1"],  # in the identifier; no sign stands for others
        "%%": [],
        "' OR 1=1 --": [],
    }
    assert {text: places(store, about, Selection(text=text)) for text in expected} == expected


def test_items_narrow_a_selection(store: Store) -> None:
    """Whatever signs stand in their identifiers; no items are no answers."""
    about = facts(store, run(store))
    assert places(store, about, Selection(items=frozenset({QUOTED, "문항 6"}))) == [
        "문항 6/0", "문항 6/1", f"{QUOTED}/0", f"{QUOTED}/1",
    ]  # fmt: skip
    assert places(store, about, Selection(items=frozenset())) == []
    assert places(store, about, Selection(text="nowhere", items_with_text=frozenset({QUOTED}))) == [
        f"{QUOTED}/0", f"{QUOTED}/1",
    ]  # fmt: skip


def test_one_answer_comes_with_all_that_is_known(store: Store) -> None:
    """Texts are cut in the database, with their whole length; the whole text is there for the asking."""
    record = run(store)
    found = store.answers.one(record.run_id, ("문항 5", 0), most=10)
    assert found is not None
    assert found.response is not None
    assert found.response.text is not None
    assert (found.response.text.text, found.response.text.length) == ("Vielleicht", 17)
    assert found.response.text.is_cut
    assert found.response.reasoning is not None
    assert not found.response.reasoning.is_cut
    assert [attempt.status for attempt in found.response.attempts] == [503, 200]
    assert set(found.readings) == {"dict-strict", "dict-lenient"}
    assert found.request == {
        "messages": made.messages(BENCHMARK.by_id["문항 5"]),
        "parameters": {"seed": 42, "temperature": 0.0},
    }
    assert store.answers.text(record.run_id, ("문항 5", 0), "text") == "Vielleicht Nebel?"


def test_an_answer_that_failed_comes_with_its_failures(store: Store) -> None:
    """With every attempt; what is not planned is not there."""
    record = run(store)
    found = store.answers.one(record.run_id, ("문항 3", 1), most=10)
    assert found is not None
    assert found.response is None
    assert [(each.reason, len(each.attempts)) for each in found.failures] == [("HTTP 500: broken", 1)]
    assert store.answers.one(record.run_id, ("문항 9", 0), most=10) is None
    (row,) = store.answers.page(
        facts(store, record), Selection(states=frozenset({AnswerState.FAILED})), first=0, most=9
    )
    assert row.failure == "HTTP 500: broken"


def test_other_runs_on_an_item(store: Store) -> None:
    """By run and trial, with what their strict parser read."""
    first = run(store)
    second = made.add_run(store, BENCHMARK, "other", {"문항 1": [made.answer(4)]})
    parsers = {record.run_id: "dict-strict" for record in (first, second)}
    found = {(each.run_id, each.trial): each.outcome for each in store.answers.others("문항 1", parsers, most=9)}
    assert found == {
        (first.run_id, 0): Answered(3),
        (first.run_id, 1): Answered(2),
        (second.run_id, 0): Answered(4),
    }
    assert len(store.answers.others("문항 1", parsers, most=2)) == 2


def test_one_run_is_summed_up_as_among_all(store: Store) -> None:
    """The same numbers, without those of others."""
    first = run(store)
    second = made.add_run(store, BENCHMARK, "other", {"문항 1": [made.answer(4)], "문항 2": [made.FAILED]})
    for summary in store.runs():
        assert store.summary(summary.run_id) == summary
    assert [record.run_id for record in store.records()] == [first.run_id, second.run_id]
    assert store.summary("nobody") is None


def test_a_store_that_is_only_read_is_not_written(store: Store, location: str) -> None:
    """Whatever is tried, while another process goes on writing; what that wrote is seen."""
    with open_store_read_only(location) as reader:
        assert reader.records() == []
        with pytest.raises(StoreError, match=r"read-?only"):
            reader.register_dataset(BENCHMARK)
        record = run(store)
        assert reader.records() == [record]


def test_the_stamp_moves_with_every_commit_and_stays_otherwise(store: Store, location: str) -> None:
    """Also when a later commit leaves the files' sizes as they were."""
    with open_store_read_only(location) as reader:
        run(store)
        stamps = {reader.stamp()}
        assert reader.stamp() in stamps
        reader.records()
        assert reader.stamp() in stamps
        for name in ("a", "b", "c", "b"):
            made.add_run(store, made.exam(made.item(1), title=name), "again", {})
            assert reader.stamp() not in stamps
            stamps.add(reader.stamp())


def test_another_file_in_its_place_is_another_store(tmp_path: Path) -> None:
    """The identity tells; a file that is gone is an error that says so."""
    path = tmp_path / "a.db"
    open_store(str(path)).close()
    with open_store_read_only(str(path)) as reader:
        before = reader.identity()
        other = tmp_path / "b.db"
        open_store(str(other)).close()
        other.rename(path)
        assert reader.identity() != before
        path.unlink()
        for ask in (reader.identity, reader.stamp):
            with pytest.raises(StoreError, match="no store here any more"):
                ask()


def test_the_fingerprint_of_a_dataset_moves_with_what_is_stored_of_it(store: Store) -> None:
    """A label that is mended leaves the content hash as it is, and not the fingerprint."""
    store.register_dataset(BENCHMARK)
    before = store.fingerprint("small", BENCHMARK.content_hash)
    store.register_dataset(BENCHMARK)
    assert store.fingerprint("small", BENCHMARK.content_hash) == before
    store.register_dataset(made.exam(*BENCHMARK.items, title="다른 제목"))
    assert store.fingerprint("small", BENCHMARK.content_hash) != before
    assert store.titles() == {"small": "다른 제목"}
