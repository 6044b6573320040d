"""An item as a condition shows it, and the way back to its own numbering."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Image, Item, TextKey, Wording
from exambench.outcomes import Answered, Flag, Unparsed
from exambench.parsing import parser
from exambench.protocols import Condition, NotShown, Shown, chance_of, condition_from, show_in_order, show_item
from exambench.protocols.labels import Labels
from exambench.protocols.ordering import Order, OrderKind, order_from

TEXTS = ("적운", "층운", "권운", "고적운")
REVERSED = Condition(order=Order(OrderKind.REVERSED))


def item(*texts: str, name: str = "7", key: int = 2) -> Item:
    """Return an item with these choices."""
    return Item(name, {EXPLICIT: Wording(Content("구름은?"), tuple(map(Content, texts or TEXTS)))}, ChoiceKey(key))


def shuffled(index: int, seed: int = 42) -> Condition:
    """Return a condition with a permutation."""
    return Condition(order=Order(OrderKind.SHUFFLED, index, seed))


def show(asked: Item, condition: Condition) -> Shown:
    """Return the item as it is shown."""
    found = show_item(asked, condition)
    assert isinstance(found, Shown), found
    return found


def test_the_usual_condition_shows_the_item_as_it_is_and_is_stored_as_before() -> None:
    """The identifiers of runs that were made before there were other conditions stay."""
    assert show(item(), Condition()).wording == item().wording()
    assert Condition().as_json() == {"wording": "explicit"}


def test_every_index_gives_another_order_and_none_the_original() -> None:
    """Four free choices have 23 other orders; a twenty-fourth there is not."""
    orders = [show(item(), shuffled(index)).order for index in range(1, 24)]
    assert set(orders) == set(permutations((1, 2, 3, 4))) - {(1, 2, 3, 4)}
    assert show_item(item(), shuffled(24)) == NotShown("its choices have fewer different orders")


def test_choices_that_are_the_same_have_no_orders() -> None:
    """Whichever of the two is marked, nobody could tell which was meant."""
    reason = NotShown("two of its choices are the same, so orders cannot be told apart")
    assert show_item(item("적운", "층운", "적운", "권운"), shuffled(1)) == reason
    assert show_item(item("적운", "층운", "적운", "권운"), Condition(order=Order(OrderKind.REVERSED))) == reason
    assert isinstance(show_item(item("적운", "층운", "적운", "권운"), Condition()), Shown)


def test_orders_depend_on_item_and_seed_alone() -> None:
    """The same command gives the same orders; another item and another seed give others."""
    assert show(item(), shuffled(1)).order == show(item(), shuffled(1)).order
    names = {show(item(name=str(number)), shuffled(1)).order for number in range(40)}
    seeds = {show(item(), shuffled(1, seed)).order for seed in range(40)}
    assert min(len(names), len(seeds)) > 10


def test_a_permutation_is_what_it_was() -> None:
    """The orders of a stored run can be made again: this one is fixed for good."""
    assert show(item(), shuffled(1)).order == (1, 3, 2, 4)
    assert show(item(), shuffled(2)).order == (2, 3, 4, 1)


def test_reversing_turns_the_free_choices_round() -> None:
    """What speaks of all stays last."""
    assert show(item(), REVERSED).order == (4, 3, 2, 1)
    assert show(item("가", "나", "다", "모두 옳다"), REVERSED).order == (3, 2, 1, 4)


def test_pictures_move_with_their_choices() -> None:
    """A choice is its text and its pictures."""
    choices = tuple(Content("", (Image(f"{number}.png"),)) for number in range(1, 5))
    asked = Item("1", {EXPLICIT: Wording(Content("?"), choices)}, ChoiceKey(1))
    assert [image.path for image in show(asked, REVERSED).wording.images] == ["4.png", "3.png", "2.png", "1.png"]


@given(st.permutations((1, 2, 3, 4)), st.integers(1, 4), st.sampled_from([*Labels]))
def test_an_answer_comes_back_to_the_choice_that_was_meant(order: list[int], place: int, labels: Labels) -> None:
    """Whoever names the label at a place has chosen what is shown there, in whatever order and by whatever label."""
    shown = show_in_order(item(), Condition(labels=labels), tuple(order))
    assert shown.wording.choices[place - 1].text == TEXTS[order[place - 1] - 1]
    label = shown.called(place)
    value = label if labels is Labels.NUMBERS else f'"{label}"'
    for name in ("dict-strict", "dict-lenient"):
        read = parser(name)(f'{{"정답": {value}}}', "stop", shown.wording)
        assert shown.outcome(read) == Answered(order[place - 1])
    for name, expected in (
        ("boxed", str(order[place - 1])),
        ("letter-strict", "abcd"[order[place - 1] - 1]),
        ("boxed-multi", (str(order[place - 1]),)),
    ):
        if name == "letter-strict" and labels is Labels.NUMBERS:
            continue
        text = label if name == "letter-strict" else rf"\boxed{{{label}}}"
        assert shown.outcome(parser(name)(text, "stop", shown.wording)) == Answered(expected)


@given(st.permutations((1, 2, 3, 4)), st.integers(1, 4), st.sampled_from([*Labels]))
def test_a_statement_in_prose_is_read_by_its_label(order: list[int], place: int, labels: Labels) -> None:
    """The lenient parser reads a label in a sentence."""
    shown = show_in_order(item(), Condition(labels=labels), tuple(order))
    for sentence in ("정답은 {}입니다.", "정답은 ({})이다.", "따라서 정답: {}", "{}번이 정답입니다."):
        read = parser("dict-lenient")(sentence.format(shown.called(place)), "stop", shown.wording)
        if labels is Labels.LETTERS and sentence.startswith("{}"):
            continue
        assert shown.outcome(read) == Answered(order[place - 1]), sentence


@pytest.mark.parametrize("labels", [Labels.LETTERS, Labels.JAMO])
@pytest.mark.parametrize("name", ["dict-strict", "dict-lenient"])
def test_a_number_is_no_answer_where_choices_have_other_labels(labels: Labels, name: str) -> None:
    """It could be the number of the original choice, or a place: nobody can tell."""
    shown = show(item(), Condition(labels=labels))
    assert isinstance(parser(name)('{"정답": 2}', "stop", shown.wording), Unparsed)
    assert isinstance(parser(name)("정답은 2번입니다.", "stop", shown.wording), Unparsed)


def test_flags_survive_the_way_back() -> None:
    """What is worth knowing of an answer stays with it."""
    found = Answered(1, (Flag.EARLIER_ANSWER,))
    assert show(item(), REVERSED).outcome(found) == Answered(4, (Flag.EARLIER_ANSWER,))


def test_several_picks_come_back_in_order() -> None:
    """Letters and numbers alike."""
    shown = show_in_order(item(), Condition(), (3, 1, 4, 2))
    assert shown.outcome(Answered(("1", "2"))) == Answered(("1", "3"))
    assert shown.outcome(Answered(("a", "d"))) == Answered(("b", "c"))


def test_the_key_is_never_touched() -> None:
    """No condition gives an item another key, and what is right is found where it is shown."""
    for condition in (REVERSED, shuffled(3), Condition(labels=Labels.JAMO)):
        shown = show(item(), condition)
        assert shown.item.key == ChoiceKey(2)
        assert isinstance(shown.right, int)
        assert shown.wording.choices[shown.right - 1].text == "층운"
    several = Item("1", item().wordings, ChoiceSetKey(frozenset({1, 2})))
    assert show(several, REVERSED).right == ("3", "4")


@pytest.mark.parametrize(
    ("asked", "condition", "reason"),
    [
        (Item("1", item().wordings, TextKey("층운")), REVERSED, "no choices to answer with"),
        (item("가", "나", "다", "①, ②"), REVERSED, "speak of each other"),
        (item("가", "나", "다", "1번과 2번"), Condition(labels=Labels.LETTERS), "by their numbers"),
        (item("ㄱ", "ㄴ", "ㄱ, ㄴ", "없음"), Condition(labels=Labels.JAMO), "for something else"),
        (item(*map(str, range(100, 120))), Condition(labels=Labels.JAMO), "more choices than"),
        (Item("1", item().wordings, TextKey("층운")), Condition(labels=Labels.LETTERS), "no choices to answer with"),
    ],
)
def test_an_item_that_a_condition_does_not_fit_is_not_shown(asked: Item, condition: Condition, reason: str) -> None:
    """It is refused with the reason, never shown in the usual way without a word."""
    found = show_item(asked, condition)
    assert isinstance(found, NotShown)
    assert reason in found.reason


@pytest.mark.parametrize("text", ["original", "reversed", "shuffled-1@42", "shuffled-999@7"])
def test_an_order_is_read_as_it_is_written(text: str) -> None:
    """What the store keeps is what was meant."""
    order = order_from(text)
    assert order is not None
    assert str(order) == text
    assert condition_from(Condition(order=order).as_json()) == Condition(order=order)


@pytest.mark.parametrize("text", ["", "shuffled", "shuffled-0", "shuffled-1000", "shuffled-1@x", "Reversed", "random"])
def test_what_is_no_order_is_none(text: str) -> None:
    """It is not guessed."""
    assert order_from(text) is None


def test_a_seed_that_is_left_out_is_forty_two() -> None:
    """It is written out when stored: seeds are explicit."""
    assert str(order_from("shuffled-3")) == "shuffled-3@42"


STEM, DRAWN = Image("stem.png"), Image("choice.png")
PICTURED = Item("9", {EXPLICIT: Wording(Content("그림은?", (STEM,)), tuple(map(Content, TEXTS)))}, ChoiceKey(3))


def having(**settings: str) -> Condition:
    """Return a condition with these values."""
    condition = Condition()
    for name, value in settings.items():
        condition = condition.having(name, value)
    return condition


def test_a_hidden_question_leaves_the_choices() -> None:
    """Text and picture of the stem are gone."""
    shown = show(PICTURED, having(question="hidden"))
    assert shown.wording == Wording(Content(), PICTURED.wording().choices)


def test_hidden_choices_keep_their_places() -> None:
    """The answer has the same form, and an index that no choice has is none."""
    shown = show(item(), having(choices="hidden"))
    assert shown.wording.choices == (Content(),) * 4
    assert shown.outcome(parser("dict-strict")('{"정답": 4}', "stop", shown.wording)) == Answered(4)
    assert isinstance(parser("dict-strict")('{"정답": 5}', "stop", shown.wording), Unparsed)


@given(st.integers(1, 4), st.integers(1, 4))
def test_where_every_choice_is_the_right_one_every_answer_is_right(key: int, place: int) -> None:
    """Each place leads back to the key, which stays what it was."""
    shown = show(item(key=key), having(choices="gold"))
    assert shown.wording.choices == (Content(TEXTS[key - 1]),) * 4
    assert shown.outcome(Answered(place)) == Answered(key)
    assert shown.item.key == ChoiceKey(key)


def test_hidden_pictures_leave_the_texts() -> None:
    """So that a text-only model can be asked."""
    assert show(PICTURED, having(images="hidden")).wording == Wording(Content("그림은?"), PICTURED.wording().choices)


def test_a_picture_alone_has_no_question() -> None:
    """The choices stay, since the answer is one of them."""
    assert show(PICTURED, having(images="only")).wording.question == Content("", (STEM,))


@pytest.mark.parametrize(
    ("asked", "condition", "reason"),
    [
        (Item("1", item().wordings, TextKey("x")), having(question="hidden"), "no choices to answer with"),
        (item(), having(question="hidden", choices="hidden"), "neither question nor choices"),
        (item(), having(choices="hidden", order="reversed"), "look alike"),
        (Item("1", item().wordings, ChoiceSetKey(frozenset({1, 2}))), having(choices="gold"), "more than one choice"),
        (item("가", "나", "다", "모두 옳다", key=4), having(choices="gold"), "speaks of the others"),
        (item(), having(images="hidden"), "no picture"),
        (item(), having(images="grayscale"), "no picture"),
        (
            Item("1", {EXPLICIT: Wording(Content("", (STEM,)), ())}, TextKey("x")),
            having(images="hidden"),
            "picture alone",
        ),
        (
            Item("1", {EXPLICIT: Wording(Content("?"), (Content("", (DRAWN,)), Content("나")))}, ChoiceKey(1)),
            having(images="hidden"),
            "a choice is a picture alone",
        ),
        (
            Item("1", {EXPLICIT: Wording(Content("?"), (Content("", (DRAWN,)), Content("나")))}, ChoiceKey(1)),
            having(images="only"),
            "its question has no picture",
        ),
        (item(), having(wording="english"), "no wording english"),
    ],
)
def test_what_cannot_be_hidden_is_not_asked(asked: Item, condition: Condition, reason: str) -> None:
    """It is refused with the reason, never shown in the usual way without a word."""
    found = show_item(asked, condition)
    assert isinstance(found, NotShown)
    assert reason in found.reason


def test_an_item_without_an_implicit_wording_reads_the_same_in_it() -> None:
    """Benchmarks give it only where it differs; a translation that is missing is not the Korean text."""
    assert show(item(), having(wording="implicit")).wording == item().wording()


def test_a_blind_guess_is_worth_the_share_of_right_choices() -> None:
    """One of four, all of them, one of the fifteen non-empty sets, one of two; nothing is known of a free answer."""
    assert chance_of(show(item(), Condition())) == 0.25
    assert chance_of(show(item(), having(order="reversed"))) == 0.25
    assert chance_of(show(item(), having(choices="gold"))) == 1.0
    assert chance_of(show(Item("1", item().wordings, ChoiceSetKey(frozenset({1}))), Condition())) == 1 / 15
    assert chance_of(show(Item("1", item().wordings, BooleanKey(value=True)), Condition())) == 0.5
    assert chance_of(show(Item("1", item().wordings, TextKey("x")), Condition())) is None
