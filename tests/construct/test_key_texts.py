"""Keys as people and models write them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.construct.key_texts import key_as_text, key_from_text
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Key, TextKey
from tests.construct.items import item


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        (" 3 ", ChoiceKey(1), ChoiceKey(3)),
        ("5", ChoiceKey(1), None),
        ("0", ChoiceKey(1), None),
        ("1, 2", ChoiceKey(1), None),
        ("", ChoiceKey(1), None),
        ("2,1", ChoiceSetKey(frozenset({1})), ChoiceSetKey(frozenset({1, 2}))),
        ("1, 7", ChoiceSetKey(frozenset({1})), None),
        ("TRUE", BooleanKey(value=False), BooleanKey(value=True)),
        ("yes", BooleanKey(value=False), None),
        ("비", TextKey("눈"), TextKey("비")),
    ],
)
def test_a_text_names_a_key_of_the_items_kind_or_none(text: str, kind: Key, key: Key | None) -> None:
    """What is no choice of the item is no key."""
    assert key_from_text(text, replace(item("1", "물음"), key=kind)) == key


@pytest.mark.parametrize("key", [ChoiceKey(4), ChoiceSetKey(frozenset({1, 3})), BooleanKey(value=True), TextKey("비")])
def test_a_key_is_read_as_it_is_written(key: Key) -> None:
    """Of every kind."""
    one = replace(item("1", "물음"), key=key)
    assert key_from_text(key_as_text(key, one), one) == key


def test_choices_that_have_labels_are_named_by_them() -> None:
    """As they are shown."""
    one = item("1", "물음", key=2)
    labelled = replace(one, wordings={EXPLICIT: replace(one.wording(), labels=("가", "나", "다", "라"))})
    assert key_as_text(labelled.key, labelled) == "나"
    assert key_from_text("다", labelled) == ChoiceKey(3)
