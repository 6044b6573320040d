"""Accuracies and ranks of the models of a table, from one draw of the items where that is possible."""

from __future__ import annotations

from typing import Final

import numpy as np

from exambench.analysis.score_table import ScoreTable
from exambench.stats.joint import bootstrap_axes
from exambench.stats.ranking import RankTable, rank_intervals
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means

FEWEST_RANKED: Final = 2


def means_and_ranks(table: ScoreTable, bootstrap: Bootstrap) -> tuple[MeanTable, RankTable | None]:
    """Return the means of all models on all axes, and the ranks of those that take part in rankings.

    Args:
        table: The scores; at least one.
        bootstrap: How often to draw, the seed, the level.

    Returns:
        Means, and ranks on common items; no ranks with fewer than two models to rank.

    Raises:
        ValueError: No item has a score.
    """
    axes = table.axis_scores
    if len(table.models) >= FEWEST_RANKED and table.ranked.all():
        drawn = bootstrap_axes(axes, {}, bootstrap, strata=table.strata, item_ids=table.items)
        return drawn.means, drawn.ranks
    means = bootstrap_means(axes, bootstrap, strata=table.strata, item_ids=table.items)
    ranked = {name: np.where(table.ranked[:, None], scores, np.nan) for name, scores in axes.items()}
    if np.count_nonzero(table.ranked) < FEWEST_RANKED or np.isnan(ranked[table.overall]).all():
        return means, None
    return means, rank_intervals(ranked, bootstrap, strata=table.strata, item_ids=table.items)
