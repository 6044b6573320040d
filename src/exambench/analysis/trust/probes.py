"""What one change in an answer does to a judge's scores: pairs of verdicts, as written and changed.

References:
    [1] W. Conover, "Practical Nonparametric Statistics", 3rd ed., section 3.4: the sign test; ties are left out.
    [2] S. Holm, "A simple sequentially rejective multiple test procedure" (1979).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from exambench.analysis.judge_scores import TOTAL
from exambench.analysis.scores import strata_of
from exambench.analysis.trust.estimates import Estimate, attempt
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun
from exambench.items import Benchmark
from exambench.outcomes import Verdict
from exambench.stats.matrix import FloatArray
from exambench.stats.multiplicity import holm
from exambench.stats.paired import paired_difference, sign_test_exact
from exambench.stats.resampling import Bootstrap

FEWEST_ITEMS = 2


@dataclass(frozen=True, slots=True)
class Sample:
    """Which answers a judge was asked about twice.

    Attributes:
        probe: Name of the probe.
        change: What was changed, as it stands in a sentence: ``with the choices in another order``.
        places: Item and trial of each answer.
        trials: How often each side was judged.
        pool: Answers that the sample was drawn from.
        left_out: Answers that the change cannot be applied to, by reason.
        seed: Seed of the draw.
    """

    probe: str
    change: str
    places: Collection[tuple[str, int]]
    trials: int
    pool: int
    left_out: Mapping[str, int]
    seed: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What the change does on one axis, or on the total.

    Attributes:
        name: Key of the axis, or ``total``.
        as_written: Mean over items of the scores as written; ``None`` without a pair.
        changed: Mean of the scores after the change.
        difference: The second less the first, in points; its n are items.
        raised: Items that score higher after the change.
        lowered: Items that score lower.
        p_value: Of the exact sign test on these [1]; ``None`` without a pair.
        p_holm: The same adjusted over the axes [2]; of the total, which is no further axis, as it is.
    """

    name: str
    as_written: float | None
    changed: float | None
    difference: Estimate
    raised: int
    lowered: int
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True)
class ProbeReport:
    """What a change does to the scores of one judge on one run.

    Attributes:
        judged: The judging as written.
        changed_judging: Identifier of the judging after the change.
        sample: What was asked.
        pairs: Verdicts of both sides on one answer in one trial of the judge.
        unjudged_as_written: Pairs that are dropped because the side as written stayed unjudged.
        unjudged_changed: Pairs that are dropped because the changed side stayed unjudged, and the other did not.
        open: Pairs that wait for a reply.
        effects: The axes, then the total.
        bootstrap: How intervals were drawn, over items.
    """

    judged: JudgedRun
    changed_judging: str
    sample: Sample
    pairs: int
    unjudged_as_written: int
    unjudged_changed: int
    open: int
    effects: tuple[Effect, ...]
    bootstrap: Bootstrap

    @property
    def total(self) -> Effect:
        """The effect on the total over the axes."""
        return self.effects[-1]

    @property
    def total_scale(self) -> tuple[int, int]:
        """Lowest and highest total."""
        low, high = self.judged.scale
        return len(self.judged.axes) * low, len(self.judged.axes) * high


def probe_report(as_written: JudgedRun, changed: JudgedRun, sample: Sample, bootstrap: Bootstrap) -> ProbeReport:
    """Return what a change does to a judge's scores.

    Args:
        as_written: The verdicts on the sample as it is.
        changed: The verdicts on the same answers after the change, by the same judge.
        sample: Which answers, and how they were drawn; what else the judgings hold does not count.
        bootstrap: How to draw intervals, over items.
    """
    before, after = (_of_sample(judged, sample) for judged in (as_written, changed))
    waiting = [place for place in after if after[place].judgement is None or before[place].judgement is None]
    settled = [place for place in after if place not in set(waiting)]
    missing_before = [place for place in settled if before[place].verdict is None]
    missing_after = [place for place in settled if after[place].verdict is None and before[place].verdict is not None]
    pairs = [
        (place[0], first, second)
        for place in settled
        if (first := before[place].verdict) is not None and (second := after[place].verdict) is not None
    ]
    effects = [_effect(name, pairs, as_written.benchmark, bootstrap) for name in (*as_written.axes, TOTAL)]
    return ProbeReport(
        judged=as_written,
        changed_judging=changed.judging.judging_id,
        sample=sample,
        pairs=len(pairs),
        unjudged_as_written=len(missing_before),
        unjudged_changed=len(missing_after),
        open=len(waiting),
        effects=_adjusted(effects),
        bootstrap=bootstrap,
    )


def _of_sample(judged: JudgedRun, sample: Sample) -> dict[tuple[str, int, int], JudgedAnswer]:
    return {
        (answer.item_id, answer.trial, answer.judge_trial): answer
        for answer in judged.answers
        if (answer.item_id, answer.trial) in sample.places and answer.judge_trial < sample.trials
    }


def _effect(
    name: str, pairs: Sequence[tuple[str, Verdict, Verdict]], benchmark: Benchmark, bootstrap: Bootstrap
) -> Effect:
    before = _item_means(benchmark, [(item_id, _score(first, name)) for item_id, first, _ in pairs])
    after = _item_means(benchmark, [(item_id, _score(second, name)) for item_id, _, second in pairs])
    there = ~np.isnan(before)
    n = int(there.sum())
    if not n:
        return Effect(name, None, None, Estimate(0, reason="no pair of verdicts"), 0, 0, None, None)
    difference = (after - before)[there]
    raised, lowered = int((difference > 0.0).sum()), int((difference < 0.0).sum())
    estimate = Estimate(n, float(difference.mean()), reason="an interval needs pairs on two items at least")
    if n >= FEWEST_ITEMS:
        estimate = attempt(
            n,
            lambda: paired_difference(
                after,
                before,
                bootstrap,
                strata=strata_of(benchmark.items),
                item_ids=[item.id for item in benchmark.items],
            ),
        )
    p_value = sign_test_exact(raised, lowered).p_value
    means = float(before[there].mean()), float(after[there].mean())
    return Effect(name, *means, estimate, raised, lowered, p_value, p_value)


def _score(verdict: Verdict, name: str) -> int:
    return verdict.total if name == TOTAL else verdict.scores[name]


def _item_means(benchmark: Benchmark, scores: Sequence[tuple[str, int]]) -> FloatArray:
    values: dict[str, list[int]] = {}
    for item_id, score in scores:
        values.setdefault(item_id, []).append(score)
    return np.array([np.mean(values[item.id]) if item.id in values else np.nan for item in benchmark.items])


def _adjusted(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Return the effects with the p-values of the axes adjusted for one another."""
    axes, total = effects[:-1], effects[-1]
    given = [np.nan if effect.p_value is None else effect.p_value for effect in axes]
    adjusted = holm(given).adjusted
    return (
        *(
            replace(effect, p_holm=None if np.isnan(value) else float(value))
            for effect, value in zip(axes, adjusted, strict=True)
        ),
        total,
    )
