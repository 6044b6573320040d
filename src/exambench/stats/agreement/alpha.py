"""Krippendorff's alpha for any number of raters, with missing ratings.

References:
    [1] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections C to E.
    [2] A. Hayes, K. Krippendorff, "Answering the Call for a Standard Reliability Measure for Coding Data",
        Communication Methods and Measures 1 (2007), 77-89.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.agreement.ratings import Agreement, rating_matrix, summarise
from exambench.stats.matrix import FloatArray, ratio
from exambench.stats.resampling import Bootstrap

PAIR: Final = 2


class Metric(StrEnum):
    """How far apart two ratings are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(ratings: ArrayLike, metric: Metric, bootstrap: Bootstrap | None = None) -> Agreement:
    """Return Krippendorff's α = 1 − D_o/D_e [1].

    Args:
        ratings: Units × raters; NaN = no rating. A unit with fewer than two ratings has no pair and does not count.
        metric: Nominal (equal or not), ordinal (ranks between them, ties shared), interval (squared difference).
        bootstrap: Draw a percentile interval over units; None for no interval.

    Raises:
        ValueError: The ratings break their format.
        UndefinedStatisticError: No unit has two ratings, or all ratings that count are the same.
    """
    matrix = rating_matrix(ratings)
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) >= PAIR]
    if not len(matrix):
        raise UndefinedStatisticError("alpha needs a unit with at least two ratings; found none")
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = np.stack([(matrix == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    return summarise(
        f"Krippendorff α ({metric.value})", matrix, lambda weights: _alpha(weights, counts, values, metric), bootstrap
    )


def _alpha(weights: FloatArray, counts: FloatArray, values: FloatArray, metric: Metric) -> FloatArray:
    """Return α for each row of unit weights.

    With n_uc ratings of value c in unit u, m_u = Σ_c n_uc, and n_c = Σ_u n_uc, the coincidences are
    o_ck = Σ_u n_uc (n_uk − [c = k])/(m_u − 1), their margins n_c, and α = 1 − (n − 1) Σ o_ck δ_ck / Σ n_c n_k δ_ck.
    Ordinal δ is the squared difference of the shared ranks of the values in the margins, interval δ that of the
    values: for δ_ck = (r_c − r_k)², Σ o δ = 2(Σ n_c r_c² − Σ o_ck r_c r_k), Σ nnδ = 2(n Σ n_c r_c² − (Σ n_c r_c)²).

    Args:
        weights: Resamples × units: how often each unit stands in each resample.
        counts: Units × values, n_uc.
        values: The values, ascending.
        metric: δ.
    """
    margins = weights @ counts
    n = margins.sum(axis=1)
    pairs = counts.sum(axis=1) - 1.0
    if metric is Metric.NOMINAL:
        observed = n - weights @ ((counts * (counts - 1.0)).sum(axis=1) / pairs)
        expected = n**2 - (margins**2).sum(axis=1)
    else:
        places = np.cumsum(margins, axis=1) - margins / 2.0
        if metric is Metric.INTERVAL:
            places = np.broadcast_to(values, margins.shape)
        places = places - ratio((margins * places).sum(axis=1), n)[:, None]
        squares = (margins * places**2).sum(axis=1)
        products = ((places @ counts.T) ** 2 - places**2 @ counts.T) / pairs
        observed = squares - (weights * products).sum(axis=1)
        expected = n * squares
    # Where one value alone was drawn, rounding must not leave an expectation that is not 0.
    expected = np.where((margins > 0.0).sum(axis=1) > 1, expected, 0.0)
    return 1.0 - ratio((n - 1.0) * observed, expected)
