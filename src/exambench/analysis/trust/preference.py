"""Does a judge favour its own kin? Its scores less other judges' of the same answers, own family against others.

For each answer a and each other judge, d(a) is the judge's score less the other's. The preference against that judge is
the mean of d over answers of the judge's own family, less that over answers of other families: how good the answers
are, and how strict the two judges, cancel out. The figure is the mean over the other judges, each of which has answers
on both sides; whoever has answers on one side alone would bring in how strict it is. Judges of the judge's own family
are none of the others, since they may share its taste.

A judge that favours its own kin also lowers d on answers of that kin. The second figure is free of it: there no answer
is compared with a judge that is kin to its model.

References:
    [1] A. Panickssery, S. Bowman, S. Feng, "LLM Evaluators Recognize and Favor Their Own Generations",
        arXiv:2404.13076 (2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from exambench.analysis.judge_scores import TOTAL
from exambench.analysis.scores import strata_of
from exambench.analysis.trust.estimates import Estimate, estimate_of
from exambench.analysis.trust.families import Family, check_names, family_of
from exambench.analysis.trust.judges import JudgedGroup, verdicts_by_answer
from exambench.analysis.verdicts import JudgedRun
from exambench.errors import ConfigError, Finding
from exambench.items import Benchmark
from exambench.stats.gaps import mean_gap
from exambench.stats.resampling import Bootstrap

NO_FAMILY: Final = "no family is declared for this judge; see --family"
NO_OTHER: Final = "no judge of another family judged the same answers"
NO_OWN: Final = "no model of the judge's own family has an answer that both judged"
NO_OTHERS: Final = "no model of another declared family has an answer that both judged"
NO_BOTH: Final = "no judge of another family judged answers both of this family and of another"
NO_NEUTRAL: Final = "no judge that is kin neither to this one nor to the models"

Place = tuple[str, str, int]
"""Run, item and trial of an answer."""


@dataclass(frozen=True, slots=True)
class Preference:
    """How much more a judge gives its own kin than other judges do.

    Attributes:
        name: Key of the axis, or ``total``.
        own: Answers of the judge's own family.
        others: Answers of other families.
        estimate: The preference in points, the mean over the judges of other families.
        neutral: The same with no answer held against a judge that is kin to its model.
    """

    name: str
    own: int
    others: int
    estimate: Estimate
    neutral: Estimate


@dataclass(frozen=True)
class JudgePreference:
    """One judge.

    Attributes:
        group: Its judgings.
        family: Its family.
        others: The judges that it is held against: of another family, with answers on both sides.
        dimensions: The axes, then the total.
    """

    group: JudgedGroup
    family: Family
    others: tuple[str, ...]
    dimensions: tuple[Preference, ...]

    @property
    def total(self) -> Preference:
        """The total over the axes."""
        return self.dimensions[-1]


@dataclass(frozen=True)
class PanelPreference:
    """Judges who looked at the same dataset by one rubric.

    Attributes:
        judges: One entry a judge.
        models: The families of the models that were judged.
    """

    judges: tuple[JudgePreference, ...]
    models: tuple[Family, ...]


@dataclass(frozen=True)
class PreferenceReport:
    """The self-preference of judges.

    Attributes:
        panels: Judges that compare.
        bootstrap: How intervals were drawn, over items.
    """

    panels: tuple[PanelPreference, ...]
    bootstrap: Bootstrap


@dataclass(frozen=True)
class _Setting:
    """What all judges of a panel share: families by run, the items, how to draw."""

    models: Mapping[str, Family]
    benchmark: Benchmark
    bootstrap: Bootstrap


@dataclass(frozen=True)
class _Judge:
    """A judge with its mean scores by dimension and answer."""

    group: JudgedGroup
    family: Family
    scores: Mapping[str, Mapping[Place, float]]


@dataclass(frozen=True)
class _Against:
    """A judge's scores less those of one other judge, on the answers that both judged.

    Attributes:
        own: On answers of the judge's own family.
        rest: On answers of other families.
        kin: Those of them that are of the other judge's family.
    """

    own: Mapping[Place, float]
    rest: Mapping[Place, float]
    kin: frozenset[Place]

    @property
    def complete(self) -> bool:
        """Whether there are answers on both sides."""
        return bool(self.own and self.rest)

    @property
    def neutral(self) -> _Against:
        """The same without answers of the other judge's family."""
        rest = {place: value for place, value in self.rest.items() if place not in self.kin}
        return _Against(self.own, rest, frozenset())


