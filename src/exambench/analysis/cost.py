"""What runs took: tokens, money, wall time and GPU-hours, set against the time that people have for the exam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from exambench.analysis.scores import find_runs
from exambench.exchange import Usage
from exambench.items import Benchmark
from exambench.models import ModelConfig
from exambench.store import RunSummary, Store

PER_QUESTIONS: Final = 100
SECONDS_PER_MINUTE: Final = 60
SECONDS_PER_HOUR: Final = 3600


@dataclass(frozen=True)
class RunCost:
    """What one run took. Everything that is not known is ``None``.

    Attributes:
        run_id: The run.
        benchmark: Title of the benchmark.
        model: Name of the model.
        n: Questions that have a response, trials counted each.
        usage: Tokens over all responses.
        unmetered: Responses that do not say their tokens: with any, tokens and money are lower bounds.
        money: Price of the tokens.
        currency: Of that price.
        wall_seconds: Time during which the run was worked on.
        gpu: What the model ran on.
        gpus: On how many at once.
        exam_minutes: Time that people have for ``exam_items`` questions.
        exam_items: Questions of one sitting.
    """

    run_id: str
    benchmark: str
    model: str
    n: int
    usage: Usage
    unmetered: int
    money: float | None
    currency: str | None
    wall_seconds: float
    gpu: str | None
    gpus: int | None
    exam_minutes: float | None
    exam_items: int | None

    @property
    def money_per_100(self) -> float | None:
        """Money for one hundred questions."""
        return None if self.money is None or not self.n else self.money * PER_QUESTIONS / self.n

    @property
    def gpu_hours_per_100(self) -> float | None:
        """Wall time × GPUs × 100 / n, in hours."""
        if self.gpus is None or not self.n:
            return None
        return self.wall_seconds / SECONDS_PER_HOUR * self.gpus * PER_QUESTIONS / self.n

    @property
    def minutes_per_exam(self) -> float | None:
        """Wall time, in minutes, for as many questions as one sitting has, at the speed of the run."""
        if self.exam_items is None or not self.n:
            return None
        return self.wall_seconds / SECONDS_PER_MINUTE * self.exam_items / self.n

    @property
    def share_of_time_limit(self) -> float | None:
        """That time over the time that people have."""
        minutes = self.minutes_per_exam
        return None if minutes is None or self.exam_minutes is None else minutes / self.exam_minutes


def costs(store: Store, names: Sequence[str]) -> tuple[RunCost, ...]:
    """Return what runs took, those that were named or all.

    Args:
        store: Where the runs are.
        names: Models' names, or beginnings of runs' identifiers; none for all.

    Raises:
        ConfigError: A name fits no run, a beginning fits several, or the store is empty.
    """
    wanted = [record.run_id for record in find_runs(store, names)]
    summaries = {summary.run_id: summary for summary in store.runs()}
    return tuple(
        cost_of(summary, store.benchmark(summary.run.benchmark, summary.run.dataset_hash))
        for summary in (summaries[run_id] for run_id in wanted)
    )


def cost_of(summary: RunSummary, benchmark: Benchmark) -> RunCost:
    """Return what a run took."""
    model = ModelConfig.model_validate(summary.run.model)
    return RunCost(
        run_id=summary.run_id,
        benchmark=benchmark.title,
        model=summary.run.model_name,
        n=summary.answered,
        usage=summary.usage,
        unmetered=summary.unmetered,
        money=None if model.price is None else model.price.of(summary.usage),
        currency=None if model.price is None else model.price.currency,
        wall_seconds=summary.wall_seconds,
        gpu=None if model.serving is None else model.serving.gpu,
        gpus=None if model.serving is None else model.serving.gpus,
        exam_minutes=benchmark.minutes,
        exam_items=benchmark.exam_items,
    )
