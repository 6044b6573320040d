"""Items: how hard each one is, and how well it tells good models from weak ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np

from exambench.analysis.item_analysis import FEWEST_MODELS, ItemAnalysis
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row, number
from exambench.report.figures.labels import label
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.points import HEIGHT, WIDTH, Span, labels_layer, span_of, with_labels

NAME: Final = FigureName.ITEMS
DECIMALS: Final = 3
"""Items whose two numbers agree to so many decimals are one point."""
NAMED: Final = 12
MOST_SHOWN: Final = 12
"""The largest point stands for at least so many items, so that points of one item are small."""
LISTED: Final = 5
LOW: Final = 0.2
"""Below this an item hardly discriminates (Ebel's rule for classroom tests)."""

TITLE: Final = Phrase("Items: difficulty and discrimination", "문항 난이도와 변별도")
DIFFICULTY: Final = Phrase("Share of models that solve it (%)", "맞힌 모델의 비율(%)")
DISCRIMINATION: Final = Phrase("Discrimination (item–rest correlation)", "변별도(문항–나머지 상관)")
COUNT: Final = Phrase("Items", "문항 수")
KIND: Final = Phrase("Key", "정답")
PLAIN: Final = Phrase("nothing odd", "이상 없음")
SUSPECT: Final = Phrase("suspicious", "의심")
NOTE: Final = Phrase(
    "{count} items, {models} models. Dashed: 0 and 0.2, below which an item hardly discriminates.",
    "문항 {count}개, 모델 {models}개. 파선: 0과 0.2(그 아래는 변별력이 거의 없음).",
)
SUSPECTS: Final = Phrase(
    "Suspicious: the best third of the models prefers another choice than the key.",
    "의심: 상위 3분의 1 모델이 정답 아닌 보기를 더 많이 고른 문항.",
)
UNDEFINED: Final = Phrase(
    "Without discrimination: {every} that every model solves, {none} that none does, {other} others.",
    "변별도 없음: 모두 맞힌 문항 {every}개, 아무도 못 맞힌 문항 {none}개, 그 밖 {other}개.",
)


@dataclass(frozen=True, eq=False)
class ItemsData:
    """What the figure shows.

    Attributes:
        analysis: What the answers say about the items.
    """

    analysis: ItemAnalysis

    @property
    def drawn(self) -> list[int]:
        """Columns of the items that have both numbers."""
        found = self.analysis.statistics
        return [int(column) for column in np.flatnonzero(~np.isnan(found.difficulty + found.discrimination))]


def items_data(analysis: ItemAnalysis) -> ItemsData:
    """Return what the figure shows.

    Raises:
        UndefinedStatisticError: There are too few models, or no item discriminates at all.
    """
    count = len(analysis.table.models)
    if count < FEWEST_MODELS:
        raise UndefinedStatisticError(f"discrimination needs at least {FEWEST_MODELS} models; found {count}")
    data = ItemsData(analysis)
    if not data.drawn:
        raise UndefinedStatisticError("on no item do the models differ")
    return data


def items(data: ItemsData, language: Language = Language.EN) -> Figure:
    """Draw discrimination over difficulty; items in one place are one point, larger for more."""
    analysis = data.analysis
    rows = list(_rows(data, language))
    y = span_of([0.0, 1.0, *(float(str(row["discrimination"])) for row in rows)], -1.0)
    x = Span(0.0, 100.0)
    suspects = [str(row["items"]) if row["suspect"] else "" for row in rows]
    allowed = {text for text in suspects if text} if sum(map(bool, suspects)) <= NAMED else set()
    texts = [text if text in allowed else "" for text in suspects]
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(label(analysis.table.title, 400), *_notes(data, language)),
        chart=_chart(x, y, _sizes(rows), language),
        datasets={
            "lines": [{"discrimination": 0.0}, {"discrimination": LOW}],
            "items": with_labels(rows, ("difficulty", x), ("discrimination", y), texts),
        },
        records=list(_records(analysis)),
    )


