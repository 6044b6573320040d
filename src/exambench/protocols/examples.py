"""Examples before a question: other items of the benchmark, answered, and none that is nearly the question itself."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from exambench.items import Item
from exambench.protocols.condition import NO_SHOTS, Condition
from exambench.protocols.showing import NotShown, Shown, show_item

NEAR: Final = 0.6
"""Ratio of :class:`difflib.SequenceMatcher` from which two items count as near-duplicates, as in K-MetBench."""


def with_examples(shown: Shown, pool: Sequence[Item], condition: Condition) -> Shown | NotShown:
    """Return an item with its examples before it, or why it has too few.

    They are drawn from the pool with a seed, each item its own, and shown as the item is. Items with pictures, items
    about the same passage and items that are near-duplicates are passed over: by the stem, or by stem and choices
    together, whatever their order. A passage that a question cannot stand without belongs to its stem.

    Args:
        shown: The item as it is shown.
        pool: The items to draw from; the item itself may be among them.
        condition: How many examples, of which seed, and how they are shown.
    """
    wanted = condition.shots
    if not wanted.count:
        return shown
    rng = random.Random(f"{wanted.seed}\n{shown.item.id}")  # noqa: S311 - examples, not secrets
    own = _texts(shown.item, condition.wording)
    alone = replace(condition, shots=NO_SHOTS)
    found: list[Shown] = []
    for place in _drawn(len(pool), rng):
        candidate = pool[place]
        if candidate.id == shown.item.id or candidate.wording(condition.wording).images:
            continue
        if _share_a_passage(shown.item, candidate) or any(map(_near, own, _texts(candidate, condition.wording))):
            continue
        example = show_item(candidate, alone)
        if isinstance(example, Shown):
            found.append(example)
        if len(found) == wanted.count:
            return replace(shown, examples=tuple(found))
    return NotShown(f"only {len(found)} other items can be its examples")


def _drawn(count: int, rng: random.Random) -> Iterator[int]:
    """Yield the numbers below a count in a random order, each drawn when it is wanted."""
    places = list(range(count))
    for start in range(count):
        chosen = rng.randrange(start, count)
        places[start], places[chosen] = places[chosen], places[start]
        yield places[start]


def _share_a_passage(one: Item, other: Item) -> bool:
    return bool(one.passage) and _folded(one.passage) == _folded(other.passage)


def _near(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one, other)
    return matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR


def _texts(item: Item, name: str) -> tuple[str, str]:
    """Return the stem, and stem and choices with the choices in an order of their own."""
    wording = item.wording(name)
    passage = item.passage if item.needs_passage else ""
    stem = _folded(f"{passage}\n{wording.question.text}")
    return stem, "\n".join([stem, *sorted(_folded(choice.text) for choice in wording.choices)])


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
