"""``exambench report``: rankings of stored runs."""

from __future__ import annotations

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
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Rank models on each axis, with n and intervals. Text-only and full models are ranked apart."""
    from exambench.analysis.leaderboard import ranking_on_common_items, rankings, with_reasoning
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import read_scores
    from exambench.report import tables
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        scores = read_scores(results, find_runs(results, runs or []), answer_judge)
        found = ranking_on_common_items(scores, bootstrap) if common else rankings(scores, bootstrap)
        judged = with_reasoning(results, found)
    print_result(form, tables, judged)
