"""``exambench figures``: pictures for a paper, with the numbers behind each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Common, Level, Resamples, Runs, Seed, StoreOption, draw
from exambench.report.figures.language import Language
from exambench.report.figures.names import ABOUT, FigureName


def command(
    out: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Folder for the files; made if it is not there.")
    ] = None,
    runs: Runs = None,
    formats: Annotated[
        str, typer.Option("--format", help="Formats, with commas between: pdf, svg, png.")
    ] = "pdf,svg,png",
    only: Annotated[
        list[str] | None, typer.Option(help="Names of figures, with commas between; may be repeated. All by default.")
    ] = None,
    language: Annotated[Language, typer.Option(help="Language of titles, axes and legends.")] = Language.EN,
    list_: Annotated[bool, typer.Option("--list", help="List the figures, and draw none.")] = False,
    metric: Annotated[str | None, typer.Option(help="Axis that model size is drawn against.")] = None,
    others: Annotated[
        Path | None, typer.Option(help="CSV of models × other benchmarks, for the figure orthogonality.")
    ] = None,
    lower_is_better: Annotated[
        list[str] | None, typer.Option("--lower-is-better", help="A column of --others in which lower is better.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A facet of the topic tree, from the broadest down; may be repeated.")
    ] = None,
    study: Annotated[str | None, typer.Option(help="The beginning of a study's id; all studies by default.")] = None,
    published: Annotated[
        str | None, typer.Option(metavar="PAPER", help="Draw the tables of a paper (kmetbench) instead of a store.")
    ] = None,
    store: StoreOption = "exambench.db",
    common: Common = False,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
) -> None:
    """Draw figures as PDF, SVG and PNG, each with a CSV of the numbers behind it, and say what could not be drawn."""
    from exambench.report.figures.extra import require_figures

    if list_:
        for name in FigureName:
            typer.echo(f"{name:<14} {ABOUT[name].text(language)}")
        return
    require_figures()
    from exambench.cli.drawing import Request, draw_files

    request = Request(
        folder=out,
        formats=formats,
        only=tuple(only or ()),
        language=language,
        metric=metric,
        others=others,
        lower_is_better=tuple(lower_is_better or ()),
        by=tuple(by or ()),
        study=study,
        published=published,
        store=store,
        runs=tuple(runs or ()),
        common=common,
        bootstrap=draw(resamples, seed, level),
    )
    for line in draw_files(request):
        typer.echo(line)
