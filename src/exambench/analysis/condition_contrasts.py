"""Cells of one model that differ in one factor, or in two, on the same items: differences, tests, effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from exambench.analysis.condition_cells import PROMPT, CellRun, ModelCells, asked_items, scores_of
from exambench.analysis.scores import strata_of
from exambench.items import Item
from exambench.protocols.condition import Choices, setting_text
from exambench.protocols.ordering import OrderKind
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.multiplicity import holm
from exambench.stats.paired import PairedTest, exact_test, factorial_effects, paired_difference
from exambench.stats.resampling import Bootstrap

WORDING: Final = "wording"
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two cells that differ in one factor, on the items that both have a score for.

    Attributes:
        factor: The factor.
        first: The cell with its usual value.
        second: The other cell.
        means: Mean score of both.
        difference: Second less first, with the interval of the paired bootstrap.
        gained: Items that only the second solves, or on which it has the higher score.
        lost: Items that only the first solves, or on which it has the higher score.
        test: Exact test of these.
        adjusted: Its p-value by Holm's method over the contrasts of the model.
    """

    factor: str
    first: CellRun
    second: CellRun
    means: tuple[float, float]
    difference: Interval
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    test: PairedTest
    adjusted: float = float("nan")

    @property
    def n(self) -> int:
        """Number of items."""
        return self.difference.n

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is below 0.05."""
        return self.adjusted < SIGNIFICANT


@dataclass(frozen=True, eq=False)
class Effects:
    """A 2 × 2 of two factors on the items that all four cells have a score for.

    Attributes:
        factors: Names of the two factors.
        levels: For each factor its usual value and the other, in words.
        means: Mean scores, first × second factor.
        first: Main effect of the first factor: the other value less the usual one, averaged over the second factor.
        second: Main effect of the second factor.
        interaction: Effect of the first factor at the second's other value, less that at its usual one.
        items: Number of items.
    """

    factors: tuple[str, str]
    levels: tuple[tuple[str, str], tuple[str, str]]
    means: FloatArray
    first: Interval
    second: Interval
    interaction: Interval

    @property
    def n(self) -> int:
        """Number of items."""
        return self.first.n


def contrasts_of(cells: ModelCells, chosen: frozenset[str], bootstrap: Bootstrap) -> tuple[Contrast, ...]:
    """Return the tested pairs of cells that differ in one factor, corrected together."""
    return _adjusted([found for step in _tested(cells) if (found := _contrast(*step, chosen, bootstrap)) is not None])


def _tested(cells: ModelCells) -> Iterator[tuple[str, CellRun, CellRun]]:
    """Yield the pairs of cells that are tested against each other.

    Where every choice is the right one, an answer is no knowledge. One permutation of the choices is a draw: all of
    them are judged together, by :mod:`exambench.analysis.reshuffling`.
    """
    for factor, first, second in cells.steps():
        condition = second.run.condition
        if condition.choices is not Choices.GOLD and condition.order.kind is not OrderKind.SHUFFLED:
            yield factor, first, second


def scored_items(cells: Sequence[CellRun], chosen: frozenset[str], *, differing: bool = False) -> tuple[Item, ...]:
    """Return the items that all cells have a score for; if asked, those alone that their wordings put differently."""
    names = {cell.run.condition.wording for cell in cells}
    return tuple(
        item
        for item in asked_items(*cells)
        if item.id in chosen and not (differing and len({item.wording(name) for name in names}) < len(names))
    )


def _contrast(
    factor: str, first: CellRun, second: CellRun, chosen: frozenset[str], bootstrap: Bootstrap
) -> Contrast | None:
    items = scored_items([first, second], chosen, differing=factor == WORDING)
    if not items:
        return None
    usual, other = scores_of(first, items), scores_of(second, items)
    identifiers = [item.id for item in items]
    gained = tuple(name for name, gains in zip(identifiers, other > usual, strict=True) if gains)
    lost = tuple(name for name, loses in zip(identifiers, usual > other, strict=True) if loses)
    test = exact_test(np.concatenate([usual, other]))
    return Contrast(
        factor=factor,
        first=first,
        second=second,
        means=(float(usual.mean()), float(other.mean())),
        difference=paired_difference(other, usual, bootstrap, strata=strata_of(items), item_ids=identifiers),
        gained=gained,
        lost=lost,
        test=test(len(lost), len(gained)),
    )


def _adjusted(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    adjusted = holm([contrast.test.p_value for contrast in contrasts]).adjusted
    return tuple(replace(found, adjusted=float(p)) for found, p in zip(contrasts, adjusted, strict=True))


def effects_of(cells: ModelCells, chosen: frozenset[str], bootstrap: Bootstrap) -> list[Effects]:
    """Return every 2 × 2 of two factors whose four cells were run, all else being as usual."""
    levels = cells.levels()
    found = []
    for one, other in combinations(levels, 2):
        for a in levels[one]:
            for b in levels[other]:
                square = [cells.at({one: x, other: y}) for x in (cells.usual[one], a) for y in (cells.usual[other], b)]
                whole = [cell for cell in square if cell is not None]
                if len(whole) == len(square):
                    effects = _square(
                        cells, one=(one, a), other=(other, b), square=whole, chosen=chosen, bootstrap=bootstrap
                    )
                    found += [effects] if effects else []
    return found


def _square(
    cells: ModelCells,
    *,
    one: tuple[str, str],
    other: tuple[str, str],
    square: Sequence[CellRun],
    chosen: frozenset[str],
    bootstrap: Bootstrap,
) -> Effects | None:
    items = scored_items(square, chosen, differing=WORDING in {one[0], other[0]})
    if not items:
        return None
    scores = np.stack([scores_of(cell, items) for cell in square]).reshape(2, 2, -1)
    found = factorial_effects(scores, bootstrap, strata=strata_of(items), item_ids=[item.id for item in items])
    named = [(level_text(name, cells.usual[name]), level_text(name, value)) for name, value in (one, other)]
    return Effects(
        factors=(one[0], other[0]),
        levels=(named[0], named[1]),
        means=found.cell_means,
        first=found.first,
        second=found.second,
        interaction=found.interaction,
    )


def level_text(factor: str, value: str) -> str:
    """Return a value of a factor in words."""
    return value if factor in {PROMPT, WORDING} else setting_text(factor, value)
