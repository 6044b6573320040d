"""Baselines answer every kind of item in the form of its key, the same way each time."""

from __future__ import annotations

from collections import Counter

import pytest

from exambench.engine.baselines import CannedResponder, Strategy, pick
from exambench.engine.ports import RequestFailed
from exambench.exchange import Message, Request, Role, TextPart
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Image, Item, Key, TextKey, Wording
from exambench.outcomes import AnswerValue


def item(key: Key, *choices: Content, name: str = "1") -> Item:
    """Return an item with this key and these choices."""
    return Item(name, {EXPLICIT: Wording(Content("?"), choices)}, key)


def texts(*words: str) -> tuple[Content, ...]:
    """Return choices of text."""
    return tuple(Content(word) for word in words)


def answer(strategy: Strategy, question: Item, *, seed: int = 42, trial: int = 0) -> AnswerValue:
    """Return what the strategy picks for the item as it is worded."""
    return pick(strategy, question, question.wording(), seed, trial)


FOUR = texts("a", "bbb", "ccc", "dd")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (ChoiceKey(3), 3),
        (ChoiceSetKey(frozenset({4, 1})), ("1", "4")),
        (BooleanKey(value=False), False),
        (TextKey("정답"), "정답"),
    ],
)
def test_the_oracle_knows_every_kind_of_key(key: Key, value: AnswerValue) -> None:
    """Index, indices as text in order, truth value, text."""
    assert answer("oracle", item(key, *FOUR)) == value


@pytest.mark.parametrize(
    ("strategy", "key", "value"),
    [
        ("first", ChoiceKey(3), 1),
        ("first", ChoiceSetKey(frozenset({3})), ("1",)),
        ("first", BooleanKey(value=False), True),
        ("first", TextKey("x"), "a"),
        ("longest", ChoiceKey(3), 2),
        ("longest", ChoiceSetKey(frozenset({3})), ("2",)),
        ("longest", TextKey("x"), "bbb"),
    ],
)
def test_first_and_longest_answer_in_the_form_of_the_key(strategy: Strategy, key: Key, value: AnswerValue) -> None:
    """Of the equally long second and third choice the first is taken."""
    assert answer(strategy, item(key, *FOUR)) == value


def test_a_picture_has_no_length() -> None:
    """A choice that is a picture counts 0; when all are, the first is taken."""
    pictures = tuple(Content(images=(Image(f"a-very-long-name-{n}.png"),)) for n in range(3))
    assert answer("longest", item(ChoiceKey(1), *pictures)) == 1
    assert answer("longest", item(ChoiceKey(1), *pictures, Content("가"))) == 4


def test_length_does_not_depend_on_the_normal_form() -> None:
    """Decomposed Hangul (three code points) is one character, shorter than two letters."""
    assert answer("longest", item(ChoiceKey(1), Content("\u1100\u1161\u11a8"), Content("ab"))) == 2


def test_random_depends_on_seed_item_and_trial_alone() -> None:
    """The pick is the same in any order of items, and another for another seed, item or trial."""
    questions = [item(ChoiceKey(1), *FOUR, name=str(n)) for n in range(50)]
    picks = {question.id: answer("random", question) for question in questions}
    assert {question.id: answer("random", question) for question in reversed(questions)} == picks
    assert {question.id: answer("random", question, seed=1) for question in questions} != picks
    assert {question.id: answer("random", question, trial=1) for question in questions} != picks
    assert len(set(picks.values())) == 4


def test_random_draws_each_choice_alike() -> None:
    """4,000 draws of four: each 1,000 ± 5 standard deviations (27.4), so 863 to 1,137; seeded, so it is exact."""
    counts = Counter(answer("random", item(ChoiceKey(1), *FOUR, name=str(n))) for n in range(4000))
    assert set(counts) == {1, 2, 3, 4}
    assert all(863 <= count <= 1137 for count in counts.values())


def test_random_draws_non_empty_sets_alike() -> None:
    """Of three choices there are 7 sets; 7,000 draws give each 1,000 ± 5 standard deviations (29.3)."""
    key = ChoiceSetKey(frozenset({1}))
    counts = Counter(answer("random", item(key, *texts("a", "b", "c"), name=str(n))) for n in range(7000))
    assert len(counts) == 7
    assert () not in counts
    assert all(853 <= count <= 1147 for count in counts.values())


def test_random_tosses_a_coin_for_truth_values() -> None:
    """1,000 tosses: 500 ± 5 standard deviations (15.8)."""
    heads = sum(answer("random", item(BooleanKey(value=True), name=str(n))) is True for n in range(1000))
    assert 421 <= heads <= 579


@pytest.mark.parametrize("strategy", ["random", "first", "longest"])
def test_nothing_to_choose_from_is_answered_with_nothing(strategy: Strategy) -> None:
    """A free answer cannot be guessed."""
    assert answer(strategy, item(TextKey("x"))) == ""


async def test_canned_answers_go_by_the_key_of_the_request() -> None:
    """A prepared text is the response; a request without one fails and gets no made-up text."""
    prepared, unknown = (Request("baseline/first", (Message(Role.USER, (TextPart(t),)),)) for t in "ab")
    responder = CannedResponder({prepared.key(): "{'정답': 1}"})
    assert (await responder.respond(prepared)).text == "{'정답': 1}"
    with pytest.raises(RequestFailed):
        await responder.respond(unknown)
