"""Intraclass correlation, all six forms, from the two-way analysis of variance.

References:
    [1] P. Shrout, J. Fleiss, "Intraclass correlations: uses in assessing rater reliability",
        Psychological Bulletin 86 (1979), 420-428.
    [2] K. McGraw, S. Wong, "Forming inferences about some intraclass correlation coefficients",
        Psychological Methods 1 (1996), 30-46, tables 4 and 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, fdtri

from exambench.errors import UndefinedStatisticError
from exambench.stats.agreement.ratings import complete_units, draw_units
from exambench.stats.intervals import check_level
from exambench.stats.matrix import FloatArray, ratio
from exambench.stats.resampling import Bootstrap


class IccForm(StrEnum):
    """The forms, named as McGraw and Wong name them; in brackets Shrout and Fleiss.

    The first sign: 1 = each unit has raters of its own (one-way); A = absolute agreement, C = consistency (two-way).
    The second: 1 = one rating, k = the mean of all raters.
    """

    ONE_WAY_SINGLE = "ICC(1,1)"  # ICC1
    ABSOLUTE_SINGLE = "ICC(A,1)"  # ICC2, "two-way, absolute agreement"
    CONSISTENCY_SINGLE = "ICC(C,1)"  # ICC3
    ONE_WAY_MEAN = "ICC(1,k)"  # ICC1k
    ABSOLUTE_MEAN = "ICC(A,k)"  # ICC2k
    CONSISTENCY_MEAN = "ICC(C,k)"  # ICC3k


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """One form of the intraclass correlation.

    Attributes:
        form: Which form.
        estimate: At most 1; below 0 where raters agree less than by chance.
        low: Lower bound from the F distribution.
        high: Upper bound from the F distribution.
        level: Confidence level of all bounds.
        f_value: F of no difference between units; infinite where the raters agree exactly.
        df1: Degrees of freedom of its numerator.
        df2: Degrees of freedom of its denominator.
        p_value: Of F.
        n_units: Units that all raters rated.
        n_raters: k.
        n_left_out: Units that lack a rating and were left out.
        drawn_low: Lower percentile bound over units; NaN where none was asked for.
        drawn_high: Upper percentile bound over units; NaN where none was asked for.
        bootstrap: How these were drawn; None where they were not.
        undefined_resamples: Resamples without any variation; left out of the percentiles.
    """

    form: IccForm
    estimate: float
    low: float
    high: float
    level: float
    f_value: float
    df1: int
    df2: int
    p_value: float
    n_units: int
    n_raters: int
    n_left_out: int
    drawn_low: float = math.nan
    drawn_high: float = math.nan
    bootstrap: Bootstrap | None = None
    undefined_resamples: int = 0


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """Mean squares of the analysis of variance, one per resample."""

    units: FloatArray
    raters: FloatArray
    error: FloatArray
    within: FloatArray
    n: int
    k: int


def intraclass_correlations(
    ratings: ArrayLike, level: float = 0.95, bootstrap: Bootstrap | None = None
) -> dict[IccForm, IntraclassCorrelation]:
    """Return all six forms with their intervals [1, 2].

    Args:
        ratings: Units × raters; NaN = no rating. Units that lack one are left out, and counted.
        level: Confidence level of the F-based bounds.
        bootstrap: Draw percentile intervals over units besides, at the same level; None for none.

    Raises:
        ValueError: The ratings or the level break their format, or the bootstrap has another level.
        UndefinedStatisticError: Fewer than two complete units, or all ratings are the same.
    """
    if bootstrap is not None and bootstrap.level != level:
        raise ValueError(f"both intervals have one level; found {level} and {bootstrap.level}")
    matrix = complete_units(ratings, needed=2)
    centred = matrix - matrix.mean()
    squares = _mean_squares(np.ones((1, len(matrix))), centred)
    estimates = _forms(squares)[0]
    if np.isnan(estimates).any():
        raise UndefinedStatisticError(
            f"the {len(matrix)} units do not differ; an intraclass correlation needs variation"
        )
    bounds = _bounds(squares, check_level(level), float(estimates[1]))
    drawn_low, drawn_high, undefined = np.nan * estimates, np.nan * estimates, np.zeros(len(IccForm), dtype=np.int64)
    if bootstrap is not None:
        drawn_low, drawn_high, undefined = draw_units(
            len(matrix), lambda weights: _forms(_mean_squares(weights, centred)), bootstrap
        )
    n, k = matrix.shape
    results = {}
    for index, form in enumerate(IccForm):
        one_way = form in {IccForm.ONE_WAY_SINGLE, IccForm.ONE_WAY_MEAN}
        noise = float(squares.within[0] if one_way else squares.error[0])
        df1, df2 = n - 1, n * (k - 1) if one_way else (n - 1) * (k - 1)
        f_value = float(squares.units[0]) / noise if noise > 0.0 else math.inf
        results[form] = IntraclassCorrelation(
            form=form,
            estimate=float(estimates[index]),
            low=bounds[form][0],
            high=bounds[form][1],
            level=level,
            f_value=f_value,
            df1=df1,
            df2=df2,
            p_value=float(fdtrc(df1, df2, f_value)),
            n_units=n,
            n_raters=k,
            n_left_out=len(np.asarray(ratings)) - n,
            drawn_low=float(drawn_low[index]),
            drawn_high=float(drawn_high[index]),
            bootstrap=bootstrap,
            undefined_resamples=int(undefined[index]),
        )
    return results


def _mean_squares(weights: FloatArray, centred: FloatArray) -> _MeanSquares:
    """Analyse the variance of each resample; rounding below the precision of the sums counts as 0."""
    n, k = centred.shape
    row_means = centred.mean(axis=1)
    grand = weights @ row_means / n
    column_means = weights @ centred / n
    total = weights @ (centred**2).sum(axis=1) - n * k * grand**2
    units = k * (weights @ row_means**2 - n * grand**2)
    raters = n * ((column_means - grand[:, None]) ** 2).sum(axis=1)
    floor = 1e-13 * n * k * max(float((centred**2).max()), np.finfo(np.float64).tiny)
    units, raters, error, within = (
        np.where(part > floor, part, 0.0) for part in (units, raters, total - units - raters, total - units)
    )
    return _MeanSquares(units / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1)), within / (n * (k - 1)), n, k)


def _forms(squares: _MeanSquares) -> FloatArray:
    """Return resamples × forms, in the order of :class:`IccForm` [2, table 4]."""
    units, raters, error, within, n, k = (
        squares.units,
        squares.raters,
        squares.error,
        squares.within,
        squares.n,
        squares.k,
    )
    return np.stack(
        [
            ratio(units - within, units + (k - 1) * within),
            ratio(units - error, units + (k - 1) * error + k * (raters - error) / n),
            ratio(units - error, units + (k - 1) * error),
            ratio(units - within, units),
            ratio(units - error, units + (raters - error) / n),
            ratio(units - error, units),
        ],
        axis=1,
    )


def _bounds(squares: _MeanSquares, level: float, absolute: float) -> dict[IccForm, tuple[float, float]]:
    """Return the F-based bounds of all forms [2, table 7]; those of a mean follow by Spearman and Brown."""
    n, k = squares.n, squares.k
    units, raters, error, within = (
        float(part[0]) for part in (squares.units, squares.raters, squares.error, squares.within)
    )
    upper = 0.5 + level / 2.0

    def plain(noise: float, freedom: int) -> tuple[float, float]:
        low_f, high_f = float(fdtri(n - 1, freedom, upper)), float(fdtri(freedom, n - 1, upper))
        return (
            (units - low_f * noise) / (units + (k - 1) * low_f * noise),
            (high_f * units - noise) / (high_f * units + (k - 1) * noise),
        )

    a, b = k * absolute, n * (1.0 - absolute) + k * absolute * (n - 1)
    spread = (a * raters) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    agreed = (1.0, 1.0)
    if spread > 0.0:
        freedom = (a * raters + b * error) ** 2 / spread
        low_f, high_f = float(fdtri(n - 1, freedom, upper)), float(fdtri(freedom, n - 1, upper))
        rest = k * raters + (k * n - k - n) * error
        agreed = (
            n * (units - low_f * error) / (low_f * rest + n * units),
            n * (high_f * units - error) / (rest + n * high_f * units),
        )
    single = {
        IccForm.ONE_WAY_SINGLE: plain(within, n * (k - 1)),
        IccForm.ABSOLUTE_SINGLE: agreed,
        IccForm.CONSISTENCY_SINGLE: plain(error, (n - 1) * (k - 1)),
    }
    of_mean = dict(zip(list(IccForm)[3:], single.values(), strict=True))
    stepped = {form: (_spearman_brown(low, k), _spearman_brown(high, k)) for form, (low, high) in of_mean.items()}
    return single | stepped


def _spearman_brown(single: float, k: int) -> float:
    """Return the reliability of a mean of k ratings from that of one [2]; −∞ at its lower limit, −1/(k − 1)."""
    stretch = 1.0 + (k - 1) * single
    return k * single / stretch if stretch > 0.0 else -math.inf
