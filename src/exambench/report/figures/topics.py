"""Topic tree: how many items stand under each topic, and under the topics within it.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figures 29 to 31.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import altair as alt

from exambench.errors import ConfigError, Finding, UndefinedStatisticError, show
from exambench.items import Benchmark, facet_text
from exambench.report.figures.figure import Chart, Figure, Row
from exambench.report.figures.labels import label
from exambench.report.figures.language import Language, Phrase, titled, verbatim
from exambench.report.figures.names import FigureName
from exambench.report.figures.placement import text_width
from exambench.report.figures.style import LIGHT

NAME: Final = FigureName.TOPICS
OUTLINE: Final = ("discipline", "subject_macro", "category", "part", "topic", "subtopic")
"""Facets that make an outline, from the broadest down; those that the items have make the tree."""
WIDTH: Final = 300
ROW_HEIGHT: Final = 18
INDENT: Final = 16
MOST_ROWS: Final = 90
DEPTHS: Final = len(LIGHT.steps)
SEPARATOR: Final = " › "

TITLE: Final = Phrase("Items by topic", "주제별 문항 수")
COUNT: Final = Phrase("Items", "문항 수")
SUBTITLE: Final = Phrase("{title}: {count:,} items, by {facets}.", "{title}: {count:,}문항, {facets} 기준.")
REST: Final = Phrase("{count} more", "그 밖 {count}개")
NO_TOPIC: Final = Phrase("(none)", "(없음)")
FOLDED: Final = Phrase("The smallest topics are put together.", "작은 주제는 하나로 묶음.")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with the items under it.

    Attributes:
        path: Names from the broadest topic down to it; ``None`` for items without a value there.
        count: Number of items, those of the topics within it included.
        folded: How many topics it stands for; 1 but for the rest of a cut tree.
    """

    path: tuple[str | None, ...]
    count: int
    folded: int = 1


@dataclass(frozen=True, eq=False)
class TopicsData:
    """What the tree shows.

    Attributes:
        title: Title of the benchmark.
        facets: The facets, from the broadest down.
        topics: Depth first; within a topic in the order of an outline, those without a value last.
        count: Number of all items.
        titles: What to call values that the benchmark has titles for, by facet and value.
    """

    title: str
    facets: tuple[str, ...]
    topics: tuple[Topic, ...]
    count: int
    titles: Mapping[tuple[str, str], Phrase] = field(default_factory=lambda: MappingProxyType({}))


def topics_data(benchmark: Benchmark, facets: Sequence[str] = ()) -> TopicsData:
    """Return how many items stand under each topic.

    Args:
        benchmark: The items.
        facets: Facets from the broadest down; by default those of :data:`OUTLINE` that the items have.

    Raises:
        ConfigError: No item has such a facet.
        UndefinedStatisticError: The items have no facet of an outline.
    """
    known = {name for item in benchmark.items for name in item.facets}
    for facet in facets:
        if facet not in known:
            raise ConfigError(
                Finding(
                    problem="the items have no such facet",
                    field="--by",
                    value=show(facet),
                    allowed=", ".join(sorted(known)) or "none",
                    remedy="Name one of these",
                )
            )
    chosen = tuple(facets) or tuple(facet for facet in OUTLINE if facet in known)
    if not chosen:
        raise UndefinedStatisticError(f"the items have none of the facets {', '.join(OUTLINE)}; name some with --by")
    counts: Counter[tuple[str | None, ...]] = Counter()
    for item in benchmark.items:
        path = tuple(facet_text(item.facets[name]) if name in item.facets else None for name in chosen)
        counts.update(path[:depth] for depth in range(1, len(path) + 1) if path[depth - 1] is not None or depth == 1)
    paths = sorted(counts, key=lambda path: [_natural(name) for name in path])
    found = tuple(Topic(path, counts[path]) for path in paths)
    return TopicsData(benchmark.title, chosen, found, len(benchmark.items), _titles(benchmark))


def _titles(benchmark: Benchmark) -> Mapping[tuple[str, str], Phrase]:
    """Return the titles of the axes that are about one value of one facet."""
    return {
        (facet, facet_text(values[0])): titled(axis.name, axis.titles)
        for axis in benchmark.axes
        if len(axis.where) == 1
        for facet, values in axis.where.items()
        if len(values) == 1 and not isinstance(values[0], bool)
    }


