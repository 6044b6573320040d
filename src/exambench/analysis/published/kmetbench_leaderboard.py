"""K-MetBench: the leaderboard, and the tables that were made from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from exambench.analysis.published.claim import (
    Claim,
    NumberClaim,
    Numbers,
    Paper,
    Printed,
    Rows,
    RowsClaim,
    agree,
)
from exambench.analysis.published.leaderboard import (
    ACCURACY_AXES,
    PARTS,
    is_whole,
    items_right,
    judged_items,
    leaderboard_row,
    open_vision_models,
    share,
    vision_models,
)
from exambench.benchmarks.published import KMetBench, Published
from exambench.benchmarks.published.rows import ScoreRow

FLAGS: Final = ("korean_model", "vision_model", "reasoning_model")
SCORES: Final = ("accuracy", "reasoning", "korean", "text", "multimodal", *PARTS)


def _models(published: Published) -> Numbers:
    rows = published.kmetbench.leaderboard
    return Numbers((len(rows), sum(not row.is_proprietary_model for row in rows)), len(rows))


def _open_vision(published: Published) -> Numbers:
    return Numbers((len(open_vision_models(published.kmetbench)),), len(vision_models(published.kmetbench)))


def _open_sizes(published: Published) -> Numbers:
    sizes = {
        row.display_model_name: row.model_size_b
        for row in published.kmetbench.leaderboard
        if row.model_size_b is not None
    }
    smallest, largest = (pick(sizes, key=sizes.__getitem__) for pick in (min, max))
    return Numbers((sizes[smallest], sizes[largest]), len(sizes), f"the smallest is {smallest}")


def _whole_counts(published: Published) -> Rows:
    data = published.kmetbench
    cells = [(row, axis, items_right(data, row, axis)) for row in data.leaderboard for axis in ACCURACY_AXES]
    filled = [(row, axis, right) for row, axis, right in cells if right is not None]
    exceptions = tuple(f"{row.display_model_name}, {axis}" for row, axis, right in filled if not is_whole(right))
    return Rows(len(filled), exceptions, "text-only models: 1,692 items, 71 Korean-specific; others 1,774 and 73")


def _parts_make_the_total(published: Published) -> Rows:
    data = published.kmetbench
    exceptions = tuple(
        row.display_model_name
        for row in data.leaderboard
        if sum(share(data, row, part).right for part in PARTS) != share(data, row, "accuracy").right
    )
    return Rows(len(data.leaderboard), exceptions)


def _modalities_make_the_total(published: Published) -> Rows:
    data = published.kmetbench
    exceptions = tuple(
        row.display_model_name
        for row in data.leaderboard
        if share(data, row, "accuracy").right
        != sum(share(data, row, axis).right for axis in ("text", *(["multimodal"] if row.is_vision_model else [])))
    )
    return Rows(len(data.leaderboard), exceptions)


def _reasoning_on_all_items(published: Published) -> Rows:
    data = published.kmetbench
    *_, sizes = data.table03
    vision = vision_models(data)
    exceptions = tuple(
        row.display_model_name for row in vision if not is_whole(row.reasoning_4_20 * sizes.total_reasoning)
    )
    found = Counter(judged_items(data, row) for row in vision)
    summary = "the means rest on " + ", ".join(
        f"{items} items for {models} models" for items, models in found.most_common()
    )
    return Rows(len(vision), exceptions, summary=summary)


def _reasoning_on_text_items(published: Published) -> Rows:
    data = published.kmetbench
    items = data.table03[-1].text_reasoning
    rows = [row for row in data.leaderboard if not row.is_vision_model]
    exceptions = tuple(row.display_model_name for row in rows if not is_whole(row.reasoning_4_20 * items))
    return Rows(len(rows), exceptions)


def _rounded_cells(rows: Iterable[ScoreRow], data: KMetBench) -> Rows:
    checked, exceptions = 0, []
    for row in rows:
        source = leaderboard_row(data, row.leaderboard_name)
        for score in SCORES:
            printed = getattr(row, score)
            value = source.reasoning_4_20 if score == "reasoning" else getattr(source, f"{score}_pct")
            if printed is None and value is None:
                continue
            checked += 1
            if printed is None or value is None or not agree(str(printed), value):
                exceptions.append(f"{row.model}, {score}: {printed}, not {value:.3f}")
    return Rows(checked, tuple(exceptions))


def _table_13_rounds(published: Published) -> Rows:
    return _rounded_cells(published.kmetbench.table13, published.kmetbench)


def _table_4_rounds(published: Published) -> Rows:
    return _rounded_cells(published.kmetbench.table04, published.kmetbench)


def _table_13_flags(published: Published) -> Rows:
    data = published.kmetbench
    exceptions = []
    for row in data.table13:
        source = leaderboard_row(data, row.leaderboard_name)
        exceptions += [
            f"{row.model}, {flag.removesuffix('_model')}"
            for flag in FLAGS
            if getattr(row, flag) != getattr(source, f"is_{flag}")
        ]
    summary = f"the leaderboard marks {len(exceptions)} models as reasoning that Table 13 does not: "
    names = ", ".join(exception.removesuffix(", reasoning") for exception in exceptions)
    return Rows(len(data.table13) * len(FLAGS), tuple(exceptions), summary=summary + names)


def _unsorted(rows: tuple[ScoreRow, ...]) -> Rows:
    exceptions = tuple(
        f"{above.model} ({above.accuracy}) above {below.model} ({below.accuracy})"
        for above, below in pairwise(rows)
        if above.group == below.group and above.accuracy < below.accuracy
    )
    return Rows(len(rows), exceptions)


def _table_13_sorted(published: Published) -> Rows:
    return _unsorted(published.kmetbench.table13)


def _table_4_sorted(published: Published) -> Rows:
    return _unsorted(published.kmetbench.table04)


def _quarter_scale(published: Published) -> Rows:
    data = published.kmetbench
    exceptions = tuple(
        row.model
        for row in data.table09
        if not agree(str(row.reasoning), leaderboard_row(data, row.leaderboard_name).reasoning_4_20 / 4)
    )
    return Rows(len(data.table09), exceptions, "normalised here means x/4; appendix H uses (x − 4)/16")


def _judged_model_sizes(published: Published) -> Rows:
    data = published.kmetbench
    exceptions = tuple(
        row.model
        for row in data.table09
        if float(row.size_b) != leaderboard_row(data, row.leaderboard_name).model_size_b
    )
    return Rows(len(data.table09), exceptions)


CLAIMS: Final[tuple[Claim, ...]] = (
    NumberClaim(
        "kmetbench.models",
        Paper.KMETBENCH,
        "abstract, appendix E.1",
        "Evaluated models, and the open ones among them",
        Printed(("55", "52")),
        _models,
    ),
    NumberClaim(
        "kmetbench.open-vision-models",
        Paper.KMETBENCH,
        "appendix E.1",
        "Open models that take images",
        Printed(("25",)),
        _open_vision,
    ),
    NumberClaim(
        "kmetbench.open-sizes",
        Paper.KMETBENCH,
        "section 4.1",
        "Smallest and largest open model in 10^9 parameters",
        Printed(("0.6", "235"), unit="B"),
        _open_sizes,
    ),
    RowsClaim(
        "kmetbench.whole-counts",
        Paper.KMETBENCH,
        "leaderboard",
        "Every accuracy is a whole number of the items that the model is asked",
        _whole_counts,
    ),
    RowsClaim(
        "kmetbench.parts-total",
        Paper.KMETBENCH,
        "leaderboard",
        "The right items of the five parts add up to those of the total",
        _parts_make_the_total,
    ),
    RowsClaim(
        "kmetbench.modalities-total",
        Paper.KMETBENCH,
        "leaderboard",
        "The right items with and without image add up to those of the total",
        _modalities_make_the_total,
    ),
    RowsClaim(
        "kmetbench.reasoning-items-vision",
        Paper.KMETBENCH,
        "leaderboard, appendix H.1",
        "Vision models are judged on all 141 reasoning items",
        _reasoning_on_all_items,
    ),
    RowsClaim(
        "kmetbench.reasoning-items-text",
        Paper.KMETBENCH,
        "leaderboard, appendix H.1",
        "Text-only models are judged on all 121 reasoning items without image",
        _reasoning_on_text_items,
    ),
    RowsClaim(
        "kmetbench.table13-rounding",
        Paper.KMETBENCH,
        "Table 13",
        "The scores are those of the leaderboard, rounded",
        _table_13_rounds,
    ),
    RowsClaim(
        "kmetbench.table4-rounding",
        Paper.KMETBENCH,
        "Table 4",
        "The scores are those of the leaderboard, rounded",
        _table_4_rounds,
    ),
    RowsClaim(
        "kmetbench.table13-flags",
        Paper.KMETBENCH,
        "Table 13",
        "The flags Korean, vision, reasoning are those of the leaderboard",
        _table_13_flags,
    ),
    RowsClaim(
        "kmetbench.table13-order",
        Paper.KMETBENCH,
        "Table 13",
        "The models of a group stand in the order of their accuracy",
        _table_13_sorted,
    ),
    RowsClaim(
        "kmetbench.table4-order",
        Paper.KMETBENCH,
        "Table 4",
        "The models of a group stand in the order of their accuracy",
        _table_4_sorted,
    ),
    RowsClaim(
        "kmetbench.table9-scores",
        Paper.KMETBENCH,
        "Table 9",
        "The scores are the reasoning totals of the leaderboard over 4",
        _quarter_scale,
    ),
    RowsClaim(
        "kmetbench.table9-sizes",
        Paper.KMETBENCH,
        "Table 9",
        "The sizes are those of the leaderboard",
        _judged_model_sizes,
    ),
)
