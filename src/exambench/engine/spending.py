"""What responses cost, as far as they say how many tokens they took."""

from __future__ import annotations

from exambench.exchange import Usage
from exambench.models import Price


class Spending:
    """Money spent on responses, one added after the other.

    Attributes:
        money: On the responses that say their tokens; ``None`` when no price is known.
        unmetered: Responses that don't say: with any, the money is a lower bound.
    """

    def __init__(self, price: Price | None) -> None:
        self.money: float | None = None if price is None else 0.0
        self.unmetered = 0
        self._price = price

    def add(self, usage: Usage) -> None:
        """Take account of a response."""
        if self._price is None or self.money is None:
            return
        money = self._price.of(usage)
        if money is None:
            self.unmetered += 1
        else:
            self.money += money
