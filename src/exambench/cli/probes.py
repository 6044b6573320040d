"""``exambench probes``: which probes there are, what each tests, and what a blind guess gets under it."""

from __future__ import annotations

from exambench.cli.options import Csv, Json, Markdown, print_result
from exambench.cli.output import output_form


def command(as_json: Json = False, as_csv: Csv = False, as_markdown: Markdown = False) -> None:
    """List the probes of exambench run --probe: the conditions of each, its question, and its chance level."""
    from exambench.protocols.probes import PROBES
    from exambench.report import probes as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, rendering, tuple(PROBES.values()))
