"""An item as a condition shows it, and the way back from what was shown to the item.

Everything that is stored or reported of an answer is in the item's own numbering. The key is never touched: a choice
keeps its index wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from exambench.exchange import Part
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Item, Key, TextKey, Wording
from exambench.outcomes import Answered, AnswerValue, Outcome
from exambench.protocols.condition import Choices, Condition, Images, Passage, Question
from exambench.protocols.labels import Labels
from exambench.protocols.ordering import OrderKind
from exambench.protocols.references import freedom_of
from exambench.protocols.templates import stem_of

ALIKE: Final = frozenset({EXPLICIT, "implicit", "original"})
"""Wordings that items lack where they would be as the explicit one; an item that lacks another is not shown in it."""
LONGEST_NUMBER: Final = 9
"""Digits of the longest number that may be a choice's."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class NotShown:
    """An item that a condition cannot be applied to.

    Attributes:
        reason: Why, as a clause.
    """

    reason: str


@dataclass(frozen=True)
class Shown:
    """An item as a model sees it.

    Attributes:
        item: The item.
        wording: Stem and choices as they are shown, with their labels.
        order: For each shown choice its index, from 1, among the item's own; empty for the item's own order.
        suffixes: Names of what the protocol says after the item.
        examples: Other items that are shown before it, with their answers.
        passage: The text that it is asked about, as far as that is shown; empty for none.
    """

    item: Item
    wording: Wording
    order: tuple[int, ...] = ()
    suffixes: tuple[str, ...] = ()
    examples: tuple[Shown, ...] = ()
    passage: str = ""

    @property
    def stem(self) -> list[Part]:
        """The passage, if it is shown, and below it the stem with its pictures."""
        return stem_of(self.wording.question, self.passage)

    def outcome(self, found: Outcome) -> Outcome:
        """Return what was read from a response in the item's own numbering."""
        if not self.order or not isinstance(found, Answered):
            return found
        return replace(found, value=_renumbered(found.value, dict(enumerate(self.order, start=1))))

    def place(self, index: int) -> int:
        """Return where a choice, by its index among the item's own, is shown first, from 1."""
        return self.order.index(index) + 1 if self.order else index

    def called(self, place: int) -> str:
        """Return what the choice at a place, from 1, is called."""
        return self.wording.labels[place - 1] if self.wording.labels else str(place)

    @property
    def key(self) -> Key:
        """What is right, choices by the places at which they are shown; the item's own key stays as it is."""
        match self.item.key:
            case ChoiceKey(index):
                return ChoiceKey(self.place(index))
            case ChoiceSetKey(indices):
                return ChoiceSetKey(frozenset(map(self.place, indices)))
        return self.item.key

    @property
    def right(self) -> AnswerValue:
        """What is right as an answer, choices by the places at which they are shown."""
        match self.key:
            case ChoiceKey(index):
                return index
            case ChoiceSetKey(indices):
                return tuple(str(place) for place in sorted(indices))
            case BooleanKey(value):
                return value
            case TextKey(text):
                return text

    def as_shown(self, value: AnswerValue) -> AnswerValue:
        """Return an answer in the item's own numbering by the places at which choices are shown.

        Where every choice is the right one, it is the first place: which one was marked is not kept.
        """
        if not self.order:
            return value
        places = {index: self.place(index) for index in self.order}
        return _renumbered(value, places)


def _renumbered(value: AnswerValue, numbers: Mapping[int, int]) -> AnswerValue:
    """Return an answer with other numbers, or letters, for its choices; what names no choice stays as it is."""
    match value:
        case bool():
            return value
        case int():
            return numbers.get(value, value)
        case str():
            return _renamed(value, numbers)
        case tuple():
            names = {_renamed(name, numbers) for name in value}
            return tuple(sorted(names, key=lambda name: (len(name), name)))


def _renamed(name: str, numbers: Mapping[int, int]) -> str:
    if name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER:
        return str(numbers.get(int(name), int(name)))
    place = LETTERS.find(name.lower()) + 1 if len(name) == 1 else 0
    return LETTERS[numbers[place] - 1] if place in numbers else name


def show_item(item: Item, condition: Condition) -> Shown | NotShown:
    """Return an item as a condition shows it, or why it cannot; examples are put before it by themselves."""
    if condition.wording not in item.wordings and condition.wording not in ALIKE:
        return NotShown(f"it has no wording {condition.wording}")
    wording = item.wording(condition.wording)
    for reason in (
        _against_closing(item, condition),
        _against_hiding(item, condition),
        _against_images(wording, condition.images),
        _against_labels(item, wording, condition.labels),
    ):
        if reason:
            return NotShown(reason)
    order = _order(item, wording, condition)
    return order if isinstance(order, NotShown) else show_in_order(item, condition, order)


