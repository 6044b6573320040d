"""Does a judge pay by the yard? Scores against the length of rationales, right and wrong, and models, held constant.

Length is the number of characters (Unicode code points) of the rationale as it was read from the response, without
scratchpad and thinking. It enters as its logarithm to the base 2, so that a slope is in points for each doubling.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from exambench.analysis.judge_scores import TOTAL
from exambench.analysis.trust.estimates import Estimate, estimate_of
from exambench.analysis.trust.judges import JudgedGroup, verdicts_by_answer
from exambench.analysis.verdicts import JudgedRun
from exambench.errors import UndefinedStatisticError
from exambench.outcomes import Verdict
from exambench.parsing.rationales import read_rationale
from exambench.stats.clustered import FEWEST_CLUSTERS, FEWEST_ROWS, clustered_association, clustered_spearman
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap
from exambench.store import Store

BETWEEN: Final = "length (x) and score (y): "
NO_VERDICT: Final = "no rationale has a verdict"
NONE_SCORED: Final = "no answer with a verdict is known to be right or wrong"


@dataclass(frozen=True, slots=True)
class LengthAssociation:
    """How scores on one axis, or the total, go with length.

    Attributes:
        name: Key of the axis, or ``total``.
        spearman: Spearman's ρ of score and length.
        pearson: Pearson's r of score and log₂ length.
        given_right: The partial r with right and wrong held constant.
        given_right_and_model: The partial r with right and wrong, and the model, held constant.
        slope: Points for each doubling of the length.
        slope_held: The same with right and wrong, and the model where there are several, held constant.
    """

    name: str
    spearman: Estimate
    pearson: Estimate
    given_right: Estimate
    given_right_and_model: Estimate
    slope: Estimate
    slope_held: Estimate


@dataclass(frozen=True)
class JudgeLength:
    """One judge, by one rubric and in one condition.

    Attributes:
        group: Its judgings.
        answers: Answers with a rationale and a verdict.
        scored: Those whose answer is known to be right or wrong; what holds that constant is about them.
        items: Items that these answers are to.
        without_rationale: Answers without a rationale; they are left out.
        shortest: Characters of the shortest rationale; 0 without any.
        median: Characters of the middle one.
        longest: Characters of the longest one.
        dimensions: The axes, then the total.
    """

    group: JudgedGroup
    answers: int
    scored: int
    items: int
    without_rationale: int
    shortest: int
    median: float
    longest: int
    dimensions: tuple[LengthAssociation, ...]

    @property
    def total(self) -> LengthAssociation:
        """The total over the axes."""
        return self.dimensions[-1]


@dataclass(frozen=True)
class LengthReport:
    """The length bias of judges.

    Attributes:
        judges: One entry for each judge, rubric and condition.
        bootstrap: How intervals were drawn, over items with all answers to them.
    """

    judges: tuple[JudgeLength, ...]
    bootstrap: Bootstrap


@dataclass(frozen=True, slots=True)
class _Row:
    """One answer with its mean scores over the judge's trials."""

    item_id: str
    run: int
    length: int
    right: bool | None
    scores: Mapping[str, float]


def length_report(store: Store, groups: Sequence[JudgedGroup], bootstrap: Bootstrap) -> LengthReport:
    """Return how scores go with the length of rationales.

    Args:
        store: Where the responses are.
        groups: The judgings, as :func:`~exambench.analysis.trust.judges.judged_groups` returns them.
        bootstrap: How to draw intervals, over items.

    Raises:
        StoreError: The store cannot be read.
    """
    return LengthReport(tuple(_of_judge(store, group, bootstrap) for group in groups), bootstrap)


def _of_judge(store: Store, group: JudgedGroup, bootstrap: Bootstrap) -> JudgeLength:
    rows = [row for number, judged in enumerate(group.runs) for row in _rows(store, judged, number)]
    lengths = [row.length for row in rows]
    return JudgeLength(
        group=group,
        answers=len(rows),
        scored=sum(row.right is not None for row in rows),
        items=len({row.item_id for row in rows}),
        without_rationale=len(
            {
                (judged.run.run_id, answer.item_id, answer.trial)
                for judged in group.runs
                for answer in judged.answers
                if not answer.has_rationale
            }
        ),
        shortest=min(lengths, default=0),
        median=float(median(lengths)) if lengths else 0.0,
        longest=max(lengths, default=0),
        dimensions=tuple(_dimension(name, rows, bootstrap) for name in (*group.axes, TOTAL)),
    )


