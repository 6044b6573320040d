"""``exambench build translate`` and ``review``: the English side of items, drafted by a model and checked by people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import StoreOption
from exambench.text import escaped


def translate(
    benchmark: Annotated[str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")],
    model: Annotated[str, typer.Option(help="The model that translates: a model file, or name@base_url.")],
    out: Annotated[Path, typer.Option(help="Where the data with the drafts goes.")],
    data: Annotated[Path | None, typer.Option(help="The benchmark's data file, if it does not come with one.")] = None,
    items: Annotated[list[str] | None, typer.Option(help="Identifiers, with commas between; all by default.")] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="FACET=VALUE", help="Only such items, as korean=true. May be repeated.")
    ] = None,
    sheet: Annotated[Path | None, typer.Option(help="A sheet for people to check: CSV, or CSV and XLSX.")] = None,
    prompt: Annotated[Path | None, typer.Option(help="How the model is asked (TOML).")] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Requests in flight; the model file's by default.")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key of a model named as name@base_url.")
    ] = None,
    store: StoreOption = "exambench.db",
) -> None:
    """Draft the English side of items; what loses numbers, units, formulas or choices is asked for again.

    Interrupts and exit codes are those of exambench run; 1 also where a translation is left to people.
    """
    from exambench.cli.translations import TranslateOptions, split_items
    from exambench.cli.translations import translate as run

    options = TranslateOptions(
        benchmark=benchmark,
        data=data,
        items=split_items(items or []),
        where=tuple(where or ()),
        model=model,
        out=out,
        sheets=sheet,
        prompt=prompt,
        api_key_env=api_key_env,
    )
    raise typer.Exit(run(options, store, concurrency))


def review(
    sheet: Annotated[Path, typer.Argument(help="A checked sheet, CSV or XLSX.")],
    benchmark: Annotated[str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")],
    data: Annotated[Path, typer.Option(help="The data with the drafts.")],
    out: Annotated[Path, typer.Option(help="Where the data with the checked translations goes.")],
) -> None:
    """Bring a checked sheet back: corrected texts, and whether each is checked, a draft still, or rejected."""
    from exambench.cli.translations import review as run

    for line in run(sheet, benchmark, data, out):
        sys.stdout.write(f"{escaped(line)}\n")
