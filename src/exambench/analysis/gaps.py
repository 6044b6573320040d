"""Gaps of models between two sides of a set of items, how significant they are, and how much hangs on single items.

A side is a matrix of scores, so that a gap may also set two different scores of the same items against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.analysis.score_table import ScoreTable
from exambench.errors import UndefinedStatisticError
from exambench.stats.gaps import GapTable, bootstrap_gaps
from exambench.stats.influence import leave_one_out
from exambench.stats.matrix import FloatArray, IntArray, axes_of, restrict
from exambench.stats.multiplicity import HolmAdjustment, holm
from exambench.stats.resampling import Bootstrap

TWO: Final = 2
SIDES_BYTES: Final = 256 * 2**20
"""How much memory the two sides of gaps may take at once."""

NAMED_GAPS: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {"modality": ("modality", "image", "text"), "korean": ("geo-cultural", "true", "false")}
)
"""Facet → the name that the field gives the gap between its two values, the first side, the second side."""

REASONING_GAP: Final = "reasoning"
"""What the field calls the gap between the scores of a model's reasoning and the accuracy of its answers."""
REASONING_FACET: Final = "reasoning"
"""Facet of the items whose reasoning is judged."""

YES_AND_NO: Final = (("true", "false"), ("yes", "no"), ("1", "0"))


@dataclass(frozen=True, eq=False)
class Gap:
    """The mean of one set of scores less the mean of another.

    Attributes:
        name: What to call it.
        formula: The two sides in words, as in ``modality image − text``.
        first: Models × items; NaN outside the side, and where there is no score.
        second: The same items, the other side.
    """

    name: str
    formula: str
    first: FloatArray
    second: FloatArray


@dataclass(frozen=True, slots=True)
class AbsentGap:
    """A gap that the field reports and that a table has nothing for.

    Attributes:
        name: What the field calls it.
        reason: Why it is not there.
        model: The model that lacks it; ``None`` where all do.
    """

    name: str
    reason: str
    model: str | None = None


@dataclass(frozen=True, eq=False)
class Influence:
    """How much a gap hangs on single items of its first side; one entry per model.

    Attributes:
        max_change: Largest absolute change of the gap when one item is left out; NaN where there is no gap.
        item: The item whose absence changes it most; ``None`` where none does.
        sign_flips: Number of items whose absence reverses the sign of the gap.
        n: Number of items left out in turn.
    """

    max_change: FloatArray
    item: tuple[str | None, ...]
    sign_flips: IntArray
    n: IntArray


@dataclass(frozen=True, eq=False)
class GapFamily:
    """Gaps that are read together, and so are corrected together.

    Attributes:
        name: What the gaps have in common.
        names: The gaps.
        formulas: Their two sides in words.
        estimates: Models × gaps, with intervals and p-values.
        adjusted: The p-values over all models and gaps of the family by Holm's method.
        influence: For each gap, what single items do to it; ``None`` where no model has both sides.
    """

    name: str
    names: tuple[str, ...]
    formulas: tuple[str, ...]
    estimates: GapTable
    adjusted: HolmAdjustment
    influence: tuple[Influence | None, ...]


def contrasts(table: ScoreTable) -> tuple[Gap, ...]:
    """Return the gap between the two values of each compared facet that has exactly two.

    The sides are those that the field has named; of other facets "true" or "yes" less its opposite, or else the
    rarer value less the commoner one.
    """
    return tuple(
        _contrast(table, facet, *values) for facet in table.compared_facets if len(values := table.values(facet)) == TWO
    )


def absent_contrasts(table: ScoreTable) -> tuple[AbsentGap, ...]:
    """Return the gaps between values of a facet that the field has names for, and that are not there all the same."""
    absent = []
    for facet, (name, *sides) in NAMED_GAPS.items():
        values = table.values(facet) if facet in table.facets else tuple(sides)
        if len(values) < TWO and set(values) <= set(sides):
            only = f"all items with scores have {facet} {values[0]}" if values else f"no item with scores has a {facet}"
            absent.append(AbsentGap(name, only))
    return tuple(absent)


def absent_reasoning(table: ScoreTable) -> tuple[AbsentGap, ...]:
    """Return that there is no gap of reasoning among scores that come without verdicts, if the items have the label."""
    if REASONING_FACET not in table.facets:
        return ()
    return (AbsentGap(REASONING_GAP, "no judge's verdicts among these scores; see: exambench verdicts"),)


