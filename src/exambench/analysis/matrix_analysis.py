"""All that is said about a matrix of scores that somebody else produced."""

from __future__ import annotations

from dataclasses import dataclass

from exambench.analysis.comparison import Comparison, Pairs, all_pairs, compare, model_index
from exambench.analysis.diagnosis import Diagnosis, diagnose
from exambench.analysis.item_analysis import ItemAnalysis, analyse_items
from exambench.analysis.score_table import ScoreTable
from exambench.stats.resampling import Bootstrap


@dataclass(frozen=True, eq=False)
class MatrixAnalysis:
    """Everything about one matrix.

    Attributes:
        diagnosis: Accuracy, ranks, and each value of each facet against the rest.
        pairs: All pairs of models; ``None`` for one model alone.
        comparison: The pair that was asked for.
        items: What the answers say about the items.
    """

    diagnosis: Diagnosis
    pairs: Pairs | None
    comparison: Comparison | None
    items: ItemAnalysis

    @property
    def table(self) -> ScoreTable:
        """The matrix."""
        return self.diagnosis.table


def analyse_matrix(table: ScoreTable, bootstrap: Bootstrap, pair: tuple[str, str] | None = None) -> MatrixAnalysis:
    """Return everything about a matrix.

    Raises:
        ConfigError: The pair names a model that is not there, or one model twice.
    """
    comparison = None
    if pair is not None:
        comparison = compare(table, model_index(table, pair[0]), model_index(table, pair[1]), bootstrap)
    return MatrixAnalysis(
        diagnosis=diagnose(table, bootstrap, by=tuple(table.facets)),
        pairs=all_pairs(table) if len(table.models) > 1 else None,
        comparison=comparison,
        items=analyse_items(table),
    )
