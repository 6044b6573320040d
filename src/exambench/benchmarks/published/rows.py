"""One dataclass a table; its fields are the columns of the file.

Figures that a paper prints are :class:`decimal.Decimal`, so that they keep their digits; a blank cell is ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A number that stands in the running text."""

    name: str
    value: Decimal
    where: str
    meaning: str


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """K-MetBench's public leaderboard at full precision."""

    display_model_name: str
    model_size_b: float | None
    is_proprietary_model: bool
    is_korean_model: bool
    is_vision_model: bool
    is_reasoning_model: bool
    accuracy_pct: float
    reasoning_4_20: float
    korean_pct: float
    text_pct: float
    multimodal_pct: float | None
    part1_pct: float
    part2_pct: float
    part3_pct: float
    part4_pct: float
    part5_pct: float


@dataclass(frozen=True, slots=True)
class CompositionRow:
    """K-MetBench, Table 2."""

    axis: str
    statistic: str
    value: Decimal
    percent: Decimal | None


@dataclass(frozen=True, slots=True)
class PartSizeRow:
    """K-MetBench, Table 3; the last row holds the printed sums."""

    part: str
    subject: str
    total: int
    total_reasoning: int
    text: int
    text_reasoning: int
    image: int
    image_reasoning: int
    korean: int
    korean_reasoning: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """K-MetBench, Tables 4 and 13."""

    group: str
    model: str
    leaderboard_name: str
    korean_model: bool
    vision_model: bool
    reasoning_model: bool
    accuracy: Decimal
    reasoning: Decimal
    korean: Decimal
    text: Decimal
    multimodal: Decimal | None
    part1: Decimal
    part2: Decimal
    part3: Decimal
    part4: Decimal
    part5: Decimal


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """K-MetBench, Table 5."""

    axis: str
    alpha: Decimal
    icc: Decimal
    n: int


@dataclass(frozen=True, slots=True)
class JudgedModelRow:
    """K-MetBench, Table 9; ``reasoning`` is the total divided by 4."""

    tier: str
    model: str
    leaderboard_name: str
    family: str
    size_b: Decimal
    reasoning: Decimal


@dataclass(frozen=True, slots=True)
class JudgedItemRow:
    """K-MetBench, Table 10; mean and SD of the total divided by 4."""

    tier: str
    item: int
    mean: Decimal
    sd: Decimal
    part: int
    note: str


@dataclass(frozen=True, slots=True)
class LeaveOneOutRow:
    """K-MetBench, Table 14; percentage points."""

    gap: str
    model: str
    leaderboard_name: str
    baseline: Decimal
    max_swing: Decimal
    sign_flips: Decimal
    n: int


@dataclass(frozen=True, slots=True)
class EvaluatedModelRow:
    """KMMMU, section 4.1."""

    group: str
    model: str


@dataclass(frozen=True, slots=True)
class LocalGapRow:
    """KMMMU, Table 5; percentage points."""

    model: str
    controlled_gap: Decimal
    ci_low: Decimal | None
    ci_high: Decimal | None


@dataclass(frozen=True, slots=True)
class CrossLingualRow:
    """KMMMU, Table 16; accuracies in percent, counts of items."""

    model: str
    items: int
    korean: Decimal
    english: Decimal
    korean_only: int
    english_only: int
    p_value: Decimal


@dataclass(frozen=True, slots=True)
class JudgeAccuracyRow:
    """KMMMU, Table 18, averages of six runs."""

    evaluation: str
    overall: Decimal
    no_answer: Decimal
    answered: Decimal


@dataclass(frozen=True, slots=True)
class ImageDependencyRow:
    """KMMMU, Table 19; percent."""

    model: str
    with_images: Decimal
    without_images: Decimal
    drop: Decimal


@dataclass(frozen=True, slots=True)
class AssessmentRow:
    """ScholarBench, Table 1."""

    language: str
    assessment_a: Decimal
    assessment_b: Decimal
    assessment_c: Decimal
    evaluation: Decimal
    kappa: Decimal


@dataclass(frozen=True, slots=True)
class TaskScoreRow:
    """ScholarBench, Tables 2, 5, 16 and 19 to 22; shares from 0 to 1."""

    model: str
    rouge1: Decimal
    rouge2: Decimal
    rouge_l: Decimal
    bertscore: Decimal
    a2: Decimal
    a3: Decimal
    a4: Decimal
    mcq: Decimal
    boolean: Decimal
    average: Decimal


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """ScholarBench, Table 3."""

    prompt: str
    model: str
    rouge1: Decimal
    rouge2: Decimal
    rouge_l: Decimal
    bertscore: Decimal


@dataclass(frozen=True, slots=True)
class CategorySizeRow:
    """ScholarBench, Tables 6 and 8; the last row holds the printed sums."""

    category: str
    ko: int
    en: int


@dataclass(frozen=True, slots=True)
class TypeSizeRow:
    """ScholarBench, Tables 7 and 9; the last row holds the printed sums."""

    problem_type: str
    ko: int
    en: int


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """ScholarBench, Tables 10 and 11."""

    model: str
    checkpoint: str


@dataclass(frozen=True, slots=True)
class ShortAnswerRow:
    """ScholarBench, Table 13."""

    model: str
    english_bertscore: Decimal
    english_bleurt: Decimal
    korean_bertscore: Decimal
    korean_bleurt: Decimal


@dataclass(frozen=True, slots=True)
class RatingRow:
    """ScholarBench, Table 15."""

    language: str
    evaluation_a: Decimal
    evaluation_b: Decimal
    assessment_a: Decimal
    assessment_b: Decimal
    kappa: Decimal
