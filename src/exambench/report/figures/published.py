"""Published figures of a paper as the data of figures."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.analysis.published.leaderboard import (
    denominators,
    items_right,
    judged_items,
    normalised_reasoning,
)
from exambench.benchmarks.published import KMetBench
from exambench.benchmarks.published.rows import LeaderboardRow
from exambench.report.figures.gpu_hours import MINUTES, GpuHours, GpuHoursData
from exambench.report.figures.influence import InfluenceData, Swing, influence_of
from exambench.report.figures.language import Phrase
from exambench.report.figures.scores import REASONING, REASONING_TITLE, AxisScores, Traits
from exambench.report.figures.topics import Topic, TopicsData
from exambench.stats.intervals import binomial_quantile_interval

KMETBENCH: Final = "kmetbench"
SOURCE: Final = "K-MetBench · published leaderboard · advanced"
AXES: Final = (
    ("accuracy", Phrase("Accuracy", "정확도")),
    ("korean", Phrase("Korean", "한국 특화")),
    ("text", Phrase("Text", "텍스트")),
    ("multimodal", Phrase("Multimodal", "멀티모달")),
    ("part1", Phrase("P1 Analysis and forecasting", "P1 기상분석 및 예보론")),
    ("part2", Phrase("P2 Observation", "P2 기상관측법")),
    ("part3", Phrase("P3 Dynamics", "P3 대기역학")),
    ("part4", Phrase("P4 Climatology", "P4 기후학")),
    ("part5", Phrase("P5 Physics", "P5 대기물리학")),
)
"""Names on the leaderboard and titles, in order; judged reasoning stands after the first one."""
EXACT: Final = Phrase(
    "95% intervals: what the bootstrap of the published counts tends to; none for judged reasoning.",
    "95% 신뢰구간: 공개된 정답 수의 부트스트랩 극한값. 추론 점수에는 없음.",
)
DENOMINATORS: Final = Phrase(
    "Text-only models sat only the items without pictures.",
    "텍스트 전용 모델은 그림 없는 문항만 치름.",
)
MODALITIES: Final = MappingProxyType(
    {("modality", "image"): Phrase("image", "이미지"), ("modality", "text"): Phrase("text", "텍스트")}
)
COST_PREFIX: Final = "cost_"


def leaderboard_scores(data: KMetBench) -> AxisScores:
    """Return the public leaderboard of K-MetBench as scores on axes."""
    rows = data.leaderboard
    cells = np.array([list(_cells(data, row)) for row in rows])
    nothing = np.full(cells.shape[:2], np.nan)
    names, titles = zip(*AXES, strict=True)
    return AxisScores(
        source=SOURCE,
        intervals=EXACT,
        notes=(DENOMINATORS,),
        axes=(names[0], REASONING, *names[1:]),
        titles=(titles[0], REASONING_TITLE, *titles[1:]),
        models=tuple(row.display_model_name for row in rows),
        traits=tuple(
            Traits(
                size_b=row.model_size_b,
                korean=row.is_korean_model,
                thinking=row.is_reasoning_model,
                proprietary=row.is_proprietary_model,
                images=row.is_vision_model,
            )
            for row in rows
        ),
        estimate=cells[:, :, 0],
        low=cells[:, :, 1],
        high=cells[:, :, 2],
        n=cells[:, :, 3].astype(np.int64),
        rank=nothing,
        rank_low=nothing,
        rank_high=nothing,
        rank_n=np.zeros(cells.shape[1], dtype=np.int64),
        bootstrap=None,
    )


def _cells(data: KMetBench, row: LeaderboardRow) -> Iterator[tuple[float, float, float, float]]:
    """Yield estimate, bounds and n of each axis in order."""
    sizes = denominators(data, row)
    for at, (axis, _) in enumerate(AXES):
        right = items_right(data, row, axis)
        if right is None:
            yield np.nan, np.nan, np.nan, 0
        else:
            found = binomial_quantile_interval(round(right), sizes[axis])
            yield found.estimate, found.low, found.high, found.n
        if at == 0:
            yield normalised_reasoning(row), np.nan, np.nan, judged_items(data, row)


def table_of_swings(data: KMetBench) -> InfluenceData:
    """Return Table 14: gaps with the largest change when one item is left out; no intervals are printed."""
    swings = [
        Swing(
            gap=row.gap,
            model=row.leaderboard_name,
            baseline=float(row.baseline) / 100,
            low=None,
            high=None,
            max_change=float(row.max_swing) / 100,
            item=None,
            sign_flips=round(float(row.sign_flips) / 100 * row.n),
            n=row.n,
        )
        for row in data.table14
    ]
    return influence_of("K-MetBench · Table 14", swings, None)


def hours_in_text(data: KMetBench) -> GpuHoursData:
    """Return the GPU-hours that the running text of the paper gives."""
    runs = [
        GpuHours(name.removeprefix(COST_PREFIX).replace("_", "-"), float(value))
        for name, value in data.figures.items()
        if name.startswith(COST_PREFIX)
    ]
    limit = float(data.figures["exam_minutes"]) / MINUTES
    return GpuHoursData("K-MetBench · appendix E.5", tuple(sorted(runs, key=lambda run: run.hours)), limit, 0)


def sizes_of_parts(data: KMetBench) -> TopicsData:
    """Return Table 3: items of each part, with and without pictures."""
    *parts, total = data.table03
    topics = [
        topic
        for row in parts
        for topic in (
            Topic((f"P{row.part} {row.subject}",), row.total),
            Topic((f"P{row.part} {row.subject}", "image"), row.image),
            Topic((f"P{row.part} {row.subject}", "text"), row.text),
        )
    ]
    parts_in_korean = {
        ("part", f"P{row.part} {row.subject}"): Phrase(f"P{row.part} {row.subject}", dict(AXES)[f"part{row.part}"].ko)
        for row in parts
    }
    return TopicsData(
        "K-MetBench · Table 3",
        ("part", "modality"),
        tuple(topics),
        total.total,
        MappingProxyType(parts_in_korean | MODALITIES),
    )
