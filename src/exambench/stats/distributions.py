"""How two sets of items, or their numbers, differ in distribution.

References:
    [1] S. Kullback, R. Leibler, "On information and sufficiency", Annals of Mathematical Statistics 22 (1951), 79-86.
    [2] KMMMU (2026): divergence between pool and filtered set, per dimension of an embedding.
    [3] H. Cramér, "Mathematical Methods of Statistics" (1946), section 21.9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import MATRIX_DIMENSIONS, FloatArray, IntArray, scored_values


@dataclass(frozen=True, slots=True)
class Divergence:
    """Kullback-Leibler divergence of each dimension, in nats.

    Attributes:
        divergence: KL(p ‖ q), one per dimension.
        edges: Dimensions × (bins + 1): edges of the histograms, shared by both samples.
        n_p: Rows of the first sample.
        n_q: Rows of the second sample.
        bins: Number of bins.
        smoothing: Count that was added to each bin of each histogram.
    """

    divergence: FloatArray
    edges: FloatArray
    n_p: int
    n_q: int
    bins: int
    smoothing: float = 1.0


@dataclass(frozen=True, slots=True)
class FacetTest:
    """χ² test of whether groups share one distribution over the values of a facet.

    Attributes:
        chi_square: Pearson's statistic.
        df: Degrees of freedom.
        p_value: Of no difference.
        cramers_v: Strength in [0, 1], √(χ²/(n·(min(groups, values) − 1))).
        n: Number of items.
        smallest_expected: Smallest expected count; the approximation is poor below 5.
    """

    chi_square: float
    df: int
    p_value: float
    cramers_v: float
    n: int
    smallest_expected: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Moments and extremes of numbers.

    Attributes:
        n: How many there are.
        mean: Their mean.
        sd: Standard deviation (n − 1); NaN for a single number.
        cv: Coefficient of variation, sd/|mean|; NaN where the mean is 0 or there is a single number.
        minimum: The smallest.
        median: The median.
        maximum: The largest.
    """

    n: int
    mean: float
    sd: float
    cv: float
    minimum: float
    median: float
    maximum: float


def kl_per_dimension(p: ArrayLike, q: ArrayLike, bins: int = 20) -> Divergence:
    """Return KL(p ‖ q) of every dimension from smoothed histograms [1, 2].

    Both samples are counted on the same equal-width bins, which span the range of both together; one is added to
    every count. A dimension on which all rows agree has divergence 0.

    Args:
        p: First sample, rows × dimensions, finite.
        q: Second sample, rows × dimensions, finite.
        bins: Number of bins, at least 2.

    Raises:
        ValueError: The samples are not two-dimensional with the same dimensions, hold a value that is not finite, or
            there are fewer than two bins.
        UndefinedStatisticError: A sample has no row.
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.ndim != MATRIX_DIMENSIONS or second.ndim != MATRIX_DIMENSIONS or first.shape[1] != second.shape[1]:
        raise ValueError(f"samples are rows × the same dimensions; found the shapes {first.shape} and {second.shape}")
    if bins < 2:  # noqa: PLR2004  # one bin holds everything
        raise ValueError(f"a histogram needs at least 2 bins; found {bins}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("samples hold finite numbers; found NaN or an infinite value")
    if not (len(first) and len(second)):
        raise UndefinedStatisticError(f"a histogram of no rows does not exist; found {len(first)} and {len(second)}")
    both = np.concatenate([first, second])
    edges = np.stack([np.histogram_bin_edges(column, bins) for column in both.T])
    divergences = []
    for dimension, borders in enumerate(edges):
        a, b = (np.histogram(sample[:, dimension], borders)[0] + 1.0 for sample in (first, second))
        a, b = a / a.sum(), b / b.sum()
        constant = np.ptp(both[:, dimension]) == 0.0
        divergences.append(0.0 if constant else float((a * np.log(a / b)).sum()))
    return Divergence(np.array(divergences), edges, len(first), len(second), bins)


def kl_of_random_subsets(pool: ArrayLike, size: int, bins: int = 20, draws: int = 1000, seed: int = 42) -> FloatArray:
    """Return what :func:`kl_per_dimension` of a pool and a subset of it is when chance alone chooses the subset.

    Smoothed histograms of few rows differ without any reason; this tells by how much.

    Args:
        pool: Rows × dimensions, finite.
        size: Rows of each subset, drawn without replacement.
        bins: Number of bins, at least 2.
        draws: Number of subsets.
        seed: Of the draws.

    Returns:
        Draws × dimensions, in nats.

    Raises:
        ValueError: As :func:`kl_per_dimension`; or the subsets are larger than the pool.
        UndefinedStatisticError: The pool or the subsets have no row.
    """
    rows = np.asarray(pool, dtype=np.float64)
    if size > len(rows):
        raise ValueError(f"a subset is no larger than its pool; found {size} of {len(rows)} rows")
    edges = kl_per_dimension(rows, rows[:size], bins).edges
    dimensions = len(edges)
    places = np.stack([np.searchsorted(borders, rows[:, at], "right") - 1 for at, borders in enumerate(edges)], axis=1)
    cells = np.minimum(places, bins - 1) + bins * np.arange(dimensions)

    def shares(chosen: IntArray) -> FloatArray:
        counts = np.bincount(chosen.ravel(), minlength=bins * dimensions).reshape(dimensions, bins) + 1.0
        return np.asarray(counts / counts.sum(axis=1, keepdims=True), dtype=np.float64)

    rng = np.random.default_rng(seed)
    of_pool = shares(cells)
    drawn = (shares(cells[rng.choice(len(rows), size, replace=False)]) for _ in range(draws))
    found = np.array([(of_pool * np.log(of_pool / each)).sum(axis=1) for each in drawn])
    found[:, np.ptp(rows, axis=0) == 0.0] = 0.0
    return found


def facet_test(counts: ArrayLike) -> FacetTest:
    """Test whether groups (a pool and its filtered part, two exams) share one distribution over a facet [3].

    Args:
        counts: Groups × values of the facet, numbers of items. Values that no group has are left out.

    Raises:
        ValueError: The table is not two-dimensional, or a count is negative or not whole.
        UndefinedStatisticError: Fewer than two groups or two values have items.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != MATRIX_DIMENSIONS or not (np.isfinite(table) & (table >= 0) & (table == np.floor(table))).all():
        raise ValueError("a table of counts holds whole numbers, groups × values")
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:  # noqa: PLR2004  # nothing to compare
        raise UndefinedStatisticError(f"a comparison needs two groups and two values with items; found {table.shape}")
    n = float(table.sum())
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / n
    chi_square = float(((table - expected) ** 2 / expected).sum())
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    return FacetTest(
        chi_square=chi_square,
        df=df,
        p_value=float(chdtrc(df, chi_square)),
        cramers_v=math.sqrt(chi_square / (n * (min(table.shape) - 1))),
        n=int(n),
        smallest_expected=float(expected.min()),
    )


def summary(values: ArrayLike) -> Summary:
    """Return moments and extremes of numbers.

    Args:
        values: One axis; NaN = no value.

    Raises:
        ValueError: There is not exactly one axis, or a value is infinite.
        UndefinedStatisticError: There is no value.
    """
    numbers = scored_values(values)
    mean = float(numbers.mean())
    sd = float(numbers.std(ddof=1)) if len(numbers) > 1 else math.nan
    return Summary(
        n=len(numbers),
        mean=mean,
        sd=sd,
        cv=sd / abs(mean) if mean else math.nan,
        minimum=float(numbers.min()),
        median=float(np.median(numbers)),
        maximum=float(numbers.max()),
    )
