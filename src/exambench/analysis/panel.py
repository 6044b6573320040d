"""Several judges of the same answers as a panel: what they say together, how far they agree, where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.agreement import TOTAL
from exambench.analysis.coefficients import ALPHA, Coefficient, Question, alpha, intraclass, measured
from exambench.analysis.panel_judges import Panel
from exambench.analysis.scores import strata_of
from exambench.analysis.verdicts import JudgedRun
from exambench.stats.agreement import IccForm, Metric
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap, bootstrap_means
from exambench.store import RunRecord

MEAN: Final = "mean"
MEDIAN: Final = "median"


@dataclass(frozen=True, eq=False)
class PanelAnswer:
    """An answer that enough judges scored.

    Attributes:
        run: Who gave it.
        item_id: The item.
        trial: The trial of the run.
        has_rationale: Whether there was a rationale to judge.
        scores: By dimension (the axes, and the total), a score of each judge of the panel; NaN = no verdict.
    """

    run: RunRecord
    item_id: str
    trial: int
    has_rationale: bool
    scores: Mapping[str, FloatArray]

    @property
    def totals(self) -> FloatArray:
        """The total of each judge; NaN = no verdict."""
        return self.scores[TOTAL]

    @property
    def mean(self) -> float:
        """Mean total of the judges."""
        return float(np.nanmean(self.totals))

    @property
    def median(self) -> float:
        """Median total of the judges."""
        return float(np.nanmedian(self.totals))

    @property
    def spread(self) -> float:
        """Highest total less the lowest."""
        return float(np.nanmax(self.totals) - np.nanmin(self.totals))


@dataclass(frozen=True, eq=False)
class PanelRun:
    """What the panel says of one run.

    Attributes:
        run: The run.
        asked: Answers that any judge of the panel was asked about.
        kept: Those that enough judges scored; only these count.
        mean: By dimension, the mean over items of the mean of the judges; empty without an answer.
        median: By dimension, the mean over items of the median of the judges.
        judges: The mean total of each judge on the same answers, in the order of the panel; ``None`` without one.
    """

    run: RunRecord
    asked: int
    kept: int
    mean: Mapping[str, Interval]
    median: Mapping[str, Interval]
    judges: tuple[Interval | None, ...]


@dataclass(frozen=True, eq=False)
class PanelReport:
    """What a panel says.

    Attributes:
        panel: The judges.
        at_least: How many of them must have scored an answer for it to count.
        runs: What they say of each run.
        answers: The answers that count, those first on which the judges are furthest apart.
        agreement: By dimension, α (interval), ICC(A,1) and ICC(A,k) of the judges, over answers that have a rationale.
        bootstrap: How intervals were drawn: over items for means, over answers for agreement.
    """

    panel: Panel
    at_least: int
    runs: tuple[PanelRun, ...]
    answers: tuple[PanelAnswer, ...]
    agreement: Mapping[str, tuple[Coefficient, ...]]
    bootstrap: Bootstrap


def panel_report(panel: Panel, at_least: int, bootstrap: Bootstrap) -> PanelReport:
    """Return what several judges say together.

    Args:
        panel: The judges with their verdicts.
        at_least: How many of them must have scored an answer for it to count.
        bootstrap: How to draw intervals.
    """
    kept: list[PanelAnswer] = []
    runs = []
    for run in panel.runs:
        judged = [member.runs.get(run.run_id) for member in panel.members]
        asked = answers_of(run, judged, panel.axes)
        enough = [each for each in asked if np.count_nonzero(~np.isnan(each.totals)) >= at_least]
        runs.append(_of_run(panel, run, len(asked), enough, bootstrap))
        kept += enough
    kept.sort(key=lambda each: -each.spread)
    scored = [each for each in kept if each.has_rationale]
    return PanelReport(
        panel=panel,
        at_least=at_least,
        runs=tuple(runs),
        answers=tuple(kept),
        agreement={dimension: _agreement(panel, scored, dimension, bootstrap) for dimension in (TOTAL, *panel.axes)},
        bootstrap=bootstrap,
    )


def answers_of(run: RunRecord, judged: Sequence[JudgedRun | None], axes: Sequence[str]) -> list[PanelAnswer]:
    """Return every answer of a run that any judge was asked about, in item order, with the scores of all.

    Args:
        run: The run.
        judged: What each judge says of it; ``None`` for a judge who was not asked.
        axes: Keys of the rubric's axes.
    """
    asked: dict[tuple[str, int], bool] = {}
    for each in judged:
        for answer in each.answers if each is not None else ():
            asked.setdefault((answer.item_id, answer.trial), answer.has_rationale)
    given = [{} if each is None else each.answer_scores() for each in judged]
    found = []
    for (item_id, trial), has_rationale in asked.items():
        verdicts = [scores.get((item_id, trial)) for scores in given]
        by_axis = {
            axis: np.array([np.nan if verdict is None else verdict[axis] for verdict in verdicts], dtype=np.float64)
            for axis in axes
        }
        total: FloatArray = np.sum(list(by_axis.values()), axis=0)
        found.append(PanelAnswer(run, item_id, trial, has_rationale, {TOTAL: total, **by_axis}))
    return found


def _of_run(panel: Panel, run: RunRecord, asked: int, answers: Sequence[PanelAnswer], bootstrap: Bootstrap) -> PanelRun:
    if not answers:
        return PanelRun(run, asked, 0, {}, {}, (None,) * len(panel.members))
    axes: dict[tuple[str | int, str], FloatArray] = {}
    for dimension in (TOTAL, *panel.axes):
        scores = [each.scores[dimension] for each in answers]
        axes[MEAN, dimension] = _by_item(panel, answers, map(np.nanmean, scores))
        axes[MEDIAN, dimension] = _by_item(panel, answers, map(np.nanmedian, scores))
    for place in range(len(panel.members)):
        axes[place, TOTAL] = _by_item(panel, answers, (each.totals[place] for each in answers))
    items = panel.benchmark.items
    numbered = {str(number): matrix for number, matrix in enumerate(axes.values())}
    table = bootstrap_means(numbered, bootstrap, strata=strata_of(items), item_ids=[item.id for item in items])
    means = {key: table.interval(0, str(number)) for number, key in enumerate(axes)}
    judges = [means[place, TOTAL] for place in range(len(panel.members))]
    return PanelRun(
        run=run,
        asked=asked,
        kept=len(answers),
        mean={dimension: means[MEAN, dimension] for dimension in (TOTAL, *panel.axes)},
        median={dimension: means[MEDIAN, dimension] for dimension in (TOTAL, *panel.axes)},
        judges=tuple(interval if interval.n else None for interval in judges),
    )


def _by_item(panel: Panel, answers: Sequence[PanelAnswer], values: Iterable[float]) -> FloatArray:
    """Return values of answers as a matrix of one model and every item: the mean over an item's trials."""
    found: dict[str, list[float]] = {}
    for answer, value in zip(answers, values, strict=True):
        if not np.isnan(value):
            found.setdefault(answer.item_id, []).append(float(value))
    means = {item_id: sum(each) / len(each) for item_id, each in found.items()}
    return np.array([[means.get(item.id, np.nan) for item in panel.benchmark.items]])


def _agreement(
    panel: Panel, answers: Sequence[PanelAnswer], dimension: str, bootstrap: Bootstrap
) -> tuple[Coefficient, ...]:
    names = tuple(member.name for member in panel.members)
    matrix = np.array([each.scores[dimension] for each in answers], dtype=np.float64).reshape(-1, len(names))
    blank = Coefficient(ALPHA.format(Metric.INTERVAL), Question.AMONG, names)
    forms = (IccForm.ABSOLUTE_SINGLE, IccForm.ABSOLUTE_MEAN)
    return (
        measured(blank, lambda: alpha(matrix, Metric.INTERVAL, bootstrap)),
        *intraclass(blank, matrix, forms, bootstrap),
    )
