"""The same items in Korean and in English, answered by the same model: who is right in which language.

References:
    [1] KMMMU (2026), tables 6 and 16: accuracies, Δ, paired outcomes, exact McNemar test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.scores import RunScores, strata_of
from exambench.errors import ConfigError, Finding
from exambench.items import ENGLISH, EXPLICIT, Item, ReviewState
from exambench.stats.intervals import Interval
from exambench.stats.multiplicity import holm
from exambench.stats.paired import PairedOutcomes, PairedTest, exact_test, is_binary, paired_difference, paired_outcomes
from exambench.stats.resampling import Bootstrap, bootstrap_means
from exambench.store import RunRecord

STATE: Final = "translation"


@dataclass(frozen=True)
class LanguagePair:
    """One model in both languages.

    Attributes:
        model: What to call it.
        runs: The Korean and the English run.
        korean: Accuracy in Korean.
        english: Accuracy in English, on the same items.
        difference: Korean less English, with the interval of the paired bootstrap.
        outcomes: Items that are right in both, one or neither; ``None`` for graded scores.
        test: McNemar's test where all scores are 0 or 1, or else the sign test; A is Korean.
        p_adjusted: Its p-value by Holm's method over the models.
        left_out: Items with a translation that one of the runs has no score for.
        only_korean: Items that are right in Korean alone.
        only_english: Items that are right in English alone.
    """

    model: str
    runs: tuple[str, str]
    korean: Interval
    english: Interval
    difference: Interval
    outcomes: PairedOutcomes | None
    test: PairedTest
    p_adjusted: float
    left_out: int
    only_korean: tuple[str, ...]
    only_english: tuple[str, ...]


@dataclass(frozen=True)
class CrosslingualReport:
    """All models of one dataset and protocol.

    Attributes:
        benchmark: Name of the benchmark.
        dataset_hash: Its content.
        protocol: What the protocol is called.
        translated: Items with an English side, by its state.
        used: Which states are used.
        axis: The axis that items are on; ``None`` for all.
        pairs: One a model.
        bootstrap: How intervals were drawn.
    """

    benchmark: str
    dataset_hash: str
    protocol: str
    translated: Mapping[str, int]
    used: tuple[str, ...]
    axis: str | None
    pairs: tuple[LanguagePair, ...]
    bootstrap: Bootstrap


def pair_runs(runs: Sequence[RunRecord]) -> list[tuple[RunRecord, RunRecord]]:
    """Return each Korean run with the English one that differs from it in the language alone, where there is one.

    Raises:
        ConfigError: There is no such pair.
    """
    english = {_without_wording(run): run for run in runs if run.condition["wording"] == ENGLISH}
    pairs = [
        (run, english[_without_wording(run)])
        for run in runs
        if run.condition["wording"] == EXPLICIT and _without_wording(run) in english
    ]
    if pairs:
        return pairs
    raise ConfigError(
        Finding(
            problem="no model has a run in Korean and one in English on the same data, under the same protocol",
            remedy="Run it twice on the translated data: --wording explicit, and --wording english",
        )
    )


def crosslingual(
    pairs: Sequence[tuple[RunScores, RunScores]],
    bootstrap: Bootstrap,
    *,
    states: Sequence[ReviewState] = (ReviewState.CHECKED,),
    axis: str | None = None,
) -> CrosslingualReport:
    """Compare each model's Korean run with its English one, on the items that have an English side.

    Args:
        pairs: The Korean and the English run of each model, all on one dataset under one protocol.
        bootstrap: How to draw intervals.
        states: Which translations to use.
        axis: Only items of this axis.

    Raises:
        ConfigError: The pairs are on different data, there is no such axis, or no item can be used.
    """
    first = pairs[0][0]
    if len({(korean.record.dataset_hash, korean.record.protocol_hash) for korean, _ in pairs}) > 1:
        raise ConfigError(
            Finding("the runs are on different data or under different protocols", remedy="Name runs of one of them")
        )
    translated = [item for item in first.benchmark.items if ENGLISH in item.wordings and _on(first, item, axis)]
    wanted = {str(state) for state in states}
    items = [item for item in translated if _state(item) in wanted]
    found = [(korean, english, _common(items, korean, english)) for korean, english in pairs]
    if not all(common for _, _, common in found):
        counts = ", ".join(f"{_count(translated, state)} {state}" for state in ReviewState)
        raise ConfigError(
            Finding(
                problem="no item can be compared",
                value=f"{len(translated)} items with an English side ({counts})",
                allowed=f"items whose translation is {' or '.join(sorted(wanted))}, with a score in both languages",
                remedy="Have translations checked (exambench build review), or use drafts with --drafts",
            )
        )
    tests = [_test(korean, english, common) for korean, english, common in found]
    adjusted = holm([test.p_value for test in tests]).adjusted
    return CrosslingualReport(
        benchmark=first.record.benchmark,
        dataset_hash=first.record.dataset_hash,
        protocol=first.record.protocol_name,
        translated={str(state): _count(translated, state) for state in ReviewState},
        used=tuple(sorted(wanted)),
        axis=axis,
        pairs=tuple(
            _pair(korean, english, common, test=test, p_adjusted=float(p), wanted=len(items), bootstrap=bootstrap)
            for (korean, english, common), test, p in zip(found, tests, adjusted, strict=True)
        ),
        bootstrap=bootstrap,
    )


def _without_wording(run: RunRecord) -> str:
    condition = sorted((name, str(value)) for name, value in run.condition.items() if name != "wording")
    return repr((run.dataset_hash, run.identity, sorted(run.decoding.items()), run.protocol_hash, condition))


def _on(run: RunScores, item: Item, axis: str | None) -> bool:
    if axis is None:
        return True
    found = next((each for each in run.benchmark.axes if each.name == axis), None)
    if found is None:
        names = ", ".join(each.name for each in run.benchmark.axes)
        raise ConfigError(Finding("there is no such axis", field="--axis", value=axis, allowed=names))
    return found.selects(item)


def _state(item: Item) -> str:
    return str(item.facets.get(STATE, ReviewState.DRAFT))


def _count(items: Sequence[Item], state: ReviewState) -> int:
    return sum(_state(item) == state for item in items)


def _common(items: Sequence[Item], korean: RunScores, english: RunScores) -> list[Item]:
    return [item for item in items if item.id in korean.finished and item.id in english.finished]


def _test(korean: RunScores, english: RunScores, items: Sequence[Item]) -> PairedTest:
    pairs = [(korean.scores[item.id], english.scores[item.id]) for item in items]
    return exact_test(pairs)(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))


def _pair(
    korean: RunScores,
    english: RunScores,
    items: Sequence[Item],
    *,
    test: PairedTest,
    p_adjusted: float,
    wanted: int,
    bootstrap: Bootstrap,
) -> LanguagePair:
    ids, strata = [item.id for item in items], strata_of(items)
    a, b = (np.array([run.scores[item.id] for item in items]) for run in (korean, english))
    axes = {"korean": a[None, :], "english": b[None, :]}
    table = bootstrap_means(axes, bootstrap, strata=strata, item_ids=ids)
    return LanguagePair(
        model=korean.record.model_name,
        runs=(korean.run_id, english.run_id),
        korean=table.interval(0, "korean"),
        english=table.interval(0, "english"),
        difference=paired_difference(a, b, bootstrap, strata=strata, item_ids=ids),
        outcomes=paired_outcomes(a, b) if is_binary(np.concatenate([a, b])) else None,
        test=test,
        p_adjusted=p_adjusted,
        left_out=wanted - len(items),
        only_korean=tuple(ids[place] for place in np.flatnonzero(a > b)),
        only_english=tuple(ids[place] for place in np.flatnonzero(a < b)),
    )
