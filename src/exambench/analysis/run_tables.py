"""Score tables from stored runs: only of runs that may be compared, and only of items of the same content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import numpy as np

from exambench.analysis.origin import origin_of
from exambench.analysis.run_groups import RunGroup, groups_on_common_items, groups_on_same_items
from exambench.analysis.run_names import names_of
from exambench.analysis.run_notes import notes_on
from exambench.analysis.score_table import NO_KEY, Picks, ScoreTable
from exambench.analysis.scores import RunScores, strata_of
from exambench.errors import ConfigError, Finding
from exambench.items import ChoiceKey, Item, facet_text, short
from exambench.parsing import PARSER_VERSION
from exambench.protocols.condition import condition_text
from exambench.stats.matrix import BoolArray, FloatArray

ALL: Final = "all"

T = TypeVar("T")


def tables_of_runs(runs: Sequence[RunScores]) -> tuple[ScoreTable, ...]:
    """Return one table for each set of runs that were asked the same items in the same way, the largest first.

    Text-only models and models that see pictures are apart: they were asked different items. Incomplete runs take
    no part in rankings.

    Raises:
        ConfigError: No run has any score.
    """
    return some(map(table_of_group, groups_with_scores(runs)))


def groups_with_scores(runs: Sequence[RunScores]) -> tuple[RunGroup, ...]:
    """Return the groups of runs on the same items in which any run has a score, the largest set of items first."""
    return tuple(group for group in groups_on_same_items(runs) if any(run.scores for run in group.runs))


def tables_on_common_items(runs: Sequence[RunScores]) -> tuple[ScoreTable, ...]:
    """Return one table for each benchmark, protocol and condition, on the items that all its runs have scores for.

    Raises:
        ConfigError: No runs have scores for the same items.
    """
    return some(map(table_of_group, groups_on_common_items(runs)))


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
            allowed="one benchmark, one protocol, one condition and one version of the parsers",
            remedy=_remedy(aspect),
        )
        for aspect in ("benchmark", "protocol", "condition", "parser")
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
        "protocol": record.protocol_hash if exact else f"{record.protocol_name} ({short(record.protocol_hash)})",
        "condition": condition_text(record.condition),
        "parser": run.parser,
    }
    return facts[aspect]


def _remedy(aspect: str) -> str:
    if aspect == "parser":
        return "Read the stored responses of both again: exambench rescore"
    if aspect == "condition":
        return "Name two runs of one condition; a model is compared with itself by: exambench conditions"
    return "Name two runs that sat the same examination in the same way; see them with: exambench runs"


def some(found: Iterable[T]) -> tuple[T, ...]:
    """Return what there is to look at.

    Raises:
        ConfigError: Nothing is.
    """
    kept = tuple(found)
    if not kept:
        raise ConfigError(
            Finding(
                problem="no scores to look at: the runs have no responses yet, or none on items in common",
                field="run",
                remedy="See how far each has come with: exambench runs",
            )
        )
    return kept


def table_of_group(group: RunGroup) -> ScoreTable:
    """Return the score table of runs that may be compared; a run without any score is a row of NaN."""
    first, items = group.runs[0], group.items
    axes = _axes(first, items)
    condition = condition_text(first.record.condition)
    names = names_of(group.runs)
    reader = "" if first.parser_version == PARSER_VERSION else f" · parser {first.parser}"
    return ScoreTable(
        title=f"{first.benchmark.title} · {first.record.protocol_name} · {condition} · {group.scope}{reader}",
        models=names,
        items=tuple(item.id for item in items),
        scores=score_matrix_of(group.runs, items),
        facets=_facets(items),
        axes=axes,
        compared_facets=tuple(dict.fromkeys(facet for axis in first.benchmark.axes for facet in axis.where)),
        ranked=group.ranked,
        strata=strata_of(items),
        origin={
            **origin_of(first.record),
            "dataset": ", ".join(group.datasets),
            "parser": first.parser,
            "runs": ", ".join(run.run_id for run in group.runs),
        },
        notes=notes_on(group, names),
        picks=_picks(group.runs, items),
    )


def score_matrix_of(runs: Sequence[RunScores], items: Sequence[Item]) -> FloatArray:
    """Return the scores of runs (rows) on items (columns); NaN where a run has no score, or read other content.

    An item is the same item only when its content is: a run on a changed item has no score for it.
    """
    ids = [item.id for item in items]
    found = [[run.scores.get(item_id, np.nan) for item_id in ids] for run in runs]
    matrix = np.array(found, dtype=np.float64).reshape(len(runs), len(items))
    known: dict[int, BoolArray] = {}
    for row, run in enumerate(runs):
        if id(run.benchmark) not in known:  # runs of one dataset share it
            known[id(run.benchmark)] = np.array([run.knows(item) for item in items], dtype=np.bool_)
        matrix[row, ~known[id(run.benchmark)]] = np.nan
    return matrix


def _axes(run: RunScores, items: Sequence[Item]) -> dict[str, BoolArray]:
    """Return the benchmark's axes with any item, the one of all items first."""
    axes = {axis.name: np.array([axis.selects(item) for item in items], dtype=np.bool_) for axis in run.benchmark.axes}
    whole = next((axis.name for axis in run.benchmark.axes if not axis.where), ALL)
    overall = {whole: np.ones(len(items), dtype=np.bool_)}
    return overall | {name: mask for name, mask in axes.items() if name != whole and mask.any()}


def _facets(items: Sequence[Item]) -> dict[str, tuple[str | None, ...]]:
    names = dict.fromkeys(name for item in items for name in item.facets)
    return {
        name: tuple(facet_text(item.facets[name]) if name in item.facets else None for item in items) for name in names
    }


def _picks(runs: Sequence[RunScores], items: Sequence[Item]) -> Picks | None:
    wording = str(runs[0].record.condition["wording"])
    n_choices = np.array([len(item.wording(wording).choices) for item in items], dtype=np.int64)
    key = np.array(
        [item.key.index - 1 if isinstance(item.key, ChoiceKey) else NO_KEY for item in items], dtype=np.int64
    )
    if (key == NO_KEY).all():
        return None
    ids = [item.id for item in items]
    picks = np.array([[run.picks.get(item_id, 0) for item_id in ids] for run in runs], dtype=np.float64)
    is_read = (picks >= 1) & (picks <= n_choices) & ~np.isnan(score_matrix_of(runs, items))
    positions = np.where(is_read, picks - 1, np.nan)
    return Picks(positions, key, n_choices, tuple(str(number + 1) for number in range(int(n_choices.max()))))
