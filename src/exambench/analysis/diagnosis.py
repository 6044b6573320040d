"""What a model's scores say about it: axes, gaps, the stability of its rank, and where it is weakest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exambench.analysis.gaps import (
    AbsentGap,
    GapFamily,
    absent_contrasts,
    absent_reasoning,
    assess,
    assess_values,
    contrasts,
)
from exambench.analysis.reasoning_gap import ReasoningGap
from exambench.analysis.score_table import ScoreTable
from exambench.analysis.standings import means_and_ranks
from exambench.errors import ConfigError, Finding, listed, show
from exambench.stats.gaps import FEW
from exambench.stats.intervals import Interval
from exambench.stats.ranking import RankTable
from exambench.stats.resampling import Bootstrap, MeanTable


@dataclass(frozen=True, slots=True)
class Weakness:
    """The axis on which a model's accuracy is lowest, and lower than on all items.

    Attributes:
        model: The model.
        axis: The axis.
        accuracy: Its accuracy there, with interval and n.
        overall: Its accuracy on all items.
        excludes_overall: Whether the interval leaves out the accuracy on all items.
        few: Whether so few items are behind it that it is a description only.
        best_model: The best model on the axis; ``None`` where there is no ranking.
        best_score: What that model has on the items of the axis that all ranked models have scores for.
        own_score: What this model has on the same items.
        common: Number of those items.
    """

    model: str
    axis: str
    accuracy: Interval
    overall: float
    excludes_overall: bool
    few: bool
    best_model: str | None
    best_score: float | None
    own_score: float | None
    common: int


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Everything that is said about the models of a table.

    Attributes:
        table: What was looked at.
        bootstrap: How intervals were drawn.
        means: Models × axes.
        ranks: Models × axes on common items; ``None`` with fewer than two models to rank.
        families: Gaps, by what they have in common.
        absent: Gaps that a reader looks for and that cannot be had, each with its reason.
        weaknesses: The weakest axis of each model that has one.
        reasoning: What the reasoning gap among the families rests on; ``None`` for scores that come without verdicts.
    """

    table: ScoreTable
    bootstrap: Bootstrap
    means: MeanTable
    ranks: RankTable | None
    families: tuple[GapFamily, ...]
    absent: tuple[AbsentGap, ...]
    weaknesses: tuple[Weakness, ...]
    reasoning: ReasoningGap | None = None


def diagnose(
    table: ScoreTable, bootstrap: Bootstrap, *, by: Sequence[str] = (), reasoning: ReasoningGap | None = None
) -> Diagnosis:
    """Return axes, ranks, gaps and weakest axes of all models of a table.

    Args:
        table: The scores.
        bootstrap: How often to draw, the seed, the level.
        by: Facets of which each value is also set against all other items.
        reasoning: The gap between judged reasoning and accuracy, which is assessed and corrected with those between
            the two values of a facet; ``None`` for scores that come without verdicts.

    Raises:
        ConfigError: There is no such facet.
    """
    means, ranks = means_and_ranks(table, bootstrap)
    gaps = contrasts(table)
    if reasoning is not None and reasoning.gap is not None:
        gaps += (reasoning.gap,)
    families = [assess("contrasts", gaps, table, bootstrap)] if gaps else []
    several = [facet for facet in by if len(table.values(_known(table, facet))) > 1]
    families += [assess_values(facet, table, bootstrap) for facet in several]
    return Diagnosis(
        table=table,
        bootstrap=bootstrap,
        means=means,
        ranks=ranks,
        families=tuple(families),
        absent=absent_contrasts(table) + (absent_reasoning(table) if reasoning is None else reasoning.absent),
        weaknesses=_weaknesses(table, means, ranks),
        reasoning=reasoning,
    )


def _known(table: ScoreTable, facet: str) -> str:
    if facet not in table.facets:
        raise ConfigError(
            Finding(
                problem="the items have no such facet",
                field="facet",
                value=show(facet),
                allowed=listed(table.facets) or "none",
                remedy="Name one of these",
            )
        )
    return facet


def _weaknesses(table: ScoreTable, means: MeanTable, ranks: RankTable | None) -> tuple[Weakness, ...]:
    found = (_weakness(table, means, ranks, model) for model in range(len(table.models)))
    return tuple(weakness for weakness in found if weakness is not None)


def _weakness(table: ScoreTable, means: MeanTable, ranks: RankTable | None, model: int) -> Weakness | None:
    """Return the axis of lowest accuracy, if it lies below that on all items; few items count only without others."""
    candidates = [
        (int(means.n[model, column]) < FEW, float(means.estimate[model, column]), column)
        for column, name in enumerate(means.names)
        if name != table.overall and means.n[model, column] > 0
    ]
    if not candidates:
        return None
    few, _, column = min(candidates)
    accuracy = means.interval(model, means.names[column])
    overall = float(means.estimate[model, means.names.index(table.overall)])
    if accuracy.estimate >= overall:
        return None
    best, common = None, 0
    if ranks is not None and not np.isnan(ranks.score[model, column]):
        best, common = int(np.nanargmax(ranks.score[:, column])), int(ranks.n[column])
    return Weakness(
        model=table.models[model],
        axis=means.names[column],
        accuracy=accuracy,
        overall=overall,
        excludes_overall=not accuracy.low <= overall <= accuracy.high,
        few=few,
        best_model=None if best is None else table.models[best],
        best_score=None if best is None or ranks is None else float(ranks.score[best, column]),
        own_score=None if best is None or ranks is None else float(ranks.score[model, column]),
        common=common,
    )
