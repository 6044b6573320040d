"""Items, responses and outcomes survive their way through JSON."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import StoreError
from exambench.exchange import Response
from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Content, Image, Item, TextKey, Wording
from exambench.outcomes import Answered, Failed, Flag, Outcome, Refused, Truncated, Unparsed, Unsupported
from exambench.store.codec import (
    item_from_json,
    item_to_json,
    outcome_from_row,
    outcome_to_row,
    response_from_row,
    response_to_row,
)
from exambench.store.columns import to_canonical_json
from tests.store.examples import RESPONSE

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates and NUL included
CONTENTS = st.builds(
    Content, ANY_TEXT, st.lists(st.builds(Image, ANY_TEXT, st.none() | ANY_TEXT), max_size=2).map(tuple)
)
WORDINGS = st.builds(Wording, CONTENTS, st.lists(CONTENTS, max_size=3).map(tuple))
KEYS = st.one_of(
    st.builds(ChoiceKey, st.integers(1, 9)),
    st.builds(ChoiceSetKey, st.frozensets(st.integers(1, 9))),
    st.builds(BooleanKey, st.booleans()),
    st.builds(TextKey, ANY_TEXT),
)
ITEMS = st.builds(
    Item,
    id=ANY_TEXT,
    wordings=st.dictionaries(ANY_TEXT, WORDINGS, max_size=3).map(
        lambda found: {"explicit": Wording(Content()), **found}
    ),
    key=KEYS,
    facets=st.dictionaries(ANY_TEXT, st.one_of(st.booleans(), st.integers(), ANY_TEXT), max_size=3),
    rationale=ANY_TEXT,
    source=ANY_TEXT,
    passage=ANY_TEXT,
)
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(
        Answered,
        st.one_of(st.integers(), st.booleans(), ANY_TEXT, st.lists(ANY_TEXT, max_size=3).map(tuple)),
        st.lists(st.sampled_from(Flag), unique=True).map(tuple),
    ),
    st.builds(Unparsed, ANY_TEXT),
    st.just(Truncated()),
    st.builds(Refused, ANY_TEXT),
    st.builds(Failed, ANY_TEXT),
    st.builds(Unsupported, ANY_TEXT),
)


@given(ITEMS)
def test_an_item_comes_back_as_it_was(item: Item) -> None:
    """Every field of an item, and so its content hash, survives the store's JSON text."""
    text = to_canonical_json(item_to_json(item))
    assert text.isascii()
    back = item_from_json(json.loads(text))
    assert back == item
    assert back.content_hash == item.content_hash
    assert {name: type(value) for name, value in back.facets.items()} == {
        name: type(value) for name, value in item.facets.items()
    }


def test_an_item_without_a_passage_is_stored_as_before_there_were_any() -> None:
    """What older versions stored is read, and digests of stored items stay what they were."""
    item = Item("1", {"explicit": Wording(Content("?"))}, TextKey("x"))
    body = item_to_json(item)
    assert "passage" not in body
    assert item_from_json(body) == item


@given(OUTCOMES)
def test_an_outcome_comes_back_as_it_was(outcome: Outcome) -> None:
    """Every kind of outcome with its value's type, reason and flags survives the store's columns."""
    row = outcome_to_row(outcome)
    stored = SimpleNamespace(**row | {"value": json.loads(to_canonical_json(row["value"]))})
    back = outcome_from_row(stored)
    assert back == outcome
    assert repr(back) == repr(outcome)  # tells the answer 1 from the answer True


@pytest.mark.parametrize("response", [RESPONSE, Response(text=None)])
def test_a_response_comes_back_as_it_was(response: Response) -> None:
    """A full response and an empty one survive the store's columns."""
    row = response_to_row("key", response, "2026-01-01T00:00:00.000000Z")
    assert response_from_row(SimpleNamespace(**row)) == response


def test_a_damaged_item_is_a_store_error() -> None:
    """A stored item that lacks a field is an error that says so, not an item."""
    with pytest.raises(StoreError, match="wordings"):
        item_from_json({"id": "1"})


def test_an_unknown_outcome_is_a_store_error() -> None:
    """An outcome kind that this program does not know is an error, not a guess."""
    with pytest.raises(StoreError, match="guessed"):
        outcome_from_row(SimpleNamespace(item_id="1", kind="guessed", value=None, reason="", flags=[]))


def test_what_is_not_json_is_refused() -> None:
    """Neither an infinite number nor a set becomes JSON text."""
    with pytest.raises(ValueError, match="JSON"):
        to_canonical_json({"seconds": float("inf")})
    with pytest.raises(TypeError, match="set is not a JSON value"):
        to_canonical_json({"keys": {1}})
