"""``exambench analyze``: a matrix of scores that somebody else produced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exambench.analysis.odd_picks import OddPicks
from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Seed, draw, matrix_layout, print_result
from exambench.cli.output import output_form


def command(
    matrix: Annotated[
        Path, typer.Argument(help="CSV file, plain or gzip: item, model_1, …; 0, 1, or blank for no score.")
    ],
    item: Annotated[
        str | None, typer.Option(help="The column of the items; by default item, item_id, id or row.")
    ] = None,
    facet: Annotated[
        list[str] | None, typer.Option(help="A column that is a facet, whatever stands in it. May be repeated.")
    ] = None,
    picks: Annotated[bool, typer.Option("--picks", help="The cells are picks (A, B, … or 1, 2, …).")] = False,
    key: Annotated[str | None, typer.Option(help="With --picks: the column of the right choices.")] = None,
    choices: Annotated[int, typer.Option(min=2, max=26, help="With --picks: number of choices of an item.")] = 4,
    odd_picks: Annotated[
        OddPicks, typer.Option(help="With --picks: what becomes of a pick that is no choice.")
    ] = OddPicks.REFUSE,
    pair: Annotated[tuple[str, str] | None, typer.Option(help="Two models to compare item by item.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Examine a matrix of another harness: accuracy, ranks, pairs, facets, single items' influence, items."""
    from exambench.analysis.matrix_analysis import analyse_matrix
    from exambench.analysis.matrix_file import read_matrix
    from exambench.report import matrix as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    layout = matrix_layout(item, facet or [], key, picks=picks, choices=choices, odd_picks=odd_picks)
    print_result(form, rendering, analyse_matrix(read_matrix(matrix, layout), bootstrap, pair))
