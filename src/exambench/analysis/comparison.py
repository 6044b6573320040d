"""Two models on the same items, and all pairs of models of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.score_table import ScoreTable
from exambench.errors import ConfigError, Finding, UndefinedStatisticError, listed, show
from exambench.stats.amip import ExactMinimum, MinimumTable, NoMaximum, Perturbation, amip_pair, exact_minima
from exambench.stats.intervals import Interval
from exambench.stats.matrix import BoolArray, FloatArray, IntArray, ratio
from exambench.stats.multiplicity import HolmAdjustment, holm
from exambench.stats.paired import (
    PairedOutcomes,
    PairedTest,
    exact_test,
    is_binary,
    mcnemar_exact,
    paired_outcomes,
    sign_test_exact,
)
from exambench.stats.power import detectable_difference
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means

POWER: Final = 0.8
_EVERYTHING: Final = "\x00everything"
"""Stands for all items in a draw; no axis is called so."""


@dataclass(frozen=True, slots=True)
class AxisComparison:
    """Two models on the common items of one axis.

    Attributes:
        axis: The axis.
        accuracy_a: Mean score of A on the common items.
        accuracy_b: Mean score of B on the same items.
        difference: A − B, with the interval of the paired bootstrap, and n.
        test: McNemar's test where all scores are 0 or 1, or else the sign test.
        p_adjusted: Its p-value by Holm's method over the axes; ``None`` for the axis of all items, which stands alone.
        to_flip: Fewest items whose removal turns the order; ``None`` where none does, or where there is no order.
    """

    axis: str
    accuracy_a: float
    accuracy_b: float
    difference: Interval
    test: PairedTest
    p_adjusted: float | None
    to_flip: int | None


@dataclass(frozen=True, slots=True)
class DifferingItem:
    """An item on which one of the two does better.

    Attributes:
        item: Its identifier.
        facets: Its facets as text.
        score_a: Score of A.
        score_b: Score of B.
        pick_a: What A picked, by the label of the choice; ``None`` where it is not known.
        pick_b: What B picked.
        key: The right choice.
        removal: Place in the order in which AMIP removes items to turn the order, from 1; ``None`` if it stays.
    """

    item: str
    facets: Mapping[str, str]
    score_a: float
    score_b: float
    pick_a: str | None
    pick_b: str | None
    key: str | None
    removal: int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two models on the items that both have a score for.

    Attributes:
        table: The common items.
        a: Name of A.
        b: Name of B.
        bootstrap: How intervals were drawn.
        outcomes: Items that both, one or neither solves; ``None`` for graded scores.
        overall: All common items.
        axes: The other axes.
        tested: Number of axes that Holm's method corrects for.
        differing: The items on which they differ, in the order of the table.
        influence: How few items, and which, turn the order; ``None`` where they tie.
        detectable: Smallest true difference that so many items show with a power of 80 %, given how often the two
            differ; ``None`` where no difference would be found.
    """

    table: ScoreTable
    a: str
    b: str
    bootstrap: Bootstrap
    outcomes: PairedOutcomes | None
    overall: AxisComparison
    axes: tuple[AxisComparison, ...]
    tested: int
    differing: tuple[DifferingItem, ...]
    influence: Perturbation | NoMaximum | None
    detectable: float | None

    @property
    def minimum(self) -> ExactMinimum | None:
        """The exact minimum of removals; ``None`` where the two tie."""
        return None if self.influence is None else self.influence.minimum

    @property
    def removed(self) -> tuple[str, ...]:
        """The items that AMIP removes, in its order."""
        chosen = [item for item in self.differing if item.removal is not None]
        return tuple(item.item for item in sorted(chosen, key=lambda item: item.removal or 0))


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of models, each on the items that both have a score for.

    Attributes:
        models: Names of the models.
        first: Row of the first model of each pair.
        second: Row of the second model.
        n: Common items, one per pair.
        only_first: Items on which the first scores higher.
        only_second: Items on which the second scores higher.
        difference: Mean score of the first less that of the second; NaN where n is 0.
        p_value: Of McNemar's test where all scores of the two are 0 or 1, or else of the sign test; NaN where n is 0.
        methods: Which of the two it is, one per pair, as :func:`compare` names it.
        adjusted: The p-values by Holm's method over all pairs.
        minima: Fewest items whose removal turns each order.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    n: IntArray
    only_first: IntArray
    only_second: IntArray
    difference: FloatArray
    p_value: FloatArray
    methods: tuple[str, ...]
    adjusted: HolmAdjustment
    minima: MinimumTable


def model_index(table: ScoreTable, name: str) -> int:
    """Return the row of a model.

    Raises:
        ConfigError: The table has no such model.
    """
    if name in table.models:
        return table.models.index(name)
    raise ConfigError(
        Finding(
            problem="there is no such model",
            field="model",
            value=show(name),
            allowed=listed(table.models),
            remedy="Name one of these",
        )
    )


