"""Reasoning beside accuracy: do models that answer rightly also reason well?

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figure 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np

from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import SIGNED, Chart, Figure, Row, coefficient, percent
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.points import HEIGHT, WIDTH, Span, labels_layer, span_of, with_labels
from exambench.report.figures.scores import REASONING, AxisScores, with_count
from exambench.stats.correlation import Correlation, RegressionLine, pearson, regression_line

NAME: Final = FigureName.REASONING
STEPS: Final = 41
FEW: Final = 14

TITLE: Final = Phrase("Judged reasoning beside accuracy", "정확도와 추론 점수")
ACCURACY: Final = Phrase("Accuracy on all items (%)", "전체 문항 정확도(%)")
REASONING_AXIS: Final = Phrase("Judged reasoning (0–100)", "추론 점수(0~100)")
GAP: Final = Phrase("Reasoning gap (points)", "추론 격차(%p)")
GAP_NOTE: Final = Phrase(
    "Colour: reasoning less accuracy; upward triangles where reasoning is ahead.",
    "색: 추론 − 정확도. 위쪽 삼각형은 추론이 앞선 모델.",
)
FIT: Final = Phrase(
    "Pearson r = {r} ({level:.0%} interval {low} to {high}), {n} models. "
    "Line: least squares with the {level:.0%} band of its mean.",
    "피어슨 r = {r}({level:.0%} 신뢰구간 {low}~{high}), 모델 {n}개. 선: 최소제곱 회귀선과 평균의 {level:.0%} 신뢰대.",
)
NO_FIT: Final = Phrase(
    "No line: it takes 4 models that differ in both scores; {count} have both.",
    "회귀선 없음: 두 점수가 서로 다른 모델이 4개는 있어야 함(두 점수가 모두 있는 모델 {count}개).",
)


@dataclass(frozen=True, eq=False)
class ReasoningData:
    """What the figure shows.

    Attributes:
        scores: Scores of models on axes, judged reasoning among them.
        models: Rows of the models that have both scores.
        correlation: Pearson's r of the two; ``None`` where it does not exist.
        line: The regression of reasoning on accuracy, both in [0, 1]; ``None`` likewise.
    """

    scores: AxisScores
    models: tuple[int, ...]
    correlation: Correlation | None
    line: RegressionLine | None

    @property
    def column(self) -> int:
        """The axis of judged reasoning."""
        return self.scores.axes.index(REASONING)


def reasoning_data(scores: AxisScores, level: float = 0.95) -> ReasoningData:
    """Return what the figure shows.

    Raises:
        UndefinedStatisticError: No model has both an accuracy and judged reasoning.
    """
    if REASONING not in scores.axes:
        raise UndefinedStatisticError("the reasoning of no model is judged; see: exambench judge")
    x, y = scores.estimate[:, 0], scores.estimate[:, scores.axes.index(REASONING)]
    both = tuple(int(model) for model in np.flatnonzero(~np.isnan(x + y)))
    if not both:
        raise UndefinedStatisticError("no model has both an accuracy and judged reasoning")
    try:
        found = pearson(x, y, level)
        line = regression_line(x, y, np.linspace(x[list(both)].min(), x[list(both)].max(), STEPS), level)
    except UndefinedStatisticError:
        return ReasoningData(scores, both, None, None)
    return ReasoningData(scores, both, found, line)


def reasoning(data: ReasoningData, language: Language = Language.EN) -> Figure:
    """Draw reasoning over accuracy, with the regression line and its band, coloured by the reasoning gap [1]."""
    scores, models = data.scores, data.models
    names = labels_of([scores.models[model] for model in models])
    rows = [_row(data, model, name) for model, name in zip(models, names, strict=True)]
    band = list(_band(data.line))
    x = span_of([float(str(row["accuracy"])) for row in rows], 0.0, 100.0, narrowest=10.0)
    y = span_of([float(str(row[each])) for row, each in _heights(rows, band)], 0.0, 100.0, narrowest=10.0)
    telling = _telling(data)
    texts = [name if model in telling else "" for model, name in zip(models, names, strict=True)]
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(label(scores.source, 400), *_notes(data, language)),
        chart=_chart(data, (x, y), max(abs(float(str(row["gap"]))) for row in rows), language),
        datasets={
            "models": with_labels(rows, ("accuracy", x), ("reasoning", y), texts, clear=_places(band)),
            "band": band,
        },
        records=list(_records(data)),
    )


def _heights(rows: list[Row], band: list[Row]) -> Iterator[tuple[Row, str]]:
    yield from ((row, "reasoning") for row in rows)
    yield from ((row, end) for row in band for end in ("low", "high"))


def _telling(data: ReasoningData) -> set[int]:
    """Return the models to name: all of few, or else those farthest from the line or ahead and behind most."""
    if len(data.models) <= FEW:
        return set(data.models)
    x, y = data.scores.estimate[:, 0], data.scores.estimate[:, data.column]
    line = data.line
    away = np.abs(y - (x if line is None else line.intercept + line.slope * x))
    return set(sorted(data.models, key=lambda model: -away[model])[:FEW])


def _row(data: ReasoningData, model: int, name: str) -> Row:
    accuracy, judged = (data.scores.estimate[model, axis] for axis in (0, data.column))
    return {
        "model": name,
        "accuracy": percent(accuracy),
        "reasoning": percent(judged),
        "gap": percent(judged - accuracy),
        "side": "ahead" if judged >= accuracy else "behind",
        "n": int(data.scores.n[model, data.column]) or None,
    }


def _band(line: RegressionLine | None) -> Iterator[Row]:
    if line is not None:
        for at, fitted, low, high in zip(line.at, line.fitted, line.low, line.high, strict=True):
            yield {"accuracy": percent(at), "fitted": percent(fitted), "low": percent(low), "high": percent(high)}


def _places(band: list[Row]) -> list[tuple[float, float]]:
    return [(float(str(row["accuracy"])), float(str(row["fitted"]))) for row in band]


def _notes(data: ReasoningData, language: Language) -> Iterator[str]:
    found = data.correlation
    if found is None:
        yield NO_FIT.text(language, count=len(data.models))
    else:
        yield FIT.text(
            language,
            r=coefficient(found.coefficient, 3),
            level=found.level,
            low=coefficient(found.low, 3),
            high=coefficient(found.high, 3),
            n=found.n,
        )
    yield GAP_NOTE.text(language)
    yield from (note.text(language) for note in data.scores.notes)


def _records(data: ReasoningData) -> Iterator[dict[str, object]]:
    scores, found, line = data.scores, data.correlation, data.line
    for model in data.models:
        accuracy, judged = (float(scores.estimate[model, axis]) for axis in (0, data.column))
        yield {
            "source": scores.source,
            "section": "model",
            "model": scores.models[model],
            "accuracy": accuracy,
            "n": int(scores.n[model, 0]) or None,
            "reasoning": judged,
            "n_reasoning": int(scores.n[model, data.column]) or None,
            "gap": judged - accuracy,
        }
    if found is not None and line is not None:
        yield {
            "source": scores.source,
            "section": "regression",
            "r": found.coefficient,
            "r_low": found.low,
            "r_high": found.high,
            "level": found.level,
            "n": found.n,
            "slope": line.slope,
            "intercept": line.intercept,
            "residual_sd": line.residual_sd,
        }


def _chart(data: ReasoningData, spans: tuple[Span, Span], most: float, language: Language) -> Chart:
    x, y = spans
    titles = [
        with_count(title.text(language), data.scores, data.models, axis)
        for title, axis in ((ACCURACY, 0), (REASONING_AXIS, data.column))
    ]
    across = alt.X("accuracy:Q", scale=x.scale, title=titles[0], axis=alt.Axis(tickCount=8))
    up = alt.Y("reasoning:Q", scale=y.scale, title=titles[1], axis=alt.Axis(tickCount=8))
    band = alt.Chart(alt.NamedData("band"))
    gap = alt.Color(
        "gap:Q",
        scale=alt.Scale(domain=[-(most or 1.0), most or 1.0], domainMid=0, interpolate="rgb"),
        title=GAP.text(language),
        legend=alt.Legend(labelExpr=SIGNED),
    )
    return alt.layer(
        band.mark_area(opacity=0.22, clip=True).encode(x=across, y=alt.Y("low:Q", scale=y.scale), y2="high:Q"),
        band.mark_line(style="reference", strokeDash=[1, 0], clip=True).encode(
            x=across, y=alt.Y("fitted:Q", scale=y.scale)
        ),
        alt.Chart(alt.NamedData("models"))
        .mark_point(filled=True, size=85, opacity=1, strokeWidth=0.8, stroke=alt.expr("'#59616B'"))
        .encode(
            x=across,
            y=up,
            color=gap,
            shape=alt.Shape(
                "side:N",
                scale=alt.Scale(domain=["ahead", "behind"], range=["triangle-up", "triangle-down"]),
                legend=None,
            ),
            tooltip=[
                "model:N",
                *(alt.Tooltip(f"{name}:Q", format=".1f") for name in ("accuracy", "reasoning", "gap")),
                "n:Q",
            ],
        ),
        labels_layer("models", across, up),
    ).properties(width=WIDTH, height=HEIGHT)
