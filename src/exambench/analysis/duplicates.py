"""Items of a benchmark that ask the same thing: exactly, after folding white space and Unicode's forms."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from exambench.items import Benchmark, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Item, TextKey


class Likeness(StrEnum):
    """What the items of a group have in common."""

    STEM = "stem"
    """The stems are the same, whatever the choices."""
    CHOICES_IN_ANOTHER_ORDER = "stem and choices, in another order"
    WHOLE = "stem and choices"


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Items with one stem.

    Attributes:
        items: Their identifiers, in the order of the benchmark.
        likeness: What they have in common.
        same_key: Whether the same content is right in each. Where stem and choices are the same and this is not,
            a key is wrong.
    """

    items: tuple[str, ...]
    likeness: Likeness
    same_key: bool


def duplicates(benchmark: Benchmark) -> tuple[DuplicateGroup, ...]:
    """Return the groups of items with the same stem, and within each those with the same choices.

    The explicit wording counts. Two stems are the same when their texts are, after composing (NFC) and folding white
    space, and they show the same pictures (by digest where it is known, else by path). A passage that a question cannot
    stand without belongs to its stem.
    """
    found = []
    for same_stem in _grouped(benchmark.items, _stem):
        found.append(_group(same_stem, Likeness.STEM))
        with_choices = [item for item in same_stem if item.wording().choices]
        for same_choices in _grouped(with_choices, lambda item: tuple(sorted(_choices(item)))):
            orders = {_choices(item) for item in same_choices}
            found.append(
                _group(same_choices, Likeness.WHOLE if len(orders) == 1 else Likeness.CHOICES_IN_ANOTHER_ORDER)
            )
    return tuple(found)


def folded(text: str) -> str:
    """Return text composed (NFC), each run of white space one blank, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


_Identity = tuple[str, tuple[str, ...]]


def _identity(content: Content) -> _Identity:
    pictures = (image.sha256 or unicodedata.normalize("NFC", image.path) for image in content.images)
    return folded(content.text), tuple(pictures)


def _stem(item: Item) -> tuple[_Identity, str]:
    return _identity(item.wording().question), folded(item.passage) if item.needs_passage else ""


def _choices(item: Item) -> tuple[_Identity, ...]:
    return tuple(_identity(choice) for choice in item.wording().choices)


def _grouped(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Return the groups of two or more items with the same key."""
    groups: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return [group for group in groups.values() if len(group) > 1]


def _group(items: Sequence[Item], likeness: Likeness) -> DuplicateGroup:
    return DuplicateGroup(
        items=tuple(item.id for item in items),
        likeness=likeness,
        same_key=len({_right(item) for item in items}) == 1,
    )


def _right(item: Item) -> Hashable:
    """Return what is right, as content: the same choice in another place is the same answer."""
    match item.key:
        case ChoiceKey(index):
            return _choices(item)[index - 1]
        case ChoiceSetKey(indices):
            return frozenset(_choices(item)[index - 1] for index in indices)
        case BooleanKey(value):
            return value
        case TextKey(text):
            return folded(text)
