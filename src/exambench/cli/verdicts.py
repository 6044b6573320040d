"""``exambench verdicts``: what judges said of stored runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Markdown, Runs, StoreOption
from exambench.cli.output import OutputForm, output_form


def command(
    runs: Runs = None,
    errors: Annotated[bool, typer.Option("--errors", help="List the factual errors instead.")] = False,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show the scores that judges gave, with n and intervals. What is unjudged is counted, never averaged in."""
    from rich.console import Console

    from exambench.analysis.scores import find_runs
    from exambench.analysis.verdicts import unreadable_texts
    from exambench.cli.judging import scores_of
    from exambench.cli.reading import read_new
    from exambench.report import grids, verdicts
    from exambench.report import verdict_records as records
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    with open_existing_store(store) as results:
        read_new(results, find_runs(results, []))  # the headline run of a judged one is another run
        wanted = [record.run_id for record in find_runs(results, runs or [])]
        scores = [scores_of(results, judging) for run_id in wanted for judging in results.judgings.all(run_id)]
        texts = {
            key: text
            for each in (scores if form is OutputForm.JSON else ())
            for key, text in unreadable_texts(results, each.judged).items()
        }
    if not scores:
        sys.stderr.write("exambench: no judge has judged these runs yet; see: exambench judge\n")
    sections = verdicts.error_sections(scores) if errors else verdicts.sections(scores)
    match form:
        case OutputForm.JSON:
            sys.stdout.write(records.errors_as_json(scores) if errors else records.as_json(scores, texts))
        case OutputForm.CSV:
            sys.stdout.write(records.errors_as_csv(scores) if errors else records.as_csv(scores))
        case OutputForm.MARKDOWN:
            sys.stdout.write(grids.markdown(sections))
        case OutputForm.TERMINAL:
            Console().print(grids.terminal(sections))
