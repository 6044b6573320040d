"""``exambench published``: the figures of the three papers, and what follows from them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, values in full precision.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line for each claim.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Recompute the papers' claims from their own figures. A claim that does not follow is a finding, not an error."""
    from rich.console import Console

    from exambench.analysis.published import check_claims
    from exambench.benchmarks.published import load_published
    from exambench.report import published as rendering

    checked = check_claims(load_published(figures))
    if as_json:
        sys.stdout.write(rendering.as_json(checked))
    elif as_csv:
        sys.stdout.write(rendering.as_csv(checked))
    elif as_markdown:
        sys.stdout.write(rendering.markdown(checked))
    else:
        Console().print(rendering.terminal(checked))


@app.command("list")
def list_sources(
    *,
    figures: Annotated[
        Path | None, typer.Option(help="Folder to read the figures from; by default those that ship.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with units and notes.")] = False,
) -> None:
    """List the tables that were typed in, with paper, section and number of rows."""
    from rich.console import Console

    from exambench.benchmarks.published import load_published
    from exambench.report import published as rendering

    published = load_published(figures)
    if as_json:
        sys.stdout.write(rendering.sources_as_json(published))
    else:
        Console().print(rendering.sources_terminal(published))
