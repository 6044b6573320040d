"""``exambench parse``: what the parsers make of a file of cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

EXIT_MISMATCH = 1


def command(
    cases: Annotated[Path, typer.Argument(help="A file of cases, one JSON object a line.", metavar="CASES.jsonl")],
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Print only what is not as the case expects; exit 1 if anything is.")
    ] = False,
) -> None:
    """Apply each case's parser to its response, and print what was read."""
    from exambench.evaluation.cases import read_cases
    from exambench.evaluation.describing import describe

    read = read_cases(cases)
    mismatches = 0
    for case in read:
        result = case.parse()
        if not check:
            sys.stdout.write(f"{case.id} {case.parser}: {describe(result)}\n")
        elif not case.accepts(result):
            mismatches += 1
            sys.stdout.write(f"{case.id} {case.parser}: expected {case.expected}, got {describe(result)}\n")
    if check:
        sys.stdout.write(f"{len(read)} cases, {mismatches} mismatches.\n")
    if mismatches:
        raise typer.Exit(EXIT_MISMATCH)
