"""Who is best at what, and how sure that is. Numbers that don't compare are never in one ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from exambench.analysis.judged_reasoning import ReasoningColumn, load_reasoning_column
from exambench.analysis.run_groups import RunGroup, groups_on_common_items, groups_on_same_items
from exambench.analysis.run_tables import some, table_of_group
from exambench.analysis.score_table import ScoreTable
from exambench.analysis.scores import RunScores
from exambench.analysis.standings import means_and_ranks
from exambench.errors import UndefinedStatisticError
from exambench.items import Item
from exambench.outcomes import OutcomeKind
from exambench.protocols import Shown, chance_of
from exambench.stats.intervals import Interval
from exambench.stats.ranking import DECIMALS, RankTable
from exambench.stats.resampling import Bootstrap, MeanTable
from exambench.stats.trials import TrialSpread, trial_spread
from exambench.store import Store

RESAMPLES: Final = 1000
SEED: Final = 42


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a ranking.

    Attributes:
        rank: 1 for the highest accuracy; ties share the mean of the ranks that they cover.
        low: The better end of its interval over item resamples; ``None`` with no other run to rank.
        high: The worse end.
    """

    rank: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """One run in a ranking.

    Attributes:
        run: The run.
        name: What to call it; each name stands once in a ranking.
        place: Where it stands by accuracy on all items of the ranking; ``None`` for a run that takes no place.
        cells: Accuracy on each axis, by name; ``None`` where no item of the axis has a score.
        lenient: Accuracy over the same items and trials when the required format is not insisted on; ``None`` without
            scores.
        outcomes: What became of the items and trials of the ranking, by the strict parser.
        planned: Number of items and trials of the ranking in the run's plan; those without an outcome are not yet
            answered.
        spread: Mean and standard deviation over the trials; ``None`` for one trial.
        passed: Whether it reaches the pass mark; ``None`` without a pass mark, without a place, or when the ranking is
            about some of its items only.
    """

    run: RunScores
    name: str
    place: Place | None
    cells: Mapping[str, Interval | None]
    lenient: float | None
    outcomes: Mapping[OutcomeKind, int]
    planned: int
    spread: TrialSpread | None
    passed: bool | None


@dataclass(frozen=True, eq=False)
class Ranking:
    """Runs that may be compared: one protocol, one condition, one parser version, the same items.

    Attributes:
        table: The scores, with their origin and what must be known of them.
        group: The runs, and the items that the ranking is about.
        axes: Names of the columns; the first is about all items.
        chance: For each axis, the expected accuracy of a blind guess, in [0, 1]; ``None`` where it is not known.
        rows: The best first, those without a place last.
        bootstrap: How the intervals were drawn.
        reasoning: Judged reasoning of the models, beside their accuracy; no rank depends on it.
    """

    table: ScoreTable
    group: RunGroup
    axes: tuple[str, ...]
    chance: Mapping[str, float | None]
    rows: tuple[Row, ...]
    bootstrap: Bootstrap
    reasoning: ReasoningColumn | None = None

    @property
    def scope(self) -> str:
        """What the items are, in words."""
        return self.group.scope

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that the ranking is about."""
        return self.group.items


def rankings(
    runs: Sequence[RunScores],
    bootstrap: Bootstrap = Bootstrap(RESAMPLES, SEED),  # noqa: B008 - frozen
) -> tuple[Ranking, ...]:
    """Return one ranking for each set of runs that were asked the same items in the same way.

    Runs without any score are in it, without a place.
    """
    return tuple(_ranking(group, bootstrap) for group in groups_on_same_items(runs))


def ranking_on_common_items(
    runs: Sequence[RunScores],
    bootstrap: Bootstrap = Bootstrap(RESAMPLES, SEED),  # noqa: B008 - frozen
) -> tuple[Ranking, ...]:
    """Return one ranking for each benchmark, protocol and condition, on the items that all its runs have scores for.

    Raises:
        ConfigError: No runs have scores for the same items.
    """
    return tuple(_ranking(group, bootstrap) for group in some(groups_on_common_items(runs)))


def with_reasoning(store: Store, rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """Return rankings with the judged reasoning of their models, where verdicts exist.

    Raises:
        StoreError: The store cannot be read.
    """
    return tuple(
        replace(each, reasoning=load_reasoning_column(store, each.group, each.table, each.bootstrap))
        for each in rankings
    )


def _ranking(group: RunGroup, bootstrap: Bootstrap) -> Ranking:
    table = table_of_group(group)
    named = (axis.name for axis in group.runs[0].benchmark.axes)
    axes = tuple(dict.fromkeys((table.overall, *named)))
    drawn = (None, None) if np.isnan(table.scores).all() else means_and_ranks(table, bootstrap)
    rows = [_row(group, table, number, axes, drawn) for number in range(len(group.runs))]
    rows.sort(key=lambda row: (math.inf if row.place is None else row.place.rank, row.name))
    chances = [_chance(item, group.runs[0]) for item in group.items]
    return Ranking(
        table=table,
        group=group,
        axes=axes,
        chance={name: _mean([chances[at] for at in np.flatnonzero(table.axes.get(name, []))]) for name in axes},
        rows=tuple(rows),
        bootstrap=bootstrap,
    )


def _row(
    group: RunGroup,
    table: ScoreTable,
    number: int,
    axes: Sequence[str],
    drawn: tuple[MeanTable | None, RankTable | None],
) -> Row:
    means, ranks = drawn
    run, items = group.runs[number], group.items
    cells = {name: _cell(table, means, number, name) for name in axes}
    rows = run.rows_on(items)
    place = _place(ranks, number) if table.ranked[number] else None
    return Row(
        run=run,
        name=table.models[number],
        place=place,
        cells=cells,
        lenient=_mean([run.lenient.get(item.id) for item in items if item.id in run.scores and run.knows(item)]),
        outcomes=Counter(row.kind for row in rows if row.kind is not None),
        planned=len(rows),
        spread=_spread(run, items),
        passed=_passed(run, cells[table.overall]) if place is not None and len(items) == len(run.expected) else None,
    )


def _cell(table: ScoreTable, means: MeanTable | None, model: int, axis: str) -> Interval | None:
    if means is None or axis not in table.axes:
        return None
    interval = means.interval(model, axis)
    return interval if interval.n else None


def _place(ranks: RankTable | None, model: int) -> Place:
    """Return the place on all items; the only run of a ranking is its first."""
    if ranks is None:
        return Place(1.0)
    return Place(float(ranks.rank[model, 0]), float(ranks.low[model, 0]), float(ranks.high[model, 0]))


def _spread(run: RunScores, items: Sequence[Item]) -> TrialSpread | None:
    try:
        return trial_spread(run.trial_scores(items))
    except UndefinedStatisticError:
        return None


def _passed(run: RunScores, overall: Interval | None) -> bool | None:
    mark = run.benchmark.pass_mark
    return None if mark is None or overall is None else round(overall.estimate - mark, DECIMALS) >= 0


def _chance(item: Item, run: RunScores) -> float | None:
    """Return the expected score of a guess that is blind to the question; ``None`` for a free answer."""
    shown = run.shown[item.id]
    return chance_of(shown) if isinstance(shown, Shown) else None


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; ``None`` of nothing, and where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