def show_in_order(item: Item, condition: Condition, order: tuple[int, ...]) -> Shown:
    """Return an item as a condition shows it, given the order that it was shown in.

    Args:
        item: The item.
        condition: A condition that can be applied to it.
        order: For each shown choice its index, from 1, among the item's own; empty for the item's own order.
    """
    wording = _with_images(item.wording(condition.wording), condition.images)
    question = Content() if condition.question is Question.HIDDEN else wording.question
    choices = tuple(wording.choices[index - 1] for index in order) if order else wording.choices
    if condition.choices is Choices.HIDDEN:
        choices = tuple(Content() for _ in choices)
    labels = condition.labels.of(len(choices)) or ()
    hidden = condition.passage is Passage.HIDDEN or _hides_stem(condition)
    passage = "" if hidden else item.passage
    return Shown(item, Wording(question, choices, labels), order, suffixes=condition.suffixes, passage=passage)


def _with_images(wording: Wording, images: Images) -> Wording:
    match images:
        case Images.HIDDEN:
            choices = tuple(Content(choice.text) for choice in wording.choices)
            return Wording(Content(wording.question.text), choices)
        case Images.ONLY:
            return Wording(Content("", wording.question.images), wording.choices)
    return wording


def _hides_stem(condition: Condition) -> bool:
    """Tell whether the stem's text is hidden, and with it the passage that it is about."""
    return condition.question is Question.HIDDEN or condition.images is Images.ONLY


def _against_closing(item: Item, condition: Condition) -> str:
    """Return why the item cannot be asked without its passage; nothing if it can, or is not to be."""
    if condition.passage is Passage.SHOWN:
        return ""
    if not item.passage:
        return "it has no passage"
    if item.needs_passage:
        return "its question cannot stand without its passage"
    return "its passage is hidden with its question" if _hides_stem(condition) else ""


def _against_hiding(item: Item, condition: Condition) -> str:
    """Return why question or choices cannot be hidden, or every choice be the right one; nothing if they can."""
    hides = (condition.question is Question.HIDDEN, condition.choices is not Choices.SHOWN)
    if any(hides) and not _chooses(item):
        return "the item has no choices to answer with"
    if all(hides) and condition.choices is Choices.HIDDEN:
        return "neither question nor choices would be shown"
    if condition.choices is Choices.SHOWN:
        return ""
    if condition.order.kind is not OrderKind.ORIGINAL:
        return "its choices would look alike, so they have no order"
    if condition.choices is Choices.GOLD:
        return _against_gold(item, item.wording(condition.wording))
    return ""


def _against_gold(item: Item, wording: Wording) -> str:
    if not isinstance(item.key, ChoiceKey):
        return "more than one choice is right"
    freedom = freedom_of(wording.question.text, [choice.text for choice in wording.choices])
    return "its right choice speaks of the others" if item.key.index - 1 in freedom.speaking else ""


def _against_images(wording: Wording, images: Images) -> str:
    """Return why the pictures cannot be shown like this; nothing if they can."""
    if images is Images.SHOWN:
        return ""
    if not wording.images:
        return "it has no picture"
    if images is Images.ONLY and not wording.question.images:
        return "its question has no picture"
    if images is Images.HIDDEN and not wording.question.text.strip():
        return "its question is a picture alone"
    if images is Images.HIDDEN and not all(choice.text.strip() for choice in wording.choices):
        return "a choice is a picture alone"
    return ""


def _order(item: Item, wording: Wording, condition: Condition) -> tuple[int, ...] | NotShown:
    if condition.choices is Choices.GOLD and isinstance(item.key, ChoiceKey):
        return (item.key.index,) * len(wording.choices)
    if condition.order.kind is OrderKind.ORIGINAL:
        return ()
    if not _chooses(item):
        return NotShown("the item has no choices to answer with")
    if len(set(wording.choices)) < len(wording.choices):
        return NotShown("two of its choices are the same, so orders cannot be told apart")
    freedom = freedom_of(wording.question.text, [choice.text for choice in wording.choices])
    if not freedom.blocks:
        return NotShown("its choices speak of each other, so none of them may change places")
    places = condition.order.places(item.id, len(wording.choices), freedom)
    return NotShown("its choices have fewer different orders") if places is None else tuple(p + 1 for p in places)


def _against_labels(item: Item, wording: Wording, labels: Labels) -> str:
    """Return why the choices cannot be called by these labels; nothing if they can."""
    if labels is Labels.NUMBERS:
        return ""
    if not _chooses(item):
        return "the item has no choices to answer with"
    stem, choices = wording.question.text, [choice.text for choice in wording.choices]
    if labels.of(len(choices)) is None:
        return "it has more choices than there are labels"
    if freedom_of(stem, choices).naming:
        return "its choices name each other by their numbers"
    if any(labels.stands_in(text, len(choices)) for text in (stem, *choices)):
        return "its own text uses these labels for something else"
    return ""


def _chooses(item: Item) -> bool:
    return isinstance(item.key, ChoiceKey | ChoiceSetKey)
