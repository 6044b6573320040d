"""Means, gaps and ranks of all models on all axes from one draw.

It gives the numbers of :func:`~exambench.stats.resampling.bootstrap_means`,
:func:`~exambench.stats.gaps.bootstrap_gaps` and :func:`~exambench.stats.ranking.rank_intervals`, and draws once
instead of three times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.draws import design_items, resampled_sums
from exambench.stats.gaps import GapTable, bootstrap_gaps, gap_sides, gap_table
from exambench.stats.matrix import ratio
from exambench.stats.ranking import Ranking, RankTable, rank_intervals
from exambench.stats.resampling import (
    Bootstrap,
    MeanTable,
    bootstrap_means,
    mean_table,
    model_passes,
    percentile_bounds,
)


@dataclass(frozen=True, slots=True)
class AxisBootstrap:
    """What one draw says of all models on all axes.

    Attributes:
        means: Models × axes.
        gaps: Models × gaps.
        ranks: Models × axes, each on its common items.
    """

    means: MeanTable
    gaps: GapTable
    ranks: RankTable


def bootstrap_axes(
    axes: Mapping[str, ArrayLike],
    gaps: Mapping[str, tuple[str, str]],
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> AxisBootstrap:
    """Return means, gaps and ranks with their intervals.

    Where the replicates of all models would take more memory than
    :data:`~exambench.stats.resampling.REPLICATE_BYTES`, each kind is drawn by itself, in passes; the numbers are the
    same.

    Args:
        axes: Name → models × items, in one unit; NaN outside the axis and where there is no score.
        gaps: Name of the gap → names of its first and second side; may be empty.
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Raises:
        ValueError: A gap names an unknown axis, the axes, strata or ids break their format, or no item has a score.
    """
    first, second = gap_sides(list(axes), gaps)
    design = design_items(list(axes.values()), strata, item_ids)
    if len(list(model_passes(design, len(axes) + len(gaps), bootstrap.resamples))) > 1:
        return AxisBootstrap(
            bootstrap_means(axes, bootstrap, strata=strata, item_ids=item_ids),
            bootstrap_gaps(axes, gaps, bootstrap, strata=strata, item_ids=item_ids),
            rank_intervals(axes, bootstrap, strata=strata, item_ids=item_ids),
        )
    ranking, names, n_axes = Ranking(design), tuple(axes), len(axes)
    replicates = np.empty((design.n_models, n_axes, bootstrap.resamples))
    # An axis of common items alone is ranked by the sums that its means come from.
    cut = [index for index, axis in enumerate(ranking.design.axes) if axis is not design.axes[index]]
    both = replace(design, axes=design.axes + tuple(ranking.design.axes[index] for index in cut))
    ranked = np.arange(n_axes)
    ranked[cut] = n_axes + np.arange(len(cut))
    done = 0
    for sums, scored in resampled_sums(both, bootstrap.resamples, bootstrap.seed):
        block = slice(done, done + sums.shape[1])
        replicates[:, :, block] = ratio(sums[:n_axes], scored[:n_axes]).transpose(2, 0, 1)
        ranking.count(sums[ranked], scored[ranked])
        done = block.stop
    means = mean_table(names, design, [percentile_bounds(replicates, bootstrap.level)], bootstrap)
    differences = replicates[:, first] - replicates[:, second]
    return AxisBootstrap(
        means,
        gap_table(
            tuple(gaps),
            means.estimate[:, first] - means.estimate[:, second],
            [percentile_bounds(differences, bootstrap.level)],
            (means.n[:, first], means.n[:, second]),
            bootstrap,
        ),
        ranking.table(names, bootstrap),
    )
