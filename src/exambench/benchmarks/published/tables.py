"""All published figures, as one object a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable

from exambench.benchmarks.published import rows
from exambench.benchmarks.published.reader import read_table
from exambench.benchmarks.published.sources import Source, read_sources
from exambench.errors import DataError, Finding


@dataclass(frozen=True, slots=True)
class KMetBench:
    """The figures of K-MetBench; each attribute is named by its table."""

    sources: tuple[Source, ...]
    figures: Mapping[str, Decimal]
    leaderboard: tuple[rows.LeaderboardRow, ...]
    table02: tuple[rows.CompositionRow, ...]
    table03: tuple[rows.PartSizeRow, ...]
    table04: tuple[rows.ScoreRow, ...]
    table05: tuple[rows.AgreementRow, ...]
    table09: tuple[rows.JudgedModelRow, ...]
    table10: tuple[rows.JudgedItemRow, ...]
    table13: tuple[rows.ScoreRow, ...]
    table14: tuple[rows.LeaveOneOutRow, ...]


@dataclass(frozen=True, slots=True)
class Kmmmu:
    """The figures of KMMMU that its running text holds."""

    sources: tuple[Source, ...]
    figures: Mapping[str, Decimal]
    models: tuple[rows.EvaluatedModelRow, ...]
    table05: tuple[rows.LocalGapRow, ...]
    table16: tuple[rows.CrossLingualRow, ...]
    table18: tuple[rows.JudgeAccuracyRow, ...]
    table19: tuple[rows.ImageDependencyRow, ...]


@dataclass(frozen=True, slots=True)
class ScholarBench:
    """The figures of ScholarBench; each attribute is named by its table."""

    sources: tuple[Source, ...]
    figures: Mapping[str, Decimal]
    table01: tuple[rows.AssessmentRow, ...]
    table02: tuple[rows.TaskScoreRow, ...]
    table03: tuple[rows.SummaryRow, ...]
    table05: tuple[rows.TaskScoreRow, ...]
    table06: tuple[rows.CategorySizeRow, ...]
    table07: tuple[rows.TypeSizeRow, ...]
    table08: tuple[rows.CategorySizeRow, ...]
    table09: tuple[rows.TypeSizeRow, ...]
    table10: tuple[rows.CheckpointRow, ...]
    table11: tuple[rows.CheckpointRow, ...]
    table13: tuple[rows.ShortAnswerRow, ...]
    table15: tuple[rows.RatingRow, ...]
    table16: tuple[rows.TaskScoreRow, ...]
    table19: tuple[rows.TaskScoreRow, ...]
    table20: tuple[rows.TaskScoreRow, ...]
    table21: tuple[rows.TaskScoreRow, ...]
    table22: tuple[rows.TaskScoreRow, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """The figures of the three papers."""

    kmetbench: KMetBench
    kmmmu: Kmmmu
    scholarbench: ScholarBench

    @property
    def sources(self) -> tuple[Source, ...]:
        """The origin of every file, paper by paper."""
        return self.kmetbench.sources + self.kmmmu.sources + self.scholarbench.sources

    def row_count(self, source: Source) -> int:
        """Return how many rows the file of a source holds."""
        return len(getattr(getattr(self, source.paper), source.file.removesuffix(".csv")))


def load_published(root: Traversable | None = None) -> Published:
    """Read all published figures.

    Args:
        root: Folder that holds one folder a paper; by default the figures that ship with the package.

    Raises:
        DataError: A file is missing or does not hold what its columns promise.
    """
    folder = files("exambench.benchmarks.published") if root is None else root
    return Published(
        kmetbench=_load_kmetbench(folder / "kmetbench"),
        kmmmu=_load_kmmmu(folder / "kmmmu"),
        scholarbench=_load_scholarbench(folder / "scholarbench"),
    )


def _figures(folder: Traversable) -> Mapping[str, Decimal]:
    figures: dict[str, Decimal] = {}
    for row in read_table(folder / "figures.csv", rows.FigureRow):
        if row.name in figures:
            raise DataError(Finding(problem="the name occurs twice", file=str(folder / "figures.csv"), item=row.name))
        figures[row.name] = row.value
    return figures


def _load_kmetbench(folder: Traversable) -> KMetBench:
    return KMetBench(
        sources=read_sources(folder),
        figures=_figures(folder),
        leaderboard=read_table(folder / "leaderboard.csv", rows.LeaderboardRow),
        table02=read_table(folder / "table02.csv", rows.CompositionRow),
        table03=read_table(folder / "table03.csv", rows.PartSizeRow),
        table04=read_table(folder / "table04.csv", rows.ScoreRow),
        table05=read_table(folder / "table05.csv", rows.AgreementRow),
        table09=read_table(folder / "table09.csv", rows.JudgedModelRow),
        table10=read_table(folder / "table10.csv", rows.JudgedItemRow),
        table13=read_table(folder / "table13.csv", rows.ScoreRow),
        table14=read_table(folder / "table14.csv", rows.LeaveOneOutRow),
    )


def _load_kmmmu(folder: Traversable) -> Kmmmu:
    return Kmmmu(
        sources=read_sources(folder),
        figures=_figures(folder),
        models=read_table(folder / "models.csv", rows.EvaluatedModelRow),
        table05=read_table(folder / "table05.csv", rows.LocalGapRow),
        table16=read_table(folder / "table16.csv", rows.CrossLingualRow),
        table18=read_table(folder / "table18.csv", rows.JudgeAccuracyRow),
        table19=read_table(folder / "table19.csv", rows.ImageDependencyRow),
    )


def _load_scholarbench(folder: Traversable) -> ScholarBench:
    def scores(name: str) -> tuple[rows.TaskScoreRow, ...]:
        return read_table(folder / name, rows.TaskScoreRow)

    return ScholarBench(
        sources=read_sources(folder),
        figures=_figures(folder),
        table01=read_table(folder / "table01.csv", rows.AssessmentRow),
        table02=scores("table02.csv"),
        table03=read_table(folder / "table03.csv", rows.SummaryRow),
        table05=scores("table05.csv"),
        table06=read_table(folder / "table06.csv", rows.CategorySizeRow),
        table07=read_table(folder / "table07.csv", rows.TypeSizeRow),
        table08=read_table(folder / "table08.csv", rows.CategorySizeRow),
        table09=read_table(folder / "table09.csv", rows.TypeSizeRow),
        table10=read_table(folder / "table10.csv", rows.CheckpointRow),
        table11=read_table(folder / "table11.csv", rows.CheckpointRow),
        table13=read_table(folder / "table13.csv", rows.ShortAnswerRow),
        table15=read_table(folder / "table15.csv", rows.RatingRow),
        table16=scores("table16.csv"),
        table19=scores("table19.csv"),
        table20=scores("table20.csv"),
        table21=scores("table21.csv"),
        table22=scores("table22.csv"),
    )
