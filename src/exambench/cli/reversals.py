"""``exambench reversals``: why one model misses what another solves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form

app = typer.Typer(
    help="Why one model misses what another solves: a sample for readers, their codes, and how far they agree.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("sample")
def sample(
    a: Annotated[str, typer.Argument(help="The run that solves: a model's name, or the beginning of a run id.")],
    b: Annotated[str, typer.Argument(help="The run that misses.")],
    out: Annotated[Path, typer.Option(help="Where the sheets go; made if it is not there.")] = Path("reversals"),
    facet: Annotated[str | None, typer.Option(help="Draw from each value of this facet alike.")] = None,
    per_facet: Annotated[int, typer.Option(min=1, help="How many items of each value.")] = 25,
    both: Annotated[bool, typer.Option("--both", help="Draw items that B solves and A misses as well.")] = False,
    readers: Annotated[list[str] | None, typer.Option(help="A person who reads; may be repeated.")] = None,
    scheme: Annotated[Path | None, typer.Option(help="Categories of your own (TOML or YAML).")] = None,
    seed: Seed = 42,
    csv_only: Annotated[bool, typer.Option("--csv-only", help="Write no XLSX files.")] = False,
    store: StoreOption = "exambench.db",
) -> None:
    """Draw items that A solves and B misses, and write one sheet a reader. The key stays in the store."""
    from exambench.cli.codings import ReversalOptions, draw_reversals

    options = ReversalOptions(
        a=a,
        b=b,
        folder=out,
        facet=facet,
        per_group=per_facet,
        both=both,
        readers=tuple(readers or ("reader-1", "reader-2")),
        scheme=scheme,
        seed=seed,
        xlsx=not csv_only,
    )
    for line in draw_reversals(options, store):
        sys.stdout.write(f"{line}\n")


@app.command("import")
def import_(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Filled-in sheets, CSV or XLSX.")],
    store: StoreOption = "exambench.db",
) -> None:
    """Bring filled-in sheets back. With any fault nothing is stored; a sheet that comes again replaces its codes."""
    from exambench.cli.codings import import_codes

    for line in import_codes(sheets, store):
        sys.stdout.write(f"{line}\n")


@app.command("report")
def report(
    sample: Annotated[str | None, typer.Option(help="The beginning of a sample's id; the only one by default.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Tabulate the codes by facet, with the agreement of the readers."""
    from exambench.probing.reversal_report import reversal_report
    from exambench.report import reversals as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        found = reversal_report(results, results.codings.find(sample), bootstrap)
    print_result(form, rendering, found)
