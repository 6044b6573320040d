"""``exambench published``: the figures of the three papers, and what follows from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Markdown, print_result
from exambench.cli.output import output_form

app = typer.Typer(
    help="Figures of three papers, and which of their claims follow.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("check")
def check(
    *,
    figures: Annotated[
        Path | None, typer.Option(help="Folder to read the figures from; by default those that ship.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Recompute the papers' claims from their own figures. A claim that does not follow is a finding, not an error."""
    from exambench.analysis.published import check_claims
    from exambench.benchmarks.published import load_published
    from exambench.report import published as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, rendering, check_claims(load_published(figures)))


@app.command("list")
def list_sources(
    *,
    figures: Annotated[
        Path | None, typer.Option(help="Folder to read the figures from; by default those that ship.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """List the tables that were typed in, with paper, section and number of rows."""
    from exambench.benchmarks.published import load_published
    from exambench.report import published_sources as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, rendering, load_published(figures))
