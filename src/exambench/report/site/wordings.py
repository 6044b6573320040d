"""What the data say in words of their own, in the reader's language: conditions, and the two sides of gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exambench.protocols.condition import DIMENSIONS
from exambench.report.site.catalogue import Catalogue

NAMED_GAPS: Final = frozenset({"modality", "geo-cultural", "reasoning"})
"""Gaps that the catalogue has names for."""
SHUFFLED: Final = "shuffled-"


def condition_in(texts: Catalogue, condition: Mapping[str, object]) -> str:
    """Return a condition, given as the store keeps it, in words; in English those of the command line."""
    return ", ".join(_setting(texts, name, str(condition[name])) for name in DIMENSIONS if name in condition)


def formula_in(texts: Catalogue, gap: str, formula: str) -> str:
    """Return the two sides of a gap in words; those of a gap that the catalogue doesn't know are names in the data."""
    return texts(f"formula_{gap}") if gap in NAMED_GAPS else formula


def _setting(texts: Catalogue, dimension: str, value: str) -> str:
    if dimension == "order" and value.startswith(SHUFFLED):
        number, _, seed = value.removeprefix(SHUFFLED).partition("@")
        return texts("shuffled_seed" if seed else "shuffled", number=number, seed=seed)
    if dimension == "shots":
        count, _, seed = value.partition("@")
        return texts("shots_seed" if seed else "shots", count=count, seed=seed)
    key = f"condition_{dimension}_{value}"
    return texts(key) if key in texts.texts else texts(f"condition_{dimension}", value=value)
