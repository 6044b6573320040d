"""The order in which choices are shown: as written, reversed, or one of many seeded permutations."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.protocols.references import Freedom

SEED: Final = 42
MOST_PERMUTATIONS: Final = 999
_SHUFFLED: Final = re.compile(r"shuffled-([1-9][0-9]{0,2})(?:@([0-9]{1,9}))?")


class OrderKind(StrEnum):
    """How an order comes about."""

    ORIGINAL = "original"
    REVERSED = "reversed"
    SHUFFLED = "shuffled"


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the choices.

    Attributes:
        kind: How it comes about.
        index: Which permutation, from 1, where they are shuffled: each index gives an item an order that none of
            the lower ones gives it, and never the original one.
        seed: Seed of the permutations.
    """

    kind: OrderKind = OrderKind.ORIGINAL
    index: int = 0
    seed: int = SEED

    def __str__(self) -> str:
        """Return the order as it is written: ``original``, ``reversed``, ``shuffled-1@42``."""
        return f"{self.kind}-{self.index}@{self.seed}" if self.kind is OrderKind.SHUFFLED else str(self.kind)

    def places(self, name: str, count: int, freedom: Freedom) -> tuple[int, ...] | None:
        """Return for each shown place the place, from 0, of its choice as written.

        Args:
            name: Identifier of the item: each has permutations of its own.
            count: Number of choices.
            freedom: Which may change places.

        Returns:
            The order; ``None`` when the item has no such order.
        """
        written = tuple(range(count))
        match self.kind:
            case OrderKind.ORIGINAL:
                return written
            case OrderKind.REVERSED:
                return _arranged(written, freedom, [block[::-1] for block in freedom.blocks])
            case OrderKind.SHUFFLED:
                return self._permutation(name, written, freedom)

    def _permutation(self, name: str, written: tuple[int, ...], freedom: Freedom) -> tuple[int, ...] | None:
        if self.index >= possible_orders(freedom):
            return None
        rng = random.Random(f"{self.seed}\n{name}")  # noqa: S311 - an order, not a secret
        seen = {written}
        while True:
            drawn = [tuple(rng.sample(block, len(block))) for block in freedom.blocks]
            order = _arranged(written, freedom, drawn)
            seen.add(order)
            if len(seen) > self.index:
                return order


def order_from(text: str) -> Order | None:
    """Return the order that a text names; ``None`` when it names none."""
    for kind in (OrderKind.ORIGINAL, OrderKind.REVERSED):
        if text == kind:
            return Order(kind)
    match = _SHUFFLED.fullmatch(text)
    return match and Order(OrderKind.SHUFFLED, int(match[1]), int(match[2] or SEED))


def possible_orders(freedom: Freedom) -> int:
    """Return the number of orders that an item may be shown in, the original one among them."""
    return math.prod(math.factorial(len(block)) for block in freedom.blocks)


def _arranged(written: tuple[int, ...], freedom: Freedom, blocks: list[tuple[int, ...]]) -> tuple[int, ...]:
    order = list(written)
    for places, choices in zip(freedom.blocks, blocks, strict=True):
        for place, choice in zip(places, choices, strict=True):
            order[place] = choice
    return tuple(order)
