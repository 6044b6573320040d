"""K-MetBench: correlations over the models, and what is said of single ones."""

from __future__ import annotations

import math
from collections import Counter
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
    Unavailable,
)
from exambench.analysis.published.leaderboard import (
    PARTS,
    leaderboard_row,
    open_vision_models,
    share,
)
from exambench.benchmarks.published import Published
from exambench.stats.correlation import kendall_tau_b, pearson

SAID_TO_NOT_REASON: Final = "gpt-oss-120b"
LOCAL: Final = "A.X-4.0"
GLOBAL: Final = "Qwen3-VL-235B-A22B-Thinking"


def _accuracies_and_reasoning(published: Published) -> tuple[list[float], list[float]]:
    rows = published.kmetbench.leaderboard
    return [row.accuracy_pct for row in rows], [row.reasoning_4_20 for row in rows]


def _tau(published: Published) -> Numbers:
    found = kendall_tau_b(*_accuracies_and_reasoning(published))
    return Numbers((found.coefficient,), found.n)


def _pearson(published: Published) -> Numbers:
    found = pearson(*_accuracies_and_reasoning(published))
    note = "on total accuracy; the figure's axis is accuracy on the reasoning items alone, which is not published"
    return Numbers((found.coefficient,), found.n, note)


def _foreign_benchmarks(published: Published) -> Unavailable:
    pool = len(open_vision_models(published.kmetbench))
    return Unavailable(f"no scores on other benchmarks are published; the pools are 52 and {pool} open models")


def _judge_agreement(published: Published) -> Unavailable:
    return Unavailable(f"the {published.kmetbench.table05[0].n} ratings are not published")


def _judge_ranks(published: Published) -> Unavailable:
    models = int(published.kmetbench.figures["judged_models"])
    pairs = models * (models - 1) // 2
    one_tie = (pairs - 1) / math.sqrt(pairs * (pairs - 1))
    return Unavailable(
        f"the ratings are not published; with {models} models .99 is one tied pair ({one_tie:.3f}) "
        f"and .96 one swapped pair ({(pairs - 2) / pairs:.3f})"
    )


def _lowest_alpha(published: Published) -> Numbers:
    rows = published.kmetbench.table05
    return Numbers((float(min(row.alpha for row in rows)),), len(rows))


def _thinking_gain(published: Published) -> Numbers:
    rows = {row.model: row.accuracy for row in published.kmetbench.table04}
    exact = {
        name: leaderboard_row(published.kmetbench, name).accuracy_pct for name in ("gpt-5.2 (Thinking)", "gpt-5.2")
    }
    note = (
        f"difference of the printed accuracies; {exact['gpt-5.2 (Thinking)'] - exact['gpt-5.2']:.2f} at full precision"
    )
    return Numbers((float(rows["gpt-5.2 (Thinking)"] - rows["gpt-5.2"]),), 2, note)


def _local_against_global(published: Published) -> Numbers:
    data = published.kmetbench
    local, other = (share(data, leaderboard_row(data, name), "korean") for name in (LOCAL, GLOBAL))
    note = f"{local.right} of {local.n} items against {other.right} of {other.n}: not the same items"
    return Numbers((100 * local.mean, 100 * other.mean), 2, note)


def _larger_global_models(published: Published) -> Rows:
    data = published.kmetbench
    local = leaderboard_row(data, LOCAL)
    size = local.model_size_b or 0.0
    larger = [row for row in data.leaderboard if not row.is_korean_model and (row.model_size_b or 0.0) > size]
    exceptions = tuple(row.display_model_name for row in larger if row.korean_pct >= local.korean_pct)
    ahead = sum(row.accuracy_pct > local.accuracy_pct for row in larger)
    nearest = max(larger, key=lambda row: row.korean_pct)
    note = f"open models, the nearest {nearest.display_model_name} at {nearest.korean_pct:.1f} %"
    return Rows(len(larger), exceptions, f"{note}; {ahead} of them have the higher total accuracy")


