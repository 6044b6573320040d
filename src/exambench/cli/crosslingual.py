"""``exambench crosslingual``: the same items in Korean and in English."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Runs, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    axis: Annotated[str | None, typer.Option(help="Only the items of this axis, as korean.")] = None,
    drafts: Annotated[bool, typer.Option("--drafts", help="Use translations that nobody has checked, too.")] = False,
    store: StoreOption = "exambench.db",
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare runs in the wordings explicit and english: accuracies, difference, who is right in which, exact test."""
    from exambench.analysis.crosslingual import crosslingual, pair_runs
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import read_scores
    from exambench.items import ReviewState
    from exambench.report import crosslingual as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    states = tuple(ReviewState) if drafts else (ReviewState.CHECKED,)
    with open_existing_store(store) as results:
        found = [read_scores(results, pair) for pair in pair_runs(find_runs(results, runs or []))]
    report = crosslingual([(korean, english) for korean, english in found], bootstrap, states=states, axis=axis)
    print_result(form, rendering, report)
