"""Run one suite of measurements: ``python -m bench SUITE``."""

from __future__ import annotations

import argparse
import sys
from typing import Final, Protocol

from bench import engine, exports, ingest, similarity, site, stages, statistics


class Suite(Protocol):
    """What a module of this folder offers to be a suite."""

    SUMMARY: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the suite's options."""
        ...

    def run(self, options: argparse.Namespace) -> int:
        """Measure, print a table, write JSON; return the exit code: 0, or 1 if something could not be measured."""
        ...


SUITES: Final[dict[str, Suite]] = {
    "engine": engine,
    "exports": exports,
    "ingest": ingest,
    "similarity": similarity,
    "site": site,
    "stages": stages,
    "statistics": statistics,
}


def main() -> int:
    """Parse the command line and run the suite it names."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="suite", required=True)
    for name, suite in SUITES.items():
        suite.add_options(commands.add_parser(name, help=suite.SUMMARY, description=suite.SUMMARY))
    options = parser.parse_args()
    return SUITES[options.suite].run(options)


if __name__ == "__main__":
    sys.exit(main())
