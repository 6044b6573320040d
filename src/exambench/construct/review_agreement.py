"""How far reviewers agree on the items that all of them see, and what each of them said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from exambench.benchmarks.scholarbench_format import PARAGRAPH
from exambench.construct.generated_items import LANGUAGE
from exambench.construct.reviewed import Reviewed, Ruling
from exambench.errors import UndefinedStatisticError
from exambench.items import Item, facet_text
from exambench.stats.agreement import Agreement, Metric, cohen_kappa, fleiss_kappa, krippendorff_alpha
from exambench.stats.intervals import mean_interval, wilson_interval
from exambench.stats.matrix import FloatArray
from exambench.stats.resampling import Bootstrap

Facts = dict[str, Any]
RESAMPLES: Final = 1000
PAIR: Final = 2
RULINGS: Final = {ruling: float(place) for place, ruling in enumerate(Ruling)}
NOMINAL: Final[Mapping[str, Callable[[Reviewed], float]]] = {
    "paragraph fits": lambda reviewed: float(reviewed.fits),
    "answer is right": lambda reviewed: float(reviewed.right),
    "decision": lambda reviewed: RULINGS[reviewed.ruling],
}
"""What is asked without an order of the answers."""


def agreement(shared: Sequence[Item], reviews: Mapping[str, Mapping[str, Reviewed]], seed: int) -> list[Facts]:
    """Return how far reviewers agree on shared items: κ of each question, and α of the quality.

    Cohen's κ of two reviewers, Fleiss' κ of more, over the items that all of them reviewed; Krippendorff's ordinal α of
    the quality, which is not rated where an answer is wrong. Intervals are 95 % percentiles over items. There is no
    coefficient, and ``None`` stands in its place, where all say the same throughout or no item has all reviews. Where
    the items are in several languages, each has rows of its own besides.

    Args:
        shared: The items.
        reviews: By reviewer and item.
        seed: Of the bootstrap.
    """
    if len(reviews) < PAIR:
        return []
    languages = sorted({facet_text(item.facets.get(LANGUAGE, "")) for item in shared})
    groups = {"all": shared}
    if len(languages) > 1:
        groups |= {
            language: [item for item in shared if facet_text(item.facets.get(LANGUAGE, "")) == language]
            for language in languages
        }
    return [{"language": name, **row} for name, items in groups.items() for row in _agreement(items, reviews, seed)]


def _agreement(shared: Sequence[Item], reviews: Mapping[str, Mapping[str, Reviewed]], seed: int) -> Iterator[Facts]:
    bootstrap = Bootstrap(RESAMPLES, seed)
    name = "Cohen κ" if len(reviews) == PAIR else "Fleiss κ"

    def kappa(found: FloatArray) -> Agreement:
        if len(reviews) == PAIR:
            return cohen_kappa(found[:, 0], found[:, 1], bootstrap=bootstrap)
        return fleiss_kappa(found, bootstrap)

    for question, value in NOMINAL.items():
        yield _row(question, name, _matrix(shared, reviews, value), kappa, seed)
    quality = _matrix(shared, reviews, lambda reviewed: math.nan if reviewed.quality is None else reviewed.quality)
    yield _row(
        "quality",
        "Krippendorff α (ordinal)",
        quality,
        lambda found: krippendorff_alpha(found, Metric.ORDINAL, bootstrap),
        seed,
    )


def of_reviewers(items: Sequence[Item], reviews: Mapping[str, Mapping[str, Reviewed]]) -> list[Facts]:
    """Return what each reviewer said: rulings, the share of right answers (Wilson), the mean quality (by paragraph)."""
    return [{"reviewer": name, **_of_reviewer(items, found)} for name, found in reviews.items()]


def _of_reviewer(items: Sequence[Item], found: Mapping[str, Reviewed]) -> Facts:
    mine = [(item, found[item.id]) for item in items if item.id in found]
    rulings = Counter(reviewed.ruling for _, reviewed in mine)
    right = None if not mine else wilson_interval(sum(reviewed.right for _, reviewed in mine), len(mine))
    rated = [(item, reviewed.quality) for item, reviewed in mine if reviewed.quality is not None]
    return {
        "items": len(mine),
        **{str(ruling): rulings[ruling] for ruling in Ruling},
        "right": None if right is None else right.estimate,
        "right_low": None if right is None else right.low,
        "right_high": None if right is None else right.high,
        "rated": len(rated),
        **_mean_quality(rated),
    }


def _mean_quality(rated: Sequence[tuple[Item, int]]) -> Facts:
    """Return the mean rating with its 95 % interval; items about one paragraph are a cluster."""
    if not rated:
        return {"quality": None, "quality_low": None, "quality_high": None}
    qualities = [quality for _, quality in rated]
    try:
        mean = mean_interval(qualities, clusters=[facet_text(item.facets.get(PARAGRAPH, item.id)) for item, _ in rated])
    except UndefinedStatisticError:  # one paragraph tells nothing of others
        return {"quality": sum(qualities) / len(qualities), "quality_low": None, "quality_high": None}
    return {"quality": mean.estimate, "quality_low": mean.low, "quality_high": mean.high}


def _matrix(
    shared: Sequence[Item], reviews: Mapping[str, Mapping[str, Reviewed]], value: Callable[[Reviewed], float]
) -> FloatArray:
    """Return items × reviewers; NaN where one has not reviewed an item."""
    rows = [
        [math.nan if item.id not in found else value(found[item.id]) for found in reviews.values()] for item in shared
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(reviews))


def _row(
    question: str, coefficient: str, matrix: FloatArray, compute: Callable[[FloatArray], Agreement], seed: int
) -> Facts:
    complete = int((~np.isnan(matrix)).all(axis=1).sum())
    row: Facts = {"question": question, "coefficient": coefficient, "value": None, "low": None, "high": None}
    row |= {"items": complete, "reviewers": matrix.shape[1], "seed": seed}
    if not len(matrix):
        return row
    try:
        found = compute(matrix)
    except UndefinedStatisticError:
        return row
    return row | {
        "value": found.estimate,
        "low": None if math.isnan(found.low) else found.low,
        "high": None if math.isnan(found.high) else found.high,
        "items": found.n_units,
    }
