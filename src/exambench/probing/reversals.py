"""Items that one model solves and another misses: drawn by lot, the same number from each value of a facet."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError, Finding, show
from exambench.items import Item, facet_text
from exambench.protocols import condition_text

EVERYTHING: Final = "all"
NO_VALUE: Final = "–"


@dataclass(frozen=True, slots=True)
class Reversal:
    """An item that one of two models solves in every trial, and the other in none.

    Attributes:
        item_id: The item.
        group: Its value of the facet.
        solver: Which of the two solves it, 0 for A and 1 for B.
    """

    item_id: str
    group: str
    solver: int


@dataclass(frozen=True)
class ReversalSample:
    """What was drawn.

    Attributes:
        facet: The facet; ``None`` for one group.
        per_group: How many were wanted of each group.
        seed: Seed of the lot.
        candidates: How many reversals there are, by solver and group.
        drawn: Those that were drawn, in the order of the items.
    """

    facet: str | None
    per_group: int
    seed: int
    candidates: Mapping[tuple[int, str], int]
    drawn: tuple[Reversal, ...]

    def as_json(self) -> dict[str, object]:
        """Return the sample as JSON values for the store."""
        return {
            "facet": self.facet,
            "per_group": self.per_group,
            "seed": self.seed,
            "candidates": [[solver, group, count] for (solver, group), count in self.candidates.items()],
            "drawn": [[each.item_id, each.group, each.solver] for each in self.drawn],
        }


def sample_reversals(
    a: RunScores, b: RunScores, *, solvers: Sequence[int], facet: str | None, per_group: int, seed: int
) -> ReversalSample:
    """Draw items that one of two runs solves and the other misses.

    Args:
        a: Run A.
        b: Run B, of the same benchmark and dataset.
        solvers: Which run is to be the one that solves: 0 for A, 1 for B, or both.
        facet: The facet whose values are sampled alike; ``None`` for all items together.
        per_group: How many to draw from each value; all where there are fewer.
        seed: Seed of the lot.

    Raises:
        ConfigError: The runs are not about the same items shown alike, no item has the facet, or there is no reversal.
    """
    _check(a, b, facet)
    groups: dict[tuple[int, str], list[Reversal]] = {}
    for solver in solvers:
        solved, missed = (a, b) if solver == 0 else (b, a)
        for item in a.benchmark.items:
            ids = item.id in solved.finished and item.id in missed.finished
            if ids and solved.scores[item.id] == 1.0 and missed.scores[item.id] == 0.0:
                group = _group(item, facet)
                groups.setdefault((solver, group), []).append(Reversal(item.id, group, solver))
    if not groups:
        raise ConfigError(
            Finding(
                problem=f"there is no item that {a.record.model_name} solves and {b.record.model_name} misses",
                remedy="Name the runs the other way round, or draw both ways with --both",
            )
        )
    drawn: list[Reversal] = []
    ordered = dict(sorted(groups.items(), key=lambda pair: (pair[0][0], *natural(pair[0][1]))))
    for (solver, group), found in ordered.items():
        rng = random.Random(f"{seed}\n{solver}\n{group}")  # noqa: S311 - a sample of items
        drawn += rng.sample(found, min(per_group, len(found)))
    order = {item.id: place for place, item in enumerate(a.benchmark.items)}
    return ReversalSample(
        facet=facet,
        per_group=per_group,
        seed=seed,
        candidates={place: len(found) for place, found in ordered.items()},
        drawn=tuple(sorted(drawn, key=lambda each: (each.solver, order[each.item_id]))),
    )


def natural(group: str) -> tuple[bool, int, str]:
    """Return what values of a facet are sorted by: numbers first, and these by size."""
    return not group.isdecimal(), int(group) if group.isdecimal() else 0, group


def _check(a: RunScores, b: RunScores, facet: str | None) -> None:
    first, second = a.record, b.record
    if first.run_id == second.run_id or (first.benchmark, first.dataset_hash) != (
        second.benchmark,
        second.dataset_hash,
    ):
        raise ConfigError(
            Finding(
                problem="the two runs are one" if first.run_id == second.run_id else "the runs are on different data",
                value=show(f"{first.run_id} ({first.benchmark}), {second.run_id} ({second.benchmark})"),
                allowed="two runs of one benchmark on the same data",
                remedy="Name others",
            )
        )
    if dict(first.condition) != dict(second.condition):
        raise ConfigError(
            Finding(
                problem="the two runs showed the items in different ways",
                value=f"{condition_text(first.condition)}; {condition_text(second.condition)}",
                allowed="two runs under one condition",
                remedy="Name others",
            )
        )
    known = sorted({name for item in a.benchmark.items for name in item.facets})
    if facet is not None and facet not in known:
        raise ConfigError(
            Finding(
                problem="no item has this facet",
                field="--facet",
                value=show(facet),
                allowed=", ".join(known) or "none",
                remedy="Name one of these",
            )
        )


def _group(item: Item, facet: str | None) -> str:
    if facet is None:
        return EVERYTHING
    value = item.facets.get(facet)
    return NO_VALUE if value is None else facet_text(value)
