"""``exambench trust corrected``: what people would score on average, from a judge on all answers and a sample."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, StoreOption, check_level, print_result
from exambench.cli.output import output_form


def command(
    study: Annotated[str | None, typer.Option(help="The beginning of a study's id; the only one by default.")] = None,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Correct the judge's means by the scores that people gave to a sample, with intervals and what they assume."""
    from exambench.analysis.corrected_means import corrected_report
    from exambench.report import corrected
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    check_level(level)
    with open_existing_store(store) as results:
        found = corrected_report(results, results.studies.find(study), level)
    print_result(form, corrected, found)
