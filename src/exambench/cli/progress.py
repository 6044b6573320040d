"""A line in the terminal that says how far a run has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from exambench.engine.loop import Event
from exambench.evaluation.planning import RunPlan
from exambench.evaluation.progress import Tally


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("–/s" if not task.speed else f"{task.speed:.1f}/s")


@contextmanager
def progress_of(plan: RunPlan, open_requests: int, console: Console) -> Iterator[Callable[[Event], None]]:
    """Show done, rate, time left, outcomes so far and cost; yield what to call with each event."""
    tally = Tally(plan, open_requests)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        _RateColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[status]}", markup=False),
    )
    with Progress(*columns, console=console, refresh_per_second=4) as progress:
        task = progress.add_task(plan.model.name, total=tally.asked, completed=tally.done, status="")

        def show(event: Event) -> None:
            tally.count(event)
            progress.update(task, completed=tally.done, status=describe(tally))

        yield show


def describe(tally: Tally) -> str:
    """Return outcomes and cost in one line."""
    parts = [f"{count} {kind}" for kind, count in sorted(tally.outcomes.items())]
    if tally.cost is not None:
        parts.append(f"cost {tally.cost:.4f}")
    return ", ".join(parts)
