"""``exambench describe``: what a benchmark is made of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exambench.cli.options import Csv, Json, Markdown, print_result
from exambench.cli.output import output_form

if TYPE_CHECKING:
    from exambench.analysis.lengths import LengthUnit
    from exambench.analysis.picture_facts import PictureFacts
    from exambench.items import Benchmark


def command(
    data: Annotated[Path | None, typer.Argument(help="The data file, if the benchmark does not come with one.")] = None,
    benchmark: Annotated[
        str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")
    ] = "kmetbench",
    images: Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")] = None,
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Count items by facet, measure texts and pictures, look at keys and duplicates."""
    from exambench.analysis.composition import compose
    from exambench.report.composition import CompositionRendering

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    read, facts = _read(benchmark, data, images)
    units, notes = _units()
    if facts is None:
        notes.append("The pictures were not looked at: name their folder with --images.")
    print_result(form, CompositionRendering(tuple(notes)), compose(read, units, facts))


def _read(name: str, data: Path | None, images: Path | None) -> tuple[Benchmark, tuple[PictureFacts, ...] | None]:
    """Return the benchmark and its pictures' facts, none if no folder is known; warn on standard error."""
    from exambench.analysis.picture_facts import read_picture_facts
    from exambench.evaluation.opening import open_benchmark
    from exambench.evaluation.pictures import pictures_of

    opened = open_benchmark(name, data, images)
    for finding in opened.findings:
        sys.stderr.write(f"{finding.severity}: {finding}\n")
    benchmark = opened.benchmark
    if not any(pictures_of(benchmark)):
        return benchmark, ()
    return benchmark, None if opened.images is None else read_picture_facts(benchmark, opened.images)


def _units() -> tuple[list[LengthUnit], list[str]]:
    """Return the units to measure texts in, and what to say where Korean morphemes are not among them."""
    from exambench.analysis.lengths import CHARACTERS, WORDS, korean_morphemes
    from exambench.errors import MissingExtraError

    try:
        return [CHARACTERS, WORDS, korean_morphemes()], []
    except MissingExtraError as error:
        return [CHARACTERS, WORDS], [f"Lengths are given in characters and words only: {error}"]
