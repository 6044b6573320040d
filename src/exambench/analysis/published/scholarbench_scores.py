"""ScholarBench: averages, orders, and the models that are named as leaders."""

from __future__ import annotations

from functools import partial
from statistics import fmean
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
from exambench.analysis.published.scholarbench_tables import COLUMNS, HALF_UNIT, by_name, score_table
from exambench.benchmarks.published import Published

SAID_TO_EXCEED: Final = (
    "GPT-4o",
    "o1-mini",
    "Qwen-72b",
    "Llama-70b",
    "Qwen-32b-reasoning",
    "Mistral-24b",
    "Gemma2-9b",
)  # fmt: skip
SCORE_TABLES: Final = {
    2: "closed book",
    5: "open book",
    16: "further models",
    19: "open book",
    20: "chain of thought",
    21: "English",
    22: "Korean",
}


def _averages(published: Published, number: int) -> Rows:
    """A mean of nine rounded figures is off by at most half a unit of their last digit."""
    rows = score_table(published.scholarbench, number)
    exceptions = []
    for row in rows:
        mean = fmean(float(getattr(row, column)) for column in COLUMNS)
        if not agree(str(row.average), mean, uncertainty=HALF_UNIT):
            exceptions.append(f"{row.model}: {row.average}, not {mean:.4f}")
    return Rows(len(rows), tuple(exceptions))


def _selection_order(published: Published, number: int) -> Rows:
    rows = score_table(published.scholarbench, number)
    exceptions = tuple(f"{row.model}: {row.a2} {row.a3} {row.a4}" for row in rows if not row.a2 >= row.a3 >= row.a4)
    return Rows(len(rows), exceptions)


def _average_of(published: Published, model: str) -> Numbers:
    rows = by_name(published.scholarbench.table02)
    mean = fmean(float(getattr(rows[model.casefold()], column)) for column in COLUMNS)
    return Numbers((mean,), len(COLUMNS), "from nine rounded columns", uncertainty=HALF_UNIT)


def _best_average(published: Published) -> Numbers:
    best = max(published.scholarbench.table02, key=lambda row: row.average)
    return Numbers((float(best.average),), len(published.scholarbench.table02), best.model)


def _said_to_exceed(published: Published) -> Rows:
    rows = by_name(published.scholarbench.table02)
    exceptions = tuple(
        f"{model} at {rows[model.casefold()].average}"
        for model in SAID_TO_EXCEED
        if not agree("0.52", float(rows[model.casefold()].average), Relation.ABOVE)
    )
    return Rows(len(SAID_TO_EXCEED), exceptions)


def _leaders(published: Published) -> Rows:
    rows = published.scholarbench.table02
    said = {
        "rouge1": ("GPT-4o",),
        "rouge2": ("Mistral-24b",),
        "rouge_l": ("Mistral-24b",),
        "a2": ("o3-mini",),
        "a3": ("Qwen-32b-reasoning",),
        "mcq": ("Qwen-72b", "Llama-70b", "GPT-4o"),
        "boolean": ("Qwen-72b", "Gemma2-27b", "Qwen-32b-reasoning"),
    }
    exceptions = []
    for column, models in said.items():
        ranked = sorted(rows, key=lambda row: -getattr(row, column))[: len(models)]
        if tuple(row.model for row in ranked) != models:
            exceptions.append(f"{column}: {', '.join(row.model for row in ranked)}")
    note = "the leader of A-3 owes it to a figure above its own A-2"
    return Rows(len(said), tuple(exceptions), note)


def _small_boolean(published: Published) -> Rows:
    rows = by_name(published.scholarbench.table02)
    models = ("Gemma2-9b", "Exaone-8b", "Qwen-7b")
    exceptions = tuple(
        model for model in models if not agree("0.75", float(rows[model.casefold()].boolean), Relation.ABOVE)
    )
    return Rows(len(models), exceptions)


def _bertscore_floor(published: Published) -> Numbers:
    rows = published.scholarbench.table02
    lowest = min(rows, key=lambda row: row.bertscore)
    return Numbers((float(lowest.bertscore),), len(rows), lowest.model)


def _language_trend(_published: Published) -> Unavailable:
    return Unavailable("the scores on the parallel part are drawn in Figure 4 only")


def _kappa(_published: Published) -> Unavailable:
    return Unavailable("the ratings are not published")


CLAIMS: Final[tuple[Claim, ...]] = (
    *(
        RowsClaim(
            f"scholarbench.table{number}-averages",
            Paper.SCHOLARBENCH,
            f"Table {number}",
            f"The last column is the mean of the nine others ({kind})",
            partial(_averages, number=number),
        )
        for number, kind in SCORE_TABLES.items()
    ),
    *(
        RowsClaim(
            f"scholarbench.table{number}-selection",
            Paper.SCHOLARBENCH,
            f"Table {number}",
            f"A-2 ≥ A-3 ≥ A-4, as follows from their definition ({kind})",
            partial(_selection_order, number=number),
        )
        for number, kind in SCORE_TABLES.items()
    ),
    NumberClaim(
        "scholarbench.average-o3-mini",
        Paper.SCHOLARBENCH,
        "abstract, section 3.3",
        "Average of o3-mini",
        Printed(("0.543",)),
        partial(_average_of, model="o3-mini"),
    ),
    NumberClaim(
        "scholarbench.average-gpt-4o",
        Paper.SCHOLARBENCH,
        "Table 2",
        "Average of GPT-4o",
        Printed(("0.534",)),
        partial(_average_of, model="GPT-4o"),
    ),
    NumberClaim(
        "scholarbench.best-average",
        Paper.SCHOLARBENCH,
        "section 3.3",
        "Highest average",
        Printed(("0.543",)),
        _best_average,
    ),
    RowsClaim(
        "scholarbench.above-052",
        Paper.SCHOLARBENCH,
        "section 3.3",
        "Seven named models follow with an average above 0.52",
        _said_to_exceed,
    ),
    RowsClaim(
        "scholarbench.leaders",
        Paper.SCHOLARBENCH,
        "section 3.3",
        "The models named as leaders lead their columns",
        _leaders,
    ),
    RowsClaim(
        "scholarbench.small-boolean",
        Paper.SCHOLARBENCH,
        "section 3.3",
        "Gemma2-9b, Exaone-8b and Qwen-7b exceed 0.75 on true/false",
        _small_boolean,
    ),
    NumberClaim(
        "scholarbench.bertscore-floor",
        Paper.SCHOLARBENCH,
        "section 3.3",
        "Lowest BERTScore of short answers",
        Printed(("0.84",), Relation.ABOVE),
        _bertscore_floor,
    ),
    NumberClaim(
        "scholarbench.kappa",
        Paper.SCHOLARBENCH,
        "Table 1, section 2.3",
        "Kappa of English and Korean annotators",
        Printed(("0.621", "0.742")),
        _kappa,
    ),
    RowsClaim(
        "scholarbench.language-trend",
        Paper.SCHOLARBENCH,
        "section 4.1, Figure 4",
        "Most models do better in Korean than in English",
        _language_trend,
    ),
)
