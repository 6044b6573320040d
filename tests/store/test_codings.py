"""Codings in the store: keys of sheets kept once, codes replaced by those that come later."""

from __future__ import annotations

import pytest

from exambench.errors import ConfigError
from exambench.store import CodeRow, CodingPlace, CodingRecord, Store
from tests.judging.examples import exam

RECORD = CodingRecord("exam", exam().content_hash, ["a", "b"], {"name": "왜 틀렸나"}, ["김", "lee"], {"drawn": [["1"]]})
PLACES = tuple(CodingPlace(f"r-{reader}", RECORD.coding_id, reader, "1", 0) for reader in RECORD.readers)


def registered(store: Store) -> None:
    """Store the coding with its key."""
    store.register_dataset(exam())
    store.codings.register(RECORD, PLACES)


def test_a_coding_is_stored_once_with_its_key(store: Store) -> None:
    """A second time changes nothing; it is found by the beginning of its identifier."""
    registered(store)
    store.codings.register(RECORD, PLACES)
    assert store.codings.all() == [RECORD]
    assert store.codings.find(RECORD.coding_id[:4]) == RECORD
    assert sorted(store.codings.places(), key=lambda place: place.rater) == sorted(
        PLACES, key=lambda place: place.rater
    )
    with pytest.raises(ConfigError, match="there is no such sample"):
        store.codings.find("zz")


def test_a_code_that_comes_again_takes_the_place_of_the_first(store: Store) -> None:
    """With its note; the codes of another sheet stay."""
    registered(store)
    store.codings.save_codes([CodeRow("r-lee", "format", ""), CodeRow("r-김", "other", "메모")])
    store.codings.save_codes([CodeRow("r-lee", "knowledge", "=1+1")])
    found = {row.answer_id: row for row in store.codings.codes(RECORD.coding_id)}
    assert found == {
        "r-lee": CodeRow("r-lee", "knowledge", "=1+1"),
        "r-김": CodeRow("r-김", "other", "메모"),
    }
    assert store.codings.codes("another") == []
