"""``exambench trust``: how far a judge can be trusted, from its own verdicts. Each command has a module of its own."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="How far a judge can be trusted: its consistency, and what moves its scores that should not.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def group() -> None:
    """How far a judge can be trusted: its consistency, and what moves its scores that should not."""
