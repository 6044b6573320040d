"""What ``exambench run`` does and prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from exambench.analysis.leaderboard import rankings
from exambench.analysis.scores import load_scores
from exambench.cli.progress import progress_of
from exambench.engine.loop import LoopResult
from exambench.errors import Finding
from exambench.evaluation.planning import RunPlan
from exambench.evaluation.progress import Tally
from exambench.evaluation.reading import read_unread
from exambench.evaluation.running import register, run_plan
from exambench.evaluation.setup import RunOptions, plan_runs
from exambench.exchange import messages_as_json
from exambench.report.tables import terminal
from exambench.store import Store, open_store

EXIT_COMPLETE: Final = 0
EXIT_INCOMPLETE: Final = 1


def sit(options: RunOptions, location: str, concurrency: int | None) -> int:
    """Run every model, print the ranking, and return the exit code: 1 when a request has no response.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    plans, findings = plan_runs(options)
    _warn(findings)
    complete = True
    with open_store(location) as store:
        for plan in plans:
            result = _run(plan, store, concurrency)
            read_unread(store, plan.record)
            _say_what_is_left(plan, result)
            complete = complete and result.failed == result.left == 0
        scores = [load_scores(store, plan.record) for plan in plans]
    Console().print(terminal(rankings(scores)))
    return EXIT_COMPLETE if complete else EXIT_INCOMPLETE


def show_plans(options: RunOptions) -> None:
    """Print what would be asked: for each model the counts, the decoding, and the first request.

    Raises:
        InputError: Something that was named cannot be used.
    """
    plans, findings = plan_runs(options)
    _warn(findings)
    for plan in plans:
        first = next(iter(plan.requests.values()), None)
        shown = {
            "run": plan.record.run_id,
            "model": plan.model.name,
            "requests": len(plan.requests),
            "unsupported": sum(row.request_key is None for row in plan.rows),
            "parameters": dict(plan.record.decoding),
            "first": None if first is None else messages_as_json(first.messages),
        }
        sys.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2) + "\n")


def _run(plan: RunPlan, store: Store, concurrency: int | None) -> LoopResult:
    register(plan, store)
    open_requests = len({row.request_key for row in store.unanswered(plan.record.run_id)})
    errors = Console(stderr=True)
    _say_what_is_not_asked(plan, errors)
    if not open_requests:
        told = f"{plan.model.name}: all {len(plan.requests)} requests have their responses; nothing to ask."
        errors.print(told, markup=False, highlight=False, soft_wrap=True)
        return LoopResult(answered=0, failed=0, elsewhere=0, left=0)
    with progress_of(plan.model.name, Tally(plan, open_requests), errors) as on_event:
        return run_plan(plan, store, concurrency=concurrency or plan.model.concurrency, on_event=on_event)


def _say_what_is_not_asked(plan: RunPlan, errors: Console) -> None:
    unsupported = len({row.item_id for row in plan.rows if row.request_key is None})
    if unsupported:
        errors.print(
            f"{plan.model.name}: {unsupported} items with pictures are not asked, since the model is declared to take "
            "text only (capabilities.images in its file, or --vision).",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def _say_what_is_left(plan: RunPlan, result: LoopResult) -> None:
    if result.failed or result.left:
        sys.stderr.write(
            f"{plan.model.name}: {result.failed} requests failed, {result.left} were not asked. "
            "What was answered is stored; run the same command again for the rest.\n"
        )


def _warn(findings: Sequence[Finding]) -> None:
    for finding in findings:
        sys.stderr.write(f"warning: {finding}\n")
