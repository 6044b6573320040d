"""The leaderboard of K-MetBench's paper as pages of their own: marked as published, and in no ranking of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exambench.analysis.published.leaderboard import (
    ACCURACY_AXES,
    denominators,
    judged_items,
    normalised_reasoning,
    share,
)
from exambench.benchmarks import find_definition
from exambench.benchmarks.published import KMetBench
from exambench.benchmarks.published.rows import LeaderboardRow
from exambench.report.site.boards import REASONING_TITLES, Line, Metric, Score, Sheet
from exambench.report.site.material import REASONING
from exambench.stats.ranking import ranks

NAME: Final = "kmetbench"
FILE: Final = "leaderboard.csv"


def published_sheets(data: KMetBench) -> tuple[Sheet, ...]:
    """Return one page of the models that see pictures, and one of the others: they were asked different items."""
    groups = {
        key: [row for row in data.leaderboard if row.is_vision_model is sees]
        for key, sees in (("vision", True), ("text", False))
    }
    return tuple(_sheet(data, key, rows) for key, rows in groups.items() if rows)


def _sheet(data: KMetBench, key: str, rows: list[LeaderboardRow]) -> Sheet:
    source = next(source for source in data.sources if source.file == FILE)
    sizes = denominators(data, rows[0])
    axes = [axis for axis in ACCURACY_AXES if getattr(rows[0], f"{axis}_pct") is not None]
    named = _axes()
    whole = int(data.table03[-1].total)
    values = {"n": sizes["accuracy"], "whole": whole}
    lines = _lines(data, rows, axes)
    return Sheet(
        key=f"published-{NAME}-{key}",
        name=find_definition(NAME).title,
        scope=("scope_all" if sizes["accuracy"] == whole else "scope_text", values),
        facts=(source.label, source.where, source.reference),
        condition={},
        published=True,
        metrics=(*(Metric(*named[axis]) for axis in axes), Metric(REASONING, REASONING_TITLES)),
        lines=tuple(sorted(lines, key=_order)),
        pass_mark=None,
        notes=(("note_published", {"title": source.title, "reference": source.reference}), ("note_published_rank", {})),
    )


def _lines(data: KMetBench, rows: list[LeaderboardRow], axes: list[str]) -> list[Line]:
    shares = [[share(data, row, axis) for axis in axes] for row in rows]
    places = ranks([[each.mean for each in column] for column in zip(*shares, strict=True)])
    return [
        Line(
            key="",
            name=row.display_model_name,
            traits=_traits(row),
            size=row.model_size_b,
            marks=(("mark_published", {}),),
            scores=(
                *(
                    Score(each.mean, None, None, each.n, rank=float(places[at, number]))
                    for at, each in enumerate(shares[number])
                ),
                Score(normalised_reasoning(row), None, None, judged_items(data, row)),
            ),
        )
        for number, row in enumerate(rows)
    ]


def _order(line: Line) -> tuple[float, str]:
    first = line.scores[0]
    return (0.0 if first is None else -first.estimate), line.name


def _traits(row: LeaderboardRow) -> tuple[str, ...]:
    held = {
        "korean": row.is_korean_model,
        "vision": row.is_vision_model,
        "thinking": row.is_reasoning_model,
        "proprietary": row.is_proprietary_model,
    }
    return tuple(name for name, holds in held.items() if holds)


def _axes() -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return what K-MetBench calls its axes, as name and titles, by the names of the published columns."""
    return {axis.name.replace("P", "part"): (axis.name, axis.titles) for axis in find_definition(NAME).axes}