def compare(table: ScoreTable, a: int, b: int, bootstrap: Bootstrap, axis: str | None = None) -> Comparison:
    """Compare two models of a table on their common items.

    Args:
        table: Their scores.
        a: Row of A.
        b: Row of B.
        bootstrap: How to draw intervals: always over all common items, so that an axis has one interval wherever it
            stands.
        axis: Compare on the items of this axis alone.

    Raises:
        ConfigError: They are one model, no item has a score of both, or there is no such axis.
    """
    common: BoolArray = ~np.isnan(table.scores[a] + table.scores[b])
    if a == b or not common.any():
        raise ConfigError(
            Finding(
                problem="the two names mean one model" if a == b else "no item has a score of both models",
                field="model",
                value=f"{show(table.models[a])} and {show(table.models[b])}",
                remedy="Name two models that answered the same items",
            )
        )
    paired = table if common.all() else table.on(common, f"{table.title} · the {np.count_nonzero(common)} common items")
    whole = paired
    paired = whole if axis is None else whole.on_axis(axis)
    first, second = paired.scores[a], paired.scores[b]
    overall, axes = _axes(paired, first, second, _drawn(whole, paired, whole.scores[a] - whole.scores[b], bootstrap))
    influence = _influence(first, second)
    return Comparison(
        table=paired,
        a=table.models[a],
        b=table.models[b],
        bootstrap=bootstrap,
        outcomes=paired_outcomes(first, second) if is_binary([first, second]) else None,
        overall=overall,
        axes=axes,
        tested=len(axes),
        differing=_differing(paired, a, b, influence),
        influence=influence,
        detectable=_detectable(overall, bootstrap.level),
    )


def all_pairs(table: ScoreTable) -> Pairs:
    """Compare every pair of models of a table on their common items."""
    minima = exact_minima(table.scores)
    first, second = np.triu_indices(len(table.models), k=1)
    filled, scored = np.nan_to_num(table.scores), (~np.isnan(table.scores)).astype(np.float64)
    sums = filled @ scored.T  # what the row's model scores on the items that the column's model has a score for
    n = minima.n[first, second]
    only_first, only_second = minima.wins[first, second], minima.wins[second, first]
    graded = (scored.astype(bool) & ~np.isin(table.scores, (0.0, 1.0))).astype(np.float64)
    on_common = graded @ scored.T  # graded scores of the row's model on the items of the column's model
    tests = [
        (sign_test_exact if is_graded else mcnemar_exact)(int(left), int(right))
        for left, right, is_graded in zip(
            only_first, only_second, (on_common + on_common.T)[first, second] > 0, strict=True
        )
    ]
    p_value = np.where(n > 0, [each.p_value for each in tests], np.nan)
    return Pairs(
        models=table.models,
        first=first,
        second=second,
        n=n,
        only_first=only_first,
        only_second=only_second,
        difference=ratio((sums - sums.T)[first, second], n),
        p_value=p_value,
        methods=tuple(test.method for test in tests),
        adjusted=holm(p_value),
        minima=minima,
    )


def _drawn(whole: ScoreTable, part: ScoreTable, difference: FloatArray, bootstrap: Bootstrap) -> MeanTable:
    """Draw all items of a table, and return the mean difference on the axes of a part of it."""
    column = {item: place for place, item in enumerate(whole.items)}
    columns = np.array([column[item] for item in part.items])
    axes = {_EVERYTHING: difference[None, :]}
    for name, mask in part.axes.items():
        axes[name] = np.full_like(axes[_EVERYTHING], np.nan)
        axes[name][:, columns[mask]] = difference[columns[mask]]
    return bootstrap_means(axes, bootstrap, strata=whole.strata, item_ids=whole.items)


def _axes(
    table: ScoreTable, first: FloatArray, second: FloatArray, drawn: MeanTable
) -> tuple[AxisComparison, tuple[AxisComparison, ...]]:
    test = exact_test([first, second])
    a_better, b_better = first > second, first < second
    tests = {
        name: test(int(np.count_nonzero(a_better & mask)), int(np.count_nonzero(b_better & mask)))
        for name, mask in table.axes.items()
    }
    others = [name for name in table.axes if name != table.overall]
    adjusted = dict(zip(others, holm([tests[name].p_value for name in others]).adjusted.tolist(), strict=True))

    def compared(name: str, mask: BoolArray) -> AxisComparison:
        return AxisComparison(
            axis=name,
            accuracy_a=float(first[mask].mean()),
            accuracy_b=float(second[mask].mean()),
            difference=drawn.interval(0, name),
            test=tests[name],
            p_adjusted=adjusted.get(name),
            to_flip=_to_flip(first[mask], second[mask]),
        )

    overall = compared(table.overall, table.axes[table.overall])
    return overall, tuple(compared(name, table.axes[name]) for name in others)


def _to_flip(first: FloatArray, second: FloatArray) -> int | None:
    influence = _influence(first, second)
    return None if influence is None else influence.minimum.to_flip


def _influence(first: FloatArray, second: FloatArray) -> Perturbation | NoMaximum | None:
    try:
        return amip_pair(first, second)
    except UndefinedStatisticError:
        return None


def _differing(
    table: ScoreTable, a: int, b: int, influence: Perturbation | NoMaximum | None
) -> tuple[DifferingItem, ...]:
    removed = influence.removed.tolist() if isinstance(influence, Perturbation) else []
    place = {column: number for number, column in enumerate(removed, start=1)}
    picks = table.picks
    return tuple(
        DifferingItem(
            item=table.items[column],
            facets={name: values[column] or "" for name, values in table.facets.items()},
            score_a=float(table.scores[a, column]),
            score_b=float(table.scores[b, column]),
            pick_a=None if picks is None else picks.label(picks.positions[a, column]),
            pick_b=None if picks is None else picks.label(picks.positions[b, column]),
            key=None if picks is None else picks.label(picks.key[column]),
            removal=place.get(column),
        )
        for column in np.flatnonzero(table.scores[a] != table.scores[b]).tolist()
    )


def _detectable(overall: AxisComparison, level: float) -> float | None:
    discordant = overall.test.only_a + overall.test.only_b
    if not discordant:
        return None
    try:
        return detectable_difference(overall.difference.n, discordant / overall.difference.n, level, POWER)
    except UndefinedStatisticError:
        return None
