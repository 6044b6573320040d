"""``exambench items``: what the answers of many models say about the items."""

from __future__ import annotations

from typing import Annotated

import typer

from exambench.cli.options import (
    AnswerJudge,
    Common,
    Csv,
    Json,
    Markdown,
    Runs,
    StoreOption,
    print_result,
    stored_tables,
)
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    common: Common = False,
    answer_judge: AnswerJudge = None,
    suspects: Annotated[bool, typer.Option("--suspects", help="Only the items whose key is suspicious.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show difficulty, discrimination, distractors, suspicious keys, and models that favour a position."""
    from exambench.analysis.item_analysis import analyse_items
    from exambench.report.items import ItemsRendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    tables = stored_tables(store, runs or [], common=common, answer_judge=answer_judge)
    print_result(form, ItemsRendering(suspects), [analyse_items(table) for table in tables])
