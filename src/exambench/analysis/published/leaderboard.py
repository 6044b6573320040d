"""K-MetBench's leaderboard as counts: every percentage there is a number of items over a number of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.stats import binom

from exambench.benchmarks.published import KMetBench
from exambench.benchmarks.published.rows import LeaderboardRow
from exambench.errors import DataError, Finding, show
from exambench.stats.matrix import FloatArray

WHOLE: Final = 1e-6
PARTS: Final = ("part1", "part2", "part3", "part4", "part5")
ACCURACY_AXES: Final = ("accuracy", "korean", "text", "multimodal", *PARTS)
REASONING_LOW: Final = 4.0
REASONING_RANGE: Final = 16.0


@dataclass(frozen=True, slots=True)
class Share:
    """A number of right items.

    Attributes:
        right: Items answered rightly.
        n: Items asked.
    """

    right: int
    n: int

    @property
    def mean(self) -> float:
        """Share of right items."""
        return self.right / self.n

    def scores(self) -> FloatArray:
        """Return n scores with as many 1 as there are right items; the published figures know no order."""
        return np.repeat([1.0, 0.0], [self.right, self.n - self.right])


def denominators(data: KMetBench, row: LeaderboardRow) -> Mapping[str, int]:
    """Return how many items of each axis a model is asked: a text-only model none that has an image.

    Args:
        data: The figures of K-MetBench; Table 3 holds the sizes.
        row: The model.
    """
    *parts, total = data.table03
    sizes = {"text": total.text, "multimodal": total.image}
    if row.is_vision_model:
        sizes |= {"accuracy": total.total, "korean": total.korean}
        sizes |= {f"part{part.part}": part.total for part in parts}
    else:
        sizes |= {"accuracy": total.text, "korean": int(data.figures["korean_text_items"])}
        sizes |= {f"part{part.part}": part.text for part in parts}
    return MappingProxyType(sizes)


def percentage(row: LeaderboardRow, axis: str) -> float | None:
    """Return the accuracy of a model on an axis in percent; None where it is blank."""
    value = getattr(row, f"{axis}_pct")
    return None if value is None else float(value)


def items_right(data: KMetBench, row: LeaderboardRow, axis: str) -> float | None:
    """Return percentage × items / 100, a whole number if the denominator is right; None where it is blank."""
    value = percentage(row, axis)
    return None if value is None else value * denominators(data, row)[axis] / 100.0


def share(data: KMetBench, row: LeaderboardRow, axis: str) -> Share:
    """Return the right items of a model on an axis.

    Raises:
        DataError: The cell is blank, or is not a whole number of items.
    """
    right = items_right(data, row, axis)
    if right is None or not is_whole(right):
        raise DataError(
            Finding(
                problem="the percentage is not a whole number of items",
                file="leaderboard.csv",
                item=row.display_model_name,
                field=f"{axis}_pct",
                value=show(percentage(row, axis)),
                allowed=f"k × 100 / {denominators(data, row)[axis]}",
            )
        )
    return Share(round(right), denominators(data, row)[axis])


def is_whole(value: float) -> bool:
    """Return whether a number of items is whole, up to the rounding of a double."""
    return abs(value - round(value)) < WHOLE


def non_korean(data: KMetBench, row: LeaderboardRow) -> Share:
    """Return the right items of a model outside the Korean-specific ones."""
    everything, korean = share(data, row, "accuracy"), share(data, row, "korean")
    return Share(everything.right - korean.right, everything.n - korean.n)


def modality_gap(data: KMetBench, row: LeaderboardRow) -> float:
    """Return the accuracy on items with an image less that on items without one."""
    return share(data, row, "multimodal").mean - share(data, row, "text").mean


def geo_cultural_gap(data: KMetBench, row: LeaderboardRow) -> float:
    """Return the accuracy on Korean-specific items less that on all others."""
    return share(data, row, "korean").mean - non_korean(data, row).mean


def normalised_reasoning(row: LeaderboardRow) -> float:
    """Return the mean judge total on the scale from 0 to 1, (x − 4)/16."""
    return (row.reasoning_4_20 - REASONING_LOW) / REASONING_RANGE


def reasoning_gap(row: LeaderboardRow) -> float:
    """Return the normalised reasoning score less the accuracy on all items."""
    return normalised_reasoning(row) - row.accuracy_pct / 100.0


def judged_items(data: KMetBench, row: LeaderboardRow) -> int:
    """Return the number of items over which the mean total of a model is a mean of whole numbers.

    All reasoning items and those without image are tried first, then smaller numbers from the largest down.

    Raises:
        DataError: No number up to that of all reasoning items fits.
    """
    sizes = data.table03[-1]
    likely = [sizes.total_reasoning, sizes.text_reasoning]
    for items in likely + list(range(sizes.total_reasoning, 0, -1)):
        if is_whole(row.reasoning_4_20 * items):
            return items
    raise DataError(
        Finding(
            problem="the reasoning score is no mean of whole totals",
            file="leaderboard.csv",
            item=row.display_model_name,
            field="reasoning_4_20",
            value=show(row.reasoning_4_20),
            allowed=f"a sum over at most {sizes.total_reasoning} items",
        )
    )


def vision_models(data: KMetBench) -> tuple[LeaderboardRow, ...]:
    """Return the models that take images."""
    return tuple(row for row in data.leaderboard if row.is_vision_model)


def open_vision_models(data: KMetBench) -> tuple[LeaderboardRow, ...]:
    """Return the open models that take images."""
    return tuple(row for row in vision_models(data) if not row.is_proprietary_model)


def leaderboard_row(data: KMetBench, name: str) -> LeaderboardRow:
    """Return the row of a model.

    Raises:
        DataError: No row, or more than one, has that name.
    """
    found = [row for row in data.leaderboard if row.display_model_name == name]
    if len(found) != 1:
        raise DataError(
            Finding(problem="the leaderboard does not hold this model exactly once", item=name, value=str(len(found)))
        )
    return found[0]


def difference_interval(first: Share, second: Share, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval that the bootstrap of a difference of two shares tends to, without drawing.

    Items of two disjoint subsets are resampled apart, so each sum is binomial(n, p̂) [1, section 13.3]; the interval
    holds the quantiles of their exact joint distribution.

    Args:
        first: The subset.
        second: The rest, disjoint from it.
        level: Confidence level.

    References:
        [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993).
    """
    outcomes, weights = [], []
    for part in (first, second):
        counts = np.arange(part.n + 1)
        outcomes.append(counts / part.n)
        weights.append(binom.pmf(counts, part.n, part.mean))
    differences = np.subtract.outer(*outcomes).ravel()
    order = np.argsort(differences)
    cumulative = np.cumsum(np.multiply.outer(*weights).ravel()[order])
    tail = (1.0 - level) / 2.0
    low, high = differences[order][np.searchsorted(cumulative, [tail, 1.0 - tail])]
    return float(low), float(high)
