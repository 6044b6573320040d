"""K-MetBench: sizes, shares and counts."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Final

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
from exambench.benchmarks.published import Published
from exambench.benchmarks.published.rows import PartSizeRow

KINDS_OF_SIZE: Final = (
    "total", "total_reasoning", "text", "text_reasoning", "image", "image_reasoning", "korean", "korean_reasoning",
)  # fmt: skip
TABLE_2_COUNTS: Final = {
    "Total Questions": "total",
    "Image+Text Questions": "image",
    "Korean-Specific Questions": "korean",
}
KINDS_OF_REVISION: Final = ("terminology", "units", "rewriting", "supplement", "polish")
GPU_HOURS: Final = {
    "Qwen3-VL-8B-Thinking": ("cost_qwen3_vl_8b_thinking", Relation.BELOW),
    "Qwen3-VL-32B-Thinking": ("cost_qwen3_vl_32b_thinking", Relation.ABOVE),
    "command-a-reasoning": ("cost_command_a_reasoning", Relation.ABOVE),
}
MINUTES_PER_HOUR: Final = 60
JUDGED_PARTS: Final = frozenset({1, 3, 4, 5})
AXES_OF_RUBRIC: Final = 4


def _rows_add_up(published: Published) -> Rows:
    exceptions = tuple(
        f"part {row.part}"
        for row in published.kmetbench.table03
        if row.total != row.text + row.image or row.total_reasoning != row.text_reasoning + row.image_reasoning
    )
    return Rows(len(published.kmetbench.table03), exceptions)


def _columns_add_up(published: Published) -> Rows:
    *parts, total = published.kmetbench.table03
    exceptions = tuple(
        kind for kind in KINDS_OF_SIZE if sum(getattr(part, kind) for part in parts) != getattr(total, kind)
    )
    return Rows(len(KINDS_OF_SIZE), exceptions)


def _part_of(statistic: str, parts: list[PartSizeRow]) -> PartSizeRow:
    return next(part for part in parts if statistic.startswith(f"Part {part.part}:"))


def _table_2_counts(published: Published) -> Rows:
    *parts, total = published.kmetbench.table03
    checked = [row for row in published.kmetbench.table02 if row.statistic != "Avg. Rationale Length"]
    exceptions = []
    for row in checked:
        kind = TABLE_2_COUNTS.get(row.statistic)
        expected = getattr(total, kind) if kind else _part_of(row.statistic, parts).total
        if row.value != expected:
            exceptions.append(f"{row.statistic}: {row.value}, not {expected}")
    return Rows(len(checked), tuple(exceptions), "Table 2 has no readable row for part 5; Table 3 gives it 334 items")


def _table_2_percentages(published: Published) -> Rows:
    total = published.kmetbench.table03[-1].total
    checked = [(row, row.percent) for row in published.kmetbench.table02 if row.percent is not None]
    exceptions = tuple(
        f"{row.statistic}: {percent}, not {float(row.value) / total:.2%}"
        for row, percent in checked
        if not agree(str(percent), 100 * float(row.value) / total)
    )
    return Rows(len(checked), exceptions)


def _share_of(part: str, whole: Decimal | int, published: Published) -> Numbers:
    right = published.kmetbench.figures[part]
    return Numbers((float(100 * right / whole),), int(whole), f"{right} of {whole}")


def _edited_stems(published: Published) -> Numbers:
    return _share_of("paraphrases_edited", published.kmetbench.table03[-1].total, published)


def _thousands(published: Published) -> Numbers:
    total = published.kmetbench.table03[-1].total
    return Numbers((total / 1000,), total, f"{total:,} rounds to {total / 1000:.1f} thousand")


def _redux_thousands(published: Published) -> Numbers:
    figures = published.kmetbench.figures
    total = int(figures["redux_meteorology"] + figures["redux_other"])
    return Numbers((total / 1000,), total)


def _revised_rationales(published: Published) -> Numbers:
    return _share_of("rationales_revised", published.kmetbench.figures["rationales_drafted"], published)


def _revision_kinds(published: Published) -> Numbers:
    kinds = [published.kmetbench.figures[f"revised_{kind}"] for kind in KINDS_OF_REVISION]
    return Numbers((float(sum(kinds)),), len(kinds))


def _final_rationales(published: Published) -> Numbers:
    figures = published.kmetbench.figures
    drafted = figures["rationales_drafted"]
    return Numbers((float(drafted - figures["rationales_discarded"]),), int(drafted))


def _candidate_union(published: Published) -> Rows:
    figures = published.kmetbench.figures
    first, second, union = (figures[f"candidates_{name}"] for name in ("gemini", "gpt", "union"))
    possible = max(first, second) <= union <= first + second
    return Rows(1, () if possible else (f"{union} cannot be",), f"{first + second - union} items come from both")


def _gpu_hours(published: Published) -> Numbers:
    figures = published.kmetbench.figures
    return Numbers((float(figures["gpu_hours_standard"] + figures["gpu_hours_reasoning"]),), 2)


def _exam_hours(published: Published) -> Numbers:
    minutes = published.kmetbench.figures["exam_minutes"]
    return Numbers((float(minutes / MINUTES_PER_HOUR),), 1)


def _against_time_limit(published: Published) -> Rows:
    figures = published.kmetbench.figures
    limit = figures["exam_minutes"] / MINUTES_PER_HOUR
    exceptions = tuple(
        f"{model} at {figures[name]}"
        for model, (name, relation) in GPU_HOURS.items()
        if not agree(str(limit), float(figures[name]), relation)
    )
    return Rows(len(GPU_HOURS), exceptions)


def _judged_responses(published: Published) -> Numbers:
    figures = published.kmetbench.figures
    return Numbers((float(figures["judged_items"] * figures["judged_models"]),), len(published.kmetbench.table05))


def _judged_item_tiers(published: Published) -> Rows:
    items = published.kmetbench.table10
    tiers = [item.tier for item in items]
    exceptions = []
    if tiers != ["Hard"] * 3 + ["Mid"] * 4 + ["Easy"] * 3:
        exceptions.append("tiers are not 3, 4, 3")
    exceptions += [f"item {low.item}" for low, high in pairwise(items) if low.mean > high.mean]
    return Rows(len(items), tuple(exceptions))


def _judged_item_parts(published: Published) -> Rows:
    parts = {item.part for item in published.kmetbench.table10}
    exceptions = tuple(f"part {part}" for part in sorted(parts ^ JUDGED_PARTS))
    return Rows(len(published.kmetbench.table10), exceptions)


def _judged_item_means(published: Published) -> Rows:
    """Totals are whole, so a mean of ten totals over four axes is a multiple of 1/40, and its SD is bounded."""
    models = int(published.kmetbench.figures["judged_models"])
    steps = models * AXES_OF_RUBRIC
    exceptions = []
    for item in published.kmetbench.table10:
        mean, sd = float(item.mean), float(item.sd)
        if not agree(str(item.mean), round(mean * steps) / steps):
            exceptions.append(f"item {item.item}: mean {item.mean}")
        if sd > ((mean - 1) * (5 - mean) * models / (models - 1)) ** 0.5:
            exceptions.append(f"item {item.item}: SD {item.sd}")
    return Rows(len(published.kmetbench.table10), tuple(exceptions))


CLAIMS: Final[tuple[Claim, ...]] = (
    RowsClaim(
        "kmetbench.sizes-by-modality",
        Paper.KMETBENCH,
        "Table 3",
        "Text-only and image items, and those with rationale, add up to the size of each part",
        _rows_add_up,
    ),
    RowsClaim("kmetbench.sizes-sum", Paper.KMETBENCH, "Table 3", "The parts add up to the last row", _columns_add_up),
    RowsClaim(
        "kmetbench.table2-counts", Paper.KMETBENCH, "Table 2", "The counts are those of Table 3", _table_2_counts
    ),
    RowsClaim(
        "kmetbench.table2-percentages",
        Paper.KMETBENCH,
        "Table 2",
        "The percentages are shares of all questions",
        _table_2_percentages,
    ),
    NumberClaim(
        "kmetbench.size-in-thousands",
        Paper.KMETBENCH,
        "Table 1",
        "Size of K-MetBench in thousands",
        Printed(("1.7",), unit="k"),
        _thousands,
    ),
    NumberClaim(
        "kmetbench.redux-size",
        Paper.KMETBENCH,
        "Table 1, appendix E.1",
        "Size of KMMLU-Redux in thousands, from its two parts",
        Printed(("2.6",), unit="k"),
        _redux_thousands,
    ),
    NumberClaim(
        "kmetbench.edited-stems",
        Paper.KMETBENCH,
        "section 3.1",
        "Share of paraphrased stems that people changed",
        Printed(("14.88",), unit="%"),
        _edited_stems,
    ),
    NumberClaim(
        "kmetbench.revised-rationales",
        Paper.KMETBENCH,
        "appendix C.6",
        "Share of drafted rationales that experts wanted changed",
        Printed(("13.38",), unit="%"),
        _revised_rationales,
    ),
    NumberClaim(
        "kmetbench.revision-kinds",
        Paper.KMETBENCH,
        "appendix C.6",
        "The kinds of revision add up to the revised rationales",
        Printed(("19",)),
        _revision_kinds,
    ),
    NumberClaim(
        "kmetbench.final-rationales",
        Paper.KMETBENCH,
        "appendix C.6, Table 3",
        "Rationales left after the discarded item",
        Printed(("141",)),
        _final_rationales,
    ),
    RowsClaim(
        "kmetbench.korean-candidates",
        Paper.KMETBENCH,
        "appendix C.2",
        "The candidates of two models can have the printed union",
        _candidate_union,
    ),
    NumberClaim(
        "kmetbench.gpu-hours",
        Paper.KMETBENCH,
        "appendix F",
        "GPU-hours of both kinds of run together",
        Printed(("192.14",), unit="h"),
        _gpu_hours,
    ),
    NumberClaim(
        "kmetbench.time-limit",
        Paper.KMETBENCH,
        "appendix E.5",
        "Time limit of the exam in hours",
        Printed(("2.50",), unit="h"),
        _exam_hours,
    ),
    RowsClaim(
        "kmetbench.cost-against-limit",
        Paper.KMETBENCH,
        "appendix E.5",
        "One of three named models stays within the time limit, two exceed it",
        _against_time_limit,
    ),
    NumberClaim(
        "kmetbench.judged-responses",
        Paper.KMETBENCH,
        "Table 5, section 4.1",
        "Responses that the agreement rests on, items × models",
        Printed(("100",)),
        _judged_responses,
    ),
    RowsClaim(
        "kmetbench.judged-item-tiers",
        Paper.KMETBENCH,
        "Table 10, appendix D.2",
        "Three hard, four middle, three easy items, in order of their means",
        _judged_item_tiers,
    ),
    RowsClaim(
        "kmetbench.judged-item-parts",
        Paper.KMETBENCH,
        "Table 10, appendix D.2",
        "The judged items cover parts 1, 3, 4 and 5 and no other",
        _judged_item_parts,
    ),
    RowsClaim(
        "kmetbench.judged-item-means",
        Paper.KMETBENCH,
        "Table 10",
        "Ten models with whole totals from 4 to 20 can have these means and SDs",
        _judged_item_means,
    ),
)
