"""``exambench run``: a model sits an examination."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    benchmark: Annotated[str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")],
    model: Annotated[
        list[str],
        typer.Option(help="A model file, name@base_url, or baseline/random|first|longest|oracle. May be repeated."),
    ],
    further: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE,…]...", help="Further words of --grid.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The benchmark's data file, if it does not come with one.")] = None,
    images: Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")] = None,
    protocol: Annotated[
        str | None, typer.Option(help="A protocol of the benchmark, or a TOML file; the headline protocol by default.")
    ] = None,
    wording: Annotated[
        str, typer.Option(help="Which wording of the items: explicit, implicit, original.")
    ] = "explicit",
    condition: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="How items are shown, such as images=hidden. May be repeated."),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE,…", help="Run every combination, as in: wording=explicit,implicit"),
    ] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(
            help="Run a probe beside the usual condition, as no-image or reshuffle=10; see: exambench probes. "
            "May be repeated."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often each item is asked.")] = 1,
    sample: Annotated[int | None, typer.Option(min=1, help="Ask a random sample of this many items only.")] = None,
    sample_seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 42,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Requests in flight; the model file's by default.")
    ] = None,
    vision: Annotated[bool, typer.Option("--vision", help="A model named as name@base_url takes pictures.")] = False,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key of a model named as name@base_url.")
    ] = None,
    store: Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")] = "exambench.db",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be asked, and ask nothing.")] = False,
) -> None:
    """Put the items of a benchmark to models. The same command again resumes, and retries what failed.

    Ctrl-C (or SIGTERM) lets requests in flight finish and asks nothing further; a second Ctrl-C abandons them. What was
    answered is stored either way.

    A grid asks every combination of its values, such as --grid wording=explicit,implicit prompt=standard,advanced,
    where prompt is a protocol; exambench conditions compares them.

    Exit code 0: every request has its response. 1: some have none, because they failed, a model could not be reached or
    started, or the run was interrupted. 2: something that was named cannot be used. 130: requests in flight were
    abandoned.
    """
    from exambench.cli.sitting import show_plans, sit
    from exambench.evaluation.cells import cells_of
    from exambench.evaluation.setup import RunOptions

    if further and not grid:
        raise typer.BadParameter(f"{further[0]} belongs to no option; does it lack --grid?")
    cells = cells_of(
        protocol=protocol,
        wording=wording,
        settings=condition or [],
        grid=[*(grid or []), *(further or [])],
        probes=probe or [],
    )
    options = RunOptions(
        benchmark=benchmark,
        models=tuple(model),
        data=data,
        images=images,
        cells=cells,
        trials=trials,
        sample=sample,
        sample_seed=sample_seed,
        vision=vision,
        api_key_env=api_key_env,
    )
    if dry_run:
        show_plans(options)
    else:
        raise typer.Exit(sit(options, store, concurrency))
