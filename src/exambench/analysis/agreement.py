"""How far raters agree: people among themselves, and a machine against people, dimension by dimension.

Every coefficient comes from :mod:`exambench.stats`; this module says which ones apply to a rating sheet, and why one
that does not exist for these ratings does not.

References:
    [1] S. Kim et al., "K-MetBench" (2026), section 5: α (interval) and ICC(A,1) of the judge and the experts' mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np

from exambench.analysis.ratings import RatingSheet
from exambench.errors import ConfigError, Finding, UndefinedStatisticError, show
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
from exambench.stats.matrix import FloatArray, ratio
from exambench.stats.resampling import Bootstrap

TOTAL: Final = "total"
PEOPLES_MEAN: Final = "people's mean"
ALPHA: Final = "Krippendorff α ({})"
FLEISS: Final = "Fleiss κ"
COHEN: Final = "Cohen κ ({})"
TAU: Final = "Kendall τ-b"
BIAS: Final = "Bland–Altman bias"
LOWER_LIMIT: Final = "Bland–Altman lower limit"
UPPER_LIMIT: Final = "Bland–Altman upper limit"
PAIRS: Final = "pairs of raters"
MOST_RATERS_IN_PAIRS: Final = 15
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


@dataclass(frozen=True, slots=True)
class DimensionAgreement:
    """Agreement on one dimension, or on the sum of all.

    Attributes:
        name: The dimension, or :data:`TOTAL`.
        is_total: Whether it is the sum over the dimensions, of the raters who rated an item on each of them.
        raters: Those with a rating on it, the judge included.
        n_units: Items with at least one rating on it.
        n_ratings: Ratings on it.
        coefficients: In the order of a report.
    """

    name: str
    is_total: bool
    raters: tuple[str, ...]
    n_units: int
    n_ratings: int
    coefficients: tuple[Coefficient, ...]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement on every dimension of a rating sheet.

    Attributes:
        dimensions: In the order of the sheet, the total last.
        judge: The machine among the raters; ``None`` when none was named.
        content_hash: Digest of the ratings.
        bootstrap: How intervals were drawn over units.
    """

    dimensions: tuple[DimensionAgreement, ...]
    judge: str | None
    content_hash: str
    bootstrap: Bootstrap


def agreement(
    sheet: RatingSheet,
    bootstrap: Bootstrap,
    *,
    judge: str | None = None,
    metrics: Sequence[Metric] = tuple(Metric),
    dimensions: Sequence[str] = (),
) -> AgreementReport:
    """Return every coefficient of agreement that applies to a rating sheet.

    Args:
        sheet: The ratings.
        bootstrap: How to draw intervals over units (items).
        judge: The machine among the raters; ``None`` to take all raters alike.
        metrics: The levels of measurement to give α of single raters for; against people's mean it is interval.
        dimensions: The dimensions to report on, and to sum; all when empty.

    Raises:
        ConfigError: The judge or a dimension is not in the sheet.
    """
    for name in dimensions:
        _check_known(name, sheet.dimensions, "dimension")
    if judge is not None:
        _check_known(judge, sheet.raters, "judge")
    chosen = [name for name in sheet.dimensions if name in dimensions or not dimensions]
    matrices = {name: sheet.matrix(name) for name in chosen}
    is_summed = len(chosen) > 1 and TOTAL not in sheet.dimensions
    if is_summed:
        matrices[TOTAL] = np.sum(list(matrices.values()), axis=0)
    found = []
    for name, matrix in matrices.items():
        groups = _Groups.of(matrix, sheet.raters, judge)
        coefficients = _among(groups, metrics, bootstrap)
        if judge is not None:
            coefficients += _against(groups, judge, bootstrap)
        found.append(
            DimensionAgreement(
                name=name,
                is_total=is_summed and name == TOTAL,
                raters=groups.present,
                n_units=int((~np.isnan(matrix)).any(axis=1).sum()),
                n_ratings=int((~np.isnan(matrix)).sum()),
                coefficients=tuple(coefficients),
            )
        )
    return AgreementReport(tuple(found), judge, sheet.content_hash, bootstrap)


@dataclass(frozen=True, slots=True)
class _Groups:
    """The ratings of one dimension, people and judge apart.

    Attributes:
        people: Items × people with a rating; NaN = none.
        names: The people's names.
        judge: One score per item; all NaN without a judge.
        present: Everybody with a rating, the judge included.
    """

    people: FloatArray
    names: tuple[str, ...]
    judge: FloatArray
    present: tuple[str, ...]

    @classmethod
    def of(cls, matrix: FloatArray, raters: Sequence[str], judge: str | None) -> _Groups:
        there = (~np.isnan(matrix)).any(axis=0)
        present = [column for column in range(len(raters)) if there[column]]
        people = [column for column in present if raters[column] != judge]
        return cls(
            people=matrix[:, people],
            names=tuple(raters[column] for column in people),
            judge=np.full(len(matrix), np.nan) if judge is None else matrix[:, raters.index(judge)],
            present=tuple(raters[column] for column in present),
        )


def metrics_named(names: Sequence[str]) -> tuple[Metric, ...]:
    """Return levels of measurement by their names; all when none is named.

    Raises:
        ConfigError: There is no level of that name.
    """
    for name in names:
        if name not in set(Metric):
            raise ConfigError(
                Finding(
                    problem="there is no such level of measurement",
                    field="level",
                    value=show(name),
                    allowed=", ".join(Metric),
                    remedy="Name one of these",
                )
            )
    return tuple(metric for metric in Metric if metric in names or not names)


