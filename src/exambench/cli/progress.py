"""A line in the terminal that says how far a run has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from exambench.engine.loop import Event
from exambench.evaluation.planning import RunPlan
from exambench.evaluation.progress import Tally

LINES: Final = 10
SHORTEST: Final = 1e-9


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("–/s" if not task.speed else f"{task.speed:.1f}/s")


def progress_of(plan: RunPlan, open_requests: int, console: Console) -> AbstractContextManager[Callable[[Event], None]]:
    """Show done, rate, time left, outcomes so far and cost; yield what to call with each event.

    A terminal shows one line that moves; a file or a pipe gets a line for each tenth of the run.
    """
    tally = Tally(plan, open_requests)
    return _moving(plan, tally, console) if console.is_terminal else _in_lines(plan, tally, console)


@contextmanager
def _moving(plan: RunPlan, tally: Tally, console: Console) -> Iterator[Callable[[Event], None]]:
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


@contextmanager
def _in_lines(plan: RunPlan, tally: Tally, console: Console) -> Iterator[Callable[[Event], None]]:
    started = time.monotonic()
    step = max(1, -(-tally.asked // LINES))
    told = tally.done

    def show(event: Event) -> None:
        nonlocal told
        tally.count(event)
        if tally.done - told >= step or (tally.done == tally.asked and told < tally.done):
            told = tally.done
            rate = tally.new / max(time.monotonic() - started, SHORTEST)
            line = f"{plan.model.name}: {tally.done}/{tally.asked}, {rate:.1f}/s, {describe(tally)}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    yield show


def describe(tally: Tally) -> str:
    """Return outcomes and cost in one line."""
    parts = [f"{count} {kind}" for kind, count in sorted(tally.outcomes.items())]
    if tally.cost is not None:
        parts.append(f"cost {tally.cost:.4f}")
    return ", ".join(parts)
