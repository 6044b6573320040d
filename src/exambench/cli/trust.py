"""``exambench trust``: how far a judge can be trusted, from its own verdicts. Each command has a module of its own."""

from __future__ import annotations

import typer

from exambench.cli import trust_corrected, trust_panel
from exambench.cli.trust_probes import probe_command
from exambench.cli.trust_views import consistency, length, self_preference

app = typer.Typer(
    help="How far a judge can be trusted: its consistency, and what moves its scores that should not.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("consistency")(consistency)
app.command("length")(length)
app.command("self-preference")(self_preference)
app.command("order", help="Ask the judge again with the choices in another order; the same command again resumes.")(
    probe_command("order")
)
app.command("padding", help="Ask the judge again with rationales padded by words that say nothing more.")(
    probe_command("padding")
)
app.command("injection", help="Ask the judge again with an instruction to give full marks in the rationale.")(
    probe_command("injection")
)
app.command("corrected")(trust_corrected.command)
app.command("panel")(trust_panel.command)
