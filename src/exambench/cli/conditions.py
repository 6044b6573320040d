"""``exambench conditions``: what conditions do to each model, on the same items."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import (
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
    stored_scores,
)
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    axis: Annotated[str | None, typer.Option(help="Only the items of this axis.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare each model with itself: cells of a grid, probes and chance, orders of the choices, items that flip."""
    from exambench.analysis.conditions import compare_conditions
    from exambench.report import conditions as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    print_result(form, rendering, compare_conditions(stored_scores(store, runs or []), bootstrap, axis))
