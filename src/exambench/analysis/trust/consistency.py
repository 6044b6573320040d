"""Does a judge agree with itself? Its scores of the same answers in repeated trials.

References:
    [1] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): the trials stand for the raters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.judge_scores import TOTAL
from exambench.analysis.trust.estimates import Estimate, attempt, estimate_of
from exambench.analysis.trust.judges import JudgedGroup, verdicts_by_answer
from exambench.analysis.verdicts import JudgedRun
from exambench.errors import ConfigError, Finding
from exambench.stats.agreement import Metric, krippendorff_alpha
from exambench.stats.intervals import Interval, wilson_interval
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap, bootstrap_means

REPEATS: Final = 2
ONCE: Final = "each answer has one verdict; see: exambench judge --trials"


@dataclass(frozen=True, slots=True)
class DimensionConsistency:
    """How far the repeats agree on one axis, or on the total.

    Attributes:
        name: Key of the axis, or ``total``.
        alpha: Krippendorff's α (interval), the trials as raters.
        spread: Mean over answers of the standard deviation (n − 1) of the scores of one answer, in points.
        identical: Share of the answers that have one and the same score in every trial, with Wilson's interval: where
            all answers or none have, resamples of them would say that it is certain.
    """

    name: str
    alpha: Estimate
    spread: Estimate
    identical: Estimate


@dataclass(frozen=True)
class Consistency:
    """How far one judge agrees with itself.

    Attributes:
        judged: The judgings: one run's, or all runs' of the judge together.
        trials: Verdicts on one answer at most.
        answers: Answers with at least two verdicts: what the figures are about.
        single: Answers with one verdict or none.
        unjudged: Repeats that gave no readable verdict.
        without_rationale: Answers without a rationale; they are left out, for the rubric fixes their scores.
        dimensions: The axes, then the total.
    """

    judged: tuple[JudgedRun, ...]
    trials: int
    answers: int
    single: int
    unjudged: int
    without_rationale: int
    dimensions: tuple[DimensionConsistency, ...]

    @property
    def total(self) -> DimensionConsistency:
        """The total over the axes."""
        return self.dimensions[-1]


@dataclass(frozen=True)
class JudgeConsistency:
    """One judge, by one rubric and in one condition.

    Attributes:
        group: Its judgings.
        runs: Its consistency on each run.
        pooled: On all runs together; ``None`` where there is one run.
    """

    group: JudgedGroup
    runs: tuple[Consistency, ...]
    pooled: Consistency | None

    @property
    def overall(self) -> Consistency:
        """The figures of the judge as a whole."""
        return self.runs[0] if self.pooled is None else self.pooled


@dataclass(frozen=True)
class ConsistencyReport:
    """The self-consistency of judges.

    Attributes:
        judges: One entry for each judge, rubric and condition.
        bootstrap: How intervals were drawn, over answers.
    """

    judges: tuple[JudgeConsistency, ...]
    bootstrap: Bootstrap


def consistency_report(groups: Sequence[JudgedGroup], bootstrap: Bootstrap) -> ConsistencyReport:
    """Return how far judges agree with themselves [1].

    Args:
        groups: The judgings, as :func:`~exambench.analysis.trust.judges.judged_groups` returns them.
        bootstrap: How to draw intervals, over answers.

    Raises:
        ConfigError: No answer has two verdicts of one judge.
    """
    judges = tuple(
        JudgeConsistency(
            group,
            tuple(_consistency([judged], bootstrap) for judged in group.runs),
            _consistency(group.runs, bootstrap) if len(group.runs) > 1 else None,
        )
        for group in groups
    )
    if not any(judge.overall.answers for judge in judges):
        raise ConfigError(
            Finding(
                problem="no answer of these runs has two verdicts of one judge",
                allowed="judgings with repeats",
                remedy="Have the same runs judged again, such as: exambench judge RUN --judge JUDGE --trials 3",
            )
        )
    return ConsistencyReport(judges, bootstrap)


def _consistency(judged: Sequence[JudgedRun], bootstrap: Bootstrap) -> Consistency:
    answers = [list(found) for each in judged for found in verdicts_by_answer(each).values()]
    asked = [answer for found in answers for answer in found]
    verdicts = [[answer.verdict for answer in found if answer.verdict is not None] for found in answers]
    repeated = [found for found in verdicts if len(found) >= REPEATS]
    trials = max(map(len, verdicts), default=0)
    dimensions = [
        _dimension(axis, [[verdict.scores[axis] for verdict in found] for found in repeated], bootstrap)
        for axis in judged[0].axes
    ]
    dimensions.append(_dimension(TOTAL, [[verdict.total for verdict in found] for found in repeated], bootstrap))
    return Consistency(
        judged=tuple(judged),
        trials=trials,
        answers=len(repeated),
        single=len(verdicts) - len(repeated),
        unjudged=sum(answer.judgement is not None and answer.verdict is None for answer in asked),
        without_rationale=len(
            {
                (each.run.run_id, answer.item_id, answer.trial)
                for each in judged
                for answer in each.answers
                if not answer.has_rationale
            }
        ),
        dimensions=tuple(dimensions),
    )


def _dimension(name: str, scores: Sequence[Sequence[int]], bootstrap: Bootstrap) -> DimensionConsistency:
    if not scores:
        nothing = Estimate(0, reason=ONCE)
        return DimensionConsistency(name, nothing, nothing, nothing)
    matrix: FloatArray = np.full((len(scores), max(map(len, scores))), np.nan)
    for row, values in enumerate(scores):
        matrix[row, : len(values)] = values
    spreads = np.array([float(np.std(values, ddof=1)) for values in scores])
    identical = sum(len(set(values)) == 1 for values in scores)
    return DimensionConsistency(
        name=name,
        alpha=attempt(len(scores), lambda: krippendorff_alpha(matrix, Metric.INTERVAL, bootstrap)),
        spread=attempt(len(scores), lambda: _mean(spreads, bootstrap)),
        identical=estimate_of(wilson_interval(identical, len(scores), bootstrap.level)),
    )


def _mean(values: FloatArray, bootstrap: Bootstrap) -> Interval:
    return bootstrap_means({"mean": values[None, :]}, bootstrap).interval(0, "mean")
