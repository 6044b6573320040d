"""The command tree and what happens to an error on its way to the terminal."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from exambench import __version__
from exambench.cli import (
    agree,
    analyze,
    build,
    check,
    compare,
    conditions,
    contamination,
    cost,
    crosslingual,
    describe,
    diagnose,
    export,
    figures,
    items,
    judge,
    meta,
    parse,
    probes,
    published,
    report,
    rescore,
    reversals,
    run,
    runs,
    site,
    trust,
    verdicts,
    view,
)
from exambench.cli.exit_codes import ExitCode
from exambench.errors import ExambenchError, Finding
from exambench.text import escaped

app = typer.Typer(
    name="exambench",
    help="Turn an expert examination into a benchmark for language models.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"exambench {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Turn an expert examination into a benchmark for language models."""


app.command("run")(run.command)
app.command("runs")(runs.command)
app.command("report")(report.command)
app.command("judge")(judge.command)
app.command("verdicts")(verdicts.command)
app.command("rescore")(rescore.command)
app.command("check")(check.command)
app.command("agree")(agree.command)
app.command("describe")(describe.command)
app.command("parse")(parse.command)
app.command("diagnose")(diagnose.command)
app.command("compare")(compare.command)
app.command("conditions")(conditions.command)
app.command("probes")(probes.command)
app.command("analyze")(analyze.command)
app.command("items")(items.command)
app.command("crosslingual")(crosslingual.command)
app.command("cost")(cost.command)
app.command("figures")(figures.command)
app.command("export")(export.command)
app.command("site")(site.command)
app.command("view")(view.command)
app.add_typer(meta.app, name="meta")
app.add_typer(build.app, name="build")
app.add_typer(contamination.app, name="contamination")
app.add_typer(reversals.app, name="reversals")
app.add_typer(published.app, name="published")
app.add_typer(trust.app, name="trust")


def start() -> None:
    """Run the command line; an expected failure is one message on standard error and exit code 2.

    What the system refuses (a disk that is full, a name that is too long, a folder without permission) is expected.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            _make_writable(stream)
    try:
        app()
    except ExambenchError as error:
        sys.stderr.writelines(f"{escaped(line)}\n" for line in f"exambench: {error}".splitlines())
        sys.exit(ExitCode.ERROR)
    except OSError as error:
        place = None if error.filename is None else str(error.filename)
        finding = Finding(f"the system refuses it: {error.strerror or error}", file=place)
        sys.stderr.write(f"exambench: {finding}\n")
        sys.exit(ExitCode.ERROR)
    except KeyboardInterrupt:
        sys.stderr.write("exambench: interrupted\n")
        sys.exit(ExitCode.INTERRUPTED)


def _make_writable(stream: TextIOWrapper) -> None:
    """Let a stream take every text: files and pipes in UTF-8, a terminal in its encoding with escapes for the rest."""
    stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
