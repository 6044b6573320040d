"""``exambench contamination``: whether a model has seen the exam before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Runs, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form

app = typer.Typer(
    help="Whether a model has seen the exam before: continued stems, original orders, canaries.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

canary_app = typer.Typer(
    help="A string in exported data that nobody writes by chance, and a look for it in what models wrote.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(canary_app, name="canary")

BenchmarkOption = Annotated[str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")]
DataOption = Annotated[Path | None, typer.Option(help="The benchmark's data file, if it does not come with one.")]
ImagesOption = Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")]
ModelsOption = Annotated[list[str], typer.Option(help="A model file, or name@base_url. May be repeated.")]
VisionOption = Annotated[bool, typer.Option("--vision", help="Models named as name@base_url take pictures.")]
KeyOption = Annotated[
    str | None, typer.Option(help="Environment variable with the key of models named as name@base_url.")
]
ConcurrencyOption = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Requests in flight; the model file's by default.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be asked, and ask nothing.")]


@app.command("prefix")
def prefix(
    benchmark: BenchmarkOption,
    model: ModelsOption,
    data: DataOption = None,
    images: ImagesOption = None,
    judge: Annotated[str | None, typer.Option(help="A model that rates each continuation.")] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Ask once more with the exam's name and year.")] = False,
    min_tokens: Annotated[int, typer.Option(min=0, help="Stems with more tokens than this.")] = 150,
    share: Annotated[float, typer.Option(min=0.01, max=0.99, help="Share of the stem that is shown.")] = 0.35,
    tokenizer: Annotated[
        str | None, typer.Option(help="kiwi, words or characters; kiwi by default where it is installed, else words.")
    ] = None,
    by: Annotated[str, typer.Option(help="The facet to group by; without it the name of an item's source.")] = "source",
    control: Annotated[
        str, typer.Option(help="A benchmark that no model can have seen, to compare with; none for no control.")
    ] = "kmet-mini",
    control_data: Annotated[Path | None, typer.Option(help="The control's data file.")] = None,
    control_images: Annotated[Path | None, typer.Option(help="The control's image folder.")] = None,
    control_min_tokens: Annotated[
        int | None, typer.Option(min=0, help="Stems of the control with more tokens than this; as --min-tokens if not.")
    ] = None,
    prompt: Annotated[Path | None, typer.Option(help="How models are asked to continue (TOML).")] = None,
    judge_prompt: Annotated[Path | None, typer.Option(help="How the judge is asked to compare (TOML).")] = None,
    concurrency: ConcurrencyOption = None,
    vision: VisionOption = False,
    api_key_env: KeyOption = None,
    store: StoreOption = "exambench.db",
    dry_run: DryRun = False,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Have models continue the beginnings of long stems, and see how close they come. The same command again resumes.

    Interrupts and exit codes are those of exambench run.
    """
    from exambench.cli.prefixes import PrefixOptions, probe_prefixes, show_prefix_plans

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    options = PrefixOptions(
        benchmark=benchmark,
        models=tuple(model),
        data=data,
        images=images,
        judge=judge,
        hint=hint,
        min_tokens=min_tokens,
        share=share,
        tokenizer=tokenizer,
        by=by,
        control=None if control == "none" else control,
        control_data=control_data,
        control_images=control_images,
        control_min_tokens=control_min_tokens,
        prompt=prompt,
        judge_prompt=judge_prompt,
        vision=vision,
        api_key_env=api_key_env,
    )
    if dry_run:
        sys.stdout.write(show_prefix_plans(options))
        return
    raise typer.Exit(probe_prefixes(options, store, concurrency, draw(resamples, seed, level), form))


@app.command("order")
def order(
    runs: Runs = None,
    benchmark: Annotated[str | None, typer.Option(help="A benchmark, to ask models about.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="A model to ask, instead of runs. May be repeated.")] = None,
    data: DataOption = None,
    images: ImagesOption = None,
    protocol: Annotated[str | None, typer.Option(help="A protocol; the headline protocol by default.")] = None,
    permutations: Annotated[int, typer.Option(min=1, max=999, help="Number of other orders.")] = 7,
    order_seed: Annotated[int, typer.Option(min=0, max=999_999_999, help="Seed of the orders.")] = 42,
    sorted_too: Annotated[
        bool, typer.Option("--sorted", help="Use items whose choices are sorted numbers too.")
    ] = False,
    likelihood: Annotated[
        str | None,
        typer.Option(
            help="Compare likelihoods of the text, not answers: completions (echoed prompts) or chat (prompt_logprobs)."
        ),
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Ask a random sample of this many items only.")] = None,
    concurrency: ConcurrencyOption = None,
    vision: VisionOption = False,
    api_key_env: KeyOption = None,
    store: StoreOption = "exambench.db",
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare the published order of the choices with orders drawn by lot: exact p-value, by answers or likelihoods.

    RUN: a run in the published order whose other orders are in the store. Or name models to ask in all orders.
    """
    from exambench.cli.orders import OrderOptions, probe_likelihoods, probe_orders

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    options = OrderOptions(
        runs=tuple(runs or ()),
        benchmark=benchmark,
        models=tuple(model or ()),
        data=data,
        images=images,
        protocol=protocol,
        permutations=permutations,
        order_seed=order_seed,
        sorted_too=sorted_too,
        sample=sample,
        vision=vision,
        api_key_env=api_key_env,
    )
    bootstrap = draw(resamples, seed, level)
    if likelihood is not None:
        raise typer.Exit(probe_likelihoods(options, likelihood, store, concurrency, form))
    raise typer.Exit(probe_orders(options, store, concurrency, bootstrap, form))


@canary_app.command("write")
def canary_write(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON, JSONL, CSV, Markdown or text files.")],
    out: Annotated[Path | None, typer.Option(help="A folder for the marked files; in place by default.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Make the string from this seed; by default it is random.")
    ] = None,
    canary: Annotated[
        str | None, typer.Option(help="A canary that there is already, to mark further files with.")
    ] = None,
) -> None:
    """Put a canary into every record of exported data. All files are marked, or none."""
    from exambench.cli.canaries import write_canary

    for line in write_canary(files, out, seed, canary):
        sys.stdout.write(f"{line}\n")


@canary_app.command("search")
def canary_search(
    runs: Runs = None,
    canary: Annotated[str | None, typer.Option(help="The canary, or its GUID.")] = None,
    file: Annotated[Path | None, typer.Option(help="A marked file, to take the canary from.")] = None,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Look for a canary, or the beginning of it, in what models wrote: in the named runs, or in all runs and tasks."""
    from exambench.cli.canaries import search_canary
    from exambench.report import canaries as rendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    print_result(form, rendering, search_canary(runs or [], canary, file, store))
