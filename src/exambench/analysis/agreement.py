"""How far raters agree: people among themselves, and a machine against people, dimension by dimension.

Every coefficient comes from :mod:`exambench.stats`; this module says which ones apply to a rating sheet, and why one
that does not exist for these ratings does not.

References:
    [1] S. Kim et al., "K-MetBench" (2026), section 5: α (interval) and ICC(A,1) of the judge and the experts' mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np

from exambench.analysis.coefficients import (
    ALPHA,
    FLEISS,
    PEOPLES_MEAN,
    Coefficient,
    Question,
    alpha,
    fleiss,
    intraclass,
    limits,
    measured,
    pairwise,
    tau,
)
from exambench.analysis.ratings import RatingSheet
from exambench.errors import ConfigError, Finding, listed, show
from exambench.stats.agreement import IccForm, Metric
from exambench.stats.matrix import FloatArray, ratio
from exambench.stats.resampling import Bootstrap

TOTAL: Final = "total"
PAIRS: Final = "pairs of raters"
MOST_RATERS_IN_PAIRS: Final = 15


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
        present = [column for column in range(len(raters)) if not np.isnan(matrix[:, column]).all()]
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
                    field="metric",
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
                allowed=listed(known),
                remedy="Name one of these",
            )
        )


def _among(groups: _Groups, metrics: Sequence[Metric], bootstrap: Bootstrap) -> list[Coefficient]:
    """Return the coefficients of all people together, then of each pair."""
    matrix, names = groups.people, groups.names
    blank = Coefficient("", Question.AMONG, names)
    found = [
        measured(replace(blank, name=ALPHA.format(metric)), partial(alpha, matrix, metric, bootstrap))
        for metric in metrics
    ]
    found += intraclass(blank, matrix, tuple(IccForm), bootstrap)
    found.append(measured(replace(blank, name=FLEISS), partial(fleiss, matrix, bootstrap)))
    if len(names) > MOST_RATERS_IN_PAIRS:
        reason = f"{len(names)} raters; pairs are compared for at most {MOST_RATERS_IN_PAIRS}"
        return [*found, replace(blank, name=PAIRS, reason=reason)]
    for first, second in combinations(range(len(names)), 2):
        pair = Coefficient("", Question.AMONG, (names[first], names[second]), pair=True)
        found += pairwise(pair, matrix[:, first], matrix[:, second], bootstrap)
    return found


def _against(groups: _Groups, judge: str, bootstrap: Bootstrap) -> list[Coefficient]:
    """Return the coefficients of the judge and people's mean, then of the judge and each person."""
    rated = ~np.isnan(groups.people)
    mean = ratio(np.nansum(groups.people, axis=1), rated.sum(axis=1).astype(np.float64))
    both = ~np.isnan(mean + groups.judge)
    blank = Coefficient("", Question.AGAINST, (judge, PEOPLES_MEAN))
    matrix = np.column_stack([groups.judge, mean])[both]
    found = [
        measured(
            replace(blank, name=ALPHA.format(Metric.INTERVAL)), partial(alpha, matrix, Metric.INTERVAL, bootstrap)
        ),
        *intraclass(blank, matrix, (IccForm.ABSOLUTE_SINGLE,), bootstrap),
        tau(blank, groups.judge, mean, bootstrap),
        *limits(blank, groups.judge, mean, bootstrap),
    ]
    # A mean stands for the ratings that it was made of.
    behind = int(both.sum() + rated[both].sum())
    found = [replace(each, n_ratings=behind) if each.estimate is not None else each for each in found]
    if len(groups.names) > MOST_RATERS_IN_PAIRS:
        reason = f"{len(groups.names)} people; pairs are compared for at most {MOST_RATERS_IN_PAIRS}"
        return [*found, replace(blank, name=PAIRS, raters=(judge, *groups.names), reason=reason)]
    for column, name in enumerate(groups.names):
        pair = Coefficient("", Question.AGAINST, (judge, name), pair=True)
        found += pairwise(pair, groups.judge, groups.people[:, column], bootstrap)
    return found