def assess(name: str, gaps: Sequence[Gap], table: ScoreTable, bootstrap: Bootstrap) -> GapFamily:
    """Return gaps with intervals, significance and what single items do to them.

    Raises:
        ValueError: There is no gap.
    """
    axes = {side: scores for gap in gaps for side, scores in zip(_sides(gap), (gap.first, gap.second), strict=True)}
    estimates = bootstrap_gaps(
        axes,
        {gap.name: _sides(gap) for gap in gaps},
        bootstrap,
        strata=table.strata,
        item_ids=table.items,
    )
    return GapFamily(
        name=name,
        names=estimates.names,
        formulas=tuple(gap.formula for gap in gaps),
        estimates=estimates,
        adjusted=holm(estimates.p_value),
        influence=tuple(_influence(table, gap.first, gap.second) for gap in gaps),
    )


def assess_values(facet: str, table: ScoreTable, bootstrap: Bootstrap) -> GapFamily:
    """Return the gap between the items of each value of a facet and all other items.

    Raises:
        ValueError: No item has a value of the facet.
    """
    values = table.values(facet)
    portion = max(1, SIDES_BYTES // (2 * table.scores.nbytes))
    estimates = _beside(
        [
            _against_rest(table, facet, values[first : first + portion], bootstrap)
            for first in range(0, len(values), portion)
        ]
    )
    masks = (table.having(facet, value) for value in estimates.names)
    return GapFamily(
        name=facet,
        names=estimates.names,
        formulas=tuple(f"{facet} {value} − rest" for value in estimates.names),
        estimates=estimates,
        adjusted=holm(estimates.p_value),
        influence=tuple(
            _influence(table, restrict(table.scores, mask), restrict(table.scores, ~mask)) for mask in masks
        ),
    )


def _against_rest(table: ScoreTable, facet: str, values: Sequence[str], bootstrap: Bootstrap) -> GapTable:
    """Return gaps of some values; a value and its rest are all items, so the draw is the same for any values."""
    masks = {value: table.having(facet, value) for value in values}
    inside = {f"in {value}": mask for value, mask in masks.items()}
    outside = {f"not in {value}": ~mask for value, mask in masks.items()}
    return bootstrap_gaps(
        axes_of(table.scores, inside | outside),
        {value: (f"in {value}", f"not in {value}") for value in values},
        bootstrap,
        strata=table.strata,
        item_ids=table.items,
    )


def _beside(tables: Sequence[GapTable]) -> GapTable:
    """Return tables of the same models as one."""
    return GapTable(
        names=tuple(name for table in tables for name in table.names),
        estimate=np.concatenate([table.estimate for table in tables], axis=1),
        low=np.concatenate([table.low for table in tables], axis=1),
        high=np.concatenate([table.high for table in tables], axis=1),
        standard_error=np.concatenate([table.standard_error for table in tables], axis=1),
        p_value=np.concatenate([table.p_value for table in tables], axis=1),
        n_first=np.concatenate([table.n_first for table in tables], axis=1),
        n_second=np.concatenate([table.n_second for table in tables], axis=1),
        undefined=np.concatenate([table.undefined for table in tables], axis=1),
        bootstrap=tables[0].bootstrap,
        method=tables[0].method,
    )


def _sides(gap: Gap) -> tuple[str, str]:
    return f"{gap.name}: first", f"{gap.name}: second"


def _influence(table: ScoreTable, first: FloatArray, second: FloatArray) -> Influence | None:
    try:
        left_out = leave_one_out(first, second)
    except UndefinedStatisticError:
        return None
    changes = np.nan_to_num(np.abs(left_out.gaps - left_out.baseline[:, None]), nan=-1.0)
    return Influence(
        max_change=left_out.max_change,
        item=tuple(
            table.items[column] if change > 0.0 else None
            for change, column in zip(left_out.max_change, changes.argmax(axis=1), strict=True)
        ),
        sign_flips=left_out.sign_flips,
        n=left_out.n,
    )


def _contrast(table: ScoreTable, facet: str, low: str, high: str) -> Gap:
    name = facet if facet != REASONING_GAP else f"{facet} items"  # the other name is that of judged reasoning
    first, second = _direction(table, facet, low, high)
    if facet in NAMED_GAPS and set(NAMED_GAPS[facet][1:]) == {low, high}:
        name, first, second = NAMED_GAPS[facet]
    sides = [restrict(table.scores, table.having(facet, value)) for value in (first, second)]
    return Gap(name, f"{facet} {first} − {second}", *sides)


def _direction(table: ScoreTable, facet: str, low: str, high: str) -> tuple[str, str]:
    for yes, no in YES_AND_NO:
        if {low.casefold(), high.casefold()} == {yes, no}:
            return (low, high) if low.casefold() == yes else (high, low)
    sizes = {value: int(np.count_nonzero(table.having(facet, value))) for value in (low, high)}
    return (low, high) if sizes[low] <= sizes[high] else (high, low)