def _notes(data: ItemsData, language: Language) -> Iterator[str]:
    analysis, drawn = data.analysis, set(data.drawn)
    found = analysis.statistics
    yield NOTE.text(language, count=len(analysis.table.items), models=len(analysis.table.models))
    if analysis.suspects:
        yield SUSPECTS.text(language)
    missing = [column for column in range(len(analysis.table.items)) if column not in drawn]
    if missing:
        every, none = (int(flags[missing].sum()) for flags in (found.solved_by_all, found.solved_by_none))
        yield UNDEFINED.text(language, every=every, none=none, other=len(missing) - every - none)


def _rows(data: ItemsData, language: Language) -> Iterator[Row]:
    analysis, found = data.analysis, data.analysis.statistics
    places: defaultdict[tuple[bool, float, float], list[int]] = defaultdict(list)
    for column in data.drawn:
        hard, tells = (round(float(each[column]), DECIMALS) for each in (found.difficulty, found.discrimination))
        places[column in analysis.suspect_in, hard, tells].append(column)
    for (suspect, difficulty, discrimination), columns in sorted(places.items()):
        yield {
            "difficulty": round(100 * difficulty, DECIMALS),
            "discrimination": discrimination,
            "count": len(columns),
            "items": _named([analysis.table.items[column] for column in columns]),
            "suspect": suspect,
            "kind": (SUSPECT if suspect else PLAIN).text(language),
        }


def _sizes(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of items that the legend shows."""
    most = max(int(str(row["count"])) for row in rows)
    return sorted({1, (most + 1) // 2, most})


def _named(names: Sequence[str]) -> str:
    more = ", …" if len(names) > LISTED else ""
    return ", ".join(label(name, 20) for name in names[:LISTED]) + more


def _records(analysis: ItemAnalysis) -> Iterator[dict[str, object]]:
    found = analysis.statistics
    for column, item in enumerate(analysis.table.items):
        suspect = analysis.suspect_in.get(column)
        yield {
            "source": analysis.table.title,
            "item": item,
            "n": int(found.n[column]),
            "difficulty": number(float(found.difficulty[column])),
            "discrimination": number(float(found.discrimination[column])),
            "suspect": suspect is not None,
            "key": suspect and suspect.key,
            "preferred": suspect and suspect.preferred,
        }


def _chart(x: Span, y: Span, sizes: list[int], language: Language) -> Chart:
    across = alt.X("difficulty:Q", scale=x.scale, title=DIFFICULTY.text(language))
    up = alt.Y(
        "discrimination:Q", scale=y.scale, title=DISCRIMINATION.text(language), axis=alt.Axis(format=".1f", tickCount=7)
    )
    kinds = [PLAIN.text(language), SUSPECT.text(language)]
    points = (
        alt.Chart(alt.NamedData("items"))
        .mark_point(filled=True, opacity=0.6)
        .encode(
            x=across,
            y=up,
            size=alt.Size(
                "count:Q",
                scale=alt.Scale(domain=[1, max(*sizes, MOST_SHOWN)], range=[30, 420]),
                title=COUNT.text(language),
                legend=alt.Legend(format="d", values=sizes),
            ),
            color=alt.Color("kind:N", scale=alt.Scale(domain=kinds), title=KIND.text(language)),
            shape=alt.Shape(
                "kind:N", scale=alt.Scale(domain=kinds, range=["circle", "triangle-down"]), title=KIND.text(language)
            ),
            tooltip=[
                "items:N",
                "count:Q",
                alt.Tooltip("difficulty:Q", format=".1f"),
                alt.Tooltip("discrimination:Q", format=".2f"),
            ],
        )
    )
    lines = alt.Chart(alt.NamedData("lines")).mark_rule(style="reference").encode(y=up)
    return alt.layer(lines, points, labels_layer("items", across, up)).properties(width=WIDTH, height=HEIGHT)
