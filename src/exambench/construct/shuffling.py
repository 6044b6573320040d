"""The stage ``shuffle``: choices in a new order, so that what is right stands in every place about equally often."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import Context, Settings, StageKind
from exambench.items import ChoiceKey, ChoiceSetKey, Item, Key, Wording
from exambench.protocols.references import Freedom, freedom_of

_NUMBERED: Final = re.compile(r"[①-⑳]|(?<![0-9.])[1-9]\s*번(?!째)|\b(?:option|choice)\s+[1-9A-H]\b", re.IGNORECASE)


class ShuffleSettings(Settings):
    """Settings of ``shuffle``: none; the seed is the project's."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """An item with its choices in a new order.

    Attributes:
        item: It, its key following the choices.
        order: For each new place the old one, from 1.
    """

    item: Item
    order: tuple[int, ...]


def arrange(items: Sequence[Item], seed: int) -> tuple[Arranged, ...]:
    """Return each item with its choices in a drawn order; items without choices or without another order are unchanged.

    Choices that speak of others keep the places that :func:`exambench.protocols.references.freedom_of` gives them, in
    every wording. Of the places that the right choice may take, it takes the one where the fewest items with as many
    choices have theirs so far; items with the least freedom choose first. Draws and ties are the seed's.
    """
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    freedoms = [_freedom(item) for item in items]
    queue = list(range(len(items)))
    rng.shuffle(queue)
    queue.sort(key=lambda at: max(map(len, freedoms[at].blocks), default=0))
    used: Counter[tuple[int, int]] = Counter()
    found: dict[int, Arranged] = {}
    for at in queue:
        found[at] = _arranged(items[at], freedoms[at], used, rng)
    return tuple(found[at] for at in range(len(items)))


def shuffle(items: tuple[Item, ...], _settings: ShuffleSettings, context: Context) -> StageResult:
    """Put the choices of every item into a new order, as far as they may change places.

    An item whose rationale names a choice by its number is marked for people, since the number may be another now.
    """
    arranged = arrange(items, context.seed)
    changes: list[Change] = []
    for old, new in zip(items, arranged, strict=True):
        if new.item != old:
            changes.append(Change(old.id, Action.CHANGED, "choices in another order", {"order": list(new.order)}))
            if _NUMBERED.search(old.rationale):
                changes.append(Change(old.id, Action.REVIEW, "its rationale names a choice by a number"))
        elif isinstance(old.key, ChoiceKey | ChoiceSetKey) and not _freedom(old).blocks:
            changes.append(Change(old.id, Action.NOTED, "its choices speak of each other and keep their places"))
    places = Counter(new.item.key.index for new in arranged if isinstance(new.item.key, ChoiceKey))
    return StageResult(
        items=tuple(new.item for new in arranged),
        changes=tuple(changes),
        facts={"key_positions": {str(place): places[place] for place in sorted(places)}},
    )


SHUFFLE: Final = StageKind(ShuffleSettings, shuffle)


def _freedom(item: Item) -> Freedom:
    """Return which choices may change places in every wording; of items without a right choice, none."""
    if not isinstance(item.key, ChoiceKey | ChoiceSetKey):
        return Freedom(())
    freedoms = [
        freedom_of(wording.question.text, [choice.text for choice in wording.choices])
        for wording in item.wordings.values()
    ]
    first = freedoms[0]
    for other in freedoms[1:]:
        blocks = [tuple(sorted(set(one) & set(two))) for one in first.blocks for two in other.blocks]
        first = Freedom(tuple(block for block in blocks if len(block) > 1))
    return first


def _arranged(item: Item, freedom: Freedom, used: Counter[tuple[int, int]], rng: random.Random) -> Arranged:
    count = len(item.wording().choices)
    order = list(range(count))
    for block in freedom.blocks:
        drawn = rng.sample(block, len(block))
        for place, choice in zip(block, drawn, strict=True):
            order[place] = choice
    if isinstance(item.key, ChoiceKey):
        right = item.key.index - 1
        block = next((block for block in freedom.blocks if right in block), (right,))
        fewest = min(used[count, place] for place in block)
        place = rng.choice([place for place in block if used[count, place] == fewest])
        now = order.index(right)
        order[now], order[place] = order[place], order[now]
        used[count, place] += 1
    if order == list(range(count)):
        return Arranged(item, tuple(place + 1 for place in order))
    wordings = {name: _reordered(wording, order) for name, wording in item.wordings.items()}
    return Arranged(replace(item, wordings=wordings, key=_moved(item.key, order)), tuple(place + 1 for place in order))


def _reordered(wording: Wording, order: Sequence[int]) -> Wording:
    return replace(wording, choices=tuple(wording.choices[place] for place in order))


def _moved(key: Key, order: Sequence[int]) -> Key:
    match key:
        case ChoiceKey(index):
            return ChoiceKey(order.index(index - 1) + 1)
        case ChoiceSetKey(indices):
            return ChoiceSetKey(frozenset(order.index(index - 1) + 1 for index in indices))
        case _:
            return key
