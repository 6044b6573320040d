"""Score tables from stored runs: only of runs that may be compared, and only of items of the same content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from exambench.analysis.score_table import NO_KEY, Picks, ScoreTable
from exambench.analysis.scores import RunScores, comparable, on_same_items, scope_of, score_matrix_of, strata_of
from exambench.errors import ConfigError, Finding
from exambench.items import ChoiceKey, FacetValue, Item
from exambench.parsing import PARSER_VERSION
from exambench.stats.matrix import BoolArray, FloatArray, common_items

ALL: Final = "all"
SHORT_ID: Final = 8
PAIR: Final = 2


def tables_of_runs(runs: Sequence[RunScores]) -> tuple[ScoreTable, ...]:
    """Return one table for each set of runs that were asked the same items in the same way, the largest first.

    Text-only models and models that see pictures are apart: they were asked different items. Incomplete runs take
    no part in rankings.

    Raises:
        ConfigError: No run has any score.
    """
    tables = [
        _table(group, group[0].expected, scope_of(group[0]), np.array([run.complete for run in group]))
        for alike in comparable(runs)
        for group in on_same_items(alike)
        if any(run.scores for run in group)
    ]
    return _some(tables)


def tables_on_common_items(runs: Sequence[RunScores]) -> tuple[ScoreTable, ...]:
    """Return one table for each benchmark, protocol and condition, on the items that all its runs have scores for.

    Raises:
        ConfigError: No runs have scores for the same items.
    """
    tables = []
    for group in comparable(runs):
        shared = common_items(score_matrix_of(group, group[0].expected))
        items = tuple(item for item, common in zip(group[0].expected, shared, strict=True) if common)
        if items:
            which = "both" if len(group) == PAIR else f"all {len(group)}"
            scope = f"the {len(items)} items that {which} runs have scores for"
            tables.append(_table(group, items, scope, np.array([bool(run.scores) for run in group])))
    return _some(tables)


def table_of_pair(a: RunScores, b: RunScores) -> ScoreTable:
    """Return the table of two runs on the items that both have scores for.

    Raises:
        ConfigError: They may not be compared, and what differs; or they have no item in common.
    """
    differing = [
        Finding(
            problem=f"the two runs differ in their {aspect}, so their scores don't compare",
            field="run",
            value=f"{_of(a, aspect)} and {_of(b, aspect)}",
            allowed="one benchmark, one protocol and one condition",
            remedy="Name two runs that sat the same examination in the same way; see them with: exambench runs",
        )
        for aspect in ("benchmark", "protocol", "condition")
        if _of(a, aspect, exact=True) != _of(b, aspect, exact=True)
    ]
    if a.run_id == b.run_id:
        differing = [Finding(problem="the two names mean one run", field="run", value=a.run_id, remedy="Name two runs")]
    if differing:
        raise ConfigError(*differing)
    return tables_on_common_items([a, b])[0]


def _of(run: RunScores, aspect: str, *, exact: bool = False) -> str:
    record = run.record
    facts = {
        "benchmark": record.benchmark,
        "protocol": record.protocol_hash if exact else f"{record.protocol_name} ({record.protocol_hash[:SHORT_ID]})",
        "condition": _condition(record.condition),
    }
    return facts[aspect]


def _some(tables: list[ScoreTable]) -> tuple[ScoreTable, ...]:
    if not tables:
        raise ConfigError(
            Finding(
                problem="no scores to look at: the runs have no responses yet, or none on items in common",
                field="run",
                remedy="See how far each has come with: exambench runs",
            )
        )
    return tuple(sorted(tables, key=lambda table: -len(table.items)))


def _table(group: Sequence[RunScores], items: Sequence[Item], scope: str, ranked: BoolArray) -> ScoreTable:
    first = group[0]
    axes, titles = _axes(first, items)
    condition = _condition(first.record.condition)
    return ScoreTable(
        title=f"{first.benchmark.title} · {first.record.protocol_name} · {condition} · {scope}",
        models=_names(group),
        items=tuple(item.id for item in items),
        scores=score_matrix_of(group, items),
        facets=_facets(items),
        axes=axes,
        axis_titles=titles,
        compared_facets=tuple(dict.fromkeys(facet for axis in first.benchmark.axes for facet in axis.where)),
        ranked=ranked,
        strata=strata_of(items),
        origin={
            "benchmark": first.record.benchmark,
            "dataset": ", ".join(sorted({run.record.dataset_hash for run in group})),
            "protocol": f"{first.record.protocol_name} {first.record.protocol_hash}",
            "condition": condition,
            "parser": f"{first.record.protocol['strict']} {PARSER_VERSION}",
            "runs": ", ".join(run.run_id for run in group),
        },
        notes=_coverage(group, items),
        picks=_picks(group, items),
    )


def _names(group: Sequence[RunScores]) -> tuple[str, ...]:
    """Return the models' names; runs of one name are told apart by the beginning of their identifiers."""
    counts = Counter(run.record.model_name for run in group)
    return tuple(
        name if counts[name] == 1 else f"{name} ({run.run_id[:SHORT_ID]})"
        for run in group
        for name in (run.record.model_name,)
    )


def _axes(run: RunScores, items: Sequence[Item]) -> tuple[dict[str, BoolArray], dict[str, str]]:
    """Return the benchmark's axes with any item, the one of all items first, and their titles."""
    axes = {axis.name: np.array([axis.selects(item) for item in items], dtype=np.bool_) for axis in run.benchmark.axes}
    whole = next((axis.name for axis in run.benchmark.axes if not axis.where), ALL)
    overall = {whole: np.ones(len(items), dtype=np.bool_)}
    titles = {axis.name: axis.titles.get("en", axis.name) for axis in run.benchmark.axes}
    return overall | {name: mask for name, mask in axes.items() if name != whole and mask.any()}, titles


def _facets(items: Sequence[Item]) -> dict[str, tuple[str | None, ...]]:
    names = dict.fromkeys(name for item in items for name in item.facets)
    return {name: tuple(_text(item.facets[name]) if name in item.facets else None for item in items) for name in names}


def _text(value: FacetValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _coverage(group: Sequence[RunScores], items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(
        f"{run.record.model_name} ({run.run_id[:SHORT_ID]}) has scores for {scored} of {len(items)} items and takes "
        "no place; run the same command again to complete it."
        for run in group
        for scored in (sum(item.id in run.scores for item in items),)
        if scored < len(items)
    )


def _picks(group: Sequence[RunScores], items: Sequence[Item]) -> Picks | None:
    wording = str(group[0].record.condition["wording"])
    n_choices = np.array([len(item.wording(wording).choices) for item in items], dtype=np.int64)
    key = np.array(
        [item.key.index - 1 if isinstance(item.key, ChoiceKey) else NO_KEY for item in items], dtype=np.int64
    )
    if (key == NO_KEY).all():
        return None
    positions = np.full((len(group), len(items)), np.nan)
    scores: FloatArray = score_matrix_of(group, items)
    for row, run in enumerate(group):
        for column, item in enumerate(items):
            pick = run.picks.get(item.id)
            if pick is not None and 1 <= pick <= n_choices[column] and not np.isnan(scores[row, column]):
                positions[row, column] = pick - 1
    return Picks(positions, key, n_choices, tuple(str(number + 1) for number in range(int(n_choices.max()))))


def _condition(condition: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in condition.items())
