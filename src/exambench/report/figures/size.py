"""Size: what models of a number of parameters reach on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import altair as alt
import numpy as np

from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row, percent
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.placement import ABOVE_FIRST
from exambench.report.figures.points import HEIGHT, WIDTH, Span, labels_layer, log_span, log_ticks, span_of, with_labels
from exambench.report.figures.scores import AxisScores, with_count

PLACES: Final = 24
NAME: Final = FigureName.SIZE

TITLE: Final = Phrase("{axis} by model size", "모델 크기별 {axis}")
SIZE: Final = Phrase("Parameters (billions, logarithmic)", "매개변수(10억 개, 로그 눈금)")
SCORE: Final = Phrase("{axis} (%)", "{axis}(%)")
ORIGIN: Final = Phrase("Model", "모델")
KOREAN: Final = Phrase("made for Korean", "한국어 중심")
OTHER: Final = Phrase("others", "그 밖")
MODE: Final = Phrase("Mode", "방식")
THINKING: Final = Phrase("thinks first", "사고 후 응답")
DIRECT: Final = Phrase("answers directly", "바로 응답")
FRONTIER: Final = Phrase("Dashed: the best score up to each size.", "파선: 해당 크기까지의 최고 점수.")
NO_SIZE: Final = Phrase("Without a declared size: {count}.", "크기를 밝히지 않은 모델: {count}개.")


@dataclass(frozen=True, eq=False)
class SizeData:
    """What the figure shows.

    Attributes:
        scores: Scores of models on axes.
        axis: Column of the axis.
        models: Rows of the models with a size and a score, the smallest first.
    """

    scores: AxisScores
    axis: int
    models: tuple[int, ...]

    @property
    def frontier(self) -> tuple[int, ...]:
        """The models that are better than all that are no larger."""
        best, found = -np.inf, []
        for model in self.models:
            score = self.scores.estimate[model, self.axis]
            if score > best:
                best = score
                found.append(model)
        return tuple(found)


def size_data(scores: AxisScores, axis: int = 0) -> SizeData:
    """Return what the figure shows.

    Raises:
        UndefinedStatisticError: No model with a score has a declared size.
    """
    sized = [
        (traits.size_b, -scores.estimate[model, axis], model)
        for model, traits in enumerate(scores.traits)
        if traits.size_b is not None and not np.isnan(scores.estimate[model, axis])
    ]
    if not sized:
        raise UndefinedStatisticError("no model file declares a size (size_b)")
    return SizeData(scores, axis, tuple(model for _, _, model in sorted(sized)))


def size(data: SizeData, language: Language = Language.EN) -> Figure:
    """Draw score over size, with intervals and the frontier."""
    scores, title = data.scores, data.scores.titles[data.axis].text(language)
    names = labels_of([scores.models[model] for model in data.models])
    rows = [_row(data, model, name, language) for model, name in zip(data.models, names, strict=True)]
    x = log_span([float(scores.traits[model].size_b or 0.0) for model in data.models])
    y = span_of([_found(row, each) for row in rows for each in ("low", "score", "high")], 0.0, 100.0, narrowest=10.0)
    best = set(data.frontier)
    texts = [name if model in best or len(rows) <= FEW else "" for model, name in zip(data.models, names, strict=True)]
    unsized = sum(traits.size_b is None for traits in scores.traits)
    return Figure(
        name=NAME,
        title=TITLE.text(language, axis=title),
        subtitle=(
            label(scores.source, 400),
            f"{FRONTIER.text(language)} {scores.intervals.text(language)}",
            *([NO_SIZE.text(language, count=unsized)] if unsized else []),
        ),
        chart=_chart(x, y, with_count(SCORE.text(language, axis=title), scores, data.models, data.axis), language),
        datasets={
            "models": with_labels(rows, ("size", x), ("score", y), texts, spots=ABOVE_FIRST, clear=_staircase(data, x)),
            "frontier": _steps(data, x),
        },
        records=[
            scores.record(model, data.axis) | {"size_b": scores.traits[model].size_b, "frontier": model in best}
            for model in data.models
        ],
    )


FEW: Final = 12
"""Up to so many models have a label each; of more, those of the frontier."""


def _found(row: Row, name: str) -> float:
    value = row[name] if row[name] is not None else row["score"]
    return float(str(value))


def _row(data: SizeData, model: int, name: str, language: Language) -> Row:
    scores, traits, place = data.scores, data.scores.traits[model], (model, data.axis)
    return {
        "model": name,
        "size": traits.size_b,
        "score": percent(scores.estimate[place]),
        "low": percent(scores.low[place]),
        "high": percent(scores.high[place]),
        "n": int(scores.n[place]) or None,
        "origin": (KOREAN if traits.korean else OTHER).text(language),
        "mode": (THINKING if traits.thinking else DIRECT).text(language),
    }


def _steps(data: SizeData, x: Span) -> list[Row]:
    """Return the frontier as a staircase that reaches the right end of the scale."""
    scores = data.scores
    found = [(scores.traits[model].size_b, percent(scores.estimate[model, data.axis])) for model in data.frontier]
    return [{"size": at, "score": score} for at, score in [*found, (x.high, found[-1][1])]]


def _staircase(data: SizeData, x: Span) -> list[tuple[float, float]]:
    """Return places along the frontier that labels keep clear of."""
    corners = [(float(str(row["size"])), float(str(row["score"]))) for row in _steps(data, x)]
    places = []
    for (left, low), (right, high) in pairwise(corners):
        places += [(left * (right / left) ** (step / PLACES), low) for step in range(PLACES + 1)]
        places += [(right, low + (high - low) * step / PLACES) for step in range(PLACES + 1)]
    return places


def _chart(x: Span, y: Span, title: str, language: Language) -> Chart:
    across = alt.X("size:Q", scale=x.scale, title=SIZE.text(language), axis=alt.Axis(format="~g", values=log_ticks(x)))
    up = alt.Y("score:Q", scale=y.scale, title=title, axis=alt.Axis(tickCount=8))
    models = alt.Chart(alt.NamedData("models"))
    origins = [KOREAN.text(language), OTHER.text(language)]
    modes = [DIRECT.text(language), THINKING.text(language)]
    return alt.layer(
        alt.Chart(alt.NamedData("frontier"))
        .mark_line(style="reference", interpolate="step-after")
        .encode(x=across, y=up),
        models.mark_rule(style="interval", opacity=0.45).encode(x=across, y=alt.Y("low:Q", scale=y.scale), y2="high:Q"),
        models.mark_point(filled=True, size=70, opacity=0.9).encode(
            x=across,
            y=up,
            color=alt.Color("origin:N", scale=alt.Scale(domain=origins[::-1]), title=ORIGIN.text(language)),
            shape=alt.Shape(
                "mode:N", scale=alt.Scale(domain=modes, range=["circle", "triangle-up"]), title=MODE.text(language)
            ),
            tooltip=[
                "model:N",
                "size:Q",
                *(alt.Tooltip(f"{each}:Q", format=".1f") for each in ("score", "low", "high")),
                "n:Q",
            ],
        ),
        labels_layer("models", across, up),
    ).properties(width=WIDTH, height=HEIGHT)
