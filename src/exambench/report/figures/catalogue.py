"""Which figures can be drawn of what there is, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from exambench.analysis.cost import RunCost
from exambench.analysis.diagnosis import Diagnosis
from exambench.analysis.item_analysis import ItemAnalysis
from exambench.analysis.meta_report import MetaReport
from exambench.analysis.other_scores import OtherScores
from exambench.benchmarks.published import KMetBench
from exambench.errors import ConfigError, Finding, UndefinedStatisticError, show
from exambench.items import Benchmark
from exambench.report.figures.figure import Figure
from exambench.report.figures.forest import forest, forest_data
from exambench.report.figures.gpu_hours import gpu_hours, gpu_hours_data
from exambench.report.figures.influence import influence, influence_data
from exambench.report.figures.items import items, items_data
from exambench.report.figures.judge import judge, judge_data
from exambench.report.figures.language import Language
from exambench.report.figures.names import FigureName
from exambench.report.figures.orthogonality import orthogonality, orthogonality_data
from exambench.report.figures.positions import positions, positions_data
from exambench.report.figures.published import (
    hours_in_text,
    leaderboard_scores,
    sizes_of_parts,
    table_of_swings,
)
from exambench.report.figures.radar import radar, radar_data
from exambench.report.figures.reasoning import reasoning, reasoning_data
from exambench.report.figures.scores import REASONING, AxisScores
from exambench.report.figures.size import size, size_data
from exambench.report.figures.slope import slope, slope_data
from exambench.report.figures.topics import topics, topics_data

T = TypeVar("T")
NO_STUDY: Final = "there is no study of people beside a judge; see: exambench meta sample"
NOT_PRINTED: Final = "the paper's tables hold no numbers of it"


@dataclass(frozen=True, eq=False)
class TableSource:
    """What is known of one set of runs that may be compared.

    Attributes:
        scores: Their scores on axes.
        diagnosis: Gaps, and what single items do to them.
        items: What their answers say about the items.
    """

    scores: AxisScores
    diagnosis: Diagnosis
    items: ItemAnalysis


@dataclass(frozen=True, eq=False)
class Sources:
    """What figures are drawn from.

    Attributes:
        tables: Sets of runs that may be compared, the largest first.
        costs: What runs took, those of one benchmark together.
        studies: The judge beside people.
        benchmarks: The examinations.
        reasons: Why something is missing, by the figure that lacks it.
    """

    tables: tuple[TableSource, ...] = ()
    costs: tuple[tuple[RunCost, ...], ...] = ()
    studies: tuple[MetaReport, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()
    reasons: Mapping[FigureName, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person asks of the figures.

    Attributes:
        language: Language of titles, axes and legends.
        metric: Axis that the size of models is drawn against; ``None`` for the one of all items.
        by: Facets of the topic tree, from the broadest down; none for those of an outline.
        others: Scores of models on other benchmarks.
    """

    language: Language = Language.EN
    metric: str | None = None
    by: tuple[str, ...] = ()
    others: OtherScores | None = None


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """A figure that there are no numbers for, or not of one of the sets.

    Attributes:
        name: The figure.
        reason: Why.
    """

    name: FigureName
    reason: str


Result: TypeAlias = tuple[str, Figure] | NotDrawn


def draw(sources: Sources, wanted: Sequence[FigureName], wishes: Wishes) -> Iterator[Result]:
    """Yield each figure with the stem of its files, or why it is not drawn.

    The stem is the figure's name; with figures of several sets of runs they are numbered.

    Raises:
        ConfigError: The items have no facet, or the models no axis, that was asked for.
    """
    for name in wanted:
        found = list(_figures_of(name, sources, wishes))
        if not found:
            yield NotDrawn(name, sources.reasons.get(name, "there are no scores"))
        figures = [figure for figure in found if isinstance(figure, Figure)]
        numbered = len(figures) > 1
        yield from (
            (f"{name}-{number}" if numbered else name.value, figure) for number, figure in enumerate(figures, start=1)
        )
        yield from dict.fromkeys(each for each in found if isinstance(each, NotDrawn))


