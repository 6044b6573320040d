"""Radar: a few models over all axes at once.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figure 2.
"""

from __future__ import annotations

import math
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
from exambench.report.figures.scores import AxisScores
from exambench.report.figures.style import DASHES, SERIES, SHAPES

NAME: Final = FigureName.RADAR
SIDE: Final = 430
"""Width and height in pixels."""
FEWEST_AXES: Final = 3
RINGS: Final = (25, 50, 75, 100)
LABEL_RADIUS: Final = 1.09
SIDEWAYS: Final = 0.15
"""Beyond this share of the radius to a side, a label is set towards that side."""

TITLE: Final = Phrase("Scores on each axis", "축별 점수")
PERCENT: Final = Phrase("Rings: 25, 50, 75 and 100 percent.", "동심원: 25, 50, 75, 100%.")
MISSING: Final = Phrase("A line is open where a model has no score on an axis.", "점수가 없는 축에서는 선이 끊긴다.")
OTHERS: Final = Phrase("Not shown: {count} more models.", "나머지 {count}개 모델은 표시하지 않음.")


@dataclass(frozen=True, eq=False)
class RadarData:
    """What a radar shows.

    Attributes:
        scores: Scores of models on axes.
        models: Rows of the models to draw, in order of their series; at most :data:`~.style.SERIES`.
    """

    scores: AxisScores
    models: tuple[int, ...]


def radar_data(scores: AxisScores, models: Sequence[int] | None = None) -> RadarData:
    """Return what a radar shows: the models that are asked for, or else the best; no more than can be told apart.

    Raises:
        UndefinedStatisticError: There are too few axes, or no model has a score.
    """
    if len(scores.axes) < FEWEST_AXES:
        raise UndefinedStatisticError(f"a radar needs {FEWEST_AXES} axes; found {len(scores.axes)}")
    wanted = scores.best_first if models is None else models
    chosen = [model for model in wanted if not np.isnan(scores.estimate[model]).all()][:SERIES]
    if not chosen:
        raise UndefinedStatisticError("no model has a score")
    return RadarData(scores, tuple(chosen))


def radar(data: RadarData, language: Language = Language.EN) -> Figure:
    """Draw models over axes, from the centre (0 percent) to the rim (100 percent) [1]."""
    scores = data.scores
    names = labels_of([scores.models[model] for model in data.models])
    points = [
        row for name, model in zip(names, data.models, strict=True) for row in _points(scores, model, name, language)
    ]
    left_out = len(scores.models) - len(data.models)
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(
            label(scores.source, 400),
            PERCENT.text(language),
            *(note.text(language) for note in scores.notes),
            *([MISSING.text(language)] if any(row["value"] is None for row in points) else []),
            *([OTHERS.text(language, count=left_out)] if left_out else []),
        ),
        chart=_chart(names),
        datasets={
            "rings": list(_rings(len(scores.axes))),
            "spokes": list(_spokes(data, language)),
            "points": [row for row in points if row["value"] is not None],
            "lines": [
                row
                for name, dash in zip(names, DASHES, strict=False)
                for row in _lines([row for row in points if row["model"] == name], dash)
            ],
        },
        records=[scores.record(model, axis) for model in data.models for axis in range(len(scores.axes))],
    )


def _place(axis: int, count: int, radius: float) -> dict[str, float]:
    """Return where a radius of an axis ends; the first axis points up, the others follow clockwise."""
    angle = 2 * math.pi * axis / count
    return {"x": round(radius * math.sin(angle), 6), "y": round(radius * math.cos(angle), 6)}


def _rings(count: int) -> Iterator[Row]:
    for ring in RINGS:
        for step in range(count + 1):
            yield {"ring": ring, "step": step, **_place(step % count, count, ring / 100)}