def _rows(store: Store, judged: JudgedRun, number: int) -> list[_Row]:
    lengths = {
        (stored.item_id, stored.trial): len(read_rationale(stored.response.text).text)
        for stored in store.responses(judged.run.run_id)
    }
    rows = []
    for place, answers in verdicts_by_answer(judged).items():
        verdicts = [answer.verdict for answer in answers if answer.verdict is not None]
        length = lengths.get(place, 0)
        if verdicts and length:
            rows.append(_Row(place[0], number, length, answers[0].right, _means(judged.axes, verdicts)))
    return rows


def _means(axes: Sequence[str], verdicts: Sequence[Verdict]) -> dict[str, float]:
    means = {axis: sum(verdict.scores[axis] for verdict in verdicts) / len(verdicts) for axis in axes}
    return means | {TOTAL: sum(verdict.total for verdict in verdicts) / len(verdicts)}


def _dimension(name: str, rows: Sequence[_Row], bootstrap: Bootstrap) -> LengthAssociation:
    scored = [row for row in rows if row.right is not None]
    plain = _attempt(name, rows, (), bootstrap)
    right = _attempt(name, scored, (_right(scored),), bootstrap)
    both = _attempt(name, scored, (_right(scored), _models(scored)), bootstrap)
    several = len({row.run for row in scored}) > 1
    one_model = Estimate(len(scored), reason="one model: there is none to hold constant")
    return LengthAssociation(
        name=name,
        spearman=_spearman(name, rows, bootstrap),
        pearson=plain[0],
        given_right=right[0],
        given_right_and_model=both[0] if several else one_model,
        slope=plain[1],
        slope_held=both[1] if several else right[1],
    )


def _attempt(
    name: str, rows: Sequence[_Row], given: Sequence[FloatArray], bootstrap: Bootstrap
) -> tuple[Estimate, Estimate]:
    """Return correlation and slope, or for both why there is none."""
    obstacle = _obstacle(name, rows, NONE_SCORED if given else NO_VERDICT)
    if obstacle is not None:
        nothing = Estimate(len(rows), reason=obstacle)
        return nothing, nothing
    try:
        columns = np.column_stack(given) if given else None
        found = clustered_association(_lengths(rows), _scores(name, rows), _items(rows), bootstrap, columns)
    except UndefinedStatisticError as error:
        nothing = Estimate(len(rows), reason=f"{BETWEEN}{error}")
        return nothing, nothing
    return estimate_of(found.correlation), estimate_of(found.slope)


def _spearman(name: str, rows: Sequence[_Row], bootstrap: Bootstrap) -> Estimate:
    obstacle = _obstacle(name, rows, NO_VERDICT)
    if obstacle is not None:
        return Estimate(len(rows), reason=obstacle)
    return estimate_of(clustered_spearman(_lengths(rows), _scores(name, rows), _items(rows), bootstrap))


def _obstacle(name: str, rows: Sequence[_Row], otherwise: str) -> str | None:
    """Return why length and score cannot be correlated, in words of the subject; ``None`` where they can."""
    n_items = len(set(_items(rows)))
    if not rows:
        return otherwise
    if len(rows) < FEWEST_ROWS or n_items < FEWEST_CLUSTERS:
        return f"it takes {FEWEST_ROWS} rationales on {FEWEST_CLUSTERS} items; found {len(rows)} on {n_items}"
    if len({row.length for row in rows}) == 1:
        return "all rationales have one length"
    return "all rationales have one score" if len({row.scores[name] for row in rows}) == 1 else None


def _lengths(rows: Sequence[_Row]) -> FloatArray:
    return np.array([math.log2(row.length) for row in rows])


def _scores(name: str, rows: Sequence[_Row]) -> FloatArray:
    return np.array([row.scores[name] for row in rows])


def _items(rows: Sequence[_Row]) -> list[str]:
    return [row.item_id for row in rows]


def _right(rows: Sequence[_Row]) -> FloatArray:
    return np.array([[float(bool(row.right))] for row in rows]).reshape(len(rows), 1)


def _models(rows: Sequence[_Row]) -> FloatArray:
    """Return a column for each model but the first: 1 on its answers."""
    runs = sorted({row.run for row in rows})[1:]
    return np.array([[float(row.run == run) for run in runs] for row in rows]).reshape(len(rows), len(runs))
