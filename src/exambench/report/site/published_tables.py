"""Tables of ScholarBench's paper as pages of their own: one ranking a table, in the columns and units of the paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from exambench.analysis.published.claim import Paper
from exambench.benchmarks.published import ScholarBench, Source
from exambench.benchmarks.published.rows import TaskScoreRow
from exambench.report.site.boards import SHARE, Line, Metric, Said, Score, Sheet
from exambench.stats.ranking import ranks

SETTINGS: Final[Mapping[str, str]] = {
    "table02.csv": "scope_closed_book",
    "table19.csv": "scope_open_book",
    "table20.csv": "scope_open_book_cot",
}
"""File of a table → key of the setting in which its models answered."""
METRICS: Final[Mapping[str, Metric]] = {
    "average": Metric("average", {"en": "Average", "ko": "평균"}),
    "rouge1": Metric("R-1", {"en": "R-1 summaries", "ko": "R-1 요약"}),
    "rouge2": Metric("R-2", {"en": "R-2 summaries", "ko": "R-2 요약"}),
    "rouge_l": Metric("R-L", {"en": "R-L summaries", "ko": "R-L 요약"}),
    "bertscore": Metric("BERTScore", {"en": "BERTScore short answers", "ko": "BERTScore 단답형"}),
    "a2": Metric("A-2", {"en": "A-2 multiple selection", "ko": "A-2 복수 선택"}),
    "a3": Metric("A-3", {"en": "A-3 multiple selection", "ko": "A-3 복수 선택"}),
    "a4": Metric("A-4", {"en": "A-4 multiple selection", "ko": "A-4 복수 선택"}),
    "mcq": Metric("MCQ", {"en": "MCQ multiple choice", "ko": "MCQ 객관식"}),
    "boolean": Metric("Boolean", {"en": "Boolean true or false", "ko": "Boolean 참·거짓"}),
}
"""Column of a table → what readers call it; the average, of all nine, stands first."""
_SIZE: Final = re.compile(r"-(\d+)b\b", re.IGNORECASE)


def table_sheets(data: ScholarBench) -> tuple[Sheet, ...]:
    """Return one page a table: closed book, open book, and open book with chain of thought."""
    return tuple(_sheet(source, rows) for source, rows in shown_tables(data))


def shown_tables(data: ScholarBench) -> tuple[tuple[Source, Sequence[TaskScoreRow]], ...]:
    """Return the tables that have pages, each with where it is from."""
    tables = {"table02.csv": data.table02, "table19.csv": data.table19, "table20.csv": data.table20}
    sources = {source.file: source for source in data.sources}
    return tuple((sources[file], rows) for file, rows in tables.items())


def _sheet(source: Source, rows: Sequence[TaskScoreRow]) -> Sheet:
    columns = [[float(getattr(row, name)) for row in rows] for name in METRICS]
    places = ranks(columns)
    lines = [
        Line(
            key="",
            name=row.model,
            traits=(),
            size=_size(row.model),
            marks=(("mark_published", {}),),
            scores=tuple(
                Score(column[number], None, None, None, rank=float(places[at, number]))
                for at, column in enumerate(columns)
            ),
        )
        for number, row in enumerate(rows)
    ]
    return Sheet(
        key=f"published-{source.paper}-{source.file.removesuffix('.csv')}",
        name=Paper(source.paper).benchmark,
        scope=(SETTINGS[source.file], {"number": _number(source)}),
        facts=(source.label, source.where),
        condition={},
        published=True,
        metrics=tuple(METRICS.values()),
        lines=tuple(sorted(lines, key=_order)),
        pass_mark=None,
        notes=_notes(source),
        scale=SHARE,
    )


def _notes(source: Source) -> tuple[Said, ...]:
    where: dict[str, str] = {"number": _number(source), "title": source.title}
    found: list[Said] = [("note_table", where), ("note_table_rank", {}), ("note_table_columns", {})]
    return (*found, ("note_table_cot", {})) if source.file == "table20.csv" else tuple(found)


def _number(source: Source) -> str:
    """Return the number of a table: ``2`` of ``Table 2``."""
    return source.label.rpartition(" ")[2]


def _size(model: str) -> float | None:
    """Return the parameters in 10⁹ that a name says, as in ``Qwen-72b``; ``None`` where it says none."""
    found = _SIZE.search(model)
    return float(found[1]) if found else None


def _order(line: Line) -> tuple[float, str]:
    first = line.scores[0]
    return (0.0 if first is None else -first.estimate), line.name
