"""Every figure, drawn of numbers made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.analysis.agreement import TOTAL, AgreementReport
from exambench.analysis.coefficients import PEOPLES_MEAN, Coefficient, Question, tau
from exambench.analysis.diagnosis import Diagnosis, diagnose
from exambench.analysis.item_analysis import analyse_items
from exambench.analysis.meta_report import ConditionAgreement, MetaReport, ModelPlace
from exambench.analysis.other_scores import OtherScores
from exambench.analysis.score_table import Picks, ScoreTable
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Item, Wording
from exambench.report.figures.figure import Figure
from exambench.report.figures.forest import forest, forest_data
from exambench.report.figures.gpu_hours import GpuHours, GpuHoursData, gpu_hours
from exambench.report.figures.influence import influence, influence_data
from exambench.report.figures.items import items, items_data
from exambench.report.figures.judge import judge, judge_data
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.orthogonality import orthogonality, orthogonality_data
from exambench.report.figures.positions import positions, positions_data
from exambench.report.figures.radar import radar, radar_data
from exambench.report.figures.reasoning import reasoning, reasoning_data
from exambench.report.figures.scores import REASONING, AxisScores, Traits, scores_of
from exambench.report.figures.size import size, size_data
from exambench.report.figures.slope import slope, slope_data
from exambench.report.figures.topics import topics, topics_data
from exambench.stats.matrix import FloatArray
from exambench.stats.ranking import ranks
from exambench.stats.resampling import Bootstrap
from exambench.store import StudyRecord
from tests.support.tables import NAN, table_of

BOOTSTRAP: Final = Bootstrap(50, 42)
PLAIN: Final = ("gemini", "하이퍼클로바X", "A.X-4.0", "Qwen3", "EXAONE", "Llama", "gpt-oss")
HOSTILE: Final = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "\u202eevil\u2066 RTL",
    "lone \ud800 surrogate \x00",
    "모" * 1000,
    "{{7*7}} ${x} datum.model 🙂",
)


@cache
def exam_table(names: tuple[str, ...] = PLAIN, n_items: int = 40) -> ScoreTable:
    """Return scores of models on items of four axes, the best model first; the second one sees no pictures.

    Model m solves item i when (7i + 3m) mod 10 is at least m + 1.
    """
    scores = [
        [float((7 * item + 3 * model) % 10 >= model + 1) for item in range(n_items)] for model in range(len(names))
    ]
    images = [item % 5 == 0 for item in range(n_items)]
    if len(names) > 1:
        scores[1] = [NAN if image else score for score, image in zip(scores[1], images, strict=True)]
    table = table_of(
        scores,
        facets={
            "modality": ["image" if image else "text" for image in images],
            "korean": ["true" if item % 4 == 0 else "false" for item in range(n_items)],
        },
        axes={
            "korean": [item % 4 == 0 for item in range(n_items)],
            "text": [not image for image in images],
            "multimodal": images,
        },
        models=names,
    )
    key = np.arange(n_items) % 4
    picks = np.where(table.scores == 1.0, key, (key + 1 + np.arange(len(names))[:, None] % 3) % 4).astype(np.float64)
    picks[np.isnan(table.scores)] = NAN
    labelled = replace(
        table, title=names[0], items=tuple(f"{names[item % len(names)]} {item}" for item in range(n_items))
    )
    return replace(labelled, picks=Picks(picks, key, np.full(n_items, 4), ("1", "2", "3", "4")))


@cache
def diagnosis_of(names: tuple[str, ...] = PLAIN) -> Diagnosis:
    """Return what :func:`exam_table` says of its models."""
    return diagnose(exam_table(names), BOOTSTRAP)


@cache
def axis_scores(names: tuple[str, ...] = PLAIN) -> AxisScores:
    """Return scores with sizes, and with judged reasoning as the second axis: the square of the accuracy."""
    titles = {"all": {"en": "Accuracy", "ko": "정확도"}, "korean": {"en": "Korean", "ko": "한국 특화"}}
    traits = [Traits(size_b=0.5 * 4**row, korean=row % 2 == 1, thinking=row % 3 == 0) for row in range(len(names))]
    found = scores_of(diagnosis_of(names), titles, traits)

    def widened(cells: FloatArray, column: FloatArray) -> FloatArray:
        return np.insert(cells, 1, column, axis=1)

    return replace(
        found,
        axes=("all", REASONING, *found.axes[1:]),
        titles=(found.titles[0], Phrase("Reasoning", "추론"), *found.titles[1:]),
        estimate=widened(found.estimate, found.estimate[:, 0] ** 2),
        low=widened(found.low, found.low[:, 0] ** 2),
        high=widened(found.high, found.high[:, 0] ** 2),
        n=np.insert(found.n, 1, found.n[:, 0], axis=1),
        rank=widened(found.rank, found.rank[:, 0]),
        rank_low=widened(found.rank_low, found.rank_low[:, 0]),
        rank_high=widened(found.rank_high, found.rank_high[:, 0]),
        rank_n=np.insert(found.rank_n, 1, found.rank_n[0]),
    )


def study(people: Sequence[float], *judges: Sequence[float], names: Sequence[str] = PLAIN) -> MetaReport:
    """Return a study in which people and a judge gave these mean totals; the judge's first with the rationale."""
    conditions = tuple(
        ConditionAgreement(
            with_reference=number == 0,
            agreement=AgreementReport(dimensions=(), judge="judge", content_hash="0" * 64, bootstrap=BOOTSTRAP),
            unjudged=0,
            over_models=MappingProxyType(
                {
                    TOTAL: tau(
                        Coefficient("", Question.AGAINST, ("judge", PEOPLES_MEAN)),
                        np.array(means, dtype=np.float64),
                        np.array(people, dtype=np.float64),
                        BOOTSTRAP,
                    )
                }
            ),
            models=tuple(
                ModelPlace(f"{row:016x}", names[row], 10, people[row], means[row], float(by_people), float(by_judge))
                for row, (by_people, by_judge) in enumerate(zip(ranks(people), ranks(means), strict=True))
            ),
        )
        for number, means in enumerate(judges)
    )
    record = StudyRecord("exam", "0" * 64, names[0], (), {}, ("kim", "lee"), {})
    return MetaReport(
        record, names[0], ("kim", "lee"), (), 10 * len(people), conditions, MappingProxyType({}), BOOTSTRAP
    )


