"""Samples of items that last: drawn by identifier, so that an item that comes or goes leaves the others. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exambench.construct.draws import Circle
from exambench.items import FacetValue, Item

Labels = tuple[FacetValue | None, ...]


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items that have the same facets.

    Attributes:
        labels: Their values, in the order in which the facets were named; ``None`` where an item lacks one.
        size: How many items there are.
        drawn: Those that were drawn, in the order in which they came.
    """

    labels: Labels
    size: int
    drawn: tuple[Item, ...]


def draw_strata(
    items: Sequence[Item], facets: Sequence[str], seed: int, *, size: int | None = None, per_stratum: int | None = None
) -> tuple[Stratum, ...]:
    """Draw a simple random sample without replacement from each stratum.

    A stratum's draw depends on the seed, its labels and its own items alone: an item that is added elsewhere leaves
    it, and one that is added to it takes the place of one at most.

    Args:
        items: What is drawn from.
        facets: What makes the strata.
        seed: Of the draw.
        size: How many items in all: allocated in proportion to the strata, what is left over by largest remainder, and
            of equal remainders to the stratum that comes first.
        per_stratum: How many items of each stratum instead; a smaller one is taken whole.

    Returns:
        The strata in the order of their labels.
    """
    strata: dict[Labels, list[Item]] = {}
    for item in items:
        strata.setdefault(tuple(item.facets.get(facet) for facet in facets), []).append(item)
    ordered = {labels: strata[labels] for labels in sorted(strata, key=repr)}
    if size is None:
        shares = {labels: min(len(found), per_stratum or 0) for labels, found in ordered.items()}
    else:
        shares = _allocated({labels: len(found) for labels, found in ordered.items()}, size)
    return tuple(
        Stratum(labels, len(found), _drawn(found, shares[labels], seed, f"stratum {labels!r}"))
        for labels, found in ordered.items()
    )


def _allocated(sizes: Mapping[Labels, int], size: int) -> dict[Labels, int]:
    total = sum(sizes.values())
    wanted = min(size, total)
    if not wanted:
        return dict.fromkeys(sizes, 0)
    shares = {labels: wanted * count // total for labels, count in sizes.items()}
    by_remainder = sorted(sizes, key=lambda labels: -(wanted * sizes[labels] % total))
    for labels in by_remainder[: wanted - sum(shares.values())]:
        shares[labels] += 1
    return shares


def _drawn(items: Sequence[Item], count: int, seed: int, purpose: str) -> tuple[Item, ...]:
    names = frozenset(Circle([item.id for item in items], seed, purpose).names[:count])
    return tuple(item for item in items if item.id in names)
