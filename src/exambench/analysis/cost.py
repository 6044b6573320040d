"""What runs took: tokens, money, wall time and GPU-hours, set against the time that people have for the exam.

Tokens and money are over all responses of a run, also those that it shares with an earlier one. Time is measured while
somebody works on a run, so that what is said of time rests on the responses that arrived meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.analysis.origin import origin_of
from exambench.analysis.scores import find_runs
from exambench.exchange import Usage
from exambench.items import Benchmark
from exambench.models import ModelConfig
from exambench.store import RunSummary, Store

PER_QUESTIONS: Final = 100
SECONDS_PER_MINUTE: Final = 60
SECONDS_PER_HOUR: Final = 3600


@dataclass(frozen=True, slots=True)
class Money:
    """The price of tokens.

    Attributes:
        amount: How much.
        currency: Of what.
        at_least: Whether some responses don't say their tokens, so that it may be more.
    """

    amount: float
    currency: str
    at_least: bool


@dataclass(frozen=True)
class RunCost:
    """What one run took. Everything that is not known is ``None``.

    Attributes:
        run_id: The run.
        benchmark: Title of the benchmark.
        model: Name of the model.
        n: Questions that have a response, trials counted each.
        received: Responses that arrived while the run was worked on: what its time was spent on.
        usage: Tokens over all responses.
        unmetered: Responses that do not say their tokens: with any, tokens and money are lower bounds.
        money: Price of the tokens; ``None`` without a price, or where no response says its tokens.
        wall_seconds: Time during which the run was worked on.
        gpu: What the model ran on.
        gpus: On how many at once.
        exam_minutes: Time that people have for ``exam_items`` questions.
        exam_items: Questions of one sitting.
        origin: What was asked, and how; see :func:`exambench.analysis.origin.origin_of`.
    """

    run_id: str
    benchmark: str
    model: str
    n: int
    received: int
    usage: Usage
    unmetered: int
    money: Money | None
    wall_seconds: float
    gpu: str | None
    gpus: int | None
    exam_minutes: float | None
    exam_items: int | None
    origin: Mapping[str, str]

    @property
    def money_per_100(self) -> float | None:
        """Money for one hundred questions."""
        return None if self.money is None or not self.n else self.money.amount * PER_QUESTIONS / self.n

    @property
    def seconds_per_question(self) -> float | None:
        """Wall time over the responses that arrived in it; ``None`` where none did."""
        return self.wall_seconds / self.received if self.received else None

    @property
    def gpu_hours_per_100(self) -> float | None:
        """Wall time × GPUs × 100 / responses that arrived in it, in hours."""
        seconds = self.seconds_per_question
        return None if seconds is None or self.gpus is None else seconds / SECONDS_PER_HOUR * self.gpus * PER_QUESTIONS

    @property
    def minutes_per_exam(self) -> float | None:
        """Wall time, in minutes, for as many questions as one sitting has, at the speed of the run."""
        seconds = self.seconds_per_question
        return None if seconds is None or self.exam_items is None else seconds / SECONDS_PER_MINUTE * self.exam_items

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
        received=summary.received,
        usage=summary.usage,
        unmetered=summary.unmetered,
        money=money_of(summary),
        wall_seconds=summary.wall_seconds,
        gpu=None if model.serving is None else model.serving.gpu,
        gpus=None if model.serving is None else model.serving.gpus,
        exam_minutes=benchmark.minutes,
        exam_items=benchmark.exam_items,
        origin=origin_of(summary.run),
    )


def money_of(summary: RunSummary) -> Money | None:
    """Return the price of a run's tokens; ``None`` without a price, or where no response says its tokens."""
    price = ModelConfig.model_validate(summary.run.model).price
    amount = None if price is None else price.of(summary.usage)
    return None if price is None or amount is None else Money(amount, price.currency, summary.unmetered > 0)
