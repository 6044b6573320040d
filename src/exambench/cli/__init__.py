"""The terminal: one module a command group, each of which parses options, calls one function, and prints."""

from __future__ import annotations


def main() -> None:
    """Run the ``exambench`` command; every expected failure ends in one clear message and exit code 2."""
    from exambench.cli.app import start

    start()
