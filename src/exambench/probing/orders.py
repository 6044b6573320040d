"""Whether a model does better where the choices stand in their published order than where they stand in others.

**The null hypothesis.** How well a model answers an item does not depend on whether the choices stand in the published
order or in one drawn by lot.

**Why that can be tested.** Each item has orders drawn by lot without replacement, none of them the published one. If
the published order is itself as good as drawn, all of an item's orders are exchangeable under the null hypothesis:
which of its scores belongs to the published order is uniform. The test asks how often the published order would then
do as well as it did (:mod:`exambench.stats.exchange`).

**What can break it.** Numbers are printed by size, which any model finds natural: items whose choices are sorted
numbers are left out unless they are asked for. A model that prefers a place does better where the key stands there; if
published keys stand there more often than keys of orders by lot, the published order wins without any memory. The
difference is therefore given a second time, each published score against the scores of orders that have the key at the
same place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Final

import numpy as np

from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError, Finding
from exambench.items import ChoiceKey, Item
from exambench.protocols import Shown, condition_from, show_item
from exambench.protocols.ordering import OrderKind
from exambench.stats.exchange import ExchangeTest, exchange_test
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.multiplicity import holm
from exambench.stats.resampling import Bootstrap, bootstrap_means
from exambench.store import RunRecord

ALPHA: Final = 0.05
LARGEST_DENOMINATOR: Final = 1000
PAIR: Final = 2

_NUMBER: Final = re.compile(r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?")


class OrderConclusion(StrEnum):
    """What the two differences say together."""

    MEMORY = "better in the published order: a sign of memory"
    PLACES = "better in the published order, but no more than its preference for places explains"
    NONE = "no better in the published order: no sign of memory"


@dataclass(frozen=True, slots=True)
class OrderedItem:
    """One item in the published order and in others.

    Attributes:
        item_id: The item.
        published: Score in the published order, in [0, 1].
        others: Scores in other orders.
        place: Where the key stands in the published order, from 1; ``None`` where there is not one right choice.
        places: Where it stands in each of the others.
    """

    item_id: str
    published: float
    others: tuple[float, ...]
    place: int | None
    places: tuple[int | None, ...]


@dataclass(frozen=True)
class OrderResult:
    """One model.

    Attributes:
        model: What to call it.
        run_id: The run in the published order.
        orders: Number of runs in other orders.
        items: Items with a score in the published order and in at least one other.
        published: Accuracy in the published order.
        others: Mean over items of the mean score in other orders.
        difference: The first less the second, on the same items.
        adjusted: Published score less the mean score, on other items, of orders with the key at the same place;
            ``None`` where no item has such orders. The means are taken as known, so the interval is rather too narrow.
        test: The exact test; its sums are in units of ``unit``.
        unit: What a score of 1 is in the test's sums.
        p_adjusted: The p-value by Holm's method over the models.
    """

    model: str
    run_id: str
    orders: int
    items: tuple[OrderedItem, ...]
    published: Interval
    others: Interval
    difference: Interval
    adjusted: Interval | None
    test: ExchangeTest
    unit: int
    p_adjusted: float

    @property
    def conclusion(self) -> OrderConclusion:
        """What it says of memory, at the level of 5 %."""
        if self.p_adjusted >= ALPHA:
            return OrderConclusion.NONE
        explained = self.adjusted is not None and self.adjusted.low <= 0.0
        return OrderConclusion.PLACES if explained else OrderConclusion.MEMORY


@dataclass(frozen=True)
class OrderReport:
    """All models of one command; ``left_out`` counts items with sorted numbers, ``bootstrap`` drew the intervals."""

    benchmark: str
    dataset_hash: str
    protocol: str
    results: tuple[OrderResult, ...]
    left_out: int
    bootstrap: Bootstrap


def other_orders(run: RunRecord, known: Sequence[RunRecord], seed: int) -> list[RunRecord]:
    """Return the runs that differ from one in the published order by the order alone, drawn by lot with one seed.

    Args:
        run: A run in the published order.
        known: The runs to look among.
        seed: Seed of the orders: within one seed no two are alike.

    Raises:
        ConfigError: The run is not in the published order, or there is no such run.
    """
    if "order" in run.condition:
        raise ConfigError(
            Finding(
                problem=f"run {run.run_id} is not in the published order",
                value=str(run.condition["order"]),
                remedy="Name the run of the same model in the published order",
            )
        )

    def rest(record: RunRecord) -> tuple[object, ...]:
        condition = {name: value for name, value in record.condition.items() if name != "order"}
        return record.dataset_hash, record.identity, dict(record.decoding), record.protocol_hash, condition

    found = [other for other in known if _is_drawn(other, seed) and rest(other) == rest(run)]
    if found:
        return found
    raise ConfigError(
        Finding(
            problem=f"the store has no run of {run.model_name} that differs from {run.run_id} in the order alone, "
            f"drawn with the seed {seed}",
            remedy="Ask for them: exambench contamination order --benchmark NAME --model MODEL",
        )
    )


def _is_drawn(run: RunRecord, seed: int) -> bool:
    order = condition_from(run.condition).order
    return order.kind is OrderKind.SHUFFLED and order.seed == seed


def order_report(
    pairs: Sequence[tuple[RunScores, Sequence[RunScores]]], bootstrap: Bootstrap, *, sorted_too: bool = False
) -> OrderReport:
    """Compare each model's published order with its others.

    Args:
        pairs: For each model the run in the published order, and those in others.
        bootstrap: How to draw intervals.
        sorted_too: Whether to use items whose choices are sorted numbers.

    Raises:
        ConfigError: The runs do not compare, or a model has no item with a score in both.
    """
    first = pairs[0][0].record
    if len({(run.record.dataset_hash, run.record.protocol_hash) for run, _ in pairs}) > 1:
        raise ConfigError(
            Finding(
                problem="the runs are on different data or under different protocols",
                value=", ".join(
                    f"{run.run_id} ({run.record.benchmark}, {run.record.protocol_name})" for run, _ in pairs
                ),
                remedy="Name runs of one of them, by the beginnings of their ids",
            )
        )
    found = [(run, others, ordered_items(run, others, sorted_too=sorted_too)) for run, others in pairs]
    tests = [_test(items, run) for run, _, items in found]
    adjusted = holm([test.p_value for test, _ in tests]).adjusted
    results = tuple(
        _result(run, len(others), items, tested=test, p_adjusted=float(p), bootstrap=bootstrap)
        for (run, others, items), test, p in zip(found, tests, adjusted, strict=True)
    )
    left_out = 0 if sorted_too else sum(is_sorted(item) for item in pairs[0][0].expected)
    return OrderReport(first.benchmark, first.dataset_hash, first.protocol_name, results, left_out, bootstrap)


def is_sorted(item: Item) -> bool:
    """Tell whether the choices of an item each have a number, and the first numbers rise or fall."""
    found = [_NUMBER.search(choice.text) for choice in item.wording().choices]
    numbers = [float(match.group().replace(",", "").replace("−", "-")) for match in found if match is not None]
    if len(numbers) < len(found) or len(numbers) < PAIR:
        return False
    return all(a < b for a, b in pairwise(numbers)) or all(a > b for a, b in pairwise(numbers))


def ordered_items(run: RunScores, others: Sequence[RunScores], *, sorted_too: bool) -> tuple[OrderedItem, ...]:
    """Return the items that have a score in the published order and in at least one other.

    Args:
        run: The run in the published order.
        others: The runs in other orders.
        sorted_too: Whether to keep items whose choices are sorted numbers.
    """
    items = []
    for item in run.benchmark.items:
        published = run.scores.get(item.id)
        if published is None or (is_sorted(item) and not sorted_too):
            continue
        seen = [(other.scores[item.id], _place(other, item.id)) for other in others if item.id in other.scores]
        if seen:
            scores, places = zip(*seen, strict=True)
            place = item.key.index if isinstance(item.key, ChoiceKey) else None
            items.append(OrderedItem(item.id, published, tuple(scores), place, tuple(places)))
    return tuple(items)


def _place(run: RunScores, item_id: str) -> int | None:
    item = run.benchmark.by_id[item_id]
    shown = show_item(item, run.condition)
    return shown.place(item.key.index) if isinstance(shown, Shown) and isinstance(item.key, ChoiceKey) else None


def _test(items: Sequence[OrderedItem], run: RunScores) -> tuple[ExchangeTest, int]:
    """Return the exact test and the unit in which scores are whole numbers."""
    if not items:
        raise ConfigError(
            Finding(
                problem=f"run {run.run_id} has no item with a score in the published order and in another",
                remedy="Run the same command again until the runs are complete; items whose choices are sorted numbers "
                "need --sorted",
            )
        )
    exact = [
        [Fraction(score).limit_denominator(LARGEST_DENOMINATOR) for score in (i.published, *i.others)] for i in items
    ]
    unit = lcm(*(score.denominator for scores in exact for score in scores))
    return exchange_test([[int(score * unit) for score in scores] for scores in exact]), unit


def _result(
    run: RunScores,
    orders: int,
    items: tuple[OrderedItem, ...],
    *,
    tested: tuple[ExchangeTest, int],
    p_adjusted: float,
    bootstrap: Bootstrap,
) -> OrderResult:
    ids = [item.item_id for item in items]
    published = np.array([item.published for item in items])
    others = np.array([np.mean(item.others) for item in items])
    axes = {"published": published, "others": others, "difference": published - others}
    table = bootstrap_means({name: row[None, :] for name, row in axes.items()}, bootstrap, item_ids=ids)
    adjusted = _adjusted(items)
    return OrderResult(
        model=run.record.model_name,
        run_id=run.run_id,
        orders=orders,
        items=items,
        published=table.interval(0, "published"),
        others=table.interval(0, "others"),
        difference=table.interval(0, "difference"),
        adjusted=None
        if np.isnan(adjusted).all()
        else bootstrap_means({"adjusted": adjusted[None, :]}, bootstrap, item_ids=ids).interval(0, "adjusted"),
        test=tested[0],
        unit=tested[1],
        p_adjusted=p_adjusted,
    )


def _adjusted(items: Sequence[OrderedItem]) -> FloatArray:
    """Return each published score less the mean, on other items, of scores in orders with the key at its place."""
    sums: defaultdict[int, float] = defaultdict(float)
    counts: defaultdict[int, int] = defaultdict(int)
    own: list[Mapping[int, list[float]]] = []
    for item in items:
        mine: defaultdict[int, list[float]] = defaultdict(list)
        for score, place in zip(item.others, item.places, strict=True):
            if place is not None:
                mine[place].append(score)
                sums[place] += score
                counts[place] += 1
        own.append(mine)
    found = []
    for item, in_places in zip(items, own, strict=True):
        scores = in_places.get(item.place, []) if item.place is not None else []
        n = counts[item.place] - len(scores) if item.place is not None else 0
        found.append(item.published - (sums[item.place] - sum(scores)) / n if item.place is not None and n else np.nan)
    return np.array(found)
