"""The commands of ``exambench trust`` that ask a judge again with one thing changed: order, padding, injection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, StoreOption


def probe_command(kind: str) -> Callable[..., None]:
    """Return the command of a probe.

    Args:
        kind: A value of :class:`~exambench.cli.probing.ProbeKind`, which this module does not import before it runs.
    """

    def command(
        run: Annotated[str, typer.Argument(help="A run, by the beginning of its id.", metavar="RUN")],
        judge: Annotated[str, typer.Option(help="A model file, or name@base_url.")],
        sample: Annotated[int, typer.Option(min=1, help="How many answers to draw.")] = 50,
        seed: Annotated[int, typer.Option(min=0, help="Seed of the sample, the order, and the intervals.")] = 42,
        without_rationale: Annotated[
            bool, typer.Option("--without-rationale", help="The judge does not see the expert's rationale.")
        ] = False,
        trials: Annotated[int, typer.Option(min=1, help="How often each answer is judged, on either side.")] = 1,
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
        vision: Annotated[
            bool, typer.Option("--vision", help="A judge named as name@base_url takes pictures.")
        ] = False,
        api_key_env: Annotated[
            str | None, typer.Option(help="Environment variable with the key of a judge named as name@base_url.")
        ] = None,
        dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be asked, and ask nothing.")] = False,
        resamples: Resamples = 1000,
        level: Level = 0.95,
        store: StoreOption = "exambench.db",
        as_json: Json = False,
        as_csv: Csv = False,
        as_markdown: Markdown = False,
    ) -> None:
        from exambench.cli.judging import JudgeOptions
        from exambench.cli.options import draw, print_result
        from exambench.cli.output import output_form
        from exambench.cli.probing import ProbeKind, ProbeOptions, probe_judge, show_probe
        from exambench.report.trust import probes

        form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
        bootstrap = draw(resamples, seed, level)
        judging = JudgeOptions(
            runs=(run,),
            judges=(judge,),
            with_reference=not without_rationale,
            trials=trials,
            rubric=rubric,
            benchmark=benchmark,
            images=images,
            vision=vision,
            api_key_env=api_key_env,
        )
        options = ProbeOptions(ProbeKind(kind), judging, sample, seed, concurrency)
        if dry_run:
            show_probe(options, store)
            return
        code, report = probe_judge(options, store, bootstrap)
        if report is not None:
            print_result(form, probes, report)
        raise typer.Exit(code)

    return command