def _check_known(name: str, known: Sequence[str], field: str) -> None:
    if name not in known:
        raise ConfigError(
            Finding(
                problem="the rating sheet has none of this name",
                field=field,
                value=show(name),
                allowed=", ".join(known),
                remedy="Name one of these",
            )
        )


def _among(groups: _Groups, metrics: Sequence[Metric], bootstrap: Bootstrap) -> list[Coefficient]:
    """Return the coefficients of all people together, then of each pair."""
    matrix, names = groups.people, groups.names
    blank = Coefficient("", Question.AMONG, names)
    found = [
        _measured(replace(blank, name=ALPHA.format(metric)), partial(_alpha, matrix, metric, bootstrap))
        for metric in metrics
    ]
    found += _intraclass(blank, matrix, tuple(IccForm), bootstrap)
    found.append(_measured(replace(blank, name=FLEISS), partial(_fleiss, matrix, bootstrap)))
    if len(names) > MOST_RATERS_IN_PAIRS:
        reason = f"{len(names)} raters; pairs are compared for at most {MOST_RATERS_IN_PAIRS}"
        return [*found, replace(blank, name=PAIRS, reason=reason)]
    for first, second in combinations(range(len(names)), 2):
        pair = Coefficient("", Question.AMONG, (names[first], names[second]), pair=True)
        found += _pairwise(pair, matrix[:, first], matrix[:, second], bootstrap)
    return found


def _against(groups: _Groups, judge: str, bootstrap: Bootstrap) -> list[Coefficient]:
    """Return the coefficients of the judge and people's mean, then of the judge and each person."""
    rated = ~np.isnan(groups.people)
    mean = ratio(np.nansum(groups.people, axis=1), rated.sum(axis=1).astype(np.float64))
    both = ~np.isnan(mean + groups.judge)
    blank = Coefficient("", Question.AGAINST, (judge, PEOPLES_MEAN))
    matrix = np.column_stack([groups.judge, mean])[both]
    found = [
        _measured(
            replace(blank, name=ALPHA.format(Metric.INTERVAL)), partial(_alpha, matrix, Metric.INTERVAL, bootstrap)
        ),
        *_intraclass(blank, matrix, (IccForm.ABSOLUTE_SINGLE,), bootstrap),
        _tau(blank, groups.judge, mean, bootstrap),
        *_limits(blank, groups.judge, mean, bootstrap),
    ]
    # A mean stands for the ratings that it was made of.
    behind = int(both.sum() + rated[both].sum())
    found = [replace(each, n_ratings=behind) if each.estimate is not None else each for each in found]
    if len(groups.names) > MOST_RATERS_IN_PAIRS:
        reason = f"{len(groups.names)} people; pairs are compared for at most {MOST_RATERS_IN_PAIRS}"
        return [*found, replace(blank, name=PAIRS, raters=(judge, *groups.names), reason=reason)]
    for column, name in enumerate(groups.names):
        pair = Coefficient("", Question.AGAINST, (judge, name), pair=True)
        found += _pairwise(pair, groups.judge, groups.people[:, column], bootstrap)
    return found


def _pairwise(blank: Coefficient, first: FloatArray, second: FloatArray, bootstrap: Bootstrap) -> list[Coefficient]:
    kappas = [
        _measured(
            replace(blank, name=COHEN.format(weights)), partial(cohen_kappa, first, second, weights, bootstrap)
        )
        for weights in KappaWeights
    ]
    return [*kappas, _tau(blank, first, second, bootstrap)]


def _alpha(matrix: FloatArray, metric: Metric, bootstrap: Bootstrap) -> Agreement:
    _need_ratings(matrix)
    return krippendorff_alpha(matrix, metric, bootstrap)


def _fleiss(matrix: FloatArray, bootstrap: Bootstrap) -> Agreement:
    """Return Fleiss' κ; it does not ask who gave a rating, only that each item has equally many."""
    _need_ratings(matrix)
    counts = (~np.isnan(matrix)).sum(axis=1)
    fewest, most = int(counts[counts > 0].min()), int(counts.max())
    if fewest != most:
        raise UndefinedStatisticError(f"items have {fewest} to {most} ratings; Fleiss κ needs equally many on each")
    if most == 1:
        raise UndefinedStatisticError("each item has one rating; Fleiss κ needs two")
    return fleiss_kappa(np.sort(matrix[counts > 0], axis=1)[:, :most], bootstrap)


def _intraclass(
    blank: Coefficient, matrix: FloatArray, forms: Sequence[IccForm], bootstrap: Bootstrap
) -> list[Coefficient]:
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
        )
        for form in forms
    ]


def _tau(blank: Coefficient, first: FloatArray, second: FloatArray, bootstrap: Bootstrap) -> Coefficient:
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
        reason="" if drawn else f"no interval of τ-b beyond {MOST_UNITS_FOR_TAU_INTERVAL:,} units",
    )


def _limits(blank: Coefficient, judge: FloatArray, mean: FloatArray, bootstrap: Bootstrap) -> list[Coefficient]:
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


def _measured(blank: Coefficient, compute: Callable[[], Agreement]) -> Coefficient:
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
    )


def _need_ratings(matrix: FloatArray) -> None:
    units, raters = matrix.shape
    if raters < 2:  # noqa: PLR2004  # nobody agrees alone
        raise UndefinedStatisticError(f"needs at least 2 raters; found {raters}")
    if units == 0:
        raise UndefinedStatisticError("no item was rated by both")


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
