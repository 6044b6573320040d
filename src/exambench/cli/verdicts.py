"""``exambench verdicts``: what judges said of stored runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from exambench.cli.output import OutputForm, output_form


def command(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, by the beginning of their ids; all by default.")
    ] = None,
    errors: Annotated[bool, typer.Option("--errors", help="List the factual errors instead.")] = False,
    store: Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")] = "exambench.db",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every verdict.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line for each quantity.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Show the scores that judges gave, with n and intervals. What is unjudged is counted, never averaged in."""
    from rich.console import Console

    from exambench.analysis.verdicts import unreadable_texts
    from exambench.cli.judging import scores_of
    from exambench.report import grids, verdicts
    from exambench.report import verdict_records as records
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    with open_existing_store(store) as results:
        wanted = [results.run(run).run_id for run in runs] if runs else [None]
        scores = [scores_of(results, judging) for run_id in wanted for judging in results.judgings.all(run_id)]
        texts = {key: text for each in scores for key, text in unreadable_texts(results, each.judged).items()}
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
