"""``exambench check``: the preflight of a benchmark's files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    data: Annotated[Path | None, typer.Argument(help="The data file, if the benchmark does not come with one.")] = None,
    benchmark: Annotated[
        str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")
    ] = "kmetbench",
    images: Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")] = None,
) -> None:
    """Look for everything that is wrong with a data file and its pictures. Exit code 0, 1 (warnings) or 2 (errors)."""
    from exambench.errors import Severity
    from exambench.evaluation.preflight import check

    found = check(benchmark, data, images)
    for finding in found.findings:
        sys.stdout.write(f"{finding.severity}: {finding}\n")
    errors = sum(finding.severity is Severity.ERROR for finding in found.findings)
    sys.stdout.write(
        f"{len(found.benchmark.items)} usable items, {found.pictures} pictures: "
        f"{errors} errors, {len(found.findings) - errors} warnings.\n"
    )
    raise typer.Exit({None: 0, Severity.WARNING: 1, Severity.ERROR: 2}[found.worst])
