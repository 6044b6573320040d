"""``exambench diagnose``: what the scores of runs say about their models."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import (
    AnswerJudge,
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
)
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    common: Common = False,
    answer_judge: AnswerJudge = None,
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
    from exambench.analysis.judged_reasoning import load_reasoning_gap
    from exambench.analysis.run_groups import groups_on_common_items
    from exambench.analysis.run_tables import groups_with_scores, some, table_of_group
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import read_scores
    from exambench.report import diagnosis as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        scores = read_scores(results, find_runs(results, runs or []), answer_judge)
        groups = some(groups_on_common_items(scores) if common else groups_with_scores(scores))
        tables = [table_of_group(group) for group in groups]
        gaps = [load_reasoning_gap(results, *each) for each in zip(groups, tables, strict=True)]
    found = [diagnose(table, bootstrap, by=by or [], reasoning=gap) for table, gap in zip(tables, gaps, strict=True)]
    print_result(form, rendering, found)
