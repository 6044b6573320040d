"""Leave one out: how far a single item moves a gap, beside the gap and its interval.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix H.1, Table 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import altair as alt
import numpy as np

from exambench.analysis.diagnosis import Diagnosis
from exambench.analysis.gaps import GapFamily
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import SIGNED, Chart, Figure, Row, number, percent
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase, verbatim
from exambench.report.figures.names import FigureName

NAME: Final = FigureName.INFLUENCE
MOST_MODELS: Final = 12
PANEL_WIDTH: Final = 320
ROW_HEIGHT: Final = 18

TITLE: Final = Phrase("Gaps, and how far one item moves them", "격차와 문항 하나의 영향")
AXIS: Final = Phrase("Gap (percentage points)", "격차(%p)")
BARS: Final = Phrase(
    "Thick bar: the gap ± its largest change when one item is left out. Point: the gap.",
    "굵은 막대: 문항 하나를 뺄 때 가장 크게 바뀌는 폭(±). 점: 격차.",
)
INTERVALS: Final = Phrase("Thin line: its {level:.0%} interval.", "가는 선: {level:.0%} 신뢰구간.")
FLIPS: Final = Phrase(
    "Right: items whose absence turns the sign, of those left out.", "오른쪽: 빼면 부호가 바뀌는 문항 수/뺀 문항 수."
)
FRAGILE: Final = Phrase(
    "Per gap the {shown} models closest to zero, where a sign turns most easily.",
    "격차마다 0에 가장 가까운(부호가 바뀌기 쉬운) 모델 {shown}개.",
)
GAPS: Final[Mapping[str, Phrase]] = MappingProxyType(
    {
        "modality": Phrase("Modality gap (image − text)", "양식 격차(이미지 − 텍스트)"),
        "geo-cultural": Phrase("Geo-cultural gap (Korean − others)", "지역·문화 격차(한국 특화 − 그 밖)"),
        "reasoning": Phrase("Reasoning gap (judged − accuracy)", "추론 격차(추론 − 정확도)"),
    }
)


@dataclass(frozen=True, slots=True)
class Swing:
    """One gap of one model, in shares of 1.

    Attributes:
        gap: The gap.
        model: The model.
        baseline: First side less second.
        low: Lower bound of its interval; ``None`` where there is none.
        high: Upper bound.
        max_change: Largest absolute change when one item of the first side is left out.
        item: The item whose absence changes it most; ``None`` where none does, or it is not known.
        sign_flips: Number of items whose absence turns the sign.
        n: Number of items left out in turn.
    """

    gap: str
    model: str
    baseline: float
    low: float | None
    high: float | None
    max_change: float
    item: str | None
    sign_flips: int
    n: int


@dataclass(frozen=True, eq=False)
class InfluenceData:
    """What the figure shows.

    Attributes:
        source: What was asked, of whom.
        swings: Gaps of models, gap by gap, the largest gap first.
        left_out: Whether gaps have more models than are shown.
        level: Level of the intervals; ``None`` where there are none.
    """

    source: str
    swings: tuple[Swing, ...]
    left_out: bool
    level: float | None


def influence_data(diagnosis: Diagnosis, most: int = MOST_MODELS) -> InfluenceData:
    """Return what the figure shows: gaps between two sides, those of a table that single items were left out of.

    Raises:
        UndefinedStatisticError: There is no such gap.
    """
    swings = [swing for family in diagnosis.families for swing in _swings(family, diagnosis.table.models)]
    return influence_of(diagnosis.table.title, swings, diagnosis.bootstrap.level, most)


def influence_of(source: str, swings: Sequence[Swing], level: float | None, most: int = MOST_MODELS) -> InfluenceData:
    """Return what the figure shows of gaps from anywhere: of each the models closest to zero, the largest gap first.

    Raises:
        UndefinedStatisticError: There is no gap.
    """
    if not swings:
        raise UndefinedStatisticError("no gap has both sides with scores")
    kept: list[Swing] = []
    left_out = False
    for gap in dict.fromkeys(swing.gap for swing in swings):
        of_gap = sorted((swing for swing in swings if swing.gap == gap), key=lambda swing: abs(swing.baseline))
        left_out |= len(of_gap) > most
        kept += sorted(of_gap[:most], key=lambda swing: -swing.baseline)
    return InfluenceData(source, tuple(kept), left_out, level)


def _swings(family: GapFamily, models: Sequence[str]) -> Iterator[Swing]:
    estimates = family.estimates
    for gap, name in enumerate(family.names):
        influence = family.influence[gap]
        for model in range(len(models)):
            place = (model, gap)
            if influence is not None and influence.n[model] and not np.isnan(influence.max_change[model]):
                yield Swing(
                    gap=name,
                    model=models[model],
                    baseline=float(estimates.estimate[place]),
                    low=number(float(estimates.low[place])),
                    high=number(float(estimates.high[place])),
                    max_change=float(influence.max_change[model]),
                    item=influence.item[model],
                    sign_flips=int(influence.sign_flips[model]),
                    n=int(influence.n[model]),
                )


def influence(data: InfluenceData, language: Language = Language.EN) -> Figure:
    """Draw a panel for each gap [1]."""
    gaps = list(dict.fromkeys(swing.gap for swing in data.swings))
    titles = dict(zip(gaps, labels_of([GAPS.get(gap, verbatim(gap)).text(language) for gap in gaps], 44), strict=True))
    models = list(dict.fromkeys(swing.model for swing in data.swings))
    names = dict(zip(models, labels_of(models), strict=True))
    rows = [_row(swing, titles[swing.gap], names[swing.model]) for swing in data.swings]
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(label(data.source, 400), *_notes(data, language)),
        chart=_chart(rows, list(titles.values()), language),
        datasets={"gaps": rows},
        records=[
            {
                "source": data.source,
                "gap": swing.gap,
                "model": swing.model,
                "baseline": swing.baseline,
                "low": swing.low,
                "high": swing.high,
                "level": data.level,
                "max_change": swing.max_change,
                "item": swing.item,
                "sign_flips": swing.sign_flips,
                "n": swing.n,
            }
            for swing in data.swings
        ],
    )


def _notes(data: InfluenceData, language: Language) -> Iterator[str]:
    thin = f" {INTERVALS.text(language, level=data.level)}" if data.level is not None else ""
    yield f"{BARS.text(language)}{thin}"
    yield FLIPS.text(language)
    if data.left_out:
        yield FRAGILE.text(language, shown=MOST_MODELS)


def _row(swing: Swing, title: str, name: str) -> Row:
    return {
        "gap": title,
        "model": name,
        "baseline": percent(swing.baseline),
        "least": percent(swing.baseline - swing.max_change),
        "most": percent(swing.baseline + swing.max_change),
        "low": None if swing.low is None else percent(swing.low),
        "high": None if swing.high is None else percent(swing.high),
        "flips": f"{swing.sign_flips}/{swing.n}",
        "item": "" if swing.item is None else label(swing.item),
    }


def _chart(rows: Iterable[Row], titles: list[str], language: Language) -> Chart:
    values = [
        float(str(row[each])) for row in rows for each in ("least", "most", "low", "high") if row[each] is not None
    ]
    low, high = min(*values, 0.0), max(*values, 0.0)
    room = 0.04 * (high - low or 1.0)
    scale = alt.Scale(domain=[round(low - room, 6), round(high + room, 6)], nice=False, zero=False)
    base = alt.Chart().encode(
        y=alt.Y(
            "model:N",
            sort=alt.EncodingSortField("baseline", op="max", order="descending"),
            title=None,
            axis=alt.Axis(grid=True, ticks=False, domain=False),
        )
    )
    x = alt.X("baseline:Q", scale=scale, title=AXIS.text(language), axis=alt.Axis(labelExpr=SIGNED))
    layers = alt.layer(
        alt.Chart().mark_rule(style="reference").encode(x=alt.XDatum(0, type="quantitative")),
        base.mark_rule(style="interval").encode(x=alt.X("low:Q", scale=scale), x2="high:Q"),
        base.mark_bar(height=8, opacity=0.85).encode(x=alt.X("least:Q", scale=scale), x2="most:Q"),
        base.mark_point(filled=True, size=26, opacity=1, shape="diamond").encode(
            x=x, tooltip=["model:N", "gap:N", alt.Tooltip("baseline:Q", format="+.2f"), "flips:N", "item:N"]
        ),
        base.mark_text(align="left", dx=6, fontSize=10, style="muted").encode(
            x=alt.XDatum(round(high + room, 6), type="quantitative"), text="flips:N"
        ),
        data=alt.NamedData("gaps"),
    )
    panels: Chart = (
        layers.properties(width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT))
        .facet(facet=alt.Facet("gap:N", sort=titles, title=None, header=alt.Header(labelAnchor="start")), columns=1)
        .resolve_scale(y="independent")
        .properties(spacing=18)
    )
    return panels
