"""``exambench runs``: what is in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from exambench.store import RunSummary


def command(
    store: Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")] = "exambench.db",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List runs with coverage, outcomes, tokens, cost and time, and who judged them."""
    import sys

    from rich.console import Console

    from exambench.cli.reading import read_new
    from exambench.report import runs as rendering
    from exambench.store import open_existing_store

    with open_existing_store(store) as results:
        read_new(results, [summary.run for summary in results.runs()])
        summaries: list[RunSummary] = results.runs()
        judgings, tallies = results.judgings.all(), results.judgings.tallies()
    if as_json:
        sys.stdout.write(rendering.as_json(summaries, judgings, tallies))
    else:
        Console().print(rendering.terminal(summaries, judgings, tallies))
