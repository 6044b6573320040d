"""Correlation between columns of scores, over the models that have both.

References:
    [1] M. Kendall, "Rank Correlation Methods" (1970), chapter 3: τ-b.
    [2] R. Fisher, "Statistical Methods for Research Workers" (1925), section 35: the z transformation.
    [3] N. Draper, H. Smith, "Applied Regression Analysis" (1998), section 1.4 and chapter 3.
    [4] S. Kim et al., "K-MetBench" (2026), sections 4 and 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from exambench.errors import UndefinedStatisticError
from exambench.stats.draws import resample_counts
from exambench.stats.intervals import check_level, normal_quantile
from exambench.stats.matrix import FloatArray, IntArray, ratio, score_matrix, score_vector
from exambench.stats.resampling import Bootstrap, percentile_bounds

ROUNDING: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation coefficient over n complete pairs.

    Attributes:
        coefficient: In [−1, 1].
        p_value: Two-sided, of no correlation.
        n: Number of complete pairs.
        method: Coefficient and kind of interval.
        low: Lower bound; NaN where no interval was asked for.
        high: Upper bound; NaN where no interval was asked for.
        level: Confidence level; None where no interval was asked for.
        bootstrap: How the interval was drawn; None where it was not.
        undefined_resamples: Resamples in which the coefficient does not exist; left out of the percentiles.
    """

    coefficient: float
    p_value: float
    n: int
    method: str
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    bootstrap: Bootstrap | None = None
    undefined_resamples: int = 0


@dataclass(frozen=True, slots=True)
class CorrelationMatrix:
    """Correlations of every pair of columns, each over the rows that are complete in both.

    Attributes:
        coefficient: Columns × columns; NaN where it does not exist (fewer than two pairs, or a constant column).
        p_value: Columns × columns; NaN likewise.
        n: Columns × columns: number of complete pairs.
        method: Name of the coefficient.
    """

    coefficient: FloatArray
    p_value: FloatArray
    n: IntArray
    method: str


@dataclass(frozen=True, slots=True)
class RegressionLine:
    """Ordinary least squares with one predictor.

    Attributes:
        slope: Change of y per unit of x.
        intercept: y at x = 0.
        r_squared: Share of the variance of y that the line explains.
        residual_sd: Standard deviation around the line (n − 2 degrees of freedom).
        n: Number of complete pairs.
        level: Confidence level of the band.
        at: Values of x at which the band is given.
        fitted: The line there.
        low: Lower bound of the mean of y there.
        high: Upper bound of the mean of y there.
    """

    slope: float
    intercept: float
    r_squared: float
    residual_sd: float
    n: int
    level: float
    at: FloatArray
    fitted: FloatArray
    low: FloatArray
    high: FloatArray


def kendall_tau_b(x: ArrayLike, y: ArrayLike, bootstrap: Bootstrap | None = None) -> Correlation:
    """Return Kendall's τ-b, which corrects for ties [1].

    Args:
        x: One value per model; NaN = none.
        y: One value per model, in the same order.
        bootstrap: Draw a percentile interval over the pairs; None for no interval. It builds a pairs × pairs array.

    Raises:
        ValueError: The lengths differ or a value is infinite.
        UndefinedStatisticError: Fewer than two complete pairs, or a column is constant over them.
    """
    first, second = _complete_pairs(x, y, needed=2)
    test = stats.kendalltau(first, second, variant="b")
    coefficient, p_value, n = float(test.statistic), float(test.pvalue), len(first)
    if bootstrap is None:
        return Correlation(coefficient, p_value, n, "Kendall τ-b")
    low, high, undefined = _kendall_bounds(first, second, bootstrap)
    method = "Kendall τ-b, percentile bootstrap over pairs"
    return Correlation(coefficient, p_value, n, method, low, high, bootstrap.level, bootstrap, undefined)