def _natural(name: str | None) -> tuple[bool, bool, int, str]:
    is_number = name is not None and name.isascii() and name.isdigit()
    return name is None, not is_number, int(name) if name is not None and is_number else 0, name or ""


def cut_tree(topics: Sequence[Topic], most: int = MOST_ROWS) -> list[Topic]:
    """Return topics of which so many are kept at most: the largest; the others of one parent become one row."""
    if len(topics) <= most:
        return list(topics)
    largest = sorted(range(len(topics)), key=lambda at: (len(topics[at].path), -topics[at].count, at))
    kept_paths = {topics[at].path for at in largest[: most // 2]}
    kept: list[Topic] = []
    rest: dict[tuple[str | None, ...], Topic] = {}
    for topic in topics:
        parent = topic.path[:-1]
        if topic.path in kept_paths:
            kept.append(topic)
        elif not parent or parent in kept_paths:
            before = rest.get(parent)
            rest[parent] = Topic(
                (*parent, ""), topic.count + (before.count if before else 0), 1 + (before.folded if before else 0)
            )
    for parent, folded in rest.items():
        place = max((at for at, topic in enumerate(kept) if topic.path[: len(parent)] == parent), default=-1)
        kept.insert(place + 1, folded)
    return kept


def topics(data: TopicsData, language: Language = Language.EN) -> Figure:
    """Draw the tree: a row for each topic, indented under the one that holds it, with a bar of its items [1]."""
    shown = cut_tree(data.topics)
    rows = [_row(at, topic, data, language) for at, topic in enumerate(shown)]
    facets = SEPARATOR.join(data.facets)
    folded = [FOLDED.text(language)] if any(topic.folded > 1 for topic in shown) else []
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(SUBTITLE.text(language, title=label(data.title, 100), count=data.count, facets=facets), *folded),
        chart=_chart(rows, language),
        datasets={"topics": rows},
        records=list(_records(data)),
    )


def _records(data: TopicsData) -> Iterator[dict[str, object]]:
    for topic in data.topics:
        path = dict(zip(data.facets, (*topic.path, *(len(data.facets) - len(topic.path)) * (None,)), strict=True))
        yield {
            "benchmark": data.title,
            "depth": len(topic.path),
            **path,
            "items": topic.count,
            "share": topic.count / data.count,
        }


def _row(at: int, topic: Topic, data: TopicsData, language: Language) -> Row:
    depth = len(topic.path) - 1
    name = topic.path[-1]
    if topic.folded > 1 or name == "":
        shown = REST.text(language, count=topic.folded)
    else:
        shown = NO_TOPIC.text(language) if name is None else label(_called(data, depth, name).text(language), 52)
    return {
        "row": at,
        "name": shown,
        "depth": min(depth, DEPTHS - 1),
        "indent": depth * INDENT,
        "count": topic.count,
        "text": f"{topic.count:,} ({topic.count / data.count:.1%})",
    }


def _called(data: TopicsData, depth: int, name: str) -> Phrase:
    return data.titles.get((data.facets[depth], name), verbatim(name))


def _chart(rows: Sequence[Row], language: Language) -> Chart:
    room = max(float(str(row["indent"])) + text_width(str(row["name"])) for row in rows) + 10
    base = alt.Chart(alt.NamedData("topics"))
    y = alt.Y("row:O", axis=None)
    most = max(float(str(row["count"])) for row in rows)
    x = alt.X(
        "count:Q",
        title=COUNT.text(language),
        scale=alt.Scale(domain=[0, most], nice=False),
        axis=alt.Axis(format="d", tickCount=5),
    )
    names = base.mark_text(align="left", dx=alt.expr(f"datum.indent - {room:.0f}")).encode(
        x=alt.XDatum(0, type="quantitative"), y=y, text="name:N"
    )
    bars = base.mark_bar(height=10).encode(
        x=x,
        y=y,
        color=alt.Color("depth:O", scale=alt.Scale(domain=list(range(DEPTHS))), legend=None),
        tooltip=["name:N", "count:Q"],
    )
    counts = base.mark_text(align="left", dx=4, fontSize=10, style="muted").encode(x=x, y=y, text="text:N")
    return alt.layer(bars, names, counts).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT))
