"""Which runs may be compared, and on which items: numbers that don't compare are never in one table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.instruments import Instrument, instrument_of
from exambench.analysis.scores import RunScores
from exambench.items import Item
from exambench.stats.matrix import BoolArray

PAIR: Final = 2


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs that may be compared, on the items that they are compared on.

    Attributes:
        runs: The runs: of one benchmark, protocol and condition, read by one parser version.
        items: The items, each with one content for all runs.
        scope: What the items are, in words.
        ranked: Which runs take part in rankings.
    """

    runs: tuple[RunScores, ...]
    items: tuple[Item, ...]
    scope: str
    ranked: BoolArray

    @property
    def datasets(self) -> tuple[str, ...]:
        """Content hashes of the datasets of the runs, in order."""
        return tuple(sorted({run.record.dataset_hash for run in self.runs}))

    @property
    def other_content(self) -> int:
        """Number of items that are left out since not all datasets have them with the same content."""
        asked = {item.id: item for run in self.runs for item in run.expected}
        return sum(not all(run.knows(item) for run in self.runs) for item in asked.values())

    @property
    def trials_differ(self) -> bool:
        """Whether the runs differ in their number of trials, or one of them has different numbers."""
        return len({count for run in self.runs for count in run.trials}) > 1


def groups_on_same_items(runs: Sequence[RunScores]) -> tuple[RunGroup, ...]:
    """Return the runs in groups that were asked the same items in the same way, the largest set of items first.

    Text-only models and models that see pictures are apart: they were asked different items. Incomplete runs take
    no part in rankings.
    """
    groups = [
        RunGroup(tuple(group), group[0].expected, scope_of(group[0]), np.array([run.complete for run in group]))
        for alike in comparable(runs)
        for group in _on_same_content(alike)
        if group[0].expected
    ]
    return tuple(sorted(groups, key=lambda group: -len(group.items)))


def groups_on_common_items(runs: Sequence[RunScores]) -> tuple[RunGroup, ...]:
    """Return one group for each benchmark, protocol, condition and parser version, on its runs' common items.

    An item is common when every run has a score for the same content in every planned trial; a run that has no such
    item is left aside, and takes no part in rankings. Groups without a common item are left out.
    """
    groups = []
    for alike in comparable(runs):
        ranked = [any(item.id in run.finished for item in run.expected) for run in alike]
        sharing = [run for run, takes_part in zip(alike, ranked, strict=True) if takes_part]
        items = tuple(
            item
            for item in (sharing[0].expected if sharing else ())
            if all(run.knows(item) and item.id in run.finished for run in sharing)
        )
        if items:
            scope = f"the {len(items)} items that {_who(len(sharing))} scores for"
            groups.append(RunGroup(tuple(alike), items, scope, np.array(ranked)))
    return tuple(sorted(groups, key=lambda group: -len(group.items)))


def comparable(runs: Sequence[RunScores]) -> list[list[RunScores]]:
    """Return the runs in groups that may be compared.

    They sat one benchmark under one protocol and condition, and were read by one parser version. Free answers were
    judged by one judge; a run without a judge, whose free answers have no scores, stands with the first.
    """
    groups: defaultdict[tuple[object, ...], list[RunScores]] = defaultdict(list)
    for run in runs:
        record = run.record
        groups[(record.benchmark, record.protocol_hash, run.parser_version, *record.condition.items())].append(run)
    return [alike for group in groups.values() for alike in _by_judge(group)]


def _by_judge(runs: Sequence[RunScores]) -> list[list[RunScores]]:
    judges = [None if run.judging is None else instrument_of(run.judging) for run in runs]
    first = next((judge for judge in judges if judge is not None), None)
    groups: defaultdict[Instrument | None, list[RunScores]] = defaultdict(list)
    for run, judge in zip(runs, judges, strict=True):
        groups[first if judge is None else judge].append(run)
    return list(groups.values())


def scope_of(run: RunScores) -> str:
    """Return in words which items of its benchmark a run is about."""
    whole = len(run.benchmark.items)
    asked = len(run.expected)
    if asked == whole:
        return f"all {whole} items"
    if not run.sees_images and all(not item.wording().images for item in run.expected):
        return f"text only: {asked} of {whole} items"
    return f"{asked} of {whole} items"


def _on_same_content(runs: Sequence[RunScores]) -> list[list[RunScores]]:
    groups: defaultdict[tuple[str, ...], list[RunScores]] = defaultdict(list)
    for run in runs:
        groups[tuple(sorted(item.content_hash for item in run.expected))].append(run)
    return list(groups.values())


def _who(count: int) -> str:
    if count == 1:
        return "one run has"
    return "both runs have" if count == PAIR else f"all {count} runs have"
