"""``exambench report``: rankings of stored runs."""

from __future__ import annotations

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
    stored_scores,
)
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    common: Common = False,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Rank models on each axis, with n and intervals. Text-only and full models are ranked apart."""
    from exambench.analysis.leaderboard import ranking_on_common_items, rankings
    from exambench.report import tables

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    scores = stored_scores(store, runs or [])
    found = ranking_on_common_items(scores, bootstrap) if common else rankings(scores, bootstrap)
    print_result(form, tables, found)
