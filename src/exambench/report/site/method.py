"""The page that says how the numbers were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from exambench.items import short
from exambench.report.site.boards import Said, Sheet
from exambench.report.site.material import Board, Material
from exambench.report.site.published_papers import papers_of
from exambench.report.site.rendering import Page


def method_page(material: Material, sheets: Sequence[Sheet]) -> Page:
    """Return the page with datasets, protocols, parsers, judges, seeds and versions of each ranking."""
    own = zip(material.boards, sheets, strict=False)
    return Page(
        path="method.html",
        template="method.html",
        heading="method",
        content={
            "boards": [(sheet, list(_facts(board))) for board, sheet in own],
            "published": [paper.sources for paper in papers_of(material)],
        },
    )


def _facts(board: Board) -> Iterator[tuple[str, str | Said | Mapping[str, object]]]:
    """Yield what made the numbers of a ranking: a key of the catalogue, and the fact; a mapping is a condition."""
    first = board.ranking.group.runs[0]
    record, drawn = first.record, board.ranking.bootstrap
    yield (
        "fact_benchmark",
        " · ".join(dict.fromkeys(filter(None, (first.benchmark.title, record.benchmark, first.benchmark.licence)))),
    )
    yield "fact_dataset", ", ".join(board.ranking.group.datasets)
    yield "fact_protocol", f"{record.protocol_name} {record.protocol_hash}"
    yield "fact_condition", record.condition
    yield "fact_parser", f"{first.parser} / {record.protocol['lenient']} {first.parser_version}"
    yield (
        "fact_bootstrap",
        (
            "bootstrap",
            {
                "level": f"{drawn.level:.0%}",
                "resamples": drawn.resamples,
                "seed": drawn.seed,
            },
        ),
    )
    reasoning = board.ranking.reasoning
    if reasoning is not None:
        yield "fact_judge", f"{reasoning.judge.name} · {reasoning.judge.rubric} {short(reasoning.judge.rubric_hash)}"
    judging = next((run.judging for run in board.ranking.group.runs if run.judging is not None), None)
    if judging is not None:
        yield "fact_answer_judge", f"{judging.judge_name} · {judging.rubric_name} {short(judging.rubric_hash)}"
