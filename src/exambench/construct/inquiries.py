"""How a stage asks models: through a seam, so that stages know of no network, and what is not answered ends the build.

::

    stage ── TaskPlan, Budget ──▶ AskModel ── every reply, or Unfinished ──▶ stage ── Spending ──▶ record
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from exambench.asking.tasks import Place, TaskPlan
from exambench.construct.records import Spending
from exambench.errors import ConfigError, ExambenchError, Finding
from exambench.exchange import Response


class UnfinishedError(ExambenchError):
    """Not everything that a stage asks has its response; what was answered is stored, and the stage is not done."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a stage may ask, what earlier builds asked for the same stage and its record rests on included.

    Attributes:
        requests: Most responses; ``None`` is no limit.
        cost: Most money, in the currency of the model files; ``None`` is no limit. Requests in flight when it is
            reached are still answered.
    """

    requests: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Answers:
    """What a model said to everything that a plan asks.

    Attributes:
        plan: What was asked.
        replies: The replies by item and variant, in the order of the tries.
    """

    plan: TaskPlan
    replies: Mapping[Place, tuple[Response, ...]]

    @property
    def responses(self) -> Mapping[str, Response]:
        """The responses by the keys of their requests: two items that read the same share one."""
        return {
            row.request_key: self.replies[row.place][row.attempt]
            for row, _ in self.plan.tries(self.replies)
            if row.request_key is not None and row.attempt < len(self.replies.get(row.place, ()))
        }


class AskModel(Protocol):
    """Asks a model all that a plan holds and that has no response yet."""

    def __call__(self, plan: TaskPlan, budget: Budget, /) -> Answers:
        """Return the replies.

        Raises:
            UnfinishedError: A request failed, the budget is used up, or a person interrupted.
            InputError: The model or a picture cannot be used.
            StoreError: The store cannot be used.
        """
        ...


def nobody(plan: TaskPlan, budget: Budget, /) -> Answers:  # noqa: ARG001 - the signature of AskModel
    """Ask nobody: what a build without a store does.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(
        Finding("this build asks no models", field="models", value=plan.model.name, remedy="Run exambench build")
    )


def spending_of(answers: Sequence[Answers], prompts: Mapping[str, str]) -> Spending:
    """Return what a stage rests on: each response once, whichever build it comes from.

    Args:
        answers: What was answered.
        prompts: Digest of each prompt template, by its name.
    """
    models = {each.plan.model.name: each.plan.model for each in answers}
    found = {key: (each.plan.model, response) for each in answers for key, response in each.responses.items()}
    usages = [response.usage for _, response in found.values()]
    costs = [None if model.price is None else model.price.of(response.usage) for model, response in found.values()]
    return Spending(
        models=tuple(models),
        prompts=dict(prompts),
        requests=len(found),
        input_tokens=_total([usage.input_tokens for usage in usages]),
        output_tokens=_total([usage.output_tokens for usage in usages]),
        cost=_sum([cost for cost in costs if cost is not None]) if None not in costs else None,
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _sum(costs: Sequence[float]) -> float:
    return float(sum(costs))
