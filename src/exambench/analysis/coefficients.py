"""Coefficients of agreement of one dimension, each with its value or with the reason why it has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np

from exambench.errors import UndefinedStatisticError
from exambench.stats.agreement import (
    Agreement,
    IccForm,
    KappaWeights,
    Metric,
    bland_altman,
    cohen_kappa,
    fleiss_kappa,
    intraclass_correlations,
    krippendorff_alpha,
)
from exambench.stats.correlation import kendall_tau_b
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap

PEOPLES_MEAN: Final = "people's mean"
ALPHA: Final = "Krippendorff α ({})"
FLEISS: Final = "Fleiss κ"
COHEN: Final = "Cohen κ ({})"
TAU: Final = "Kendall τ-b"
BIAS: Final = "Bland–Altman bias"
LOWER_LIMIT: Final = "Bland–Altman lower limit"
UPPER_LIMIT: Final = "Bland–Altman upper limit"
MOST_UNITS_FOR_TAU_INTERVAL: Final = 2_000
"""The interval of τ-b builds a units × units array."""


class Question(StrEnum):
    """Whose agreement is asked about."""

    AMONG = "among"
    """Raters (with a judge: people) among themselves."""
    AGAINST = "against"
    """The judge against people."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient of agreement, or the reason why there is none.

    Attributes:
        name: What it is, as in ``Krippendorff α (interval)``.
        question: Whose agreement it measures.
        raters: Whom it compares: raters, or the judge and :data:`PEOPLES_MEAN`.
        pair: Whether it compares two single raters.
        n_units: Units that count towards it.
        n_ratings: Ratings on these units; a mean of people counts as the ratings that it was made of.
        estimate: Its value; ``None`` where it does not exist.
        low: Lower percentile bound over resampled units; ``None`` where there is none.
        high: Upper percentile bound.
        f_low: Lower bound from the F distribution (intraclass correlations only).
        f_high: Upper bound from the F distribution.
        undefined_resamples: Resamples in which it does not exist, left out of the percentiles.
        reason: Why there is no value, or no interval; empty otherwise.
    """

    name: str
    question: Question
    raters: tuple[str, ...]
    pair: bool = False
    n_units: int = 0
    n_ratings: int = 0
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    f_low: float | None = None
    f_high: float | None = None
    undefined_resamples: int = 0
    reason: str = ""


def pairwise(blank: Coefficient, first: FloatArray, second: FloatArray, bootstrap: Bootstrap) -> list[Coefficient]:
    """Return both kappas and τ-b of two raters, one score per unit; NaN = none."""
    kappas = [
        measured(replace(blank, name=COHEN.format(weights)), partial(cohen_kappa, first, second, weights, bootstrap))
        for weights in KappaWeights
    ]
    return [*kappas, tau(blank, first, second, bootstrap)]


def alpha(matrix: FloatArray, metric: Metric, bootstrap: Bootstrap) -> Agreement:
    """Return Krippendorff's α of units × raters.

    Raises:
        UndefinedStatisticError: It does not exist for these ratings.
    """
    _need_ratings(matrix)
    return krippendorff_alpha(matrix, metric, bootstrap)


def fleiss(matrix: FloatArray, bootstrap: Bootstrap) -> Agreement:
    """Return Fleiss' κ of units × raters; it does not ask who gave a rating, only that each item has equally many.

    Raises:
        UndefinedStatisticError: It does not exist for these ratings.
    """
    _need_ratings(matrix)
    counts = (~np.isnan(matrix)).sum(axis=1)
    fewest, most = int(counts[counts > 0].min()), int(counts.max())
    if fewest != most:
        raise UndefinedStatisticError(f"items have {fewest} to {most} ratings; Fleiss κ needs equally many on each")
    if most == 1:
        raise UndefinedStatisticError("each item has one rating; Fleiss κ needs two")
    return fleiss_kappa(np.sort(matrix[counts > 0], axis=1)[:, :most], bootstrap)


def intraclass(
    blank: Coefficient, matrix: FloatArray, forms: Sequence[IccForm], bootstrap: Bootstrap
) -> list[Coefficient]:
    """Return forms of the intraclass correlation of units × raters."""
    try:
        _need_ratings(matrix)
        results = intraclass_correlations(matrix, bootstrap.level, bootstrap)
    except UndefinedStatisticError as error:
        return [replace(blank, name=form.value, reason=str(error)) for form in forms]
    return [
        replace(
            blank,
            name=form.value,
            n_units=results[form].n_units,
            n_ratings=results[form].n_units * results[form].n_raters,
            estimate=results[form].estimate,
            low=_number(results[form].drawn_low),
            high=_number(results[form].drawn_high),
            f_low=_number(results[form].low),
            f_high=_number(results[form].high),
            undefined_resamples=results[form].undefined_resamples,
            reason=_reason(results[form].drawn_low),
        )
        for form in forms
    ]


def tau(blank: Coefficient, first: FloatArray, second: FloatArray, bootstrap: Bootstrap) -> Coefficient:
    """Return τ-b of two raters, one score per unit; NaN = none."""
    units = int((~np.isnan(first + second)).sum())
    drawn = bootstrap if units <= MOST_UNITS_FOR_TAU_INTERVAL else None
    try:
        tau = kendall_tau_b(first, second, drawn)
    except UndefinedStatisticError as error:
        return replace(blank, name=TAU, reason=str(error))
    return replace(
        blank,
        name=TAU,
        n_units=tau.n,
        n_ratings=2 * tau.n,
        estimate=tau.coefficient,
        low=_number(tau.low),
        high=_number(tau.high),
        undefined_resamples=tau.undefined_resamples,
        reason=_reason(tau.low) if drawn else f"no interval of τ-b beyond {MOST_UNITS_FOR_TAU_INTERVAL:,} units",
    )


def limits(blank: Coefficient, judge: FloatArray, mean: FloatArray, bootstrap: Bootstrap) -> list[Coefficient]:
    """Return bias and limits of agreement of the judge less the people's mean, one score per unit; NaN = none."""
    names = (BIAS, LOWER_LIMIT, UPPER_LIMIT)
    try:
        limits = bland_altman(judge, mean, bootstrap=bootstrap)
    except UndefinedStatisticError as error:
        return [replace(blank, name=name, reason=str(error)) for name in names]
    return [
        replace(
            blank,
            name=name,
            n_units=interval.n,
            n_ratings=2 * interval.n,
            estimate=interval.estimate,
            low=_number(interval.low),
            high=_number(interval.high),
        )
        for name, interval in zip(names, (limits.bias, limits.lower, limits.upper), strict=True)
    ]


def measured(blank: Coefficient, compute: Callable[[], Agreement]) -> Coefficient:
    """Return a coefficient with its value, or with the reason why it has none."""
    try:
        found = compute()
    except UndefinedStatisticError as error:
        return replace(blank, reason=str(error).removeprefix(f"{blank.name} does not exist: "))
    return replace(
        blank,
        n_units=found.n_units,
        n_ratings=found.n_ratings,
        estimate=found.estimate,
        low=_number(found.low),
        high=_number(found.high),
        undefined_resamples=found.undefined_resamples,
        reason=_reason(found.low),
    )


def _need_ratings(matrix: FloatArray) -> None:
    units, raters = matrix.shape
    if raters < 2:  # noqa: PLR2004  # nobody agrees alone
        raise UndefinedStatisticError(f"needs at least 2 raters; found {raters}")
    if units == 0:
        raise UndefinedStatisticError("no item was rated by both")


def _reason(low: float) -> str:
    """Return why there is no interval, where there is none."""
    return "too few units, or resamples in which it exists, for an interval" if math.isnan(low) else ""


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
