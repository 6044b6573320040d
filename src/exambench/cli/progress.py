"""A line in the terminal that says how far a run has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from exambench.engine.loop import Event
from exambench.engine.spending import Spending
from exambench.outcomes import OutcomeKind
from exambench.text import escaped

LINES: Final = 10
QUIET_SECONDS: Final = 2.0
BAR: Final = 12
CLOCK: Final = 5
RATE: Final = 11
SHORTEST: Final = 1e-9


class Tally(Protocol):
    """Counts of what is being asked."""

    @property
    def asked(self) -> int:
        """Requests in all; may grow."""
        ...

    @property
    def done(self) -> int:
        """Requests that have a response."""
        ...

    @property
    def new(self) -> int:
        """Responses of this session."""
        ...

    @property
    def outcomes(self) -> Mapping[str, int] | Mapping[OutcomeKind, int]:
        """What became of the requests of this session."""
        ...

    @property
    def spent(self) -> Spending:
        """Money spent in this session."""
        ...

    def count(self, event: Event) -> None:
        """Take account of one event."""
        ...


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(describe_rate(task.speed))


def progress_of(name: str, tally: Tally, console: Console) -> AbstractContextManager[Callable[[Event], None]]:
    """Show done, rate, time left, outcomes so far and cost; yield what to call with each event.

    A terminal shows one line that moves; a file or a pipe gets a line for each tenth of the run.
    """
    return _moving(name, tally, console) if console.is_terminal else _in_lines(name, tally, console)


@contextmanager
def _moving(name: str, tally: Tally, console: Console) -> Iterator[Callable[[Event], None]]:
    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        BarColumn(bar_width=BAR),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        _RateColumn(table_column=Column(no_wrap=True, min_width=RATE)),
        TextColumn("left"),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True, min_width=CLOCK)),
        TextColumn("{task.fields[status]}", markup=False),
    )
    with Progress(*columns, console=console, refresh_per_second=4) as progress:
        task = progress.add_task(escaped(name), total=tally.asked, completed=tally.done, status="")

        def show(event: Event) -> None:
            tally.count(event)
            progress.update(task, total=tally.asked, completed=tally.done, status=describe(tally))

        yield show


@contextmanager
def _in_lines(name: str, tally: Tally, console: Console) -> Iterator[Callable[[Event], None]]:
    started = time.monotonic()
    told = tally.done

    def show(event: Event) -> None:
        nonlocal told
        tally.count(event)
        step = max(1, -(-tally.asked // LINES))
        seconds = time.monotonic() - started
        is_last = tally.done == tally.asked and told < tally.done
        if is_last or (tally.done - told >= step and seconds >= QUIET_SECONDS):
            told = tally.done
            rate = describe_rate(tally.new / max(seconds, SHORTEST))
            line = f"{escaped(name)}: {tally.done}/{tally.asked}, {rate}, {describe(tally)}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    yield show


def describe_rate(rate: float | None) -> str:
    """Return requests per second, or the seconds for each where these are the larger number."""
    if not rate:
        return "–/s"
    return f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:.1f} s each"


def describe(tally: Tally) -> str:
    """Return outcomes and cost in one line; a cost that leaves out responses without counts is a lower bound."""
    parts = [f"{count} {kind}" for kind, count in sorted(tally.outcomes.items())]
    if tally.spent.money is not None:
        parts.append(f"cost {'≥ ' if tally.spent.unmetered else ''}{tally.spent.money:.4f}")
    return ", ".join(parts)
