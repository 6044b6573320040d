"""From a store to what figures are drawn from; only what the wanted figures need is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from exambench.analysis.cost import RunCost, costs
from exambench.analysis.diagnosis import diagnose
from exambench.analysis.item_analysis import analyse_items
from exambench.analysis.judged_reasoning import load_reasoning_gap
from exambench.analysis.meta_report import MetaReport, meta_report
from exambench.analysis.run_groups import RunGroup, groups_on_common_items
from exambench.analysis.run_tables import groups_with_scores, table_of_group
from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError
from exambench.report.figures.catalogue import NO_STUDY, Sources, TableSource
from exambench.report.figures.names import FigureName
from exambench.report.figures.scores import scores_of, traits_of
from exambench.stats.resampling import Bootstrap
from exambench.store import Store

OF_STUDIES: Final = frozenset({FigureName.SLOPE, FigureName.JUDGE})
OF_OTHERS: Final = OF_STUDIES | {FigureName.GPU_HOURS, FigureName.TOPICS}


def gather(
    store: Store,
    runs: Sequence[RunScores],
    wanted: Collection[FigureName],
    bootstrap: Bootstrap,
    *,
    study: str | None = None,
    common: bool = False,
) -> Sources:
    """Return what the wanted figures are drawn from.

    Args:
        store: Where the runs are.
        runs: The runs that the figures are about, with all their responses read.
        wanted: The figures.
        bootstrap: How to draw intervals.
        study: The beginning of a study's id; ``None`` for all studies.
        common: Whether all runs are put together on the items that all of them have scores for.

    Raises:
        ConfigError: There is no such study.
        StoreError: The store cannot be read.
    """
    groups: Sequence[RunGroup] = ()
    if not OF_OTHERS.issuperset(wanted):
        groups = groups_on_common_items(runs) if common else groups_with_scores(runs)
    studies, why = _studies(store, study, bootstrap) if OF_STUDIES.intersection(wanted) else ((), NO_STUDY)
    exams = {run.record.dataset_hash: run.benchmark for run in runs}
    return Sources(
        tables=tuple(_table(store, group, bootstrap) for group in groups),
        costs=_costs(store, runs) if FigureName.GPU_HOURS in wanted else (),
        studies=studies,
        benchmarks=tuple(exams.values()),
        reasons=dict.fromkeys(OF_STUDIES, why),
    )


def _table(store: Store, group: RunGroup, bootstrap: Bootstrap) -> TableSource:
    table = table_of_group(group)
    found = diagnose(table, bootstrap, reasoning=load_reasoning_gap(store, group, table))
    titles = {axis.name: axis.titles for axis in group.runs[0].benchmark.axes}
    scores = scores_of(found, titles, [traits_of(run) for run in group.runs])
    return TableSource(scores, found, analyse_items(table))


def _costs(store: Store, runs: Sequence[RunScores]) -> tuple[tuple[RunCost, ...], ...]:
    by_exam: defaultdict[str, list[RunCost]] = defaultdict(list)
    for cost in costs(store, [run.run_id for run in runs]):
        by_exam[cost.origin["benchmark"]].append(cost)
    return tuple(map(tuple, by_exam.values()))


def _studies(store: Store, wanted: str | None, bootstrap: Bootstrap) -> tuple[tuple[MetaReport, ...], str]:
    """Return the studies that people's scores are in for, and why there is none."""
    records = store.studies.all() if wanted is None else [store.studies.find(wanted)]
    reports, why = [], NO_STUDY
    for record in records:
        try:
            reports.append(meta_report(store, record, bootstrap))
        except ConfigError as error:
            why = str(error)
    return tuple(reports), why
