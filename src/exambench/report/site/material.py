"""What a site is made of: results of analysis, gathered from a store once for all pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from exambench.analysis.cost import RunCost, costs
from exambench.analysis.diagnosis import Diagnosis, diagnose
from exambench.analysis.judged_reasoning import load_reasoning_gap
from exambench.analysis.leaderboard import Ranking, ranking_on_common_items, rankings, with_reasoning
from exambench.analysis.pair_differences import PairDifferences, pair_differences
from exambench.analysis.run_groups import groups_on_common_items
from exambench.analysis.scores import RunScores
from exambench.benchmarks.published import KMetBench, ScholarBench
from exambench.errors import UndefinedStatisticError
from exambench.items import digest, short
from exambench.report.site.item_material import ItemSet
from exambench.stats.resampling import Bootstrap
from exambench.store import RunRecord, Store

REASONING: Final = "reasoning"


@dataclass(frozen=True, eq=False)
class Board:
    """A ranking with everything that pages say of it.

    Attributes:
        ranking: The runs in their order.
        diagnosis: Axes, ranks and gaps of the same runs.
        pairs: Differences of the runs that have a score for every item; ``None`` with fewer than two of them.
        on_common_items: Whether it is about the items that all of its runs have scores for.
        current: Content hash of the dataset that was registered last for this benchmark.
    """

    ranking: Ranking
    diagnosis: Diagnosis
    pairs: PairDifferences | None
    on_common_items: bool
    current: str

    @cached_property
    def key(self) -> str:
        """What addresses call it: a digest of the runs and the items."""
        group = self.ranking.group
        return short(digest([sorted(run.run_id for run in group.runs), [item.content_hash for item in group.items]]))

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """Run → its row in the score table."""
        return {run.run_id: number for number, run in enumerate(self.ranking.group.runs)}


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that the pages of a site say.

    Attributes:
        boards: The rankings, the largest set of items first.
        costs: Run → what it took.
        published: The figures of papers; empty when they are not wanted.
        item_sets: Items that have pages; empty when they are not wanted.
    """

    boards: tuple[Board, ...]
    costs: Mapping[str, RunCost] = field(default_factory=dict)
    published: tuple[KMetBench | ScholarBench, ...] = ()
    item_sets: tuple[ItemSet, ...] = ()

    @property
    def title(self) -> str:
        """What the site is about: the benchmarks of its rankings."""
        titles = dict.fromkeys(board.ranking.group.runs[0].benchmark.title for board in self.boards)
        return " · ".join(titles) or "exambench"


def gather_boards(store: Store, runs: Sequence[RunScores], bootstrap: Bootstrap) -> tuple[Board, ...]:
    """Return the rankings of runs that have scores, apart and, where that is another ranking, on common items.

    Raises:
        StoreError: The store cannot be read.
    """
    scored = [run for run in runs if run.scores]
    if not scored:
        return ()
    current = current_datasets(store.records())
    apart = with_reasoning(store, rankings(scored, bootstrap))
    seen = {_about(ranking) for ranking in apart}
    together = [
        ranking for ranking in with_reasoning(store, _on_common_items(scored, bootstrap)) if _about(ranking) not in seen
    ]
    found = [*((ranking, False) for ranking in apart), *((ranking, True) for ranking in together)]
    return tuple(_board(store, ranking, current, on_common_items=common) for ranking, common in found)


def _on_common_items(runs: Sequence[RunScores], bootstrap: Bootstrap) -> tuple[Ranking, ...]:
    """Return rankings of the complete runs: a sample of ten items would leave all the others on these ten."""
    complete = [run for run in runs if run.complete]
    return ranking_on_common_items(complete, bootstrap) if groups_on_common_items(complete) else ()


def gather_costs(store: Store, runs: Iterable[RunScores]) -> dict[str, RunCost]:
    """Return what each run took.

    Raises:
        StoreError: The store cannot be read.
    """
    return {cost.run_id: cost for cost in costs(store, [run.run_id for run in runs])}


def current_datasets(records: Iterable[RunRecord]) -> dict[str, str]:
    """Return for each benchmark the dataset of the run that was registered last, which stands last."""
    return {record.benchmark: record.dataset_hash for record in records}


def board_of(ranking: Ranking, diagnosis: Diagnosis, current: str, *, on_common_items: bool = False) -> Board:
    """Return a ranking with what its own scores say."""
    return Board(ranking, diagnosis, _pairs(ranking), on_common_items, current)


def _board(store: Store, ranking: Ranking, current: Mapping[str, str], *, on_common_items: bool) -> Board:
    gap = load_reasoning_gap(store, ranking.group, ranking.table)
    diagnosis = diagnose(ranking.table, ranking.bootstrap, reasoning=gap)
    record = ranking.group.runs[0].record
    return board_of(ranking, diagnosis, current[record.benchmark], on_common_items=on_common_items)


def _pairs(ranking: Ranking) -> PairDifferences | None:
    try:
        return pair_differences(ranking.table, ranking.bootstrap)
    except UndefinedStatisticError:
        return None


def _about(ranking: Ranking) -> tuple[frozenset[str], frozenset[str]]:
    group = ranking.group
    return frozenset(run.run_id for run in group.runs), frozenset(item.content_hash for item in group.items)
