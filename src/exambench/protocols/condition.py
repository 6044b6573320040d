"""A condition changes one thing about how an item is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from exambench.items import EXPLICIT


@dataclass(frozen=True, slots=True)
class Condition:
    """How the items of a run are shown.

    Attributes:
        wording: Name of the wording; items that lack it are put explicitly.
    """

    wording: str = EXPLICIT

    def as_json(self) -> Mapping[str, str]:
        """Return the condition as JSON values for the store."""
        return {"wording": self.wording}


def condition_text(condition: Mapping[str, object]) -> str:
    """Return a condition, given as the store keeps it, in words: ``wording explicit``."""
    return ", ".join(f"{name} {value}" for name, value in condition.items())