def draw_published(data: KMetBench, wanted: Sequence[FigureName], wishes: Wishes) -> Iterator[Result]:
    """Yield the figures that the tables of a paper have numbers for, and name the others.

    Raises:
        ConfigError: The models have no axis that was asked for.
    """
    scores, language = leaderboard_scores(data), wishes.language
    drawn: Mapping[FigureName, Callable[[], Figure]] = {
        **_of_scores(scores, wishes),
        FigureName.INFLUENCE: lambda: influence(table_of_swings(data), language),
        FigureName.GPU_HOURS: lambda: gpu_hours(hours_in_text(data), language),
        FigureName.TOPICS: lambda: topics(sizes_of_parts(data), language),
    }
    for name in wanted:
        if name not in drawn:
            yield NotDrawn(name, NOT_PRINTED)
            continue
        for found in _each(name, [drawn[name]], lambda drawing: drawing()):
            yield (name.value, found) if isinstance(found, Figure) else found


def _figures_of(name: FigureName, sources: Sources, wishes: Wishes) -> Iterator[Figure | NotDrawn]:
    language = wishes.language
    match name:
        case FigureName.ITEMS:
            yield from _each(name, sources.tables, lambda table: items(items_data(table.items), language))
        case FigureName.POSITIONS:
            yield from _each(name, sources.tables, lambda table: positions(positions_data(table.items), language))
        case FigureName.INFLUENCE:
            yield from _each(name, sources.tables, lambda table: influence(influence_data(table.diagnosis), language))
        case FigureName.REASONING:
            yield from _each(name, sources.tables, lambda table: _reasoning(table, language))
        case FigureName.SLOPE:
            yield from _each(name, sources.studies, lambda study: slope(slope_data(study), language))
        case FigureName.JUDGE:
            yield from _each(name, sources.studies, lambda study: judge(judge_data(study), language))
        case FigureName.GPU_HOURS:
            yield from _each(name, sources.costs, lambda costs: gpu_hours(gpu_hours_data(costs), language))
        case FigureName.TOPICS:
            yield from _each(name, sources.benchmarks, lambda exam: topics(topics_data(exam, wishes.by), language))
        case _:
            yield from _each(name, sources.tables, lambda table: _of_scores(table.scores, wishes)[name]())


def _reasoning(table: TableSource, language: Language) -> Figure:
    absent = table.diagnosis.reasoning
    if REASONING not in table.scores.axes and absent is not None and absent.absent:
        why = "; ".join(dict.fromkeys(gap.reason for gap in absent.absent))
        raise UndefinedStatisticError(f"no model has judged reasoning beside its accuracy ({why})")
    return reasoning(reasoning_data(table.scores), language)


def _of_scores(scores: AxisScores, wishes: Wishes) -> Mapping[FigureName, Callable[[], Figure]]:
    """Return how to draw the figures of scores on axes."""
    language = wishes.language
    return {
        FigureName.RADAR: lambda: radar(radar_data(scores), language),
        FigureName.FOREST: lambda: forest(forest_data(scores), language),
        FigureName.SIZE: lambda: size(size_data(scores, _axis(scores, wishes.metric)), language),
        FigureName.REASONING: lambda: reasoning(reasoning_data(scores), language),
        FigureName.ORTHOGONALITY: lambda: orthogonality(orthogonality_data(scores, wishes.others), language),
    }


def _each(name: FigureName, sources: Sequence[T], drawing: Callable[[T], Figure]) -> Iterator[Figure | NotDrawn]:
    for source in sources:
        try:
            yield drawing(source)
        except UndefinedStatisticError as error:
            yield NotDrawn(name, str(error))


def _axis(scores: AxisScores, metric: str | None) -> int:
    if metric is None:
        return 0
    if metric not in scores.axes:
        raise ConfigError(
            Finding(
                problem="there is no such axis, or no item on it",
                field="--metric",
                value=show(metric),
                allowed=", ".join(scores.axes),
                remedy="Name one of these",
            )
        )
    return scores.axes.index(metric)
