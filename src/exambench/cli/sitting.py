"""What ``exambench run`` does and prints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console

from exambench.analysis.answer_judges import load_all_scores
from exambench.analysis.condition_cells import cells_of_models
from exambench.analysis.leaderboard import RESAMPLES, SEED, rankings
from exambench.analysis.run_notes import wording_note
from exambench.analysis.scores import RunScores
from exambench.cli.exit_codes import ExitCode
from exambench.cli.progress import progress_of
from exambench.cli.turns import say, say_how_to_stop_at_once, take_turns, tell
from exambench.engine.responders import check_keys
from exambench.errors import Finding, show
from exambench.evaluation.planning import TEXT_ONLY, RunPlan
from exambench.evaluation.progress import Tally
from exambench.evaluation.reading import read_unread
from exambench.evaluation.running import open_requests, reasons_of_failures, register, run_plan
from exambench.evaluation.setup import RunOptions, plan_runs
from exambench.exchange import messages_as_json
from exambench.report.formatting import json_text
from exambench.report.tables import terminal
from exambench.stats.resampling import Bootstrap
from exambench.store import Store, open_store

SHOWN_REASONS: Final = 3
BOOTSTRAP: Final = Bootstrap(RESAMPLES, SEED)


def sit(options: RunOptions, location: str, concurrency: int | None) -> ExitCode:
    """Run every model, and print the ranking unless requests in flight were abandoned.

    Returns:
        The worst that happened; see :func:`~exambench.cli.turns.take_turns`.

    Raises:
        InputError: Something that was named cannot be used, and no model was asked.
        StoreError: The store cannot be used.
    """
    plans, findings = plan_runs(options)
    _warn(findings)
    check_keys(plan.model for plan in plans)
    with open_store(location) as store:
        code, begun = take_turns([Sitting(plan, store, concurrency or plan.model.concurrency) for plan in plans])
        if code is not ExitCode.INTERRUPTED:
            _show(load_all_scores(store, [sitting.plan.record for sitting in begun]))
    return code


def _show(scores: list[RunScores]) -> None:
    """Print the ranking, or how the cells of a grid compare where a model was asked in several."""
    if cells_of_models(scores):
        # Only here, since they need SciPy, which takes as long to import as hundreds of requests to answer.
        from exambench.analysis.conditions import compare_conditions
        from exambench.report import conditions as report

        Console().print(report.terminal(compare_conditions(scores, BOOTSTRAP)))
    else:
        Console().print(terminal(rankings(scores)))


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
            "protocol": plan.protocol.name,
            "condition": dict(plan.record.condition),
            "requests": len(plan.requests),
            "unsupported": sum(row.request_key is None for row in plan.rows),
            "parameters": dict(plan.record.decoding),
            "first": None if first is None else messages_as_json(first.messages),
        }
        sys.stdout.write(json_text(shown))


@dataclass(frozen=True)
class Sitting:
    """The turn of one model; see :class:`exambench.cli.turns.Turn`."""

    plan: RunPlan
    store: Store
    concurrency: int

    @property
    def name(self) -> str:
        """What to call the run."""
        return self.plan.name

    def ask(self) -> bool:
        """Ask what has no response; return whether a person wants no further model to be asked."""
        register(self.plan, self.store)
        _say_what_is_not_asked(self.plan)
        _say_how_items_are_put(self.plan)
        pending = open_requests(self.plan, self.store)
        if not pending:
            tell(self.name, f"all {len(self.plan.requests)} requests have their responses; nothing to ask.")
            return False
        with progress_of(self.name, Tally(self.plan, len(pending)), Console(stderr=True)) as on_event:
            result = run_plan(
                self.plan,
                self.store,
                pending,
                concurrency=self.concurrency,
                on_event=on_event,
                on_stop=say_how_to_stop_at_once,
            )
        return result.stopped

    def settle(self) -> bool:
        """Read what was answered, and tell what is left; return whether anything is."""
        read_unread(self.store, self.plan.record)
        left = len(open_requests(self.plan, self.store))
        if left:
            _say_what_is_left(self.plan, left, reasons_of_failures(self.plan, self.store))
        return left > 0


def _say_what_is_not_asked(plan: RunPlan) -> None:
    reasons = Counter({row.item_id: row.note for row in plan.rows if row.request_key is None}.values())
    text_only = reasons.pop(TEXT_ONLY, 0)
    if text_only:
        tell(
            plan.name,
            f"{text_only} items with pictures are not asked, since the model is declared to take text only "
            "(capabilities.images in its file, or --vision).",
        )
    for reason, count in reasons.most_common():
        tell(plan.name, f"{count} of {len(plan.benchmark.items)} items are not asked: {reason}.")


def _say_how_items_are_put(plan: RunPlan) -> None:
    asked = {row.item_id for row in plan.rows if row.request_key is not None}
    note = wording_note([item for item in plan.benchmark.items if item.id in asked], plan.condition.wording)
    if note:
        tell(plan.name, note)


def _say_what_is_left(plan: RunPlan, left: int, reasons: Counter[str]) -> None:
    failed = reasons.total()
    tell(
        plan.name,
        f"{failed} requests failed, {left - failed} were not asked. "
        "What was answered is stored; run the same command again for the rest.",
    )
    shown = reasons.most_common(SHOWN_REASONS)
    for reason, count in shown:
        say(f"  {count} × {show(reason)}")
    others = failed - sum(count for _, count in shown)
    if others:
        say(f"  {others} for other reasons")


def _warn(findings: Sequence[Finding]) -> None:
    for finding in findings:
        say(f"warning: {finding}")