def pearson(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Correlation:
    """Return Pearson's r with the interval of Fisher's z [2].

    Args:
        x: One value per model; NaN = none.
        y: One value per model, in the same order.
        level: Confidence level.

    Raises:
        ValueError: The lengths differ, a value is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than four complete pairs, or a column is constant over them.
    """
    first, second = _complete_pairs(x, y, needed=4)
    test = stats.pearsonr(first, second)
    return _fisher(float(test.statistic), float(test.pvalue), len(first), 0, level)


def partial_correlation(x: ArrayLike, y: ArrayLike, given: ArrayLike, level: float = 0.95) -> Correlation:
    """Return Pearson's r of what is left of x and y after regressing both on other columns.

    Args:
        x: One value per model; NaN = none.
        y: One value per model, in the same order.
        given: One value per model, or models × columns, to hold constant.
        level: Confidence level of the interval by Fisher's z, on n − 3 − columns degrees of freedom [2].

    Raises:
        ValueError: The lengths differ, a value is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Too few complete rows, or nothing is left of x or y.
    """
    controls = np.asarray(given, dtype=np.float64)
    table = score_matrix(np.column_stack([score_vector(x), score_vector(y), controls]))
    table = table[~np.isnan(table).any(axis=1)]
    n, held = len(table), table.shape[1] - 2
    if n < held + 4:
        raise UndefinedStatisticError(f"a partial correlation given {held} columns needs {held + 4} rows; found {n}")
    design = np.column_stack([np.ones(n), table[:, 2:]])
    residuals = table[:, :2] - design @ np.linalg.lstsq(design, table[:, :2])[0]
    spread = np.linalg.norm(table[:, :2] - table[:, :2].mean(axis=0), axis=0)
    if (np.linalg.norm(residuals, axis=0) <= ROUNDING * spread).any():
        raise UndefinedStatisticError("the given columns explain x or y completely; no correlation is left")
    coefficient = float(np.clip(np.corrcoef(residuals.T)[0, 1], -1.0, 1.0))
    freedom = n - 2 - held
    t = coefficient * math.sqrt(freedom / max(1.0 - coefficient**2, np.finfo(float).tiny))
    return _fisher(coefficient, float(2.0 * stats.t.sf(abs(t), freedom)), n, held, level)


def kendall_matrix(columns: ArrayLike) -> CorrelationMatrix:
    """Return Kendall's τ-b between every two columns, pairwise complete [4].

    Args:
        columns: Models × columns; NaN = no value. Invert the sign of a column where lower is better.

    Returns:
        A matrix; a cell is NaN where fewer than two rows are complete, or a column is constant over them.

    Raises:
        ValueError: The columns break their format.
    """
    table = score_matrix(columns)
    size = table.shape[1]
    coefficient, p_value = np.full((size, size), np.nan), np.full((size, size), np.nan)
    there = ~np.isnan(table)
    for first in range(size):
        for second in range(first, size):
            pair = table[there[:, first] & there[:, second]][:, [first, second]]
            if len(pair) > 1 and (np.ptp(pair, axis=0) > 0.0).all():
                test = stats.kendalltau(pair[:, 0], pair[:, 1], variant="b")
                coefficient[first, second] = coefficient[second, first] = test.statistic
                p_value[first, second] = p_value[second, first] = test.pvalue
    n: IntArray = np.einsum("ij,ik->jk", there, there, dtype=np.int64)
    return CorrelationMatrix(coefficient, p_value, n, "Kendall τ-b")


def regression_line(x: ArrayLike, y: ArrayLike, at: ArrayLike, level: float = 0.95) -> RegressionLine:
    """Fit a line by least squares and return it with the confidence band of the mean [3].

    Args:
        x: One value per model; NaN = none.
        y: One value per model, in the same order.
        at: Values of x at which to give the band.
        level: Confidence level of the band, for each value by itself.

    Raises:
        ValueError: The lengths differ, a value is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than three complete pairs, or x or y is constant over them.
    """
    first, second = _complete_pairs(x, y, needed=3)
    places, n = score_vector(at), len(first)
    centred = first - first.mean()
    slope = float(centred @ second / (centred @ centred))
    intercept = float(second.mean() - slope * first.mean())
    residual = float(((second - intercept - slope * first) ** 2).sum())
    residual_sd = math.sqrt(residual / (n - 2))
    quantile = float(stats.t.ppf(0.5 + check_level(level) / 2.0, n - 2))
    half_width = quantile * residual_sd * np.sqrt(1.0 / n + (places - first.mean()) ** 2 / (centred @ centred))
    fitted = intercept + slope * places
    return RegressionLine(
        slope=slope,
        intercept=intercept,
        r_squared=1.0 - residual / float(((second - second.mean()) ** 2).sum()),
        residual_sd=residual_sd,
        n=n,
        level=level,
        at=places,
        fitted=fitted,
        low=fitted - half_width,
        high=fitted + half_width,
    )


def _complete_pairs(x: ArrayLike, y: ArrayLike, needed: int) -> tuple[FloatArray, FloatArray]:
    first, second = score_vector(x), score_vector(y)
    if len(first) != len(second):
        raise ValueError(f"both columns have one value per model; found {len(first)} and {len(second)}")
    complete = ~np.isnan(first + second)
    first, second = first[complete], second[complete]
    if len(first) < needed:
        raise UndefinedStatisticError(f"needs at least {needed} complete pairs; found {len(first)}")
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        raise UndefinedStatisticError(f"a column is constant over the {len(first)} complete pairs")
    return first, second


def _kendall_bounds(first: FloatArray, second: FloatArray, bootstrap: Bootstrap) -> tuple[float, float, int]:
    """Draw pairs with replacement; with counts c, τ-b is cᵀ(S_x∘S_y)c / √(cᵀ|S_x|c · cᵀ|S_y|c), S = signs."""
    sign_x = np.sign(first[:, None] - first[None, :])
    sign_y = np.sign(second[:, None] - second[None, :])
    replicates = []
    for counts in resample_counts([len(first)], bootstrap.resamples, bootstrap.seed):
        agree, untied_x, untied_y = (
            ((counts @ signs) * counts).sum(axis=1) for signs in (sign_x * sign_y, np.abs(sign_x), np.abs(sign_y))
        )
        replicates.append(ratio(agree, np.sqrt(untied_x * untied_y)))
    low, high, _, undefined = percentile_bounds(np.concatenate(replicates), bootstrap.level)
    return float(low), float(high), int(undefined)


def _fisher(coefficient: float, p_value: float, n: int, held: int, level: float) -> Correlation:
    half_width = normal_quantile(level) / math.sqrt(n - 3 - held)
    centre = (
        math.atanh(min(max(coefficient, -1.0), 1.0)) if abs(coefficient) < 1.0 else math.copysign(math.inf, coefficient)
    )
    method = "Pearson r, Fisher z" if held == 0 else f"partial Pearson r given {held} columns, Fisher z"
    return Correlation(
        coefficient, p_value, n, method, math.tanh(centre - half_width), math.tanh(centre + half_width), level
    )
