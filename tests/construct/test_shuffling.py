"""Choices in a new order: the key follows, positions are balanced, references keep their places."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.records import Action
from exambench.construct.shuffling import ShuffleSettings, arrange, shuffle
from exambench.construct.stage import Context
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Item, TextKey, Wording
from tests.construct.items import item

CONTEXT = Context(Path(), Path(), 42, {})


def right_text(found: Item, wording: str = EXPLICIT) -> str:
    """Return the text of the right choice."""
    assert isinstance(found.key, ChoiceKey)
    return found.wording(wording).choices[found.key.index - 1].text


@given(st.integers(0, 50), st.lists(st.tuples(st.integers(2, 6), st.integers(0, 5)), min_size=1, max_size=20))
def test_the_key_follows_its_choice(seed: int, shapes: list[tuple[int, int]]) -> None:
    """Whatever the number of choices and the seed, the same text is right and no choice is lost."""
    items = [
        item(str(n), "무엇인가?", tuple(f"값 {place}" for place in range(count)), key % count + 1)
        for n, (count, key) in enumerate(shapes)
    ]
    for old, new in zip(items, arrange(items, seed), strict=True):
        assert right_text(new.item) == right_text(old)
        assert Counter(new.item.wording().choices) == Counter(old.wording().choices)
        assert [old.wording().choices[place - 1] for place in new.order] == list(new.item.wording().choices)


def test_keys_stand_in_every_place_equally_often() -> None:
    """Forty items of four choices, all with the first right, end with ten keys in each place."""
    arranged = arrange([item(str(n), "무엇인가?", ("갑", "을", "병", "정")) for n in range(40)], 1)
    keys = Counter(each.item.key.index for each in arranged if isinstance(each.item.key, ChoiceKey))
    assert keys == {1: 10, 2: 10, 3: 10, 4: 10}


def test_a_choice_that_speaks_of_the_others_stays_last() -> None:
    """A choice "all of the above" is above nothing anywhere else."""
    old = [item(str(n), "옳은 것은?", ("갑", "을", "병", "위의 모두"), 4) for n in range(10)]
    for each in arrange(old, 3):
        assert each.order[3] == 4
        assert right_text(each.item) == "위의 모두"


def test_every_wording_has_the_same_order() -> None:
    """An implicit wording of the choices is about the same choices in the same places."""
    wordings = {
        EXPLICIT: Wording(Content("한국의 수도는?"), tuple(map(Content, ("한국의 서울", "부산", "대구", "광주")))),
        "implicit": Wording(Content("우리나라의 수도는?"), tuple(map(Content, ("서울", "부산", "대구", "광주")))),
    }
    (new,) = arrange([Item("1", wordings, ChoiceKey(1))], 5)
    assert (right_text(new.item), right_text(new.item, "implicit")) == ("한국의 서울", "서울")


def test_a_set_of_right_choices_follows_too() -> None:
    """Each member of the key moves with its choice."""
    wording = Wording(Content("옳은 것을 모두 고르면?"), tuple(map(Content, "갑을병정무")))
    (new,) = arrange([Item("1", {EXPLICIT: wording}, ChoiceSetKey(frozenset({1, 5})))], 2)
    assert isinstance(new.item.key, ChoiceSetKey)
    assert {new.item.wording().choices[place - 1].text for place in new.item.key.indices} == {"갑", "무"}


def test_what_has_no_choices_is_left_alone() -> None:
    """A statement and a free answer have no order."""
    items = [
        Item("1", {EXPLICIT: Wording(Content("지구는 둥글다."))}, BooleanKey(value=True)),
        Item("2", {EXPLICIT: Wording(Content("수도는?"))}, TextKey("서울")),
    ]
    assert [each.item for each in arrange(items, 1)] == items


def test_the_same_seed_gives_the_same_order() -> None:
    """And another seed another one."""
    items = [item(str(n), "무엇인가?", ("갑", "을", "병", "정")) for n in range(12)]
    assert arrange(items, 9) == arrange(items, 9)
    assert arrange(items, 9) != arrange(items, 10)


def test_a_rationale_that_names_a_choice_by_number_goes_to_people() -> None:
    """The number may be another one now, and no rule can rewrite a sentence safely."""
    items = tuple(item(str(n), "무엇인가?", ("갑", "을", "병", "정"), rationale="따라서 ③이 답이다.") for n in range(8))
    changes = shuffle(items, ShuffleSettings(), CONTEXT).changes
    changed = {change.item for change in changes if change.action is Action.CHANGED}
    assert changed
    assert {change.item for change in changes if change.action is Action.REVIEW} == changed