def _spokes(data: RadarData, language: Language) -> Iterator[Row]:
    """Return the axes, each with its name and, in a second line, how many items its scores are of."""
    count = len(data.scores.axes)
    for axis, title in enumerate(data.scores.titles):
        rim, place = _place(axis, count, 1.0), _place(axis, count, LABEL_RADIUS)
        align = "center" if abs(rim["x"]) < SIDEWAYS else "left" if rim["x"] > 0 else "right"
        baseline = "middle" if abs(rim["x"]) >= SIDEWAYS else "bottom" if rim["y"] > 0 else "top"
        name = [line for line in (label(title.text(language)), data.scores.counted(data.models, axis)) if line]
        yield {"axis": name, "align": align, "baseline": baseline, **rim, "label_x": place["x"], "label_y": place["y"]}


def _points(scores: AxisScores, model: int, name: str, language: Language) -> Iterator[Row]:
    count = len(scores.axes)
    for axis, title in enumerate(scores.titles):
        value = percent(float(scores.estimate[model, axis]))
        row: Row = {
            "model": name,
            "axis": label(title.text(language)),
            "value": value,
            "step": axis,
            "n": int(scores.n[model, axis]) or None,
        }
        yield row if value is None else {**row, **_place(axis, count, value / 100)}


def _lines(points: Sequence[Row], dash: tuple[int, ...]) -> Iterator[Row]:
    """Return the outline of one model: closed, or in pieces between the axes on which it has no score."""
    missing = [at for at, row in enumerate(points) if row["value"] is None]
    first = missing[0] if missing else 0
    around = [*points[first:], *points[:first], points[first]]
    piece = 0
    for step, row in enumerate(around):
        if row["value"] is None:
            piece += 1
        else:
            yield {
                "model": row["model"],
                "dash": list(dash),
                "piece": piece,
                "step": step,
                "x": row["x"],
                "y": row["y"],
            }


def _chart(names: Sequence[str]) -> Chart:
    extent = alt.Scale(domain=[-1, 1], nice=False, zero=False)
    x, y = alt.X("x:Q", axis=None, scale=extent), alt.Y("y:Q", axis=None, scale=extent)
    rings = (
        alt.Chart(alt.NamedData("rings"))
        .mark_line(style="grid", strokeWidth=1)
        .encode(x=x, y=y, detail="ring:O", order="step:Q")
    )
    spokes = (
        alt.Chart(alt.NamedData("spokes"))
        .mark_rule(style="grid", strokeWidth=1)
        .encode(x=x, y=y, x2=alt.datum(0), y2=alt.datum(0))
    )
    axes = (
        alt.Chart(alt.NamedData("spokes"))
        .mark_text(align=alt.expr("datum.align"), baseline=alt.expr("datum.baseline"), fontSize=12)
        .encode(
            x=alt.X("label_x:Q", axis=None, scale=extent), y=alt.Y("label_y:Q", axis=None, scale=extent), text="axis:N"
        )
    )
    chosen = alt.selection_point(name="chosen", fields=["model"], bind="legend")
    faded = alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.12))
    color = alt.Color("model:N", sort=None, scale=alt.Scale(domain=list(names)), title=None)
    lines = (
        alt.Chart(alt.NamedData("lines"))
        .mark_line(strokeWidth=2, strokeDash=alt.expr("datum.dash"))
        .encode(
            x=x,
            y=y,
            color=color,
            detail="piece:O",
            order="step:Q",
            opacity=faded,
        )
    )
    points = (
        alt.Chart(alt.NamedData("points"))
        .mark_point(filled=True, size=55)
        .encode(
            x=x,
            y=y,
            color=color,
            shape=alt.Shape("model:N", sort=None, scale=alt.Scale(domain=list(names), range=list(SHAPES)), title=None),
            opacity=faded,
            tooltip=["model:N", "axis:N", alt.Tooltip("value:Q", format=".1f"), "n:Q"],
        )
        .add_params(chosen)
    )
    return alt.layer(rings, spokes, axes, lines, points).properties(width=SIDE, height=SIDE)
