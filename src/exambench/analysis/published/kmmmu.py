"""KMMMU: the numbers of its running text; most of its tables are not part of the text edition used."""

from __future__ import annotations

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
    agree,
)
from exambench.benchmarks.published import Published
from exambench.stats.paired import mcnemar_exact


def _percentage(published: Published, part: str, whole: str) -> Numbers:
    right, n = published.kmmmu.figures[part], published.kmmmu.figures[whole]
    return Numbers((float(100 * right / n),), int(n), f"{right} of {n}")


def _models(published: Published) -> Numbers:
    return Numbers((len(published.kmmmu.models),), len(published.kmmmu.models))


def _pool(published: Published) -> Numbers:
    figures = published.kmmmu.figures
    kept = 100 * figures["items"] / figures["pool"]
    return Numbers((float(figures["pool"] / 1000),), int(figures["pool"]), f"{kept:.2f} % of it are kept")


def _retention(_published: Published) -> Unavailable:
    return Unavailable("the stages of the cascade stand in Table 7, which the text edition used lacks")


def _divergence(_published: Published) -> Unavailable:
    return Unavailable("the embeddings are not published")


def _adversarial(published: Published) -> Numbers:
    return _percentage(published, "adversarial_items", "items")


def _local(published: Published) -> Numbers:
    found = _percentage(published, "local_items", "items")
    return Numbers(found.values, found.n, f"{found.note} is {found.values[0]:.4f} %: cut off, not rounded")


def _adversarial_local(published: Published) -> Numbers:
    return _percentage(published, "adversarial_local_items", "adversarial_items")


def _local_over_represented(published: Published) -> Numbers:
    in_subset, overall = _adversarial_local(published).values[0], _local(published).values[0]
    return Numbers((in_subset / overall,), int(published.kmmmu.figures["adversarial_items"]))


def _language_counts(published: Published) -> Rows:
    """Both-right counts from the Korean and from the English side must agree, and no count may be negative."""
    exceptions = []
    notes = []
    for row in published.kmmmu.table16:
        korean, english = (float(percent) * row.items / 100 for percent in (row.korean, row.english))
        both = korean - row.korean_only
        neither = row.items - both - row.korean_only - row.english_only
        if both != english - row.english_only or not both.is_integer() or min(both, neither) < 0:
            exceptions.append(row.model)
        notes.append(f"{row.model}: both {both:.0f}, neither {neither:.0f}")
    return Rows(len(published.kmmmu.table16), tuple(exceptions), "; ".join(notes))


def _mcnemar(published: Published) -> Numbers:
    rows = published.kmmmu.table16
    values = tuple(mcnemar_exact(row.korean_only, row.english_only).p_value for row in rows)
    counts = ", ".join(f"{row.korean_only} against {row.english_only}" for row in rows)
    return Numbers(values, rows[0].items, f"exact, two-sided; {counts} items")


def _image_drops(published: Published) -> Rows:
    rows = published.kmmmu.table19
    exceptions = tuple(row.model for row in rows if row.with_images - row.without_images != row.drop)
    return Rows(len(rows), exceptions)


def _with_images(published: Published) -> Numbers:
    row = next(row for row in published.kmmmu.table19 if row.model == "Gemini-3-Flash")
    printed = published.kmmmu.figures["adversarial_gemini_3_flash"]
    return Numbers((float(row.with_images),), 1, f"Table 19 prints {row.with_images}, section 5.1 {printed}")


def _solved_without_images(published: Published) -> Unavailable:
    figures = published.kmmmu.figures
    once = 100 * figures["text_only_solved"] / figures["adversarial_items"]
    return Unavailable(
        f"accuracies are means over disciplines and trials; {figures['text_only_solved']} of "
        f"{figures['adversarial_items']} adversarial items are {once:.2f} %"
    )


def _reversals(published: Published) -> Numbers:
    return _percentage(published, "unfinished_reversals", "inspected_per_discipline")


def _inspected(published: Published) -> Numbers:
    figures = published.kmmmu.figures
    return Numbers((float(figures["inspected_per_discipline"] * figures["inspected_disciplines"]),), 3)


