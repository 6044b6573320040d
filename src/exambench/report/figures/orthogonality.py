"""Orthogonality: Kendall's τ-b between our axes, and between them and other benchmarks.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figures 3, 6 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np

from exambench.analysis.other_scores import OtherScores
from exambench.errors import UndefinedStatisticError, show
from exambench.report.figures.figure import Chart, Figure, Row, coefficient
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.scores import AxisScores
from exambench.report.figures.style import LIGHT
from exambench.report.grids import NOTHING
from exambench.stats.correlation import CorrelationMatrix, kendall_matrix

NAME: Final = FigureName.ORTHOGONALITY
FEWEST_MODELS: Final = 2
CELL_WIDTH: Final = 62
CELL_HEIGHT: Final = 38
DARK_CELLS: Final = (-0.8, 0.7)
"""Down to the first value, and from the second one on, a cell is so dark that its text is light."""

TITLE: Final = Phrase("Do the axes order models alike? (Kendall τ-b)", "축마다 모델 순서가 같은가? (켄달 τ-b)")
OTHERS: Final = Phrase(
    "Right of the gap: {file}, which has {known} of these {count} models.",
    "빈칸 오른쪽: {file}(이 모델 {count}개 가운데 {known}개 수록).",
)
INVERTED: Final = Phrase("Lower is better, so its sign is turned: {names}.", "낮을수록 좋아 부호를 뒤집음: {names}.")
CELL: Final = Phrase(
    "In each cell τ-b, and below it the number of models with both values.",
    "칸 안의 수는 τ-b, 그 아래는 두 값이 모두 있는 모델 수.",
)
FEW: Final = Phrase("Few models: τ-b of 2 is always 1 or −1.", "모델이 적음: 모델 2개의 τ-b는 항상 1 또는 −1.")


@dataclass(frozen=True, eq=False)
class OrthogonalityData:
    """What the heatmap shows.

    Attributes:
        scores: Scores of models on axes: the rows.
        columns: Names of all columns: our axes, then those of others.
        others: Scores of the same models elsewhere; ``None`` for our axes alone.
        found: τ-b of every two columns.
    """

    scores: AxisScores
    columns: tuple[str, ...]
    others: OtherScores | None
    found: CorrelationMatrix


def orthogonality_data(scores: AxisScores, others: OtherScores | None = None) -> OrthogonalityData:
    """Return τ-b between all columns, each over the models that have both values.

    Raises:
        UndefinedStatisticError: No two columns have a coefficient, or the others have none of the models.
    """
    if others is not None and not others.known(scores.models):
        raise UndefinedStatisticError(
            f"{show(others.file)} has none of these models; names of models must be the same, such as "
            f"{show(scores.models[0])}"
        )
    columns = scores.estimate if others is None else np.hstack([scores.estimate, others.of(scores.models)])
    found = kendall_matrix(columns)
    off_diagonal = ~np.eye(columns.shape[1], dtype=np.bool_)
    if np.isnan(found.coefficient[: len(scores.axes)][off_diagonal[: len(scores.axes)]]).all():
        raise UndefinedStatisticError("τ-b needs two columns in which two models or more differ")
    names = scores.axes if others is None else scores.axes + others.columns
    return OrthogonalityData(scores, names, others, found)


def orthogonality(data: OrthogonalityData, language: Language = Language.EN) -> Figure:
    """Draw the coefficients as a heatmap: our axes down, our axes and those of others across [1]."""
    scores, others = data.scores, data.others
    ours = [title.text(language) for title in scores.titles]
    names = labels_of([*ours, *(() if others is None else others.columns)])
    gap = [" "] if others is not None else []
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(label(scores.source, 400), *_notes(data, language)),
        chart=_chart(names[: len(ours)], [*names[: len(ours)], *gap, *names[len(ours) :]]),
        datasets={"cells": list(_cells(data, names))},
        records=list(_records(data)),
    )


def _notes(data: OrthogonalityData, language: Language) -> Iterator[str]:
    yield CELL.text(language)
    if data.others is not None:
        models = data.scores.models
        yield OTHERS.text(
            language, file=label(data.others.file, 60), known=data.others.known(models), count=len(models)
        )
        if data.others.lower_is_better:
            yield INVERTED.text(language, names=", ".join(map(label, data.others.lower_is_better)))
    if (data.found.n[~np.isnan(data.found.coefficient)] <= FEWEST_MODELS).any():
        yield FEW.text(language)
    yield from (note.text(language) for note in data.scores.notes)


def _cells(data: OrthogonalityData, names: tuple[str, ...]) -> Iterator[Row]:
    for row in range(len(data.scores.axes)):
        for column in range(len(names)):
            value, n = data.found.coefficient[row, column], int(data.found.n[row, column])
            there = row != column and not np.isnan(value)
            yield {
                "row": names[row],
                "column": names[column],
                "tau": round(float(value), 9) if there else None,
                "text": coefficient(float(value)) if there else ("" if row == column else NOTHING),
                "count": "" if row == column else f"n={n}",
                "dark": bool(there and not DARK_CELLS[0] < value < DARK_CELLS[1]),
                "n": n,
            }


def _records(data: OrthogonalityData) -> Iterator[dict[str, object]]:
    for row, first in enumerate(data.scores.axes):
        for column, second in enumerate(data.columns):
            if row != column:
                value, p = data.found.coefficient[row, column], data.found.p_value[row, column]
                yield {
                    "source": data.scores.source,
                    "axis": first,
                    "column": second,
                    "foreign": column >= len(data.scores.axes),
                    "tau_b": None if np.isnan(value) else float(value),
                    "p": None if np.isnan(p) else float(p),
                    "n": int(data.found.n[row, column]),
                }


def _chart(rows: tuple[str, ...], columns: list[str]) -> Chart:
    across = alt.X(
        "column:N",
        sort=columns,
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-40, domain=False, ticks=False),
        scale=alt.Scale(domain=columns),
    )
    down = alt.Y("row:N", sort=list(rows), title=None, axis=alt.Axis(domain=False, ticks=False))
    cells = alt.Chart(alt.NamedData("cells"))
    ink = alt.when("datum.dark").then(alt.value(LIGHT.background)).otherwise(alt.value(LIGHT.ink))
    return alt.layer(
        cells.transform_filter("isValid(datum.tau)")
        .mark_rect()
        .encode(
            x=across,
            y=down,
            color=alt.Color(
                "tau:Q",
                scale=alt.Scale(
                    domain=[-1, 1], domainMid=0, range=[LIGHT.low, LIGHT.middle, LIGHT.high], interpolate="rgb"
                ),
                title="τ-b",
                legend=alt.Legend(format=".1f"),
            ),
            tooltip=["row:N", "column:N", alt.Tooltip("tau:Q", format=".3f"), "n:Q"],
        ),
        cells.transform_filter("isValid(datum.tau)")
        .mark_text(dy=-6)
        .encode(x=across, y=down, text="text:N", color=ink),
        cells.transform_filter("isValid(datum.tau)")
        .mark_text(dy=8, fontSize=9)
        .encode(x=across, y=down, text="count:N", color=ink),
        cells.transform_filter("!isValid(datum.tau)").mark_text(style="muted").encode(x=across, y=down, text="text:N"),
    ).properties(width=alt.Step(CELL_WIDTH), height=alt.Step(CELL_HEIGHT))
