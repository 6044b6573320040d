"""Option positions: where the keys stand, and which positions each model picks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from exambench.analysis.item_analysis import ItemAnalysis
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row, number
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.style import LIGHT
from exambench.report.formatting import equals

NAME: Final = FigureName.POSITIONS
MOST_MODELS: Final = 30
WIDTH: Final = 400
ROW_HEIGHT: Final = 20
NARROW: Final = 0.07
"""A share below this has no room for its number."""
SHADES: Final = ("#02193A", "#8FA8BF", "#4A6F94", "#D3DCE5")
"""Neighbours differ in lightness; after the last one they start again."""

TITLE: Final = Phrase("Positions of the keys, and of what models pick", "정답 위치와 모델이 고른 위치")
AXIS: Final = Phrase("Share of items (%)", "문항 비율(%)")
POSITION: Final = Phrase("Position", "위치")
KEYS: Final = Phrase("Keys", "정답")
NOTE: Final = Phrase(
    "Right: number of picks; p of χ² against the keys of the same items, Holm. Most biased first.",
    "오른쪽: 고른 수, 같은 문항의 정답 분포에 대한 χ² p값(홀름 보정). 치우친 순.",
)
CUT: Final = Phrase("Not shown: {count} models without a stronger bias.", "치우침이 더 작은 모델 {count}개는 제외.")


@dataclass(frozen=True, eq=False)
class PositionsData:
    """What the figure shows.

    Attributes:
        source: What was asked.
        labels: Names of the positions.
        keys: Items with a key by position of the key.
        models: Names of the models with a pick, the most biased first.
        picks: Models × positions: how often each was picked.
        p_adjusted: p-value of no bias, after Holm, one per model.
    """

    source: str
    labels: tuple[str, ...]
    keys: tuple[int, ...]
    models: tuple[str, ...]
    picks: tuple[tuple[int, ...], ...]
    p_adjusted: tuple[float, ...]


def positions_data(analysis: ItemAnalysis) -> PositionsData:
    """Return what the figure shows.

    Raises:
        UndefinedStatisticError: What the models picked is not known.
    """
    habits = analysis.habits
    if habits is None:
        raise UndefinedStatisticError("what the models picked is not known, or the items have no single right choice")
    found = habits.responders
    picking = [model for model in range(len(found.n)) if found.n[model]]
    picking.sort(key=lambda model: (habits.p_adjusted[model], -float(found.favourite_share[model]), model))
    return PositionsData(
        source=analysis.table.title,
        labels=habits.labels,
        keys=tuple(int(count) for count in habits.expected),
        models=tuple(analysis.table.models[model] for model in picking),
        picks=tuple(tuple(int(count) for count in found.counts[model]) for model in picking),
        p_adjusted=tuple(float(habits.p_adjusted[model]) for model in picking),
    )


def positions(data: PositionsData, language: Language = Language.EN) -> Figure:
    """Draw a whole bar for the keys and for each model, cut by position."""
    shown = range(min(len(data.models), MOST_MODELS))
    names = labels_of([KEYS.text(language), *(data.models[model] for model in shown)])
    marks = labels_of([f"{name}" for name in data.labels], 8)
    rows = list(_cells(names[0], marks, data.keys))
    for model in shown:
        rows += _cells(names[model + 1], marks, data.picks[model])
    ends: list[Row] = [{"model": names[0], "text": f"n = {sum(data.keys):,}"}]
    ends += [
        {"model": names[model + 1], "text": f"n = {sum(data.picks[model]):,}, p {equals(data.p_adjusted[model])}"}
        for model in shown
    ]
    left_out = len(data.models) - len(shown)
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(
            label(data.source, 400),
            NOTE.text(language),
            *([CUT.text(language, count=left_out)] if left_out else []),
        ),
        chart=_chart(names, marks, language),
        datasets={"shares": rows, "ends": ends},
        records=list(_records(data)),
    )


def _cells(name: str, marks: Sequence[str], counts: Sequence[int]) -> Iterator[Row]:
    total, before = sum(counts), 0
    for at, (mark, count) in enumerate(zip(marks, counts, strict=True)):
        share = count / total
        yield {
            "model": name,
            "position": mark,
            "order": at,
            "from": round(100 * before / total, 6),
            "to": round(100 * (before + count) / total, 6),
            "middle": round(100 * (before + count / 2) / total, 6),
            "count": count,
            "text": f"{100 * share:.0f}" if share >= NARROW else "",
            "dark": at % len(SHADES) in {0, 2},
        }
        before += count


def _records(data: PositionsData) -> Iterator[dict[str, object]]:
    yield from _shares(data, data.keys, {"section": "key", "model": None, "p_holm": None})
    for model, counts, p in zip(data.models, data.picks, data.p_adjusted, strict=True):
        yield from _shares(data, counts, {"section": "model", "model": model, "p_holm": number(p)})


def _shares(data: PositionsData, counts: Sequence[int], facts: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for position, count in zip(data.labels, counts, strict=True):
        yield {"source": data.source, **facts, "position": position, "count": count, "share": count / sum(counts)}


def _chart(names: Sequence[str], marks: Sequence[str], language: Language) -> Chart:
    shares = alt.Chart(alt.NamedData("shares"))
    y = alt.Y("model:N", sort=list(names), title=None, axis=alt.Axis(ticks=False, domain=False))
    scale = alt.Scale(domain=[0, 100], nice=False)
    shades = [SHADES[at % len(SHADES)] for at in range(len(marks))]
    bars = shares.mark_bar(height=15, stroke=LIGHT.background, strokeWidth=0.8).encode(
        x=alt.X("from:Q", scale=scale, title=AXIS.text(language)),
        x2="to:Q",
        y=y,
        color=alt.Color(
            "position:N",
            scale=alt.Scale(domain=list(marks), range=shades),
            title=POSITION.text(language),
            legend=alt.Legend(orient="bottom"),
            sort=None,
        ),
        tooltip=["model:N", "position:N", "count:Q"],
    )
    numbers = shares.mark_text(fontSize=10).encode(
        x=alt.X("middle:Q", scale=scale),
        y=y,
        text="text:N",
        color=alt.when("datum.dark").then(alt.value(LIGHT.background)).otherwise(alt.value(LIGHT.ink)),
    )
    ends = (
        alt.Chart(alt.NamedData("ends"))
        .mark_text(align="left", dx=6, fontSize=10, style="muted")
        .encode(x=alt.XDatum(100, type="quantitative"), y=y, text="text:N")
    )
    return alt.layer(bars, numbers, ends).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT))