def _highest_accuracies(published: Published) -> Numbers:
    rows = published.kmetbench.leaderboard
    best = [
        max((row for row in rows if row.is_proprietary_model is closed), key=lambda row: row.accuracy_pct)
        for closed in (True, False)
    ]
    values = tuple(row.accuracy_pct for row in best)
    return Numbers(values, len(rows), " and ".join(row.display_model_name for row in best))


def _parts_by_rank(published: Published) -> tuple[Counter[str], Counter[str]]:
    best: Counter[str] = Counter()
    worst: Counter[str] = Counter()
    for row in published.kmetbench.leaderboard:
        accuracies = {part: getattr(row, f"{part}_pct") for part in PARTS}
        best[max(accuracies, key=accuracies.__getitem__)] += 1
        worst[min(accuracies, key=accuracies.__getitem__)] += 1
    return best, worst


def _best_part(published: Published) -> Numbers:
    best, _ = _parts_by_rank(published)
    return Numbers((100 * best["part2"] / best.total(),), best.total(), f"{best['part2']} of {best.total()} models")


def _worst_parts(published: Published) -> Numbers:
    _, worst = _parts_by_rank(published)
    hard = worst["part3"] + worst["part5"]
    note = f"part 3 for {worst['part3']}, part 5 for {worst['part5']} of {worst.total()} models"
    return Numbers((100 * hard / worst.total(),), worst.total(), note)


def _local_extremes(published: Published) -> Numbers:
    row = leaderboard_row(published.kmetbench, LOCAL)
    accuracies = {part: getattr(row, f"{part}_pct") for part in PARTS}
    highest, lowest = (pick(accuracies, key=accuracies.__getitem__) for pick in (max, min))
    return Numbers((accuracies[highest], accuracies[lowest]), len(PARTS), f"{highest} and {lowest}")


def _reasons_well(published: Published) -> Rows:
    rows = published.kmetbench.leaderboard
    model = leaderboard_row(published.kmetbench, "Qwen3-VL-8B-Thinking")
    by_accuracy = 1 + sum(row.accuracy_pct > model.accuracy_pct for row in rows)
    by_reasoning = 1 + sum(row.reasoning_4_20 > model.reasoning_4_20 for row in rows)
    ranks = f"rank {by_accuracy} of {len(rows)} by accuracy, {by_reasoning} by reasoning"
    return Rows(1, (ranks,) if by_reasoning >= by_accuracy else (), "" if by_reasoning >= by_accuracy else ranks)


def _tuned_successor(published: Published) -> Rows:
    old, new = (
        leaderboard_row(published.kmetbench, name) for name in ("c4ai-command-a-03-2025", "command-a-reasoning-08-2025")
    )
    exceptions = []
    if new.accuracy_pct <= old.accuracy_pct:
        exceptions.append("accuracy")
    if new.reasoning_4_20 <= old.reasoning_4_20:
        exceptions.append("reasoning")
    gains = f"+{new.accuracy_pct - old.accuracy_pct:.1f} points, +{new.reasoning_4_20 - old.reasoning_4_20:.2f} of 20"
    return Rows(2, tuple(exceptions), gains)


def _not_a_reasoning_model(published: Published) -> Rows:
    data = published.kmetbench
    flags = {
        "Table 4": next(row for row in data.table04 if row.model == SAID_TO_NOT_REASON).reasoning_model,
        "Table 13": next(row for row in data.table13 if row.model == SAID_TO_NOT_REASON).reasoning_model,
        "the leaderboard": leaderboard_row(data, SAID_TO_NOT_REASON).is_reasoning_model,
    }
    return Rows(len(flags), tuple(f"{place} marks it as one" for place, flag in flags.items() if flag))


