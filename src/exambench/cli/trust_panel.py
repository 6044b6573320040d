"""``exambench trust panel``: several judges of the same answers."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form


def command(
    runs: Annotated[list[str], typer.Argument(help="Runs, by the beginning of their ids.", metavar="RUN...")],
    judge: Annotated[
        list[str] | None,
        typer.Option(help="A judge's name, or the beginning of a judging's id; all by default. May be repeated."),
    ] = None,
    at_least: Annotated[
        int | None, typer.Option(help="Count the answers that so many judges scored; all judges by default.")
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show mean and median of several judges, how far they agree, and the answers on which they are furthest apart."""
    from exambench.analysis.panel import panel_report
    from exambench.analysis.panel_judges import check_at_least, find_panel
    from exambench.report import panel as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        wanted = {record.run_id: record for record in map(results.run, runs)}
        panel = find_panel(results, list(wanted.values()), judge or [])
    print_result(form, rendering, panel_report(panel, check_at_least(panel, at_least), bootstrap))
