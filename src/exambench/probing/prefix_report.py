"""What continuations amount to: how close they are to the original, with and without a hint, beside a control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from exambench.asking.tasks import TaskPlan
from exambench.outcomes import Unjudged
from exambench.probing.comparisons import ExactnessVerdict
from exambench.probing.continuations import Arm
from exambench.probing.prefix_measures import Measure, Measured
from exambench.stats.gaps import bootstrap_gaps
from exambench.stats.intervals import Interval
from exambench.stats.paired import paired_difference
from exambench.stats.resampling import METHOD, Bootstrap, bootstrap_means

EVERYTHING: Final = "all"
MOSTLY: Final = 0.5
"""Where more than this share of replies is refused, the others say little about what the model remembers."""


class Conclusion(StrEnum):
    """What an arm says of memory. Decided by ROUGE-L alone, which was chosen before any model was asked."""

    CLOSER = "closer to the original than on the control: a sign of memory"
    NO_CLOSER = "no closer to the original than on the control: no sign of memory"
    REFUSES = "most continuations are refused: this cannot tell"
    NO_CONTROL = "no control to compare with: this cannot tell"
    NOTHING = "no reply yet"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over items.

    Attributes:
        benchmark: Whose items.
        source: Which of them; :data:`EVERYTHING` for all.
        arm: With or without the hint.
        measure: What is averaged.
        interval: The mean with its interval and n; ``None`` where no item has a value.
    """

    benchmark: str
    source: str
    arm: Arm
    measure: Measure
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of two means.

    Attributes:
        name: ``hint − no hint`` on the same items, or ``benchmark − control`` on different ones.
        source: Which items of the benchmark.
        arm: The arm, for the difference to the control.
        measure: What is averaged.
        interval: The difference with its interval; ``None`` where a side is missing.
    """

    name: str
    source: str
    arm: Arm | None
    measure: Measure
    interval: Interval | None


HINT_EFFECT: Final = "hint − no hint"
AGAINST_CONTROL: Final = "benchmark − control"


@dataclass(frozen=True)
class PrefixResult:
    """One model.

    Attributes:
        model: What to call it.
        asked: Continuations that were to be asked for, of the benchmark.
        not_asked: Those of them that the model cannot take.
        measured: Each continuation of the benchmark that there is.
        control: Each continuation of the control.
        estimates: Means, of the benchmark and of the control.
        contrasts: Differences.
        conclusions: What each arm says.
    """

    model: str
    asked: int
    not_asked: int
    measured: tuple[Measured, ...]
    control: tuple[Measured, ...]
    estimates: tuple[Estimate, ...]
    contrasts: tuple[Contrast, ...]
    conclusions: Mapping[Arm, Conclusion]

    @property
    def unjudged(self) -> int:
        """Continuations on which the judge gave no verdict that can be read."""
        return sum(isinstance(each.verdict, Unjudged) for each in (*self.measured, *self.control))


@dataclass(frozen=True)
class PrefixReport:
    """All models of one command.

    Attributes:
        benchmark: Name of the benchmark.
        dataset_hash: Its content.
        control: Name of the control; ``None`` for none.
        judge: Name of the judge; ``None`` for none.
        tokenizer: What a token is.
        min_tokens: Stems have more tokens than this.
        share: Share of the tokens that are shown.
        notes: What must be known of the items.
        measures: What was measured.
        results: One a model.
        bootstrap: How intervals were drawn.
    """

    benchmark: str
    dataset_hash: str
    control: str | None
    judge: str | None
    tokenizer: str
    min_tokens: int
    share: float
    notes: tuple[str, ...]
    measures: tuple[Measure, ...]
    results: tuple[PrefixResult, ...]
    bootstrap: Bootstrap


def result_of(
    model: str,
    plan: TaskPlan,
    names: tuple[str, str],
    sides: tuple[tuple[Measured, ...], tuple[Measured, ...]],
    *,
    measures: Sequence[Measure],
    bootstrap: Bootstrap,
) -> PrefixResult:
    """Summarise one model.

    Args:
        model: What to call it.
        plan: What it was asked of the benchmark.
        names: Of benchmark and control.
        sides: The continuations of the benchmark, and of the control.
        measures: What to average.
        bootstrap: How to draw intervals.
    """
    measured, control = sides
    arms = [arm for arm in Arm if any(each.arm is arm for each in measured)]
    groups = (EVERYTHING, *sources_of_measured(measured))
    estimates = [
        Estimate(name, source, arm, kind, _mean(_of(side, source, arm), kind, bootstrap))
        for name, side, sources in zip(names, sides, (groups, (EVERYTHING,)), strict=True)
        for source in (sources if side else ())
        for arm in arms
        for kind in measures
    ]
    contrasts = list(_contrasts(measured, control, groups=groups, arms=arms, measures=measures, bootstrap=bootstrap))
    return PrefixResult(
        model=model,
        asked=len(plan.asks),
        not_asked=sum(ask.request is None for ask in plan.asks),
        measured=measured,
        control=control,
        estimates=tuple(estimates),
        contrasts=tuple(contrasts),
        conclusions={arm: _conclusion(_of(measured, EVERYTHING, arm), arm, contrasts) for arm in arms},
    )


def sources_of_measured(measured: Iterable[Measured]) -> tuple[str, ...]:
    """Return the sources in the order in which they first occur; none where there is one alone."""
    found = tuple(dict.fromkeys(each.source for each in measured))
    return found if len(found) > 1 else ()


def _contrasts(
    measured: Sequence[Measured],
    control: Sequence[Measured],
    *,
    groups: Sequence[str],
    arms: Sequence[Arm],
    measures: Sequence[Measure],
    bootstrap: Bootstrap,
) -> Iterator[Contrast]:
    for kind in measures:
        for source in groups:
            if Arm.HINT in arms and Arm.PLAIN in arms:
                yield Contrast(HINT_EFFECT, source, None, kind, _hint_effect(measured, source, kind, bootstrap))
        for arm in arms if control else ():
            sides = _of(measured, EVERYTHING, arm), _of(control, EVERYTHING, arm)
            yield Contrast(AGAINST_CONTROL, EVERYTHING, arm, kind, _gap(*sides, kind, bootstrap))


def _conclusion(measured: Sequence[Measured], arm: Arm, contrasts: Iterable[Contrast]) -> Conclusion:
    if not measured:
        return Conclusion.NOTHING
    refused = [
        each.declined or (isinstance(each.verdict, ExactnessVerdict) and each.verdict.refusal) for each in measured
    ]
    if sum(refused) > MOSTLY * len(refused):
        return Conclusion.REFUSES
    decisive = next(
        (
            each.interval
            for each in contrasts
            if (each.name, each.source, each.arm, each.measure) == (AGAINST_CONTROL, EVERYTHING, arm, Measure.ROUGE_L)
        ),
        None,
    )
    if decisive is None or np.isnan(decisive.low):
        return Conclusion.NO_CONTROL
    return Conclusion.CLOSER if decisive.low > 0.0 else Conclusion.NO_CLOSER


def _of(measured: Iterable[Measured], source: str, arm: Arm) -> list[Measured]:
    return [each for each in measured if each.arm is arm and source in {EVERYTHING, each.source}]


def _mean(measured: Sequence[Measured], kind: Measure, bootstrap: Bootstrap) -> Interval | None:
    values = np.array([each.value(kind) for each in measured])
    if not len(values) or np.isnan(values).all():
        return None
    ids = [each.item_id for each in measured]
    return bootstrap_means({"mean": values[None, :]}, bootstrap, item_ids=ids).interval(0, "mean")


def _hint_effect(measured: Sequence[Measured], source: str, kind: Measure, bootstrap: Bootstrap) -> Interval | None:
    hinted = {each.item_id: each.value(kind) for each in _of(measured, source, Arm.HINT)}
    plain = {each.item_id: each.value(kind) for each in _of(measured, source, Arm.PLAIN)}
    both = [item_id for item_id in plain if item_id in hinted]
    pairs = np.array([[hinted[item_id], plain[item_id]] for item_id in both]).reshape(-1, 2)
    if np.isnan(pairs).any(axis=1).all():
        return None
    return paired_difference(pairs[:, 0], pairs[:, 1], bootstrap, item_ids=both)


def _gap(
    measured: Sequence[Measured], control: Sequence[Measured], kind: Measure, bootstrap: Bootstrap
) -> Interval | None:
    """Return the difference of two independent means; each side is drawn for itself."""
    scores = np.array([each.value(kind) for each in (*measured, *control)])
    mine = np.arange(len(scores)) < len(measured)
    axes = {"benchmark": np.where(mine, scores, np.nan)[None, :], "control": np.where(mine, np.nan, scores)[None, :]}
    if any(np.isnan(axis).all() for axis in axes.values()):
        return None
    ids = [*(f"benchmark {each.item_id}" for each in measured), *(f"control {each.item_id}" for each in control)]
    table = bootstrap_gaps(axes, {"gap": ("benchmark", "control")}, bootstrap, strata=mine.astype(str), item_ids=ids)
    return Interval(
        estimate=float(table.estimate[0, 0]),
        low=float(table.low[0, 0]),
        high=float(table.high[0, 0]),
        n=int(table.n_first[0, 0] + table.n_second[0, 0]),
        level=bootstrap.level,
        method=METHOD,
        standard_error=float(table.standard_error[0, 0]),
        resamples=bootstrap.resamples,
        seed=bootstrap.seed,
        undefined_resamples=int(table.undefined[0, 0]),
    )
