"""Counting things by a value, in an order that depends on the values alone."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from exambench.items import FacetValue


@dataclass(frozen=True, slots=True)
class Count:
    """How many items (or files) have a value.

    Attributes:
        value: The value; ``None`` for items that lack the facet.
        n: How many.
        share: Of all, in [0, 1].
    """

    value: FacetValue | None
    n: int
    share: float


def counted(values: Iterable[FacetValue | None]) -> tuple[Count, ...]:
    """Count values: false before true, numbers by size, text by code point, ``None`` last; each type by itself."""
    counts = Counter(map(tagged, values))
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda entry: _order(entry[0][1]))
    return tuple(Count(value, n, n / total) for (_, value), n in ordered)


def tagged(value: FacetValue | None) -> tuple[type, FacetValue | None]:
    """Return a value as a key of a dictionary, text composed (NFC); ``True`` and 1 are different keys."""
    return type(value), unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _order(value: FacetValue | None) -> tuple[int, float, str]:
    match value:
        case bool():
            return (0, value, "")
        case int():
            return (1, value, "")
        case str():
            return (2, 0, value)
        case None:
            return (3, 0, "")
