"""``exambench compare``: two models on the same items."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import (
    AnswerJudge,
    Csv,
    Json,
    Level,
    Markdown,
    Resamples,
    Seed,
    StoreOption,
    draw,
    print_result,
    stored_pair,
)
from exambench.cli.output import output_form


def command(
    a: Annotated[str, typer.Argument(help="A run: a model's name, or the beginning of a run id.")],
    b: Annotated[str, typer.Argument(help="The run to compare it with.")],
    store: StoreOption = "exambench.db",
    answer_judge: AnswerJudge = None,
    axis: Annotated[str | None, typer.Option(help="Only the items of this axis.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare two models on the items both answered: who solves what, how sure, and how few items turn the order."""
    from exambench.analysis.comparison import compare
    from exambench.report import comparison as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    print_result(form, rendering, compare(stored_pair(store, a, b, answer_judge), 0, 1, bootstrap, axis))