def preference_report(
    groups: Sequence[JudgedGroup], declared: Mapping[str, str], bootstrap: Bootstrap
) -> PreferenceReport:
    """Return how much judges favour their own kin [1].

    Args:
        groups: The judgings, as :func:`~exambench.analysis.trust.judges.judged_groups` returns them.
        declared: Families by name, from the command line; they count before those of model files.
        bootstrap: How to draw intervals, over items with all answers to them.

    Raises:
        ConfigError: No two judges looked at the same dataset by one rubric, or a family is declared for nobody.
    """
    names = [name for group in groups for run in group.runs for name in (run.judge_name, run.run.model_name)]
    check_names(declared, names)
    panels: dict[tuple[object, ...], dict[str, JudgedGroup]] = {}
    for group in groups:
        record, run = group.judging, group.runs[0].run
        panel = panels.setdefault((run.benchmark, run.dataset_hash, record.rubric_hash, record.with_reference), {})
        panel[f"{record.identity} {sorted(record.decoding.items())} {record.sees_images}"] = group
    several = [list(panel.values()) for panel in panels.values() if len(panel) > 1]
    if not several:
        raise ConfigError(
            Finding(
                problem="self-preference needs two judges of the same runs, by one rubric and in one condition; "
                f"found: {', '.join(group.name for group in groups)}",
                field="judges",
                allowed="runs that several judges have looked at",
                remedy="Have the same runs judged by a judge of another family: exambench judge RUN --judge OTHER",
            )
        )
    return PreferenceReport(tuple(_panel(panel, declared, bootstrap) for panel in several), bootstrap)


def _panel(groups: Sequence[JudgedGroup], declared: Mapping[str, str], bootstrap: Bootstrap) -> PanelPreference:
    judges = [
        _Judge(
            group,
            family_of(group.judging.judge_name, group.judging.judge, declared),
            {name: _scores(group, name) for name in (*group.axes, TOTAL)},
        )
        for group in groups
    ]
    runs = {judged.run.run_id: judged.run for group in groups for judged in group.runs}
    models = {run_id: family_of(run.model_name, run.model, declared) for run_id, run in runs.items()}
    setting = _Setting(models, groups[0].runs[0].benchmark, bootstrap)
    return PanelPreference(
        tuple(_of_judge(judge, judges, setting) for judge in judges),
        tuple(dict.fromkeys(models.values())),
    )


def _of_judge(judge: _Judge, judges: Sequence[_Judge], setting: _Setting) -> JudgePreference:
    others = [other for other in judges if other.family.family not in {None, judge.family.family}]
    return JudgePreference(
        judge.group,
        judge.family,
        tuple(other.group.name for other in others if _against(TOTAL, judge, other, setting.models).complete),
        tuple(_dimension(name, judge, others, setting) for name in judge.scores),
    )


def _dimension(name: str, judge: _Judge, others: Sequence[_Judge], setting: _Setting) -> Preference:
    if judge.family.family is None:
        nothing = Estimate(0, reason=NO_FAMILY)
        return Preference(name, 0, 0, nothing, nothing)
    found = [_against(name, judge, other, setting.models) for other in others]
    own, rest = {place for each in found for place in each.own}, {place for each in found for place in each.rest}
    if own and rest:
        missing = NO_BOTH
    elif own or rest:
        missing = NO_OTHERS if own else NO_OWN
    else:
        missing = NO_OTHER
    every = _mean_preference(found, setting, missing)
    neutral = _mean_preference([each.neutral for each in found], setting, NO_NEUTRAL if own and rest else missing)
    return Preference(name, len(own), len(rest), every, neutral)


def _against(name: str, judge: _Judge, other: _Judge, models: Mapping[str, Family]) -> _Against:
    own: dict[Place, float] = {}
    rest: dict[Place, float] = {}
    kin = set()
    for place in judge.scores[name].keys() & other.scores[name].keys():
        family = models[place[0]].family
        if family is not None:
            side = own if family == judge.family.family else rest
            side[place] = judge.scores[name][place] - other.scores[name][place]
        if family == other.family.family:
            kin.add(place)
    return _Against(own, rest, frozenset(kin))


def _mean_preference(found: Sequence[_Against], setting: _Setting, missing: str) -> Estimate:
    """Return the mean over other judges of the difference between own and other answers; or why there is none."""
    complete = [each for each in found if each.complete]
    if not complete:
        return Estimate(0, reason=missing)
    items = [item.id for item in setting.benchmark.items]
    interval = mean_gap(
        [_item_means(each.own, items) for each in complete],
        [_item_means(each.rest, items) for each in complete],
        setting.bootstrap,
        strata=strata_of(setting.benchmark.items),
        item_ids=items,
    )
    estimate = replace(estimate_of(interval), n=len({place for each in complete for place in (*each.own, *each.rest)}))
    return estimate if estimate.low is not None else replace(estimate, reason="too few items for an interval")


def _item_means(side: Mapping[Place, float], items: Sequence[str]) -> list[float]:
    values: dict[str, list[float]] = {}
    for (_, item_id, _), value in side.items():
        values.setdefault(item_id, []).append(value)
    return [float(np.mean(values[item])) if item in values else np.nan for item in items]


def _scores(group: JudgedGroup, name: str) -> dict[Place, float]:
    return {place: score for judged in group.runs for place, score in _scores_of_run(judged, name).items()}


def _scores_of_run(judged: JudgedRun, name: str) -> dict[Place, float]:
    found = {}
    for (item_id, trial), answers in verdicts_by_answer(judged).items():
        verdicts = [answer.verdict for answer in answers if answer.verdict is not None]
        if verdicts:
            total = sum(verdict.total if name == TOTAL else verdict.scores[name] for verdict in verdicts)
            found[judged.run.run_id, item_id, trial] = total / len(verdicts)
    return found
