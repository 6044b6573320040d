"""A mean that a judge has scored in full and people have checked on a sample.

All estimators are of one form: the mean of the judge over all answers, weighted by λ, and the mean over the sample of
what people say beyond that [1, 2]. They take the sample for one that was drawn at random, apart from the judge's
scores and from the answers' contents; on a sample that was chosen otherwise they rest on the assumption that the
judge errs there as everywhere.

References:
    [1] A. Angelopoulos et al., "Prediction-powered inference", Science 382 (2023), 669-674.
    [2] A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++: Efficient prediction-powered inference", arXiv:2311.01453 (2023).
    [3] W. Cochran, "Sampling Techniques" (1977), sections 5.3 and 7.1 to 7.4: stratified, difference and regression
        estimators.
    [4] K.-Y. Liang, S. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73 (1986),
        13-22: variances that are robust to any dependence within a cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from exambench.errors import UndefinedStatisticError
from exambench.stats.intervals import Interval, student_quantile
from exambench.stats.matrix import BoolArray, FloatArray, item_labels, score_vector

SAMPLE: Final = 3
STRATUM_SAMPLE: Final = 2


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The mean that people would give, estimated with the help of a judge.

    Attributes:
        mean: Corrected estimate with its interval from Student's distribution; its n is the number of answers that
            people scored.
        judge_mean: Mean of the judge over all answers.
        people_mean: Mean of the people over their sample.
        correction: What is added to the judge's mean.
        weight: λ, the weight of the judge: 1 takes it at its word, 0 ignores it.
        n_judge: Number of answers that the judge scored.
    """

    mean: Interval
    judge_mean: float
    people_mean: float
    correction: float
    weight: float
    n_judge: int


@dataclass(frozen=True, eq=False)
class Stratum:
    """Answers from which a sample was drawn by itself, such as those of one model.

    Attributes:
        judge: Score by the judge, one per answer; NaN = none.
        people: Score by people, in the same unit, on a random sample of the answers; NaN outside the sample.
        clusters: One label per answer. Answers with one label, in this stratum or another, may resemble each other: all
            answers to one item, say.
    """

    judge: ArrayLike
    people: ArrayLike
    clusters: ArrayLike