CLAIMS: Final[tuple[Claim, ...]] = (
    NumberClaim(
        "kmetbench.highest-accuracies",
        Paper.KMETBENCH,
        "appendix E.2",
        "Highest accuracy of a proprietary and of an open model",
        Printed(("93.7", "84.4"), unit="%"),
        _highest_accuracies,
    ),
    NumberClaim(
        "kmetbench.tau",
        Paper.KMETBENCH,
        "section 5",
        "Kendall τ-b between accuracy and reasoning score",
        Printed(("0.78",)),
        _tau,
    ),
    NumberClaim(
        "kmetbench.pearson",
        Paper.KMETBENCH,
        "appendix E.4, Figure 9",
        "Pearson r between accuracy and reasoning score",
        Printed(("0.959",)),
        _pearson,
    ),
    NumberClaim(
        "kmetbench.tau-redux",
        Paper.KMETBENCH,
        "section 5",
        "Kendall τ-b with KMMLU-Redux: text-only, reasoning, multimodal",
        Printed(("0.78", "0.66", "0.29")),
        _foreign_benchmarks,
    ),
    NumberClaim(
        "kmetbench.tau-weather",
        Paper.KMETBENCH,
        "section 5",
        "Mean Kendall τ-b of reasoning and multimodal with weather benchmarks",
        Printed(("0.14",), Relation.BELOW),
        _foreign_benchmarks,
    ),
    NumberClaim(
        "kmetbench.tau-redux-39",
        Paper.KMETBENCH,
        "appendix E.1",
        "Kendall τ-b with the 39 meteorological items of KMMLU-Redux",
        Printed(("0.70",)),
        _foreign_benchmarks,
    ),
    NumberClaim(
        "kmetbench.judge-alpha",
        Paper.KMETBENCH,
        "Table 5",
        "Krippendorff α and ICC of the total between experts and judge",
        Printed(("0.838", "0.841")),
        _judge_agreement,
    ),
    NumberClaim(
        "kmetbench.judge-alpha-lowest",
        Paper.KMETBENCH,
        "Table 5, section 5",
        "Lowest α over the axes",
        Printed(("0.7",), Relation.ABOVE),
        _lowest_alpha,
    ),
    NumberClaim(
        "kmetbench.judge-tau",
        Paper.KMETBENCH,
        "section 5",
        "Kendall τ-b between experts and judge with and without rationale",
        Printed(("0.99", "0.96")),
        _judge_ranks,
    ),
    NumberClaim(
        "kmetbench.thinking-gain",
        Paper.KMETBENCH,
        "appendix E.2",
        "Gain of gpt-5.2 by thinking",
        Printed(("10.2",), unit="points"),
        _thinking_gain,
    ),
    NumberClaim(
        "kmetbench.local-against-global",
        Paper.KMETBENCH,
        "section 5",
        "Korean-specific accuracy of A.X-4.0 and Qwen3-VL-235B-A22B-Thinking",
        Printed(("78.9", "72.6"), unit="%"),
        _local_against_global,
    ),
    RowsClaim(
        "kmetbench.larger-models",
        Paper.KMETBENCH,
        "appendix E.2",
        "A.X-4.0 leads larger global models on the Korean-specific items",
        _larger_global_models,
    ),
    NumberClaim(
        "kmetbench.best-part",
        Paper.KMETBENCH,
        "appendix E.2",
        "Share of models that are best in part 2",
        Printed(("50",), Relation.ABOVE, unit="%"),
        _best_part,
    ),
    NumberClaim(
        "kmetbench.worst-parts",
        Paper.KMETBENCH,
        "appendix E.2",
        "Share of models that are worst in part 3 or 5",
        Printed(("50",), Relation.ABOVE, unit="%"),
        _worst_parts,
    ),
    NumberClaim(
        "kmetbench.local-extremes",
        Paper.KMETBENCH,
        "section 5",
        "Highest and lowest part of A.X-4.0, parts 4 and 3",
        Printed(("81.3", "68.2"), unit="%"),
        _local_extremes,
    ),
    RowsClaim(
        "kmetbench.reasons-better-than-it-answers",
        Paper.KMETBENCH,
        "appendix E.4",
        "Qwen3-VL-8B-Thinking has a high reasoning score despite a low accuracy",
        _reasons_well,
    ),
    RowsClaim(
        "kmetbench.tuned-successor",
        Paper.KMETBENCH,
        "appendix E.4",
        "command-a-reasoning surpasses c4ai-command-a in accuracy and reasoning",
        _tuned_successor,
    ),
    RowsClaim(
        "kmetbench.non-reasoning-model",
        Paper.KMETBENCH,
        "appendix E.2",
        "gpt-oss-120b, which a smaller thinking model passes, is no reasoning model",
        _not_a_reasoning_model,
    ),
)
