"""What the modules on ScholarBench's tables of scores share."""

from __future__ import annotations

from typing import Final

from exambench.benchmarks.published import ScholarBench
from exambench.benchmarks.published.rows import TaskScoreRow

COLUMNS: Final = ("rouge1", "rouge2", "rouge_l", "bertscore", "a2", "a3", "a4", "mcq", "boolean")
HALF_UNIT: Final = 0.0005


def score_table(data: ScholarBench, number: int) -> tuple[TaskScoreRow, ...]:
    """Return Table 2, 5, 16 or 19 to 22."""
    rows: tuple[TaskScoreRow, ...] = getattr(data, f"table{number:02}")
    return rows


def by_name(rows: tuple[TaskScoreRow, ...]) -> dict[str, TaskScoreRow]:
    """Return the rows by lower-case name, as tables write one model as Llama-70b and llama-70b."""
    return {row.model.casefold(): row for row in rows}
