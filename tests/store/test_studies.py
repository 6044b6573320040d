"""Studies in the store: the key of the sheets, and ratings that are kept whole or not at all; on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from exambench.errors import ConfigError, StoreError
from exambench.store import RatingRow, SheetPlace, Store, StudyRecord, open_store
from tests.judging.examples import answer, exam, sit
from tests.store.examples import behind


def study_of(store: Store) -> tuple[StudyRecord, list[SheetPlace]]:
    """Store a run of two answers; return a study of it that is not stored yet, with the key of one sheet."""
    run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
    record = StudyRecord(run.benchmark, run.dataset_hash, "judge", ["abc"], {"low": 1}, ["김"], {"seed": 42})
    places = [SheetPlace(f"s1-{n}", record.study_id, "김", run.run_id, str(n), 0) for n in (1, 2)]
    return record, places


def test_a_study_comes_back_as_it_was_stored(store: Store) -> None:
    """Record, key and ratings; the same study again changes nothing."""
    record, places = study_of(store)
    store.studies.register(record, places)
    (kept,) = store.studies.all()
    store.studies.register(record, places)
    assert kept == record == store.studies.find(record.study_id[:6]) == store.studies.find()
    assert store.studies.all()[0].created_at == kept.created_at
    assert store.studies.places() == store.studies.places(record.study_id) == places


def test_ratings_that_come_again_replace_the_former_ones(store: Store) -> None:
    """One score a place and axis."""
    record, places = study_of(store)
    store.studies.register(record, places)
    store.studies.save_ratings([RatingRow("s1-1", "정확성", 2), RatingRow("s1-2", "정확성", 5)])
    store.studies.save_ratings([RatingRow("s1-1", "정확성", 3)])
    assert store.studies.ratings(record.study_id) == [RatingRow("s1-1", "정확성", 3), RatingRow("s1-2", "정확성", 5)]
    assert store.studies.ratings("another") == []


def test_ratings_of_an_unknown_place_leave_nothing_behind(store: Store) -> None:
    """All rows or none: the first row is sound, the second has no place."""
    record, places = study_of(store)
    store.studies.register(record, places)
    with pytest.raises(StoreError):
        store.studies.save_ratings([RatingRow("s1-1", "정확성", 2), RatingRow("nobody", "정확성", 5)])
    assert store.studies.ratings(record.study_id) == []


def test_identifiers_of_another_study_are_never_taken_over(store: Store) -> None:
    """Two sheets with one identifier would mix two people's scores."""
    record, places = study_of(store)
    store.studies.register(record, places)
    other = replace(record, raters=["이"])
    with pytest.raises(StoreError):
        store.studies.register(other, [replace(places[0], study_id=other.study_id, rater="이")])
    assert store.studies.all() == [record]


def test_a_study_is_named_by_the_beginning_of_its_id(store: Store) -> None:
    """None, one of several, and one that is not there are told apart."""
    with pytest.raises(ConfigError, match="the store has no studies yet"):
        store.studies.find()
    record, places = study_of(store)
    store.studies.register(record, places)
    store.studies.register(replace(record, raters=["이"]), [])
    with pytest.raises(ConfigError, match="several studies may be meant"):
        store.studies.find()
    with pytest.raises(ConfigError, match="there is no such study"):
        store.studies.find("zz")


def test_a_store_from_before_there_were_studies_gets_their_tables(location: str) -> None:
    """Looking finds nothing; drawing the first study makes the tables."""
    with open_store(location) as store:
        record, places = study_of(store)
    with behind(location) as connection:
        for table in ("ratings", "study_places", "studies"):
            connection.execute(text(f"DROP TABLE {table}"))
    with open_store(location) as store:
        assert (store.studies.all(), store.studies.places()) == ([], [])
        store.studies.register(record, places)
        assert store.studies.all() == [record]
