"""Scores of models on axes: what most figures are about, from a diagnosis or from published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from exambench.analysis.diagnosis import Diagnosis
from exambench.analysis.gaps import REASONING_GAP
from exambench.analysis.scores import RunScores
from exambench.analysis.standings import FEWEST_RANKED
from exambench.report.figures.labels import label
from exambench.report.figures.language import Phrase, titled
from exambench.stats.matrix import FloatArray, IntArray
from exambench.stats.ranking import rank_intervals
from exambench.stats.resampling import Bootstrap, bootstrap_means

REASONING: Final = REASONING_GAP
REASONING_TITLE: Final = Phrase("Reasoning (judged)", "추론(채점)")
INTERVALS: Final = Phrase(
    "{level:.0%} intervals from {resamples:,} resamples of the items, seed {seed}.",
    "{level:.0%} 신뢰구간: 문항 재표집 {resamples:,}회, 시드 {seed}.",
)
JUDGED: Final = Phrase(
    "Reasoning: scored by {judge}, its rubric scaled to 0–100.", "추론: {judge} 채점, 루브릭 점수를 0~100으로 환산."
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What a model file declares.

    Attributes:
        size_b: Parameters in thousand millions; ``None`` where it is not declared.
        korean: Made for Korean first.
        thinking: Reasons before it answers.
        proprietary: Its weights are closed.
        images: Takes pictures.
    """

    size_b: float | None = None
    korean: bool = False
    thinking: bool = False
    proprietary: bool = False
    images: bool = False


