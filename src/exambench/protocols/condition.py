"""A condition changes one thing about how an item is shown, or several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exambench.items import EXPLICIT
from exambench.protocols.labels import Labels
from exambench.protocols.ordering import Order, order_from

LABELS: Final = "labels"
"""Name of what a protocol says of choices that are not numbered."""

WRITTEN: Final = Order()
"""The order in which the choices are written."""


@dataclass(frozen=True, slots=True)
class Condition:
    """How the items of a run are shown.

    Attributes:
        wording: Name of the wording; items that lack it are put explicitly.
        order: In which order the choices stand.
        labels: What the choices are called.
    """

    wording: str = EXPLICIT
    order: Order = WRITTEN
    labels: Labels = Labels.NUMBERS

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Names of what the protocol has to say after the item, see :attr:`exambench.protocols.Protocol.suffixes`."""
        return (LABELS,) if self.labels is not Labels.NUMBERS else ()

    def as_json(self) -> Mapping[str, str]:
        """Return the condition as JSON values for the store; what is as usual is left out, but for the wording."""
        usual = Condition()
        further = {
            name: str(getattr(self, name))
            for name in ("order", "labels")
            if getattr(self, name) != getattr(usual, name)
        }
        return {"wording": self.wording, **further}


def condition_from(stored: Mapping[str, object]) -> Condition:
    """Return the condition that the store keeps.

    Raises:
        ValueError: It is none that this version knows.
    """
    order = order_from(str(stored.get("order", WRITTEN)))
    if order is None:
        raise ValueError(f"unknown order {stored['order']!r}")
    return Condition(
        wording=str(stored["wording"]), order=order, labels=Labels(str(stored.get("labels", Labels.NUMBERS)))
    )


def condition_text(condition: Mapping[str, object]) -> str:
    """Return a condition, given as the store keeps it, in words: ``wording explicit``."""
    return ", ".join(f"{name} {value}" for name, value in condition.items())
