"""K-MetBench: the gaps, and the intervals of the best scores.

The scores of single items are not published, but counts suffice: the bootstrap distribution of a share is binomial,
that of a difference of two shares the difference of two binomials. Both are taken exactly, without drawing.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import Final

from exambench.analysis.published.claim import (
    Claim,
    NumberClaim,
    Numbers,
    Paper,
    Printed,
    Rows,
    RowsClaim,
    Unavailable,
)
from exambench.analysis.published.leaderboard import (
    difference_interval,
    geo_cultural_gap,
    leaderboard_row,
    modality_gap,
    non_korean,
    normalised_reasoning,
    open_vision_models,
    share,
    vision_models,
)
from exambench.benchmarks.published import Published
from exambench.benchmarks.published.rows import LeaderboardRow
from exambench.stats.intervals import binomial_quantile_interval

LOCAL: Final = "A.X-4.0"
STEADY_FAMILIES: Final = ("HyperCLOVAX", "A.X")


def _mean_modality_gap(published: Published) -> Numbers:
    data = published.kmetbench
    takers, everyone = open_vision_models(data), vision_models(data)
    mean, mean_of_all = (100 * fmean(modality_gap(data, row) for row in rows) for rows in (takers, everyone))
    return Numbers((mean,), len(takers), f"open models; {mean_of_all:.2f} over all {len(everyone)} vision models")


def _named_modality_gap(published: Published) -> Numbers:
    data = published.kmetbench
    rows = vision_models(data)
    row = leaderboard_row(data, "gpt-5.2 (Thinking)")
    parts = [share(data, row, axis) for axis in ("text", "multimodal")]
    wider = sum(modality_gap(data, other) < modality_gap(data, row) for other in rows)
    note = f"{100 * modality_gap(data, row):.2f} points; {wider} vision models have a wider gap"
    return Numbers(tuple(100 * part.mean for part in parts), len(rows), note)


def _modality_range(published: Published) -> Numbers:
    data = published.kmetbench
    gaps = [100 * modality_gap(data, row) for row in open_vision_models(data)]
    proprietary = min(modality_gap(data, row) for row in vision_models(data))
    return Numbers((min(gaps), max(gaps)), len(gaps), f"open models; {100 * proprietary:.2f} with proprietary ones")


def _modality_intervals(published: Published) -> Numbers:
    data = published.kmetbench
    rows = open_vision_models(data)
    intervals = [difference_interval(share(data, row, "multimodal"), share(data, row, "text")) for row in rows]
    apart = sum(not low <= 0.0 <= high for low, high in intervals)
    return Numbers((apart, len(rows)), len(rows), "exact quantiles of the bootstrap distribution")


def _modality_negative(published: Published) -> Rows:
    data = published.kmetbench
    rows = open_vision_models(data)
    return Rows(len(rows), tuple(row.display_model_name for row in rows if modality_gap(data, row) >= 0.0))


def _best_with_interval(published: Published, axis: str, rows: Iterable[LeaderboardRow]) -> tuple[float, ...]:
    best = max((share(published.kmetbench, row, axis) for row in rows), key=lambda found: found.mean)
    interval = binomial_quantile_interval(best.right, best.n)
    return interval.estimate, interval.low, interval.high


def _best_multimodal(published: Published) -> Numbers:
    rows = vision_models(published.kmetbench)
    values = _best_with_interval(published, "multimodal", rows)
    return Numbers(values, published.kmetbench.table03[-1].image, "gemini-3-pro-preview, binomial quantiles")


def _local_korean(published: Published) -> Numbers:
    data = published.kmetbench
    row = leaderboard_row(data, LOCAL)
    return Numbers(
        _best_with_interval(published, "korean", [row]), share(data, row, "korean").n, f"{LOCAL}, binomial quantiles"
    )


def _best_korean(published: Published) -> Numbers:
    rows = published.kmetbench.leaderboard
    best = max(rows, key=lambda row: row.korean_pct)
    ahead = sum(row.korean_pct > leaderboard_row(published.kmetbench, LOCAL).korean_pct for row in rows)
    note = f"{best.display_model_name}; {LOCAL} has the printed mean, {ahead} models are ahead of it"
    return Numbers((best.korean_pct / 100,), len(rows), note)


def _best_reasoning(published: Published) -> Numbers:
    rows = published.kmetbench.leaderboard
    best = max(rows, key=lambda row: row.reasoning_4_20)
    return Numbers((normalised_reasoning(best),), len(rows), f"({best.reasoning_4_20:.2f} − 4)/16")


def _best_reasoning_interval(_published: Published) -> Unavailable:
    return Unavailable("the judge's scores of single items are not published")


def _steady_families(published: Published) -> Rows:
    data = published.kmetbench
    rows = [row for row in data.leaderboard if row.display_model_name.startswith(STEADY_FAMILIES)]
    exceptions = tuple(row.display_model_name for row in rows if geo_cultural_gap(data, row) <= 0.0)
    korean = [row for row in data.leaderboard if row.is_korean_model]
    behind = sum(geo_cultural_gap(data, row) <= 0.0 for row in korean)
    return Rows(len(rows), exceptions, f"of all {len(korean)} Korean models {behind} are negative")


def _steady_intervals(published: Published) -> Rows:
    data = published.kmetbench
    rows = [row for row in data.leaderboard if row.display_model_name.startswith(STEADY_FAMILIES)]
    lows = {
        row.display_model_name: difference_interval(share(data, row, "korean"), non_korean(data, row))[0]
        for row in rows
    }
    exceptions = tuple(model for model, low in lows.items() if low <= 0.0)
    highest = max(lows, key=lows.__getitem__)
    summary = f"every interval begins below zero, the highest at {100 * lows[highest]:.2f} points ({highest})"
    return Rows(len(rows), exceptions, summary=summary if len(exceptions) == len(rows) else "")


CLAIMS: Final[tuple[Claim, ...]] = (
    NumberClaim(
        "kmetbench.modality-gap-mean",
        Paper.KMETBENCH,
        "section 5",
        "Mean modality gap",
        Printed(("-18.55",), unit="points"),
        _mean_modality_gap,
    ),
    NumberClaim(
        "kmetbench.modality-gap-range",
        Paper.KMETBENCH,
        "appendix H.1",
        "Smallest and largest modality gap of the comparable models",
        Printed(("-37.39", "-2.28"), unit="points"),
        _modality_range,
    ),
    NumberClaim(
        "kmetbench.modality-gap-named",
        Paper.KMETBENCH,
        "appendix E.2",
        "Accuracy of gpt-5.2 (Thinking) without and with images",
        Printed(("90.6", "29.3"), unit="%"),
        _named_modality_gap,
    ),
    RowsClaim(
        "kmetbench.modality-gap-negative",
        Paper.KMETBENCH,
        "appendix H.1",
        "The modality gap of every comparable model is negative",
        _modality_negative,
    ),
    NumberClaim(
        "kmetbench.modality-gap-intervals",
        Paper.KMETBENCH,
        "appendix H.1",
        "Comparable models whose interval excludes zero, of all",
        Printed(("19", "25")),
        _modality_intervals,
    ),
    NumberClaim(
        "kmetbench.best-multimodal",
        Paper.KMETBENCH,
        "appendix H.1",
        "Highest multimodal accuracy with its interval",
        Printed(("0.756", "0.659", "0.841")),
        _best_multimodal,
    ),
    NumberClaim(
        "kmetbench.local-korean",
        Paper.KMETBENCH,
        "appendix H.1",
        "Korean-specific accuracy of A.X-4.0 with its interval",
        Printed(("0.789", "0.690", "0.873")),
        _local_korean,
    ),
    NumberClaim(
        "kmetbench.best-korean",
        Paper.KMETBENCH,
        "appendix H.1",
        "The Korean-specific accuracy given as the highest",
        Printed(("0.789",)),
        _best_korean,
    ),
    NumberClaim(
        "kmetbench.best-reasoning",
        Paper.KMETBENCH,
        "appendix H.1",
        "Highest normalised reasoning score",
        Printed(("0.876",)),
        _best_reasoning,
    ),
    NumberClaim(
        "kmetbench.best-reasoning-interval",
        Paper.KMETBENCH,
        "appendix H.1",
        "Interval of the highest normalised reasoning score",
        Printed(("0.848", "0.901")),
        _best_reasoning_interval,
    ),
    RowsClaim(
        "kmetbench.steady-families",
        Paper.KMETBENCH,
        "appendix H.1",
        "HyperCLOVAX and A.X models have a positive geo-cultural gap",
        _steady_families,
    ),
    RowsClaim(
        "kmetbench.steady-families-intervals",
        Paper.KMETBENCH,
        "appendix H",
        "Intervals confirm the positive geo-cultural gap of HyperCLOVAX and A.X models",
        _steady_intervals,
    ),
)
