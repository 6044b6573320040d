"""``exambench judge``: a judge reads what models wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import StoreOption


def command(
    runs: Annotated[list[str], typer.Argument(help="Runs, by the beginning of their ids.", metavar="RUN...")],
    judge: Annotated[list[str], typer.Option(help="A model file, or name@base_url. May be repeated.")],
    without_rationale: Annotated[
        bool, typer.Option("--without-rationale", help="The judge does not see the expert's rationale.")
    ] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="Judge free answers against the gold answer, not rationales.")
    ] = False,
    trials: Annotated[int, typer.Option(min=1, help="How often each answer is judged.")] = 1,
    rubric: Annotated[
        Path | None, typer.Option(help="A rubric (TOML or YAML); the benchmark's own by default.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="The path of the run's benchmark.toml, if the benchmark does not ship.")
    ] = None,
    images: Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Requests in flight; the model file's by default.")
    ] = None,
    vision: Annotated[bool, typer.Option("--vision", help="A judge named as name@base_url takes pictures.")] = False,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key of a judge named as name@base_url.")
    ] = None,
    store: StoreOption = "exambench.db",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be asked, and ask nothing.")] = False,
) -> None:
    """Have rationales scored by a rubric, or free answers compared. The same command again resumes.

    Interrupts and exit codes are those of exambench run.
    """
    from exambench.cli.judging import JudgeOptions, judge_runs, show_judge_plans

    options = JudgeOptions(
        runs=tuple(runs),
        judges=tuple(judge),
        with_reference=not without_rationale,
        answers=answers,
        trials=trials,
        rubric=rubric,
        benchmark=benchmark,
        images=images,
        vision=vision,
        api_key_env=api_key_env,
    )
    if dry_run:
        show_judge_plans(options, store)
    else:
        raise typer.Exit(judge_runs(options, store, concurrency))
