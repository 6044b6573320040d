"""Forest: every score on every axis with its interval, and beside it the rank with its own.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1, Figure 32: models evenly spaced by score, per subset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np

from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row, percent
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.scores import AxisScores, with_count
from exambench.report.formatting import rank_text
from exambench.report.grids import NOTHING

NAME: Final = FigureName.FOREST
MOST_MODELS: Final = 12
COLUMNS: Final = 3
PANEL_WIDTH: Final = 190
HEAD_CELLS: Final = 28
"""Width of an axis above its panel, so that with its n it ends before the next one."""
ROW_HEIGHT: Final = 17
RANK_PLACE: Final = 104
"""Where ranks stand, in percent of the scale: beyond its end."""

TITLE: Final = Phrase("Scores with intervals, and ranks", "점수와 신뢰구간, 순위")
TITLE_WITHOUT_RANKS: Final = Phrase("Scores with intervals", "점수와 신뢰구간")
AXIS: Final = Phrase("Score (%)", "점수(%)")
RANKS: Final = Phrase(
    "Right: rank and its interval on items that all ranked models share; ties share the mean.",
    "오른쪽: 순위를 매긴 모델이 모두 답한 문항에서의 순위와 구간. 동점은 평균 순위.",
)
SPACED: Final = Phrase(
    "{shown} of {count} models, evenly spaced in this order.",
    "전체 {count}개 모델 가운데 성적순으로 고르게 뽑은 {shown}개.",
)
BEST_FIRST: Final = Phrase("The best on all items first.", "전체 문항 성적순.")


@dataclass(frozen=True, eq=False)
class ForestData:
    """What a forest shows.

    Attributes:
        scores: Scores of models on axes.
        models: Rows of the models to draw, in order.
    """

    scores: AxisScores
    models: tuple[int, ...]


def forest_data(scores: AxisScores, most: int = MOST_MODELS) -> ForestData:
    """Return what a forest shows: all models with a score, or as many as fit, evenly spaced from best to last [1].

    Raises:
        UndefinedStatisticError: No model has a score.
    """
    scored = [model for model in scores.best_first if not np.isnan(scores.estimate[model]).all()]
    if not scored:
        raise UndefinedStatisticError("no model has a score")
    places = np.linspace(0, len(scored) - 1, min(most, len(scored))).round().astype(int)
    return ForestData(scores, tuple(scored[place] for place in places))


def forest(data: ForestData, language: Language = Language.EN) -> Figure:
    """Draw a panel for each axis, in which models stand in one order: by rank on all items."""
    scores = data.scores
    names = labels_of([scores.models[model] for model in data.models])
    axes = _heads(data, language)
    rows = [row for name, model in zip(names, data.models, strict=True) for row in _rows(scores, model, name, axes)]
    return Figure(
        name=NAME,
        title=(TITLE_WITHOUT_RANKS if np.isnan(scores.rank).all() else TITLE).text(language),
        subtitle=(label(scores.source, 400), *_notes(data, language)),
        chart=_chart(names, axes, language),
        datasets={"scores": rows},
        records=[scores.record(model, axis) for model in data.models for axis in range(len(axes))],
    )


def _heads(data: ForestData, language: Language) -> list[str]:
    """Return what stands above each panel: the axis, and how many items its scores are of."""
    titles = labels_of([title.text(language) for title in data.scores.titles], HEAD_CELLS)
    return [with_count(title, data.scores, data.models, axis) for axis, title in enumerate(titles)]


def _notes(data: ForestData, language: Language) -> Iterator[str]:
    scores = data.scores
    yield f"{BEST_FIRST.text(language)} {scores.intervals.text(language)}"
    if not np.isnan(scores.rank).all():
        yield RANKS.text(language)
    yield from (note.text(language) for note in scores.notes)
    if len(data.models) < len(scores.models):
        yield SPACED.text(language, shown=len(data.models), count=len(scores.models))


def _rows(scores: AxisScores, model: int, name: str, axes: Sequence[str]) -> Iterator[Row]:
    for axis, title in enumerate(axes):
        place = (model, axis)
        yield {
            "model": name,
            "axis": title,
            "score": percent(scores.estimate[place]),
            "low": percent(scores.low[place]),
            "high": percent(scores.high[place]),
            "n": int(scores.n[place]) or None,
            "rank": _rank(scores, place),
        }


def _rank(scores: AxisScores, place: tuple[int, int]) -> str:
    if np.isnan(scores.estimate[place]):
        return NOTHING
    if np.isnan(scores.rank[place]):
        return ""
    found = rank_text(float(scores.rank[place]))
    if np.isnan(scores.rank_low[place]):
        return found
    return f"{found} ({rank_text(float(scores.rank_low[place]))}–{rank_text(float(scores.rank_high[place]))})"


def _chart(names: Sequence[str], axes: Sequence[str], language: Language) -> Chart:
    y = alt.Y("model:N", sort=list(names), title=None, axis=alt.Axis(grid=True, ticks=False, domain=False))
    scale = alt.Scale(domain=[0, 100], nice=False)
    base = alt.Chart().encode(y=y)
    score = alt.X("score:Q", scale=scale, title=AXIS.text(language))
    intervals = base.mark_rule(style="interval").encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    points = base.mark_point(filled=True, size=38, opacity=1).encode(
        x=score,
        tooltip=[
            "model:N",
            "axis:N",
            *(alt.Tooltip(f"{name}:Q", format=".1f") for name in ("score", "low", "high")),
            "n:Q",
            "rank:N",
        ],
    )
    ranks = base.mark_text(align="left", fontSize=10, style="muted").encode(
        x=alt.datum(RANK_PLACE, type="quantitative"), text="rank:N"
    )
    return (
        alt.layer(intervals, points, ranks, data=alt.NamedData("scores"))
        .properties(width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT))
        .facet(
            facet=alt.Facet("axis:N", sort=list(axes), title=None, header=alt.Header(labelAnchor="start")),
            columns=COLUMNS,
        )
        .properties(spacing={"column": 74, "row": 18})
    )
