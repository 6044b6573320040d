"""Responses that nobody has read yet are read before their scores are looked at, and the reader is told."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exambench.analysis.scores import RunScores
    from exambench.evaluation.reading import Reading
    from exambench.store import RunRecord, Store


def read_scores(store: Store, runs: Iterable[RunRecord], judge: str | None = None) -> list[RunScores]:
    """Return the scores of runs, all of their responses read first; see :func:`read_new`.

    Args:
        store: Where the runs are.
        runs: The runs.
        judge: Name of the judge whose verdicts on free answers count; the one with verdicts on most runs by default.

    Raises:
        ConfigError: No judge of that name has looked at free answers of these runs, or several have.
        StoreError: The store cannot be read.
    """
    from exambench.analysis.answer_judges import load_all_scores

    runs = list(runs)
    read_new(store, runs)
    return load_all_scores(store, runs, judge)


def read_new(store: Store, runs: Iterable[RunRecord]) -> None:
    """Read what these parsers have not read of some runs, as after a run that was killed, and say so.

    A store that may only be read stays as it is: what it lacks is a warning.
    """
    from exambench.errors import ConfigError, StoreError
    from exambench.evaluation.reading import read_unread

    for run in runs:
        try:
            reading = read_unread(store, run)
        except (ConfigError, StoreError) as error:
            sys.stderr.write(f"warning: run {run.run_id}: there are responses that could not be read: {error}\n")
        else:
            if reading.first or reading.changes:
                sys.stderr.writelines(lines_of(run, reading))


def lines_of(run: RunRecord, reading: Reading) -> Iterator[str]:
    """Yield a line for each outcome that changed, and one that counts."""
    from exambench.errors import show
    from exambench.evaluation.describing import describe
    from exambench.text import escaped

    for change in reading.changes:
        yield (
            f"{run.run_id} item {show(change.item_id)} trial {change.trial} {change.parser}: "
            f"{describe(change.before)} → {describe(change.after)}\n"
        )
    yield (
        f"{run.run_id} {escaped(run.model_name)}: {reading.first} responses read for the first time, "
        f"{len(reading.changes)} outcomes changed.\n"
    )
