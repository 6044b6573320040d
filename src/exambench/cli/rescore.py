"""``exambench rescore``: read stored responses again."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def command(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, by the beginning of their ids; all by default.")
    ] = None,
    store: Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")] = "exambench.db",
) -> None:
    """Read stored responses and judges' replies again, and print every outcome and verdict that changed."""
    from exambench.evaluation.reading import describe, read_outcomes
    from exambench.judging import reading
    from exambench.store import open_existing_store

    with open_existing_store(store) as results:
        records = [results.run(run) for run in runs] if runs else [summary.run for summary in results.runs()]
        for record in records:
            changes = read_outcomes(results, record)
            for change in changes:
                sys.stdout.write(
                    f"{record.run_id} item {change.item_id} trial {change.trial} {change.parser}: "
                    f"{describe(change.before)} → {describe(change.after)}\n"
                )
            sys.stdout.write(f"{record.run_id} {record.model_name}: {len(changes)} outcomes changed.\n")
            for judging in results.judgings.all(record.run_id):
                for new in reading.read_verdicts(results, judging)[1]:
                    sys.stdout.write(
                        f"{record.run_id} item {new.item_id} trial {new.trial} judge {judging.judge_name} "
                        f"trial {new.judge_trial}: {reading.describe(new.before)} → {reading.describe(new.after)}\n"
                    )
