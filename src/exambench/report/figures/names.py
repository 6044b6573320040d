"""The figures that there are. Nothing heavy is imported here, so that ``--help`` and ``--list`` stay light."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from exambench.report.figures.language import Phrase


class FigureName(StrEnum):
    """A figure, by the name of its files."""

    RADAR = "radar"
    FOREST = "forest"
    SIZE = "size"
    REASONING = "reasoning"
    ORTHOGONALITY = "orthogonality"
    INFLUENCE = "influence"
    ITEMS = "items"
    POSITIONS = "positions"
    SLOPE = "slope"
    JUDGE = "judge"
    GPU_HOURS = "gpu-hours"
    TOPICS = "topics"


ABOUT: Final[Mapping[FigureName, Phrase]] = MappingProxyType(
    {
        FigureName.RADAR: Phrase("a few models over all axes", "모델 몇 개를 모든 축에서"),
        FigureName.FOREST: Phrase("every axis with its intervals, and rank intervals", "축마다 신뢰구간과 순위 구간"),
        FigureName.SIZE: Phrase("model size and any metric, with the frontier", "모델 크기와 지표, 최고 경계선"),
        FigureName.REASONING: Phrase(
            "accuracy and judged reasoning, with the regression line", "정확도와 추론 점수, 회귀선"
        ),
        FigureName.ORTHOGONALITY: Phrase(
            "τ-b between our axes, and with other benchmarks (--others)", "축 사이, 다른 벤치마크와의 τ-b(--others)"
        ),
        FigureName.INFLUENCE: Phrase("gaps, and how far one item moves them", "격차와 문항 하나의 영향"),
        FigureName.ITEMS: Phrase("difficulty and discrimination of items", "문항 난이도와 변별도"),
        FigureName.POSITIONS: Phrase("positions of keys and of what models pick", "정답 위치와 모델이 고른 위치"),
        FigureName.SLOPE: Phrase("ranks of models by people and by the judge", "사람과 심판이 매긴 모델 순위"),
        FigureName.JUDGE: Phrase(
            "scores by people and by the judge, with and without rationale", "사람과 심판의 점수, 해설 유무별"
        ),
        FigureName.GPU_HOURS: Phrase("GPU-hours against the time limit", "GPU 시간과 시험 시간"),
        FigureName.TOPICS: Phrase("how many items stand under each topic", "주제별 문항 수"),
    }
)
"""What each of them shows."""
