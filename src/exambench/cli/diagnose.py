"""``exambench diagnose``: what the scores of runs say about their models."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import (
    Common,
    Csv,
    Json,
    Level,
    Markdown,
    Resamples,
    Runs,
    Seed,
    StoreOption,
    draw,
    print_result,
    stored_tables,
)
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    common: Common = False,
    by: Annotated[
        list[str] | None, typer.Option(help="A facet: set each of its values against the rest. May be repeated.")
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show axes, gaps, rank intervals, single items' influence and weakest axes of models, each with its n."""
    from exambench.analysis.diagnosis import diagnose
    from exambench.report import diagnosis as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    tables = stored_tables(store, runs or [], common=common)
    print_result(form, rendering, [diagnose(table, bootstrap, by=by or []) for table in tables])