def _judged_outputs(published: Published) -> Numbers:
    figures = published.kmmmu.figures
    return Numbers((float(figures["judged_runs"] * figures["judged_outputs_per_run"]),), int(figures["judged_runs"]))


def _judge_agreement(published: Published) -> Unavailable:
    shares = [(row.answered - row.overall) / (row.answered - row.no_answer) for row in published.kmmmu.table18]
    return Unavailable(
        "the ratings are not published; as mixtures the averages would need "
        f"{shares[0]:.0%} outputs without answer for the parsed answer, {shares[1]:.0%} for the full response"
    )


def _human_agreement(_published: Published) -> Unavailable:
    return Unavailable("the ratings are not published")


def _largest_local_drop(published: Published) -> Numbers:
    rows = published.kmmmu.table05
    worst = min(rows, key=lambda row: row.controlled_gap)
    note = f"{worst.model}; the five models that the text names, controlled for discipline"
    return Numbers((float(-worst.controlled_gap),), len(rows), note)


def _gap_interval(published: Published) -> Unavailable:
    row = published.kmmmu.table05[0]
    low, high = row.ci_low, row.ci_high
    inside = low is not None and high is not None and low <= row.controlled_gap <= high
    relation = "contains" if inside else "does not contain"
    return Unavailable(f"the outcomes of single items are not published; it {relation} {row.controlled_gap}")


def _local_gap_narrows(published: Published) -> Rows:
    figures = published.kmmmu.figures
    full = figures["full_qwen3_vl_235b_it"] - figures["full_hyperclovax_3b"]
    local = 100 * (figures["local_qwen3_vl_235b_it"] - figures["local_hyperclovax_3b"]) / figures["local_items"]
    difference = f"{full:.2f} points on all items, {local:.2f} on the Korean-specific"
    return Rows(1, () if local < full else ("it does not",), difference)


def _adversarial_leader(published: Published) -> Rows:
    figures = published.kmmmu.figures
    first, second = figures["adversarial_gemini_3_pro"], figures["adversarial_gemini_3_flash"]
    return Rows(1, () if first > second else (f"{first} against {second}",), f"by {first - second} points")


def _tables_missing(_published: Published) -> Unavailable:
    return Unavailable("the scores by discipline stand in tables that the text edition used lacks")


def _cross_lingual_percentages(published: Published) -> Rows:
    rows = published.kmmmu.table16
    cells = [(row.model, percent, row.items) for row in rows for percent in (row.korean, row.english)]
    exceptions = tuple(
        f"{model}: {percent}"
        for model, percent, items in cells
        if not agree(str(percent), 100 * round(float(percent) * items / 100) / items)
    )
    return Rows(len(cells), exceptions)


