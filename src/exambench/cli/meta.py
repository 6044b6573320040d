"""``exambench meta``: whether a judge is to be trusted, seen beside people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.analysis.sampling import Sampling
from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form

app = typer.Typer(
    help="Whether a judge is to be trusted: a sample for people to score, and the judge beside them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("sample")
def sample(
    folder: Annotated[Path, typer.Argument(metavar="OUT_DIR", help="Where the sheets go; made if it is not there.")],
    judge: Annotated[str, typer.Option(help="A judge's name, or the beginning of a judging's id.")],
    sampling: Annotated[
        Sampling, typer.Option(help="stratified: by tiers, for agreement. random: for means that people correct.")
    ] = Sampling.STRATIFIED,
    models: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Models from the top, middle and low tier; 3,4,3 by default.")
    ] = None,
    items: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Hard, middle and easy items; 3,4,3 by default.")
    ] = None,
    per_model: Annotated[
        int | None, typer.Option(help="With --sampling random: answers of each model; 10 by default.")
    ] = None,
    raters: Annotated[list[str] | None, typer.Option(help="A person who scores; may be repeated.")] = None,
    seed: Seed = 42,
    csv_only: Annotated[bool, typer.Option("--csv-only", help="Write no XLSX files.")] = False,
    images: Annotated[
        Path | None, typer.Option(help="The folder of the items' pictures, which stand in the XLSX files.")
    ] = None,
    store: StoreOption = "exambench.db",
) -> None:
    """Draw answers, say why these, and write one blind scoring sheet a person. The key stays in the store."""
    from rich.console import Console

    from exambench.cli.studies import SampleOptions, sample_study
    from exambench.report import grids, meta_sample

    options = SampleOptions(
        folder=folder,
        judge=judge,
        sampling=sampling,
        models=models,
        items=items,
        per_model=per_model,
        raters=tuple(raters or ("rater-1", "rater-2")),
        seed=seed,
        xlsx=not csv_only,
        images=images,
    )
    written = sample_study(options, store)
    Console().print(grids.terminal(meta_sample.sections(written.drawn)))
    for path in written.paths:
        sys.stdout.write(f"{path}\n")
    if written.without_pictures:
        sys.stderr.write("warning: the sheets name pictures by their paths only; --images DIR puts them in\n")


@app.command("import")
def import_(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Filled-in sheets, CSV or XLSX.")],
    store: StoreOption = "exambench.db",
) -> None:
    """Bring filled-in sheets back. With any fault nothing is stored; a sheet that comes again replaces its scores."""
    from exambench.cli.studies import import_sheets

    for line in import_sheets(sheets, store):
        sys.stdout.write(f"{line}\n")


@app.command("report")
def report(
    study: Annotated[str | None, typer.Option(help="The beginning of a study's id; the only one by default.")] = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show α, ICC(A,1), bias and τ-b of the judge and people, people among themselves, and the paper's figures."""
    from exambench.analysis.meta_report import meta_report
    from exambench.report import meta as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        found = meta_report(results, results.studies.find(study), bootstrap)
    print_result(form, rendering, found)
