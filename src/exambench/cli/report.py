"""``exambench report``: rankings of stored runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def command(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, by the beginning of their ids; all by default.")
    ] = None,
    store: Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")] = "exambench.db",
    common: Annotated[
        bool, typer.Option("--common", help="One ranking, on the items that all runs have scores for.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line for each run and axis.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Rank models on each axis, with n and intervals. Text-only and full models are ranked apart."""
    from rich.console import Console

    from exambench.analysis.leaderboard import ranking_on_common_items, rankings
    from exambench.analysis.scores import load_scores
    from exambench.report import tables
    from exambench.store import open_existing_store

    with open_existing_store(store) as results:
        records = [results.run(run) for run in runs] if runs else [summary.run for summary in results.runs()]
        scores = [load_scores(results, record) for record in records]
    found = ranking_on_common_items(scores) if common else rankings(scores)
    if as_json:
        sys.stdout.write(tables.as_json(found))
    elif as_csv:
        sys.stdout.write(tables.as_csv(found))
    elif as_markdown:
        sys.stdout.write(tables.markdown(found))
    else:
        Console().print(tables.terminal(found))
