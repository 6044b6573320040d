"""The judge beside people: mean totals of models, with and without the expert's rationale.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figure 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np

from exambench.analysis.agreement import TOTAL
from exambench.analysis.coefficients import Coefficient
from exambench.analysis.meta_report import ConditionAgreement, MetaReport, ModelPlace
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row, coefficient
from exambench.report.figures.labels import labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.placement import beside
from exambench.report.figures.points import Span, span_of
from exambench.report.figures.slope import condition_title, study_note
from exambench.stats.correlation import RegressionLine, regression_line

NAME: Final = FigureName.JUDGE
SIDE: Final = 300
STEPS: Final = 41
NARROWEST: Final = 4.0
LABEL_CELLS: Final = 24

TITLE: Final = Phrase("Mean total of models: people and the judge", "모델별 평균 총점: 사람과 심판")
PEOPLE: Final = Phrase("Mean total by people", "사람의 평균 총점")
JUDGE: Final = Phrase("Mean total by the judge", "심판의 평균 총점")
TAU: Final = Phrase(
    "τ-b = {tau} ({level:.0%}: {low} to {high}), models: {n}",
    "τ-b = {tau}({level:.0%}: {low}~{high}), 모델 {n}개",
)
BARE_TAU: Final = Phrase("τ-b = {tau}, models: {n}", "τ-b = {tau}, 모델 {n}개")
NO_TAU: Final = Phrase("no τ-b, models: {n}", "τ-b 없음, 모델 {n}개")
LINES: Final = Phrase(
    "Dashed: equal scores. Solid: least squares with the {level:.0%} band of its mean, from three models on.",
    "파선: 같은 점수. 실선: 최소제곱 회귀선과 평균의 {level:.0%} 신뢰대(모델 3개부터).",
)

UNNAMED: Final = Phrase(
    "Points without room for a name: {count}; the CSV names them.", "이름을 적을 자리가 없는 점: {count}개(CSV에 있음)."
)


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """One condition.

    Attributes:
        condition: The judge in it beside people.
        models: The models with a mean of both.
        line: Regression of the judge's means on those of people; ``None`` where it does not exist.
    """

    condition: ConditionAgreement
    models: tuple[ModelPlace, ...]
    line: RegressionLine | None

    @property
    def tau(self) -> Coefficient:
        """τ-b over models of the totals."""
        return self.condition.over_models[TOTAL]


@dataclass(frozen=True, eq=False)
class JudgeData:
    """What the figure shows.

    Attributes:
        report: The study with its results.
        panels: Its conditions.
    """

    report: MetaReport
    panels: tuple[JudgePanel, ...]


def judge_data(report: MetaReport) -> JudgeData:
    """Return what the figure shows.

    Raises:
        UndefinedStatisticError: No model has scores of people and of the judge.
    """
    level = report.bootstrap.level
    panels = tuple(panel for panel in (_panel_data(each, level) for each in report.conditions) if panel.models)
    if not panels:
        raise UndefinedStatisticError("no model has scores of people and of the judge")
    return JudgeData(report, panels)


def _panel_data(condition: ConditionAgreement, level: float) -> JudgePanel:
    models = tuple(model for model in condition.models if model.people is not None and model.judge is not None)
    x, y = [model.people or 0.0 for model in models], [model.judge or 0.0 for model in models]
    try:
        line = regression_line(x, y, np.linspace(min(x), max(x), STEPS), level) if models else None
    except UndefinedStatisticError:
        line = None
    return JudgePanel(condition, models, line)


def judge(data: JudgeData, language: Language = Language.EN) -> Figure:
    """Draw the judge's mean over the people's, a panel for each condition, on one scale [1]."""
    means = [
        float(mean)
        for panel in data.panels
        for model in panel.models
        for mean in (model.people, model.judge)
        if mean is not None
    ]
    span = span_of(means, narrowest=NARROWEST)
    datasets: dict[str, Sequence[Row]] = {"equal": [{"people": end, "judge": end} for end in (span.low, span.high)]}
    charts = []
    for number, panel in enumerate(data.panels):
        datasets |= {f"models_{number}": list(_rows(panel, span)), f"band_{number}": list(_band(panel.line))}
        title = [condition_title(panel.condition, language), _tau_text(panel, data.report.bootstrap.level, language)]
        charts.append(_panel(number, title, span, language))
    unnamed = sum(row.get("label") == "" for rows in datasets.values() for row in rows)
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(
            study_note(data.report, language),
            LINES.text(language, level=data.report.bootstrap.level),
            *([UNNAMED.text(language, count=unnamed)] if unnamed else []),
        ),
        chart=alt.hconcat(*charts, spacing=36),
        datasets=datasets,
        records=list(_records(data)),
    )


def _tau_text(panel: JudgePanel, level: float, language: Language) -> str:
    tau, n = panel.tau, len(panel.models)
    if tau.estimate is None:
        return NO_TAU.text(language, n=n)
    if tau.low is None or tau.high is None:
        return BARE_TAU.text(language, tau=coefficient(tau.estimate), n=n)
    return TAU.text(
        language, tau=coefficient(tau.estimate), low=coefficient(tau.low), high=coefficient(tau.high), level=level, n=n
    )


def _rows(panel: JudgePanel, span: Span) -> Iterator[Row]:
    names = labels_of([model.name for model in panel.models], LABEL_CELLS)
    places = [
        (SIDE * span.share(model.people or 0.0), SIDE * (1 - span.share(model.judge or 0.0))) for model in panel.models
    ]
    for name, model, spot in zip(
        names, panel.models, beside(places, names, (SIDE, SIDE), clear=_lines(panel.line, span)), strict=True
    ):
        yield {
            "model": name,
            "people": model.people,
            "judge": model.judge,
            "n": model.n,
            "label": "" if spot is None else name,
            "dx": 0.0 if spot is None else spot.dx,
            "dy": 0.0 if spot is None else spot.dy,
            "align": "left" if spot is None else spot.align,
        }


def _lines(line: RegressionLine | None, span: Span) -> list[tuple[float, float]]:
    """Return places on both lines in pixels."""
    equal = [(SIDE * step / STEPS, SIDE * (1 - step / STEPS)) for step in range(STEPS + 1)]
    if line is None:
        return equal
    pairs = zip(line.at, line.fitted, strict=True)
    return equal + [(SIDE * span.share(float(x)), SIDE * (1 - span.share(float(y)))) for x, y in pairs]


def _band(line: RegressionLine | None) -> Iterator[Row]:
    if line is not None:
        for at, fitted, low, high in zip(line.at, line.fitted, line.low, line.high, strict=True):
            yield {"people": float(at), "fitted": float(fitted), "low": float(low), "high": float(high)}


def _records(data: JudgeData) -> Iterator[dict[str, object]]:
    for panel in data.panels:
        source = {
            "study": data.report.study.study_id,
            "judge_name": data.report.judge,
            "with_rationale": panel.condition.with_reference,
        }
        for model in panel.models:
            yield source | {
                "section": "model",
                "run": model.run_id,
                "model": model.name,
                "n": model.n,
                "people": model.people,
                "judge": model.judge,
            }
        yield source | {
            "section": "agreement",
            "n": len(panel.models),
            "tau_b": panel.tau.estimate,
            "tau_b_low": panel.tau.low,
            "tau_b_high": panel.tau.high,
            "slope": panel.line and panel.line.slope,
            "intercept": panel.line and panel.line.intercept,
        }


def _panel(number: int, title: list[str], span: Span, language: Language) -> Chart:
    band, models = (alt.Chart(alt.NamedData(f"{name}_{number}")) for name in ("band", "models"))
    x = alt.X("people:Q", scale=span.scale, title=PEOPLE.text(language), axis=alt.Axis(tickCount=8))
    y = alt.Y("judge:Q", scale=span.scale, title=JUDGE.text(language), axis=alt.Axis(tickCount=8))
    ends = alt.Chart(alt.NamedData("equal"))
    return alt.layer(
        ends.mark_line(style="reference").encode(x=x, y=y),
        band.mark_area(opacity=0.22, clip=True).encode(x=x, y=alt.Y("low:Q", scale=span.scale), y2="high:Q"),
        band.mark_line(clip=True).encode(x=x, y=alt.Y("fitted:Q", scale=span.scale)),
        models.mark_point(filled=True, size=60, opacity=1).encode(
            x=x,
            y=y,
            tooltip=["model:N", alt.Tooltip("people:Q", format=".2f"), alt.Tooltip("judge:Q", format=".2f"), "n:Q"],
        ),
        models.mark_text(
            fontSize=10,
            baseline="middle",
            align=alt.expr("datum.align"),
            dx=alt.expr("datum.dx"),
            dy=alt.expr("datum.dy"),
            style="muted",
        ).encode(x=x, y=y, text="label:N"),
    ).properties(width=SIDE, height=SIDE, title=alt.TitleParams(title, fontSize=12, anchor="start", offset=8))
