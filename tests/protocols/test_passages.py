"""The passage that an item is asked about: where it is shown, and what a closed book means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.errors import ConfigError
from exambench.exchange import ImagePart, TextPart
from exambench.items import EXPLICIT, NEEDS_PASSAGE, ChoiceKey, Content, Image, Item, TextKey, Wording
from exambench.protocols import Condition, NotShown, Shown, render, show_item, with_examples
from tests.protocols.test_rendering import PROTOCOL

PASSAGE = "대류권에서는 고도가 오를수록 기온이 내려간다. {{choices}}"
CHOICES = (Content("오른다"), Content("내린다"))
ASKED = Item("1", {EXPLICIT: Wording(Content("기온은?"), CHOICES)}, ChoiceKey(2), passage=PASSAGE)
SUMMARY = Item(
    "2", {EXPLICIT: Wording(Content("요약하시오."))}, TextKey("내린다."), {NEEDS_PASSAGE: True}, passage=PASSAGE
)
CLOSED = Condition().having("passage", "hidden")


def asked_with(item: Item, condition: Condition, user: str = PROTOCOL.user) -> str:
    """Return the user's message as text, pictures left out."""
    shown = show_item(item, condition)
    assert isinstance(shown, Shown), shown
    message = render(shown, replace(PROTOCOL, user=user))[-1]
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def test_a_passage_stands_above_the_question_and_is_never_searched_for_placeholders() -> None:
    """A protocol needs no word of it."""
    assert asked_with(ASKED, Condition()) == f"Q: {PASSAGE}\n\n기온은?\n1) 오른다\n2) 내린다\nEnd"


def test_a_template_may_have_a_place_for_it() -> None:
    """Then it stands there alone, and nowhere where the book is closed."""
    user = "[지문] {{passage}}\n[문제] {{question}}"
    assert asked_with(ASKED, Condition(), user) == f"[지문] {PASSAGE}\n[문제] 기온은?"
    assert asked_with(ASKED, CLOSED, user) == "[지문] \n[문제] 기온은?"


def test_a_closed_book_leaves_the_question_as_it_is() -> None:
    """It is what the same item without a passage would be."""
    assert asked_with(ASKED, CLOSED) == asked_with(replace(ASKED, passage=""), Condition())
    assert PASSAGE not in asked_with(ASKED, CLOSED)


def test_a_passage_alone_is_the_question() -> None:
    """Where there is no stem, nothing trails it."""
    bare = replace(SUMMARY, wordings={EXPLICIT: Wording(Content())})
    assert asked_with(bare, Condition(), "요약하시오.\n{{question}}") == f"요약하시오.\n{PASSAGE}"


@pytest.mark.parametrize("setting", [("question", "hidden"), ("images", "only")])
def test_the_passage_is_hidden_with_the_stem(setting: tuple[str, str]) -> None:
    """Choices alone, or a picture alone, are alone."""
    pictured = replace(ASKED, wordings={EXPLICIT: Wording(Content("기온은?", (Image("x.png"),)), CHOICES)})
    shown = show_item(pictured, Condition().having(*setting))
    assert isinstance(shown, Shown)
    assert shown.passage == ""
    assert all(isinstance(part, ImagePart) for part in shown.stem)


@pytest.mark.parametrize(
    ("item", "condition", "reason"),
    [
        (replace(ASKED, passage=""), CLOSED, "it has no passage"),
        (SUMMARY, CLOSED, "its question cannot stand without its passage"),
        (replace(SUMMARY, facets={}, wordings={EXPLICIT: Wording(Content())}), CLOSED, "cannot stand without"),
        (ASKED, CLOSED.having("question", "hidden"), "its passage is hidden with its question"),
    ],
)
def test_an_item_that_cannot_be_asked_closed_book_is_not_asked(item: Item, condition: Condition, reason: str) -> None:
    """It is refused with the reason; under the usual condition it is shown."""
    found = show_item(item, condition)
    assert isinstance(found, NotShown)
    assert reason in found.reason
    assert isinstance(show_item(item, Condition()), Shown)


def examples(item: Item, *pool: Item) -> list[str] | NotShown:
    """Return the identifiers of the one example of an item, or why it has none."""
    condition = Condition().having("shots", "1")
    shown = show_item(item, condition)
    assert isinstance(shown, Shown)
    found = with_examples(shown, pool, condition)
    return found if isinstance(found, NotShown) else [example.item.id for example in found.examples]


def test_no_example_is_about_the_same_passage() -> None:
    """What it answers could answer the question."""
    sibling = replace(ASKED, id="3", wordings={EXPLICIT: Wording(Content("무엇이 평형을 이루는가?"), CHOICES[::-1])})
    other = replace(sibling, id="4", passage="태풍의 눈에서는 바람이 약하다.")
    assert examples(ASKED, sibling) == NotShown("only 0 other items can be its examples")
    assert examples(ASKED, sibling, other) == ["4"]


def test_the_same_question_about_another_passage_is_an_example_where_the_passage_is_needed() -> None:
    """Summaries are all asked in the same words; a question that stands alone is the same about any passage."""
    other = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 3
    assert examples(SUMMARY, replace(SUMMARY, id="5", passage=other)) == ["5"]
    assert isinstance(examples(ASKED, replace(ASKED, id="5", passage=other)), NotShown)


def test_an_example_shows_its_passage() -> None:
    """As the question does, and under a closed book neither."""
    unlike = Wording(Content("눈에서는 바람이 어떠한가?"), (Content("약하다"), Content("강하다")))
    other = replace(ASKED, id="4", wordings={EXPLICIT: unlike}, passage="태풍")
    for condition, times in ((Condition(), 1), (CLOSED, 0)):
        shots = condition.having("shots", "1")
        shown = show_item(ASKED, shots)
        assert isinstance(shown, Shown)
        found = with_examples(shown, [other], shots)
        assert isinstance(found, Shown)
        text = str(render(found, PROTOCOL))
        assert text.count("태풍") == times
        assert text.count("대류권") == times


def test_protocols_do_not_change_by_what_items_have() -> None:
    """A closed book is a condition of the items; a protocol says nothing else under it."""
    assert PROTOCOL.hash_under(CLOSED) == PROTOCOL.hash
    with pytest.raises(ConfigError, match="shown, hidden"):
        Condition().having("passage", "open")
