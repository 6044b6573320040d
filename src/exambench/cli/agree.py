"""``exambench agree``: how far raters agree, and a judge with people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Seed, draw, print_result
from exambench.cli.output import output_form


def command(
    ratings: Annotated[Path, typer.Argument(help="CSV file: item, rater, dimension, score (blank: no rating).")],
    judge: Annotated[str | None, typer.Option(help="The rater that is a machine; the others are people.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Level of measurement of α: interval, ordinal or nominal; all by default. May be repeated."),
    ] = None,
    dimension: Annotated[list[str] | None, typer.Option(help="Only this dimension. May be repeated.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Measure agreement: α, intraclass correlation, kappa, τ-b and bias, each with its interval and n."""
    from exambench.analysis.agreement import agreement, metrics_named
    from exambench.analysis.ratings import read_ratings
    from exambench.errors import listed
    from exambench.report import agreement as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap, metrics = draw(resamples, seed, level), metrics_named(metric or [])
    sheet = read_ratings(ratings)
    if sheet.ignored_columns:
        sys.stderr.write(f"exambench: columns that were not read: {listed(map(ascii, sheet.ignored_columns))}\n")
    report = agreement(sheet, bootstrap, judge=judge, metrics=metrics, dimensions=dimension or [])
    print_result(form, rendering, report)
