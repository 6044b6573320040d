"""Slope graph: how people and a judge order the same models.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figure 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import altair as alt

from exambench.analysis.meta_report import ConditionAgreement, MetaReport, ModelPlace
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.placement import spread
from exambench.report.formatting import rank_text

ENDS: Final[tuple[tuple[int, Literal["right", "left"], int], ...]] = ((0, "right", -9), (1, "left", 9))
"""Side of people and of the judge, how labels are aligned there, and how far they stand from the line."""
NAME: Final = FigureName.SLOPE
WIDTH: Final = 170
RANK_HEIGHT: Final = 24
LABEL_GAP: Final = 0.62
"""Least distance of labels, in ranks."""
LABEL_CELLS: Final = 26
SPACE: Final = "\u00a0\u00a0"
"""Between name and rank; plain spaces would become one."""

TITLE: Final = Phrase("Ranks of models: people and the judge", "모델 순위: 사람과 심판")
STUDY: Final = Phrase(
    "Study {study}: {answers} answers, {raters} people, judge {judge}.",
    "연구 {study}: 답안 {answers}개, 사람 {raters}명, 심판 {judge}.",
)
LINES: Final = Phrase(
    "Solid: same rank. Long dashes: higher with the judge; short: lower. Ties share the mean rank.",
    "실선: 같은 순위. 긴 파선: 심판에서 오른 모델, 짧은 파선: 내린 모델. 동점은 평균 순위.",
)
WITH: Final = Phrase("Judge saw the expert's rationale", "전문가 해설을 본 심판")
WITHOUT: Final = Phrase("Judge without the rationale", "해설을 보지 않은 심판")
PEOPLE: Final = Phrase("people", "사람")
JUDGE: Final = Phrase("judge", "심판")
SAME, UP, DOWN = "same", "up", "down"


@dataclass(frozen=True, eq=False)
class SlopeData:
    """What the slope graph shows.

    Attributes:
        report: The study with its results.
        panels: For each condition, the models that people and the judge rank.
    """

    report: MetaReport
    panels: tuple[tuple[ConditionAgreement, tuple[ModelPlace, ...]], ...]


def slope_data(report: MetaReport) -> SlopeData:
    """Return what the slope graph shows: the conditions in which two models or more have both ranks.

    Raises:
        UndefinedStatisticError: There is no such condition.
    """
    panels = [(condition, ranked_models(condition)) for condition in report.conditions]
    kept = tuple((condition, models) for condition, models in panels if len(models) > 1)
    if not kept:
        raise UndefinedStatisticError("no two models have scores of people and of the judge")
    return SlopeData(report, kept)


def ranked_models(condition: ConditionAgreement) -> tuple[ModelPlace, ...]:
    """Return the models that people and the judge rank."""
    return tuple(model for model in condition.models if model.people_rank is not None and model.judge_rank is not None)


def study_note(report: MetaReport, language: Language) -> str:
    """Return which study it is, as a sentence."""
    return STUDY.text(
        language,
        study=report.study.study_id[:8],
        answers=report.answers,
        raters=len(report.raters),
        judge=label(report.judge),
    )


def condition_title(condition: ConditionAgreement, language: Language) -> str:
    """Return what to call a condition."""
    return (WITH if condition.with_reference else WITHOUT).text(language)


def slope(data: SlopeData, language: Language = Language.EN) -> Figure:
    """Draw a line for each model from its rank by people to its rank by the judge [1]."""
    panels = [
        (f"panel_{number}", condition_title(condition, language), list(_rows(models)))
        for number, (condition, models) in enumerate(data.panels)
    ]
    heads: list[Row] = [
        {"side": side, "place": 0.45, "head": head.text(language)} for side, head in enumerate((PEOPLE, JUDGE))
    ]
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(study_note(data.report, language), LINES.text(language)),
        chart=alt.hconcat(*(_panel(*panel) for panel in panels), spacing=40),
        datasets={"heads": heads, **{name: rows for name, _, rows in panels}},
        records=[
            {
                "study": data.report.study.study_id,
                "judge": data.report.judge,
                "with_rationale": condition.with_reference,
                "run": model.run_id,
                "model": model.name,
                "n": model.n,
                "people": model.people,
                "judge_mean": model.judge,
                "people_rank": model.people_rank,
                "judge_rank": model.judge_rank,
            }
            for condition, models in data.panels
            for model in models
        ],
    )


def _rows(models: Sequence[ModelPlace]) -> Iterator[Row]:
    names = labels_of([model.name for model in models], LABEL_CELLS)
    sides = [[model.people_rank or 0.0 for model in models], [model.judge_rank or 0.0 for model in models]]
    places = [spread(ranks, LABEL_GAP) for ranks in sides]
    for at, (name, model) in enumerate(zip(names, models, strict=True)):
        change = model.change or 0.0
        way = SAME if not change else UP if change > 0 else DOWN
        for side in (0, 1):
            rank = sides[side][at]
            text = f"{name}{SPACE}{rank_text(rank)}" if side == 0 else f"{rank_text(rank)}{SPACE}{name}"
            yield {"model": name, "side": side, "rank": rank, "place": places[side][at], "text": text, "way": way}


def _panel(data: str, title: str, rows: Sequence[Row]) -> Chart:
    count = len(rows) // 2
    span = alt.Scale(domain=[0.4, count + 0.6], reverse=True, nice=False, zero=False)
    x = alt.X("side:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("rank:Q", axis=None, scale=span)
    base = alt.Chart(alt.NamedData(data))
    ways = [SAME, UP, DOWN]
    lines = base.mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(filled=True, size=40)).encode(
        x=x,
        y=y,
        detail="model:N",
        color=alt.Color("way:N", scale=alt.Scale(domain=ways), legend=None),
        strokeDash=alt.StrokeDash("way:N", scale=alt.Scale(domain=ways, range=[[1, 0], [8, 3], [2, 2]]), legend=None),
        tooltip=["model:N", "rank:Q", "text:N"],
    )
    labels = [
        base.transform_filter(f"datum.side == {side}")
        .mark_text(align=align, dx=dx, fontSize=11)
        .encode(x=x, y=alt.Y("place:Q", axis=None, scale=span), text="text:N")
        for side, align, dx in ENDS
    ]
    heads = [
        alt.Chart(alt.NamedData("heads"))
        .mark_text(style="muted", align=align, dx=dx, baseline="bottom", fontSize=11)
        .transform_filter(f"datum.side == {side}")
        .encode(x=x, y=alt.Y("place:Q", axis=None, scale=span), text="head:N")
        for side, align, dx in ENDS
    ]
    return alt.layer(lines, *labels, *heads).properties(
        width=WIDTH,
        height=RANK_HEIGHT * (count + 0.6),
        title=alt.TitleParams(title, fontSize=12, anchor="middle", offset=22),
    )
