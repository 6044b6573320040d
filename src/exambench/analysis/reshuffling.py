"""Other orders of the choices: how a score varies with them, whether the choice stays, which places are liked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.condition_cells import CellRun, ModelCells, asked_items, scores_of
from exambench.analysis.scores import strata_of
from exambench.errors import UndefinedStatisticError
from exambench.items import Item
from exambench.protocols.ordering import OrderKind, possible_orders
from exambench.protocols.references import freedom_of
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.paired import is_binary, paired_difference
from exambench.stats.probes import Agreement, FitTest, above_chance, agreement, fit
from exambench.stats.resampling import Bootstrap

FEWEST: Final = 2
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, eq=False)
class Places:
    """Where the picked choices stood, in the permuted orders alone.

    Attributes:
        observed: Number of picks at each place, the first one first.
        expected: The same for a model that picks by content, for which all orders were equally likely.
        test: Test of one against the other, items being clusters; ``None`` without picks at two places.
    """

    observed: FloatArray
    expected: FloatArray
    test: FitTest | None

    @property
    def preferred(self) -> int | None:
        """The place, from 1, that is picked most beyond expectation; ``None`` where no preference is shown."""
        if self.test is None or self.test.p_value >= SIGNIFICANT:
            return None
        return int(np.argmax(self.observed - self.expected)) + 1


@dataclass(frozen=True, eq=False)
class Reshuffling:
    """One model under K permutations of the choices.

    Attributes:
        cells: The runs, one a permutation.
        original: The run with the choices in their own order; ``None`` where there is none.
        n: Items that all of them have a score for.
        accuracies: Accuracy under each permutation.
        mean: Mean of these.
        sd: Their standard deviation; NaN of one.
        original_accuracy: Accuracy on the same items in their own order; ``None`` likewise.
        drop: Accuracy in the items' own order less the mean over the permutations; ``None`` likewise.
        p_value: Probability that at least as many items are solved in the items' own order if that is like any other;
            NaN where scores are means of several trials, or there is no such run.
        consistency: Items with the same choice in all orders, the original one included.
        places: Where the picked choices stood.
    """

    cells: tuple[CellRun, ...]
    original: CellRun | None
    n: int
    accuracies: tuple[float, ...]
    mean: float
    sd: float
    original_accuracy: float | None
    drop: Interval | None
    p_value: float
    consistency: Agreement
    places: Places

    @property
    def hangs_on_the_order(self) -> bool | None:
        """Whether more is solved in the items' own order, by a p-value below 0.05; ``None`` where that is not known."""
        return None if np.isnan(self.p_value) else self.p_value < SIGNIFICANT


def reshuffling_of(cells: ModelCells, chosen: frozenset[str], bootstrap: Bootstrap) -> tuple[Reshuffling, ...]:
    """Return what permutations do, for each set of runs that differ in the permutation alone.

    Args:
        cells: The runs of a model.
        chosen: The items to look at.
        bootstrap: How intervals are drawn.
    """
    groups: defaultdict[tuple[object, ...], list[CellRun]] = defaultdict(list)
    for cell in cells.cells:
        order = cell.run.condition.order
        if order.kind is OrderKind.SHUFFLED:
            others = tuple(item for item in cell.unusual.items() if item[0] != "order")
            groups[(order.seed, others)].append(cell)
    found = []
    for group in groups.values():
        unusual = {name: value for name, value in group[0].unusual.items() if name != "order"}
        result = _reshuffling(group, cells.at(unusual), chosen, bootstrap)
        found += [result] if result else []
    return tuple(found)


def _reshuffling(
    group: Sequence[CellRun], original: CellRun | None, chosen: frozenset[str], bootstrap: Bootstrap
) -> Reshuffling | None:
    everyone = [*group, original] if original is not None else list(group)
    items = tuple(item for item in asked_items(*everyone) if item.id in chosen)
    if not items:
        return None
    scores = np.stack([scores_of(cell, items) for cell in group])
    accuracies = scores.mean(axis=1)
    own = None if original is None else scores_of(original, items)
    permuted = scores.mean(axis=0)
    return Reshuffling(
        cells=tuple(group),
        original=original,
        n=len(items),
        accuracies=tuple(map(float, accuracies)),
        mean=float(accuracies.mean()),
        sd=float(accuracies.std(ddof=1)) if len(group) >= FEWEST else float("nan"),
        original_accuracy=None if own is None else float(own.mean()),
        drop=None
        if own is None
        else paired_difference(own, permuted, bootstrap, strata=strata_of(items), item_ids=[item.id for item in items]),
        p_value=float("nan") if own is None else _own_order(own, scores),
        consistency=agreement(np.stack([_picks(cell, items) for cell in everyone])),
        places=_places(group, items),
    )


def _own_order(own: FloatArray, permuted: FloatArray) -> float:
    """Return the exact p-value of the number of items that are solved in their own order.

    Where that order is like any other, the orders in which an item is solved are any of the K + 1 with the same chance:
    of T solved ones, its own is one with the chance T / (K + 1).

    Args:
        own: Scores of the items in their own order.
        permuted: Permutations × items.
    """
    if not is_binary(own) or not is_binary(permuted):
        return float("nan")
    solved = permuted.sum(axis=0) + own
    return above_chance(int(own.sum()), solved / (len(permuted) + 1))


def _picks(cell: CellRun, items: Sequence[Item]) -> FloatArray:
    return np.array([cell.run.picks.get(item.id, np.nan) for item in items], dtype=np.float64)


def _places(group: Sequence[CellRun], items: Sequence[Item]) -> Places:
    shape = len(items), _most_choices(group, items)
    observed, expected = np.zeros(shape), np.zeros(shape)
    for cell in group:
        for row, item in enumerate(items):
            for place, chances in _pick(cell, item):
                observed[row, place] += 1
                for other, chance in chances:
                    expected[row, other] += chance
    picked = observed.any(axis=1)
    try:
        test = fit(observed[picked], expected[picked])
    except UndefinedStatisticError:
        test = None
    return Places(observed.sum(axis=0), expected.sum(axis=0), test)


def _most_choices(group: Sequence[CellRun], items: Sequence[Item]) -> int:
    return max(len(item.wording(group[0].run.condition.wording).choices) for item in items)


def _pick(cell: CellRun, item: Item) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """Yield the place, from 0, of the picked choice, and for each place the chance that it had stood there.

    All orders of an item but its own are equally likely. A choice that cannot change places tells nothing.
    """
    pick = cell.run.picks.get(item.id)
    order = next((row.order for row in cell.run.by_item[item.id] if row.pick == pick), ())
    if pick is None or pick not in order:
        return
    wording = item.wording(cell.run.condition.wording)
    freedom = freedom_of(wording.question.text, [choice.text for choice in wording.choices])
    block = next((block for block in freedom.blocks if pick - 1 in block), None)
    if block is None:
        return
    orders = possible_orders(freedom)
    each = orders / len(block)
    yield (
        order.index(pick),
        [(place, (each - (place == pick - 1)) / (orders - 1)) for place in block],
    )