def prediction_powered_mean(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> CorrectedMean:
    """Correct the judge's mean by its mean error on the sample [1]: λ = 1.

    Args:
        judge: Score by the judge, one per answer; NaN = none.
        people: Score by people, in the same unit, on a random sample of the answers; NaN outside the sample.
        level: Confidence level.

    Raises:
        ValueError: The lengths differ, a score is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than three answers have both scores.
    """
    f, y, sampled = _checked(judge, people)
    _need(len(y), "answers")
    return _corrected(f, y, sampled, 1.0, level, freedom=len(y) - 1)


def power_tuned_mean(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> CorrectedMean:
    """Correct the judge's mean with the weight that makes the variance least [2]: λ = cov(people, judge)/var(judge).

    With a useless judge it falls back to the mean of the people; λ is estimated on the sample, which costs a degree of
    freedom [3, section 7.4], and kept in [0, 1].

    Args:
        judge: Score by the judge, one per answer; NaN = none.
        people: Score by people, in the same unit, on a random sample of the answers; NaN outside the sample.
        level: Confidence level.

    Raises:
        ValueError: The lengths differ, a score is infinite, or the level is not in (0, 1).
        UndefinedStatisticError: Fewer than three answers have both scores.
    """
    f, y, sampled = _checked(judge, people)
    _need(len(y), "answers")
    return _corrected(f, y, sampled, _weight([(f[sampled], y)]), level, freedom=len(y) - 2)


def stratified_mean(strata: Sequence[Stratum], level: float = 0.95) -> CorrectedMean:
    """Correct the mean over all answers of several strata, from a sample in each of them, with one tuned weight.

    Each stratum counts as its number of answers. With W its share of all answers, n of its N answers in the sample,
    and e = y − λ·f, the estimate is Σ W·(λ·mean(f) + mean over the sample of e). A cluster contributes to it
    u = Σ W·(λ·Σ(f − mean(f))/N + √(n/(n − 1))·Σ(e − mean(e))/n), the sums over its answers in each stratum; the
    variance is Σ u² [4], times k/(k − 1) for k clusters with an answer in the sample. λ is fitted within strata.

    Args:
        strata: Each with two answers in the sample at least.
        level: Confidence level.

    Raises:
        ValueError: A stratum breaks its format, or the level is not in (0, 1).
        UndefinedStatisticError: A stratum has fewer than two answers with both scores, or fewer than three clusters
            have one.
    """
    parts = [_Part.of(stratum) for stratum in strata]
    fewest = min((len(part.people) for part in parts), default=0)
    if fewest < STRATUM_SAMPLE:
        raise UndefinedStatisticError(
            f"needs at least {STRATUM_SAMPLE} answers of each stratum scored by both judge and people; found {fewest}"
        )
    labels = np.unique(np.concatenate([part.clusters[part.sampled] for part in parts]))
    _need(len(labels), "clusters")
    weight = _weight([(part.judge[part.sampled], part.people) for part in parts])
    names = np.unique(np.concatenate([part.clusters for part in parts]))
    total, n = sum(len(part.judge) for part in parts), sum(len(part.people) for part in parts)
    estimate, judge_mean, people_mean = 0.0, 0.0, 0.0
    contributions = np.zeros(len(names))
    for part in parts:
        share = len(part.judge) / total
        errors = part.people - weight * part.judge[part.sampled]
        estimate += share * (weight * float(part.judge.mean()) + float(errors.mean()))
        judge_mean += share * float(part.judge.mean())
        people_mean += share * float(part.people.mean())
        deviations = weight * (part.judge - part.judge.mean()) / len(part.judge)
        deviations[part.sampled] += (errors - errors.mean()) / math.sqrt(len(errors) * (len(errors) - 1))
        np.add.at(contributions, np.searchsorted(names, part.clusters), share * deviations)
    freedom = len(labels) - 2
    error = math.sqrt(float((contributions**2).sum()) * len(labels) / (len(labels) - 1))
    return CorrectedMean(
        mean=_interval(
            estimate, error, n, level=level, freedom=freedom, method="prediction-powered, stratified, clustered"
        ),
        judge_mean=judge_mean,
        people_mean=people_mean,
        correction=estimate - judge_mean,
        weight=weight,
        n_judge=total,
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """A checked stratum: the judge's scores, the people's scores of the sample, where it is, the clusters."""

    judge: FloatArray
    people: FloatArray
    sampled: BoolArray
    clusters: np.ndarray[tuple[int], np.dtype[np.str_]]

    @classmethod
    def of(cls, stratum: Stratum) -> _Part:
        scores = score_vector(stratum.judge)
        clusters = item_labels(stratum.clusters, len(scores))[~np.isnan(scores)]
        return cls(*_checked(scores, stratum.people), clusters)


def _checked(judge: ArrayLike, people: ArrayLike) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the judge's scores, the people's scores of the sample, and where among the former the sample is."""
    f, y = score_vector(judge), score_vector(people)
    if len(f) != len(y):
        raise ValueError(f"judge and people score the same answers; found {len(f)} and {len(y)}")
    judged = ~np.isnan(f)
    sampled = ~np.isnan(y[judged])
    return f[judged], y[judged][sampled], sampled


def _need(found: int, what: str) -> None:
    if found < SAMPLE:
        raise UndefinedStatisticError(f"needs at least {SAMPLE} {what} scored by both judge and people; found {found}")


def _weight(samples: Sequence[tuple[FloatArray, FloatArray]]) -> float:
    """Return the slope of people on the judge within strata, kept in [0, 1]; 0 for a judge that does not vary."""
    products = sum(float(((f - f.mean()) * (y - y.mean())).sum()) for f, y in samples)
    squares = sum(float(((f - f.mean()) ** 2).sum()) for f, _ in samples)
    return min(1.0, max(0.0, products / squares)) if squares > 0.0 else 0.0


def _corrected(
    f: FloatArray, y: FloatArray, sampled: BoolArray, weight: float, level: float, *, freedom: int
) -> CorrectedMean:
    """Estimate λ·mean(f) + mean over the sample of (y − λ·f).

    The sample is a part of the n_all answers, so the variance is that of y over all answers, plus that of the error
    e = y − λ·f over the part that is not known: s_y²/n_all + s_e²(1/n − 1/n_all) [3].
    """
    n, n_all = len(y), len(f)
    errors = y - weight * f[sampled]
    estimate = weight * float(f.mean()) + float(errors.mean())
    unexplained = float(((errors - errors.mean()) ** 2).sum()) / freedom
    error = math.sqrt(float(y.var(ddof=1)) / n_all + unexplained * (1.0 / n - 1.0 / n_all))
    return CorrectedMean(
        mean=_interval(estimate, error, n, level=level, freedom=freedom, method="prediction-powered"),
        judge_mean=float(f.mean()),
        people_mean=float(y.mean()),
        correction=estimate - float(f.mean()),
        weight=weight,
        n_judge=n_all,
    )


def _interval(estimate: float, error: float, n: int, *, level: float, freedom: int, method: str) -> Interval:
    half_width = student_quantile(level, freedom) * error
    return Interval(
        estimate=estimate,
        low=estimate - half_width,
        high=estimate + half_width,
        n=n,
        level=level,
        method=f"{method}, Student's t with {freedom} degrees of freedom",
        standard_error=error,
    )
