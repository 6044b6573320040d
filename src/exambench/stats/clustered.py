"""Association of two columns whose rows come in clusters, such as the answers of several models to one item.

Clusters are drawn with replacement, all rows of a cluster together; the rows of one item are no independent news.

References:
    [1] A. Cameron, D. Miller, "A Practitioner's Guide to Cluster-Robust Inference",
        Journal of Human Resources 50 (2015), section VI.A: the pairs cluster bootstrap.
    [2] T. Anderson, "An Introduction to Multivariate Statistical Analysis" (2003), section 2.5.3: partial correlation
        from the conditional covariance Σ_vv − Σ_vz Σ_zz⁻¹ Σ_zv.
    [3] M. Kendall, "Rank Correlation Methods" (1970), chapter 3: Spearman's ρ with shared ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.draws import resample_counts
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray, IntArray, item_labels, ratio, score_vector
from exambench.stats.resampling import Bootstrap, percentile_bounds

METHOD: Final = "percentile bootstrap over clusters"
ROUNDING: Final = 1e-10
FEWEST_CLUSTERS: Final = 2
FEWEST_ROWS: Final = 4


@dataclass(frozen=True, slots=True)
class ClusteredAssociation:
    """How two columns go together once others are held constant.

    Attributes:
        correlation: Pearson's r of what is left of x and y after regressing both on the controls; its n are rows.
        slope: Change of y per unit of x, with the controls in the regression.
        n_clusters: Number of clusters.
        n_controls: Number of controls that are held constant.
    """

    correlation: Interval
    slope: Interval
    n_clusters: int
    n_controls: int


def clustered_association(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike, bootstrap: Bootstrap, given: ArrayLike | None = None
) -> ClusteredAssociation:
    """Return (partial) correlation and slope with intervals of the cluster bootstrap [1, 2].

    Args:
        x: One value per row.
        y: One value per row.
        clusters: One label per row.
        bootstrap: How often to draw, the seed, the level.
        given: Rows × columns to hold constant; None for none. Columns may depend on each other.

    Raises:
        ValueError: Lengths differ, or a value is infinite or NaN.
        UndefinedStatisticError: Too few rows or clusters, or nothing is left of x or y.
    """
    first, second, cluster, n_clusters = _checked(x, y, clusters)
    controls = (
        np.empty((len(first), 0)) if given is None else np.asarray(given, dtype=np.float64).reshape(len(first), -1)
    )
    if not np.isfinite(controls).all():
        raise ValueError("columns to hold constant are finite numbers")
    n, held = len(first), controls.shape[1]
    if n < held + FEWEST_ROWS:
        raise UndefinedStatisticError(f"a correlation given {held} columns needs {held + FEWEST_ROWS} rows; found {n}")
    columns = np.column_stack([controls, first, second])
    columns = columns - columns.mean(axis=0)
    rows = np.column_stack([np.ones(n), columns])
    members = [rows[cluster == number] for number in range(n_clusters)]
    products = np.stack([(member.T @ member).ravel() for member in members])
    spread = np.square(columns[:, -2:]).sum(axis=0)

    def statistic(counts: FloatArray) -> FloatArray:
        moments = (counts @ products).reshape(len(counts), rows.shape[1], rows.shape[1])
        return _left_over(moments, spread)

    estimate = statistic(np.ones((1, n_clusters)))[0]
    if np.isnan(estimate).any():
        raise UndefinedStatisticError(_nothing_left(held))
    correlation, slope = _intervals(estimate, statistic, n, n_clusters, bootstrap)
    return ClusteredAssociation(correlation, slope, n_clusters, held)


def clustered_spearman(x: ArrayLike, y: ArrayLike, clusters: ArrayLike, bootstrap: Bootstrap) -> Interval:
    """Return Spearman's ρ, ties sharing their ranks, with the interval of the cluster bootstrap [1, 3].

    In each resample the rows are ranked anew.

    Args:
        x: One value per row.
        y: One value per row.
        clusters: One label per row.
        bootstrap: How often to draw, the seed, the level.

    Raises:
        ValueError: Lengths differ, or a value is infinite or NaN.
        UndefinedStatisticError: Too few rows or clusters, or x or y is constant.
    """
    first, second, cluster, n_clusters = _checked(x, y, clusters)
    places = [np.unique(column, return_inverse=True)[1].astype(np.int64) for column in (first, second)]

    def statistic(counts: FloatArray) -> FloatArray:
        return np.array([[_weighted_rho(weights[cluster], places)] for weights in counts])

    estimate = statistic(np.ones((1, n_clusters)))[0]
    if np.isnan(estimate).any():
        raise UndefinedStatisticError(_nothing_left(0))
    return _intervals(estimate, statistic, len(first), n_clusters, bootstrap)[0]


def _checked(x: ArrayLike, y: ArrayLike, clusters: ArrayLike) -> tuple[FloatArray, FloatArray, IntArray, int]:
    first, second = score_vector(x), score_vector(y)
    if len(first) != len(second):
        raise ValueError(f"both columns have one value per row; found {len(first)} and {len(second)}")
    if np.isnan(first + second).any():
        raise ValueError("rows are complete; found NaN")
    names, cluster = np.unique(item_labels(clusters, len(first)), return_inverse=True)
    if len(names) < FEWEST_CLUSTERS or len(first) < FEWEST_ROWS:
        raise UndefinedStatisticError(
            f"a correlation needs at least {FEWEST_ROWS} rows in {FEWEST_CLUSTERS} clusters; found {len(first)} in "
            f"{len(names)}"
        )
    return first, second, cluster.astype(np.int64), len(names)


def _left_over(moments: FloatArray, spread: FloatArray) -> FloatArray:
    """Return correlation and slope from moment matrices, the last two columns of which are x and y.

    Args:
        moments: Resamples × columns × columns; the first column is the intercept.
        spread: Sums of squares of x and y, against which what is left is measured.

    Returns:
        Resamples × 2; NaN where nothing is left of x or y.
    """
    held, free = moments[:, :-2, :-2], moments[:, -2:, -2:]
    across = moments[:, :-2, -2:]
    left = free - across.transpose(0, 2, 1) @ np.linalg.pinv(held, rcond=ROUNDING, hermitian=True) @ across
    var_x, var_y, joint = left[:, 0, 0], left[:, 1, 1], left[:, 0, 1]
    there = (var_x > ROUNDING * spread[0]) & (var_y > ROUNDING * spread[1])
    norm = np.sqrt(np.where(there, var_x * var_y, 0.0))
    correlation = np.clip(ratio(joint, norm), -1.0, 1.0)
    return np.stack([correlation, np.where(there, ratio(joint, var_x), np.nan)], axis=1)


def _weighted_rho(weights: FloatArray, places: list[IntArray]) -> float:
    """Return the correlation of mid-ranks of rows that stand as often as their weights say."""
    total = weights.sum()
    ranks = []
    for place in places:
        counts = np.bincount(place, weights=weights)
        ranks.append((np.cumsum(counts) - counts / 2.0 - total / 2.0)[place])
    var_x, var_y = (float(weights @ rank**2) for rank in ranks)
    if min(var_x, var_y) <= 0.0:
        return float("nan")
    return float(np.clip(weights @ (ranks[0] * ranks[1]) / np.sqrt(var_x * var_y), -1.0, 1.0))


def _intervals(
    estimate: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    n: int,
    n_clusters: int,
    bootstrap: Bootstrap,
) -> list[Interval]:
    drawn = resample_counts([n_clusters], bootstrap.resamples, bootstrap.seed)
    replicates = np.concatenate([statistic(counts) for counts in drawn]).T
    low, high, error, undefined = percentile_bounds(replicates, bootstrap.level)
    return [
        Interval(
            estimate=float(estimate[place]),
            low=float(low[place]),
            high=float(high[place]),
            n=n,
            level=bootstrap.level,
            method=METHOD,
            standard_error=float(error[place]),
            resamples=bootstrap.resamples,
            seed=bootstrap.seed,
            undefined_resamples=int(undefined[place]),
        )
        for place in range(len(estimate))
    ]


def _nothing_left(held: int) -> str:
    if held:
        return f"the {held} columns held constant explain x or y completely; no correlation is left"
    return "x or y is constant; no correlation exists"