CLAIMS: Final[tuple[Claim, ...]] = (
    NumberClaim("kmmmu.models", Paper.KMMMU, "section 1, section 4.1", "Evaluated models", Printed(("26",)), _models),
    NumberClaim(
        "kmmmu.pool",
        Paper.KMMMU,
        "section 3.1, appendix B.3",
        "Size of the pool in thousands",
        Printed(("68",), unit="k"),
        _pool,
    ),
    NumberClaim(
        "kmmmu.retention", Paper.KMMMU, "Table 7", "Items left after the cascade", Printed(("3466",)), _retention
    ),
    NumberClaim(
        "kmmmu.divergence",
        Paper.KMMMU,
        "section 3.2",
        "Kullback-Leibler divergence by dimension, smallest and largest",
        Printed(("0.11", "0.15")),
        _divergence,
    ),
    NumberClaim(
        "kmmmu.adversarial-share",
        Paper.KMMMU,
        "section 3.4",
        "Share of the adversarial subset",
        Printed(("18",), unit="%"),
        _adversarial,
    ),
    NumberClaim(
        "kmmmu.local-share",
        Paper.KMMMU,
        "appendix G.1",
        "Share of Korean-specific items",
        Printed(("8.65",), unit="%"),
        _local,
    ),
    NumberClaim(
        "kmmmu.adversarial-local-share",
        Paper.KMMMU,
        "appendix G.1",
        "Share of Korean-specific items in the adversarial subset",
        Printed(("12.12",), unit="%"),
        _adversarial_local,
    ),
    NumberClaim(
        "kmmmu.local-over-represented",
        Paper.KMMMU,
        "appendix G.1",
        "Korean-specific items are over-represented in the adversarial subset, ratio of shares",
        Printed(("1",), Relation.ABOVE),
        _local_over_represented,
    ),
    NumberClaim(
        "kmmmu.open-best",
        Paper.KMMMU,
        "section 5.1",
        "Accuracies of the best open-weight and the best Korean open-weight model",
        Printed(("42.05", "27.55"), unit="%"),
        _tables_missing,
    ),
    RowsClaim(
        "kmmmu.adversarial-leader",
        Paper.KMMMU,
        "section 5.1",
        "Gemini-3-Pro leads Gemini-3-Flash on the adversarial subset",
        _adversarial_leader,
    ),
    NumberClaim(
        "kmmmu.local-drop",
        Paper.KMMMU,
        "section 1, section 5.2",
        "Largest drop on Korean-specific items",
        Printed(("13.43",), unit="points"),
        _largest_local_drop,
    ),
    NumberClaim(
        "kmmmu.local-gap-interval",
        Paper.KMMMU,
        "section 5.2",
        "Interval of the controlled gap of Qwen3-VL-235B-A22B-IT",
        Printed(("-19.27", "-7.44"), unit="points"),
        _gap_interval,
    ),
    RowsClaim(
        "kmmmu.local-gap-narrows",
        Paper.KMMMU,
        "section 6.2",
        "Qwen3-VL-235B-A22B-IT leads HyperCLOVAX-SEED-Vision-3B by less on Korean-specific items",
        _local_gap_narrows,
    ),
    RowsClaim(
        "kmmmu.cross-lingual-percentages",
        Paper.KMMMU,
        "Table 16",
        "The accuracies are whole numbers of items",
        _cross_lingual_percentages,
    ),
    RowsClaim(
        "kmmmu.cross-lingual-counts",
        Paper.KMMMU,
        "Table 16",
        "Accuracies and discordant items agree on the items right in both languages",
        _language_counts,
    ),
    NumberClaim(
        "kmmmu.mcnemar",
        Paper.KMMMU,
        "Table 6, Table 16",
        "Exact McNemar p-values of GPT-5 and Gemini-3-Flash",
        Printed(("1.43e-5", "1.49e-9")),
        _mcnemar,
    ),
    NumberClaim(
        "kmmmu.unfinished-reversals",
        Paper.KMMMU,
        "section 6.1",
        "Share of inspected reversals in mathematics without a final answer",
        Printed(("72",), unit="%"),
        _reversals,
    ),
    NumberClaim(
        "kmmmu.inspected-reversals",
        Paper.KMMMU,
        "appendix J.1",
        "Inspected reversals in all",
        Printed(("75",)),
        _inspected,
    ),
    NumberClaim(
        "kmmmu.judged-outputs",
        Paper.KMMMU,
        "section 4.3",
        "Outputs of the judge study",
        Printed(("600",)),
        _judged_outputs,
    ),
    NumberClaim(
        "kmmmu.judge-agreement",
        Paper.KMMMU,
        "Table 18",
        "Agreement of judge and people by parsed answer and by full response",
        Printed(("0.921", "0.742")),
        _judge_agreement,
    ),
    NumberClaim(
        "kmmmu.human-agreement",
        Paper.KMMMU,
        "section 4.3",
        "Agreement between people, smallest and largest",
        Printed(("0.91", "0.99")),
        _human_agreement,
    ),
    RowsClaim(
        "kmmmu.image-drops", Paper.KMMMU, "Table 19", "The drops are the differences of the accuracies", _image_drops
    ),
    NumberClaim(
        "kmmmu.image-baseline",
        Paper.KMMMU,
        "section 5.1, Table 19",
        "Accuracy of Gemini-3-Flash with images is that of the main table",
        Printed(("45.14",), unit="%"),
        _with_images,
    ),
    NumberClaim(
        "kmmmu.solved-without-images",
        Paper.KMMMU,
        "appendix K.1",
        "Accuracy of GPT-5-Mini without images",
        Printed(("9.75",), unit="%"),
        _solved_without_images,
    ),
)