def outline(names: Sequence[str] = PLAIN) -> Benchmark:
    """Return an exam with a topic for each name, the n-th with n items; the even ones of its items have a subtopic."""
    wording = {EXPLICIT: Wording(Content("질문"), (Content("가"), Content("나")))}
    entries = [(row, at, name) for row, name in enumerate(names, start=1) for at in range(row)]
    exam = tuple(
        Item(f"{row}-{at}", wording, ChoiceKey(1), {"topic": name, **({} if at % 2 else {"subtopic": f"{name} 세부"})})
        for row, at, name in entries
    )
    return Benchmark("exam", names[0], exam, (Axis("all", {}),))


def items_figure(names: tuple[str, ...] = PLAIN, language: Language = Language.EN) -> Figure:
    """Return the figure of items, the quickest to make that is drawn of a table."""
    return items(items_data(analyse_items(exam_table(names))), language)


@cache
def every_figure(names: tuple[str, ...] = PLAIN, language: Language = Language.EN) -> Mapping[str, Figure]:
    """Return every figure of models with these names, by its name."""
    scores, table = axis_scores(names), exam_table(names)
    people = [18.0 - 2 * row for row in range(len(names))]
    report = study(people, [each - 0.5 for each in people], [*people[1:], people[0]], names=names)
    hours = tuple(GpuHours(name, 0.5 + row, "H200", 2, 40, f"{row:016x}") for row, name in enumerate(names))
    others = OtherScores(names[0], ("KMMLU", names[1]), {name: (row / 10, -row) for row, name in enumerate(names)})
    analysis = analyse_items(table)
    figures = [
        radar(radar_data(scores), language),
        forest(forest_data(scores), language),
        size(size_data(scores), language),
        reasoning(reasoning_data(scores), language),
        orthogonality(orthogonality_data(scores, others), language),
        influence(influence_data(diagnosis_of(names)), language),
        items_figure(names, language),
        positions(positions_data(analysis), language),
        slope(slope_data(report), language),
        judge(judge_data(report), language),
        gpu_hours(GpuHoursData(names[0], hours, 2.5, 1), language),
        topics(topics_data(outline(names)), language),
    ]
    return MappingProxyType({figure.name: figure for figure in figures})
