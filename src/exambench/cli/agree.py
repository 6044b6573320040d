"""``exambench agree``: how far raters agree, and a judge with people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.output import OutputForm, output_form


def command(
    ratings: Annotated[Path, typer.Argument(help="CSV file: item, rater, dimension, score (blank: no rating).")],
    judge: Annotated[str | None, typer.Option(help="The rater that is a machine; the others are people.")] = None,
    level: Annotated[
        list[str] | None, typer.Option(help="Level of measurement of α: interval, ordinal, nominal; all by default.")
    ] = None,
    dimension: Annotated[list[str] | None, typer.Option(help="Only this dimension; may be repeated.")] = None,
    resamples: Annotated[int, typer.Option(min=2, help="How often to draw the items for the intervals.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line for each coefficient.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Measure agreement: α, intraclass correlation, kappa, τ-b and bias, each with its interval and n."""
    from rich.console import Console

    from exambench.analysis.agreement import agreement, metrics_named
    from exambench.analysis.ratings import read_ratings
    from exambench.report import agreement as rendering
    from exambench.stats.resampling import Bootstrap

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    metrics = metrics_named(level or [])
    sheet = read_ratings(ratings)
    if sheet.ignored_columns:
        sys.stderr.write(f"exambench: columns that were not read: {', '.join(map(ascii, sheet.ignored_columns))}\n")
    report = agreement(sheet, Bootstrap(resamples, seed), judge=judge, metrics=metrics, dimensions=dimension or [])
    match form:
        case OutputForm.JSON:
            sys.stdout.write(rendering.as_json(report))
        case OutputForm.CSV:
            sys.stdout.write(rendering.as_csv(report))
        case OutputForm.MARKDOWN:
            sys.stdout.write(rendering.markdown(report))
        case OutputForm.TERMINAL:
            Console().print(rendering.terminal(report))
