"""What reading a paper gives, of whatever kind the file is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from exambench.construct.records import Change
from exambench.items import Item


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a paper.

    Attributes:
        items: Its items.
        changes: What people have to look at.
        facts: About the paper as a whole, as JSON values.
        confidence: By item, how far its reading can be trusted, in [0, 1].
        order: Names of what was read and of gaps, as the paper has them.
    """

    items: tuple[Item, ...]
    changes: tuple[Change, ...]
    facts: Mapping[str, Any]
    confidence: Mapping[str, float]
    order: tuple[str, ...]
