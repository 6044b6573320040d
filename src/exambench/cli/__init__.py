"""The terminal: one module a command group, each of which parses options, calls one function, and prints."""

from __future__ import annotations

import gc
from typing import Final

COLLECT_AFTER: Final = (50_000, 20, 20)
"""Thresholds of garbage collection. By Python's own, importing and planning an exam spend a tenth of their time in it
and free next to nothing."""


def main() -> None:
    """Run the ``exambench`` command; every expected failure ends in one clear message and exit code 2."""
    gc.set_threshold(*COLLECT_AFTER)
    from exambench.cli.app import start

    try:
        start()
    finally:
        gc.freeze()  # or the interpreter looks through all that is left, several times, on its way out
