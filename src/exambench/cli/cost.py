"""``exambench cost``: what runs took."""

from __future__ import annotations

from exambench.cli.options import Csv, Json, Markdown, Runs, StoreOption, print_result
from exambench.cli.output import output_form


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show tokens, money, wall time and GPU-hours, against the time that people have for the examination."""
    from exambench.analysis.cost import costs
    from exambench.report import cost as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    with open_existing_store(store) as results:
        found = costs(results, runs or [])
    print_result(form, rendering, found)