@dataclass(frozen=True, eq=False)
class AxisScores:
    """Scores of models on axes. Arrays are models × axes, in [0, 1]; NaN = no value.

    Attributes:
        source: What was asked, of whom, in one line.
        intervals: How intervals were made, or that there are none, in a sentence.
        notes: What else a reader must know, in sentences.
        axes: Names of the axes; the first one is about all items.
        titles: What to call them.
        models: Names of the models.
        traits: What their files declare.
        estimate: Mean scores.
        low: Lower bounds.
        high: Upper bounds.
        n: Numbers of items behind them; 0 where they are not known.
        rank: Ranks on common items, 1 the best.
        rank_low: The better ends of their intervals.
        rank_high: The worse ends.
        rank_n: Number of common items of each axis.
        bootstrap: How intervals were drawn; ``None`` where there are none.
    """

    source: str
    intervals: Phrase
    notes: tuple[Phrase, ...]
    axes: tuple[str, ...]
    titles: tuple[Phrase, ...]
    models: tuple[str, ...]
    traits: tuple[Traits, ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    rank: FloatArray
    rank_low: FloatArray
    rank_high: FloatArray
    rank_n: IntArray
    bootstrap: Bootstrap | None

    @property
    def best_first(self) -> list[int]:
        """The models by rank on all items, then by score; those without a score last."""
        rank, score = self.rank[:, 0], self.estimate[:, 0]
        order = np.lexsort((np.arange(len(rank)), -np.nan_to_num(score, nan=-1.0), np.nan_to_num(rank, nan=np.inf)))
        return [int(model) for model in order]

    def counted(self, models: Sequence[int], axis: int) -> str:
        """Return the numbers of items behind the scores of models on an axis: ``n = 71–73``; empty if not known."""
        numbers = [int(self.n[model, axis]) for model in models if self.n[model, axis]]
        if not numbers:
            return ""
        least, most = min(numbers), max(numbers)
        return f"n = {least:,}" if least == most else f"n = {least:,}–{most:,}"

    def records(self) -> list[dict[str, object]]:
        """Return one record for each model and axis, in full precision."""
        return [self.record(model, axis) for model in range(len(self.models)) for axis in range(len(self.axes))]

    def record(self, model: int, axis: int) -> dict[str, object]:
        """Return the numbers of one model on one axis."""
        place = (model, axis)
        drawn = self.bootstrap
        return {
            "source": self.source,
            "model": self.models[model],
            "axis": self.axes[axis],
            "n": int(self.n[place]) or None,
            "score": _number(self.estimate[place]),
            "low": _number(self.low[place]),
            "high": _number(self.high[place]),
            "rank": _number(self.rank[place]),
            "rank_low": _number(self.rank_low[place]),
            "rank_high": _number(self.rank_high[place]),
            "rank_n": int(self.rank_n[axis]) or None,
            "level": drawn and drawn.level,
            "resamples": drawn and drawn.resamples,
            "seed": drawn and drawn.seed,
        }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def scores_of(
    diagnosis: Diagnosis, titles: Mapping[str, Mapping[str, str]], traits: Sequence[Traits] | None = None
) -> AxisScores:
    """Return the scores of a diagnosis on its axes, judged reasoning as one more of them where there is any.

    An axis that holds the very same items as the first one says nothing of its own and is left out.

    Args:
        diagnosis: Of stored runs, or of a matrix.
        titles: What to call the axes, by name and language.
        traits: What the model files declare, in the order of the table.
    """
    table, means, ranks = diagnosis.table, diagnosis.means, diagnosis.ranks
    kept = [column for column, name in enumerate(means.names) if not column or not table.axes[name].all()]
    shape = (len(table.models), len(kept))
    nothing = np.full(shape, np.nan)
    scores = AxisScores(
        source=table.title,
        intervals=INTERVALS.filled(**asdict(diagnosis.bootstrap)),
        notes=(),
        axes=tuple(means.names[column] for column in kept),
        titles=tuple(titled(means.names[column], titles.get(means.names[column], {})) for column in kept),
        models=table.models,
        traits=tuple(traits or [Traits()] * shape[0]),
        estimate=means.estimate[:, kept],
        low=means.low[:, kept],
        high=means.high[:, kept],
        n=means.n[:, kept],
        rank=nothing if ranks is None else ranks.rank[:, kept],
        rank_low=nothing if ranks is None else ranks.low[:, kept],
        rank_high=nothing if ranks is None else ranks.high[:, kept],
        rank_n=np.zeros(len(kept), dtype=np.int64) if ranks is None else ranks.n[kept],
        bootstrap=diagnosis.bootstrap,
    )
    return scores if diagnosis.reasoning is None else _with_reasoning(scores, diagnosis)


def with_count(title: str, scores: AxisScores, models: Sequence[int], axis: int) -> str:
    """Return the title of an axis with the numbers of items behind the scores of models on it."""
    return " · ".join(filter(None, (title, scores.counted(models, axis))))


def traits_of(run: RunScores) -> Traits:
    """Return what the model file of a run declares."""
    model = run.record.model
    capabilities = model.get("capabilities")
    able = capabilities if isinstance(capabilities, Mapping) else {}
    size = model.get("size_b")
    return Traits(
        size_b=float(size) if isinstance(size, int | float) and size > 0 else None,
        korean=bool(model.get("korean")),
        thinking=bool(able.get("thinking")),
        proprietary=bool(model.get("proprietary")),
        images=run.sees_images,
    )


def _with_reasoning(scores: AxisScores, diagnosis: Diagnosis) -> AxisScores:
    """Return the scores with the mean of judged reasoning as the second axis."""
    reasoning = diagnosis.reasoning
    if reasoning is None or reasoning.gap is None or reasoning.judge is None:
        return scores
    judged, table, drawn = reasoning.gap.first, diagnosis.table, diagnosis.bootstrap
    means = bootstrap_means({REASONING: judged}, drawn, strata=table.strata, item_ids=table.items)
    taking_part = table.ranked & ~np.isnan(judged).all(axis=1)
    rank, low, high = np.full((3, len(table.models), 1), np.nan)
    rank_n = np.zeros(1, dtype=np.int64)
    if np.count_nonzero(taking_part) >= FEWEST_RANKED:
        among = np.where(taking_part[:, None], judged, np.nan)
        ranks = rank_intervals({REASONING: among}, drawn, strata=table.strata, item_ids=table.items)
        rank, low, high, rank_n = ranks.rank, ranks.low, ranks.high, ranks.n

    def second(whole: FloatArray, column: FloatArray) -> FloatArray:
        return np.insert(whole, [1], column, axis=1)

    return AxisScores(
        source=scores.source,
        intervals=scores.intervals,
        notes=(*scores.notes, JUDGED.filled(judge=label(reasoning.judge.name))),
        axes=(scores.axes[0], REASONING, *scores.axes[1:]),
        titles=(scores.titles[0], REASONING_TITLE, *scores.titles[1:]),
        models=scores.models,
        traits=scores.traits,
        estimate=second(scores.estimate, means.estimate),
        low=second(scores.low, means.low),
        high=second(scores.high, means.high),
        n=np.insert(scores.n, [1], means.n, axis=1),
        rank=second(scores.rank, rank),
        rank_low=second(scores.rank_low, low),
        rank_high=second(scores.rank_high, high),
        rank_n=np.insert(scores.rank_n, [1], rank_n),
        bootstrap=scores.bootstrap,
    )
