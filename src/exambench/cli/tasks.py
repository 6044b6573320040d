"""The turn of one model on one task: asked, resumed, and told of what is left."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console

from exambench.asking.progress import TaskTally
from exambench.asking.running import due, register, run_task
from exambench.asking.tasks import TaskPlan
from exambench.cli.progress import progress_of
from exambench.cli.turns import say_how_to_stop_at_once, tell
from exambench.store import Store


@dataclass(frozen=True)
class TaskTurn:
    """The turn of one model; see :class:`exambench.cli.turns.Turn`."""

    plan: TaskPlan
    store: Store
    concurrency: int | None

    @property
    def name(self) -> str:
        """What to call the model."""
        return self.plan.model.name

    def ask(self) -> bool:
        """Ask what has no response; return whether a person wants no further model to be asked."""
        if not register(self.plan, self.store):
            tell(self.name, f"{self.plan.record.kind}: all requests have their responses; nothing to ask.")
            return False
        tally = TaskTally(self.plan)
        with progress_of(self.name, tally, Console(stderr=True)) as on_event:
            result = run_task(
                self.plan,
                self.store,
                concurrency=self.concurrency or self.plan.model.concurrency,
                on_event=on_event,
                on_stop=say_how_to_stop_at_once,
                on_requests=tally.expect,
            )
        return result.stopped

    def settle(self) -> bool:
        """Tell what is left; return whether anything is."""
        left = len(due(self.plan, self.store))
        if left:
            tell(
                self.name,
                f"{left} requests have no response. What was answered is stored; run the same command again for the "
                "rest.",
            )
        return left > 0
