"""``exambench build``: from exam papers to a benchmark, stage by stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from exambench.cli import build_translation
from exambench.cli.options import Csv, Json, Markdown, print_result
from exambench.cli.output import output_form
from exambench.report.figures.language import Language
from exambench.text import escaped

app = typer.Typer(
    help="From exam papers to a benchmark: the stages of a project folder with a build.toml.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

Form = Literal["kmetbench", "scholarbench"]
Folder = Annotated[Path, typer.Option("--project", help="The project's folder, which has a build.toml.")]


@app.callback()
def build(
    context: typer.Context,
    project: Folder = Path(),
    until: Annotated[str | None, typer.Option(metavar="STAGE", help="The last stage to build.")] = None,
) -> None:
    """Build the stages in their order, those only whose settings, files or input have changed."""
    if context.invoked_subcommand is not None:
        return
    from exambench.cli.building import build_project

    raise typer.Exit(build_project(project, until))


@app.command("status")
def status(project: Folder = Path(), as_json: Json = False, as_csv: Csv = False, as_markdown: Markdown = False) -> None:
    """Show the funnel: how many items each stage took, changed, dropped and left for people."""
    from exambench.construct.building import states
    from exambench.construct.project import read_project
    from exambench.report.building import StatusRendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    read = read_project(project)
    print_result(form, StatusRendering(read.name), states(read))


@app.command("record")
def record(
    stage: Annotated[str, typer.Argument(help="The name of a stage.")],
    project: Folder = Path(),
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show what a stage did to each item, and why."""
    from exambench.cli.building import record_of
    from exambench.report.building import RecordRendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, RecordRendering(), record_of(project, stage))


@app.command("lineage")
def lineage(
    item: Annotated[str, typer.Argument(help="The identifier of an item.")],
    project: Folder = Path(),
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Tell the whole history of an item: what each stage did to it, and what it was before and after."""
    from exambench.construct.lineage import lineage as history_of
    from exambench.construct.project import read_project
    from exambench.report.building import LineageRendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, LineageRendering(item), history_of(read_project(project), item))


@app.command("proposals")
def proposals(
    stage: Annotated[
        str,
        typer.Argument(
            help="A stage that leaves something to people: "
            "ingest, paraphrase, label, explicit, rationale, generate or verify."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A sheet for people to decide on: CSV, or CSV and XLSX.")],
    project: Folder = Path(),
) -> None:
    """Write what a stage leaves to people onto a sheet, on which they accept, adopt, correct, reject or label it."""
    from exambench.cli.proposals import write_proposals

    for line in write_proposals(project, stage, out):
        typer.echo(escaped(line))


@app.command("decide")
def decide(
    sheet: Annotated[Path, typer.Argument(help="A filled-in sheet, CSV or XLSX.")],
    stage: Annotated[str, typer.Option(help="The stage whose proposals it holds.")],
    out: Annotated[Path, typer.Option(help="The file of decisions that the stage names; those of other items stay.")],
    project: Folder = Path(),
) -> None:
    """Bring a filled-in sheet back; the next build does what people decided."""
    from exambench.cli.proposals import decide as run

    for line in run(project, stage, sheet, out):
        typer.echo(escaped(line))


@app.command("figures")
def figures(
    stage: Annotated[str, typer.Argument(help="The name of a stage of the kind distort.")],
    out: Annotated[Path, typer.Option(help="Folder for the files; made if it is not there.")],
    formats: Annotated[
        str, typer.Option("--format", help="Formats, with commas between: pdf, svg, png.")
    ] = "pdf,svg,png",
    language: Annotated[Language, typer.Option(help="Language of titles, axes and legends.")] = Language.EN,
    project: Folder = Path(),
) -> None:
    """Draw how the pool and what is left of it are spread, with a CSV of the numbers behind the figure."""
    from exambench.report.figures.extra import require_figures

    require_figures()
    from exambench.cli.build_figures import draw_stage

    for line in draw_stage(project, stage, out, formats, language):
        typer.echo(escaped(line))


@app.command("release")
def release(
    version: Annotated[str, typer.Argument(help="What the release is called, as in 1.0.")],
    out: Annotated[Path, typer.Option(help="Releases go here, each into a folder of its own.")] = Path("releases"),
    canary_seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the canary; from the system by default.")
    ] = None,
    form: Annotated[
        Form | None, typer.Option("--format", help="Format of the data; that of the items by default.")
    ] = None,
    project: Folder = Path(),
) -> None:
    """Freeze what the last stage left: data with a canary, pictures, definition, datasheet, metadata, digests."""
    from exambench.cli.building import release_project

    for path in release_project(project, version, out, canary_seed, form):
        typer.echo(escaped(str(path)))


app.command("translate")(build_translation.translate)
app.command("review")(build_translation.review)
