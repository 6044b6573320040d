"""Examples before a question are other items, and none is nearly the question."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from exambench.exchange import Role, TextPart
from exambench.items import EXPLICIT, ChoiceKey, Content, Image, Item, Wording
from exambench.protocols import Condition, NotShown, Protocol, Shown, render, show_item, with_examples
from exambench.protocols.labels import Labels
from tests.protocols.test_rendering import PROTOCOL

STEMS = (
    "태풍의 눈에서 나타나는 날씨는?",
    "구름의 높이를 재는 기기는?",
    "지균풍이 불 조건은?",
    "우리나라 장마의 원인이 되는 전선은?",
    "복사 안개가 잘 끼는 때는?",
    "단열 감률의 단위는?",
    "편서풍 파동의 파장은?",
)


def item(number: int, stem: str, *, picture: bool = False) -> Item:
    """Return an item whose second choice is right."""
    choices = tuple(Content(chr(ord("가") + 97 * number + 11 * place) * 9) for place in range(4))
    images = (Image("x.png"),) if picture else ()
    return Item(str(number), {EXPLICIT: Wording(Content(stem, images), choices)}, ChoiceKey(2))


POOL = [item(number, stem) for number, stem in enumerate(STEMS)]


def shots(text: str) -> Condition:
    """Return a condition with examples."""
    return Condition().having("shots", text)


def examples(asked: Item, pool: list[Item], condition: Condition) -> list[str]:
    """Return the identifiers of the examples of an item."""
    found = show_item(asked, condition)
    assert isinstance(found, Shown)
    shown = with_examples(found, pool, condition)
    assert isinstance(shown, Shown), shown
    return [example.item.id for example in shown.examples]


@given(st.integers(0, 6), st.integers(1, 6), st.integers(0, 99))
def test_an_item_is_never_its_own_example(place: int, count: int, seed: int) -> None:
    """As many others as are asked for, each once, the same ones for the same seed."""
    drawn = examples(POOL[place], POOL, shots(f"{count}@{seed}"))
    assert len(set(drawn)) == count
    assert POOL[place].id not in drawn
    assert drawn == examples(POOL[place], POOL, shots(f"{count}@{seed}"))


def test_near_duplicates_are_passed_over() -> None:
    """The same stem with one word changed, or the same choices in another order under a like stem, give it away."""
    twin = item(100, "태풍의 눈에서 나타나는 바람은?")
    own = POOL[0].wording()
    turned = Item("101", {EXPLICIT: Wording(Content("태풍 눈의 날씨?"), own.choices[::-1])}, ChoiceKey(1))
    for seed in range(20):
        drawn = examples(POOL[0], [*POOL, twin, turned], shots(f"6@{seed}"))
        assert not {"100", "101"}.intersection(drawn)


def test_items_with_pictures_are_no_examples() -> None:
    """They would need a model that sees."""
    pool = [*POOL[:3], item(50, "그림의 전선은?", picture=True)]
    assert set(examples(POOL[0], pool, shots("2"))) == {"1", "2"}


def test_too_few_examples_are_a_reason_not_to_ask() -> None:
    """An item with fewer would be asked in another way than its neighbours."""
    found = show_item(POOL[0], shots("3"))
    assert isinstance(found, Shown)
    assert with_examples(found, POOL[:3], shots("3")) == NotShown("only 2 other items can be its examples")


def test_an_example_is_a_question_and_its_answer_in_the_form_of_the_protocol() -> None:
    """A turn each, before the question itself; the answer names the choice as it is shown."""
    condition = shots("2").having("order", "reversed")
    found = show_item(POOL[0], condition)
    assert isinstance(found, Shown)
    shown = with_examples(found, POOL, condition)
    assert isinstance(shown, Shown)
    messages = render(shown, PROTOCOL)
    assert [message.role for message in messages] == [
        Role.SYSTEM,
        *(Role.USER, Role.ASSISTANT) * 2,
        Role.USER,
    ]
    assert messages[2].parts == (TextPart('{"정답": 3}'),)
    assert STEMS[0] in str(messages[-1].parts)


def test_an_answer_by_label_is_written_as_the_protocol_writes_labels() -> None:
    """A string where the number was a number."""
    protocol = with_words()
    condition = Condition(labels=Labels.JAMO).having("shots", "1")
    found = show_item(POOL[0], condition)
    assert isinstance(found, Shown)
    shown = with_examples(found, POOL, condition)
    assert isinstance(shown, Shown)
    messages = render(shown, protocol)
    assert messages[2].parts == (TextPart('{"정답": "ㄴ"}'),)
    assert str(messages[-1].parts[0]).count("ㄱ, ㄴ, ㄷ, ㄹ") == 1


def with_words() -> Protocol:
    """Return a protocol that has words for labels."""
    return replace(
        PROTOCOL, labelled='{"정답": "{{answer}}"}', suffixes={"labels": "보기: {{labels}}. 예: {{example}}"}
    )
