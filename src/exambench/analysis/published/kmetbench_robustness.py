"""K-MetBench: how the gaps stand when items are left out.

The scores of single items are not published, but counts suffice: leaving one item out of k right ones among n has
two outcomes only, and the fewest items that turn the order of two models follow from how many each wins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from exambench.analysis.published.claim import (
    Claim,
    NumberClaim,
    Numbers,
    Paper,
    Printed,
    Relation,
    Rows,
    RowsClaim,
    agree,
)
from exambench.analysis.published.leaderboard import (
    REASONING_RANGE,
    Share,
    geo_cultural_gap,
    judged_items,
    leaderboard_row,
    modality_gap,
    non_korean,
    open_vision_models,
    reasoning_gap,
    share,
)
from exambench.benchmarks.published import KMetBench, Published
from exambench.benchmarks.published.rows import LeaderboardRow, LeaveOneOutRow
from exambench.stats.amip import exact_minimum
from exambench.stats.influence import LeaveOneOut, leave_one_out

LOCAL: Final = "A.X-4.0"
GLOBAL: Final = "Qwen3-VL-235B-A22B-Thinking"
LOWEST_TOTAL: Final = 4.0
HIGHEST_TOTAL: Final = 20.0

Gap = Callable[[KMetBench, LeaderboardRow], float]
GAPS: Final[dict[str, Gap]] = {
    "modality": modality_gap,
    "geo-cultural": geo_cultural_gap,
    "reasoning": lambda _data, row: reasoning_gap(row),
}


def _left_out(subset: Share, rest: Share) -> LeaveOneOut:
    blank_subset, blank_rest = np.full(subset.n, np.nan), np.full(rest.n, np.nan)
    return leave_one_out(
        np.concatenate([subset.scores(), blank_rest])[None, :], np.concatenate([blank_subset, rest.scores()])[None, :]
    )


def _modality_left_out(data: KMetBench, row: LeaderboardRow) -> LeaveOneOut:
    return _left_out(share(data, row, "multimodal"), share(data, row, "text"))


def _geo_cultural_left_out(data: KMetBench, row: LeaderboardRow) -> LeaveOneOut:
    return _left_out(share(data, row, "korean"), non_korean(data, row))


LEFT_OUT: Final = {"modality": _modality_left_out, "geo-cultural": _geo_cultural_left_out}


def _table_14(published: Published, gap: str) -> tuple[LeaveOneOutRow, ...]:
    return tuple(row for row in published.kmetbench.table14 if row.gap == gap)


def _baselines(published: Published, gap: str) -> Rows:
    data = published.kmetbench
    rows = _table_14(published, gap)
    exceptions = []
    for row in rows:
        value = 100 * GAPS[gap](data, leaderboard_row(data, row.leaderboard_name))
        if not agree(str(row.baseline), value):
            exceptions.append(f"{row.model}: {row.baseline}, not {value:.2f}")
    return Rows(len(rows), tuple(exceptions))


def _reasoning_baselines(published: Published) -> Rows:
    found = _baselines(published, "reasoning")
    plain = 100 * reasoning_gap(leaderboard_row(published.kmetbench, "gpt-5.2"))
    return Rows(found.n, found.exceptions, f"gpt-5.2 without thinking has {plain:.2f}")


def _left_out_items(published: Published) -> Rows:
    data = published.kmetbench
    sizes = data.table03[-1]
    korean = {True: sizes.korean, False: int(data.figures["korean_text_items"])}
    reasoning = {True: sizes.total_reasoning, False: sizes.text_reasoning}
    exceptions = []
    for row in data.table14:
        vision = leaderboard_row(data, row.leaderboard_name).is_vision_model
        expected = {"modality": sizes.image, "geo-cultural": korean[vision], "reasoning": reasoning[vision]}[row.gap]
        if row.n != expected:
            exceptions.append(f"{row.model}, {row.gap}: {row.n}, not {expected}")
    return Rows(len(data.table14), tuple(exceptions))


def _swings(published: Published, gap: str) -> Rows:
    data = published.kmetbench
    rows = _table_14(published, gap)
    exceptions = []
    for row in rows:
        value = 100 * float(LEFT_OUT[gap](data, leaderboard_row(data, row.leaderboard_name)).max_change[0])
        if not agree(str(row.max_swing), value):
            exceptions.append(f"{row.model}: {row.max_swing}, not {value:.2f}")
    return Rows(len(rows), tuple(exceptions))


def _reasoning_swings(published: Published) -> Rows:
    """Leaving out a total of 4 to 20 moves a mean m over n items by at most max(m − 4, 20 − m)/(n − 1)."""
    data = published.kmetbench
    rows = _table_14(published, "reasoning")
    exceptions = []
    for row in rows:
        source = leaderboard_row(data, row.leaderboard_name)
        mean, judged = source.reasoning_4_20, judged_items(data, source)
        limit = 100 * max(mean - LOWEST_TOTAL, HIGHEST_TOTAL - mean) / REASONING_RANGE / (judged - 1)
        if not agree(str(row.max_swing), limit, Relation.ABOVE) and not agree(str(row.max_swing), limit):
            exceptions.append(f"{row.model}: {row.max_swing}, at most {limit:.2f}")
    return Rows(len(rows), tuple(exceptions), "item scores are not published; this is the upper bound")


def _nearest_to_zero(published: Published, gap: str, rows: tuple[LeaderboardRow, ...]) -> Rows:
    data = published.kmetbench
    listed = {row.leaderboard_name for row in _table_14(published, gap)}
    nearest = sorted(rows, key=lambda row: abs(GAPS[gap](data, row)))[: len(listed)]
    missing = [row for row in nearest if row.display_model_name not in listed]
    exceptions = tuple(f"{row.display_model_name} ({100 * GAPS[gap](data, row):.2f}) is missing" for row in missing)
    largest = sorted(rows, key=lambda row: -GAPS[gap](data, row))[: len(listed)]
    are_largest = {row.display_model_name for row in largest} == listed
    return Rows(len(listed), exceptions, "the listed gaps are the largest ones" if are_largest and exceptions else "")


def _largest_swing(published: Published, gap: str, rows: tuple[LeaderboardRow, ...]) -> Numbers:
    data = published.kmetbench
    swings = {row.display_model_name: 100 * float(LEFT_OUT[gap](data, row).max_change[0]) for row in rows}
    model = max(swings, key=swings.__getitem__)
    listed = max(swings[row.leaderboard_name] for row in _table_14(published, gap))
    return Numbers((swings[model],), len(swings), f"{model}; {listed:.3f} among the models of Table 14")


def _sign_flips(published: Published) -> Rows:
    data = published.kmetbench
    looked = chain(
        (("modality", row) for row in open_vision_models(data)), (("geo-cultural", row) for row in data.leaderboard)
    )
    checked, exceptions = 0, []
    for gap, row in looked:
        checked += 1
        found = LEFT_OUT[gap](data, row)
        if found.sign_flips[0]:
            flips = f"{found.sign_flips[0]} of {found.n[0]} items"
            exceptions.append(f"{row.display_model_name} ({gap} {100 * found.baseline[0]:+.2f}, {flips})")
    return Rows(checked, tuple(exceptions), "the reasoning gap needs item scores, which are not published")


def _amip(published: Published) -> Numbers:
    """The text-only model's items are the common ones; the other model's extra items may be right or wrong."""
    data = published.kmetbench
    local, other = (share(data, leaderboard_row(data, name), "korean") for name in (LOCAL, GLOBAL))
    extra = other.n - local.n
    flips = []
    for right_on_extra in range(extra + 1):
        common = Share(other.right - right_on_extra, local.n)
        flips.append(exact_minimum(local.scores(), common.scores()[::-1]).to_flip)
    found = [flip for flip in flips if flip is not None]
    note = f"exact minimum on the {local.n} common items, whatever the {extra} items with image gave"
    return Numbers((float(max(found)),), local.n, note, shown=f"{min(found)} to {max(found)}")


def _amip_share(published: Published) -> Numbers:
    removed, items = published.kmetbench.figures["amip_removed"], published.kmetbench.table03[-1].korean
    note = "A.X-4.0 was asked 71 of these 73"
    return Numbers((float(100 * removed / items),), items, note)


def _modality_nearest(published: Published) -> Rows:
    return _nearest_to_zero(published, "modality", open_vision_models(published.kmetbench))


def _geo_cultural_nearest(published: Published) -> Rows:
    return _nearest_to_zero(published, "geo-cultural", published.kmetbench.leaderboard)


def _reasoning_nearest(published: Published) -> Rows:
    return _nearest_to_zero(published, "reasoning", published.kmetbench.leaderboard)


def _modality_swing(published: Published) -> Numbers:
    return _largest_swing(published, "modality", open_vision_models(published.kmetbench))


def _geo_cultural_swing(published: Published) -> Numbers:
    return _largest_swing(published, "geo-cultural", published.kmetbench.leaderboard)


CLAIMS: Final[tuple[Claim, ...]] = (
    RowsClaim(
        "kmetbench.table14-items",
        Paper.KMETBENCH,
        "Table 14",
        "The items left out are those of the subset that the model can take",
        _left_out_items,
    ),
    RowsClaim(
        "kmetbench.table14-modality",
        Paper.KMETBENCH,
        "Table 14 A",
        "Modality gaps of five models",
        partial(_baselines, gap="modality"),
    ),
    RowsClaim(
        "kmetbench.table14-geo-cultural",
        Paper.KMETBENCH,
        "Table 14 B",
        "Geo-cultural gaps of five models",
        partial(_baselines, gap="geo-cultural"),
    ),
    RowsClaim(
        "kmetbench.table14-reasoning",
        Paper.KMETBENCH,
        "Table 14 C",
        "Reasoning gaps of five models, normalised score less accuracy",
        _reasoning_baselines,
    ),
    RowsClaim(
        "kmetbench.table14-modality-swings",
        Paper.KMETBENCH,
        "Table 14 A",
        "Largest change of each modality gap when one item is left out",
        partial(_swings, gap="modality"),
    ),
    RowsClaim(
        "kmetbench.table14-geo-cultural-swings",
        Paper.KMETBENCH,
        "Table 14 B",
        "Largest change of each geo-cultural gap when one item is left out",
        partial(_swings, gap="geo-cultural"),
    ),
    RowsClaim(
        "kmetbench.table14-reasoning-swings",
        Paper.KMETBENCH,
        "Table 14 C",
        "Largest change of each reasoning gap is possible with totals from 4 to 20",
        _reasoning_swings,
    ),
    RowsClaim(
        "kmetbench.table14-modality-nearest",
        Paper.KMETBENCH,
        "Table 14 A",
        "The listed models are those with the modality gap nearest to zero",
        _modality_nearest,
    ),
    RowsClaim(
        "kmetbench.table14-geo-cultural-nearest",
        Paper.KMETBENCH,
        "Table 14 B",
        "The listed models are those with the geo-cultural gap nearest to zero",
        _geo_cultural_nearest,
    ),
    RowsClaim(
        "kmetbench.table14-reasoning-nearest",
        Paper.KMETBENCH,
        "Table 14 C",
        "The listed models are those with the reasoning gap nearest to zero",
        _reasoning_nearest,
    ),
    NumberClaim(
        "kmetbench.modality-swing",
        Paper.KMETBENCH,
        "appendix H.1",
        "Largest change of any modality gap when one item is left out",
        Printed(("1.16",), Relation.BELOW, unit="points"),
        _modality_swing,
    ),
    NumberClaim(
        "kmetbench.geo-cultural-swing",
        Paper.KMETBENCH,
        "appendix H.1",
        "Largest change of any geo-cultural gap when one item is left out",
        Printed(("0.99",), Relation.BELOW, unit="points"),
        _geo_cultural_swing,
    ),
    RowsClaim(
        "kmetbench.sign-flips",
        Paper.KMETBENCH,
        "appendix H.1, Table 14",
        "No gap of any model changes its sign when one item is left out",
        _sign_flips,
    ),
    NumberClaim(
        "kmetbench.amip",
        Paper.KMETBENCH,
        "appendix H.2",
        "Items to remove before A.X-4.0 and Qwen3-VL-235B-A22B-Thinking change places",
        Printed(("18",)),
        _amip,
    ),
    NumberClaim(
        "kmetbench.amip-share",
        Paper.KMETBENCH,
        "appendix H.2",
        "Share of the Korean-specific items that these 18 are",
        Printed(("24.7",), unit="%"),
        _amip_share,
    ),
)
