"""Whether a model finds the choices more likely in their published order than in others: needs log-probabilities.

The null hypothesis and the argument for exchangeability are those of :mod:`exambench.probing.orders`, for the
likelihood of the text in place of the score of the answer; no preference for places enters, since nothing is answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.stats import rankdata

from exambench.asking.tasks import Ask, TaskPlan, replies_of
from exambench.engine.wire import CHAT_PROMPT_LOGPROBS, COMPLETIONS_ECHO, Wire, read_likelihood
from exambench.errors import ConfigError, Finding
from exambench.exchange import Message, Request, Role, TextPart
from exambench.items import Benchmark, Item
from exambench.models import ModelConfig
from exambench.probing.orders import ALPHA, OrderConclusion, is_sorted
from exambench.protocols import Condition, Shown, choices_of, merged, show_item
from exambench.protocols.ordering import Order, OrderKind
from exambench.stats.exchange import ExchangeTest, exchange_test
from exambench.stats.multiplicity import holm
from exambench.store import Store, TaskKind, TaskRecord

CHOICE: Final = "{{number}}. {{content}}"


class LikelihoodFrom(StrEnum):
    """Where the log-probabilities of a prompt come from."""

    COMPLETIONS = "completions"
    CHAT = "chat"


_WIRES: Final[Mapping[LikelihoodFrom, tuple[Wire, Mapping[str, object]]]] = MappingProxyType(
    {
        LikelihoodFrom.COMPLETIONS: (
            COMPLETIONS_ECHO,
            {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0},
        ),
        LikelihoodFrom.CHAT: (CHAT_PROMPT_LOGPROBS, {"prompt_logprobs": 0, "max_tokens": 1, "temperature": 0}),
    }
)


@dataclass(frozen=True, slots=True)
class LikelyItem:
    """One item.

    Attributes:
        item_id: The item.
        published: Log-likelihood of stem and choices in the published order.
        others: The same in other orders.
        rank: Rank of the published order among all, from 1, the most likely; ties share their mean rank.
    """

    item_id: str
    published: float
    others: tuple[float, ...]
    rank: float


@dataclass(frozen=True)
class LikelihoodResult:
    """One model.

    Attributes:
        model: What to call it.
        asked: Requests of the plan.
        items: Items with a likelihood in the published order and in at least one other.
        most_likely: Items whose published order is the single most likely one.
        expected_most_likely: How many would be, were all orders alike.
        mean_percentile: Mean share of the other orders that are less likely, ties by half; 0.5 were all alike.
        test: The exact test on the ranks.
        p_adjusted: The p-value by Holm's method over the models.
    """

    model: str
    asked: int
    items: tuple[LikelyItem, ...]
    most_likely: int
    expected_most_likely: float
    mean_percentile: float
    test: ExchangeTest
    p_adjusted: float

    @property
    def conclusion(self) -> OrderConclusion:
        """What it says of memory, at the level of 5 %."""
        return OrderConclusion.MEMORY if self.p_adjusted < ALPHA else OrderConclusion.NONE


@dataclass(frozen=True)
class LikelihoodReport:
    """All models of one command; ``left_out`` counts items that could not be asked."""

    benchmark: str
    dataset_hash: str
    orders: int
    seed: int
    left_out: int
    results: tuple[LikelihoodResult, ...]


def plan_likelihoods(
    benchmark: Benchmark,
    items: Sequence[Item],
    model: ModelConfig,
    source: LikelihoodFrom,
    *,
    orders: int,
    seed: int,
    sorted_too: bool = False,
) -> TaskPlan:
    """Return the requests for the likelihood of each item's text in the published order and in others.

    Args:
        benchmark: The benchmark.
        items: Those of its items to ask about; those with pictures are left out.
        model: Who is asked.
        source: In which protocol.
        orders: Number of other orders; an item that has fewer is asked in those that it has.
        seed: Seed of the orders.
        sorted_too: Whether to ask about items whose choices are sorted numbers, which any model finds natural.

    Raises:
        ConfigError: No item can be asked.
    """
    wire, parameters = _WIRES[source]
    asks: list[Ask] = []
    for item in items if sorted_too else [item for item in items if not is_sorted(item)]:
        shown = [show_item(item, Condition())]
        shown += [show_item(item, Condition(order=_order(index, seed))) for index in range(1, orders + 1)]
        texts = [_text(each) for each in shown if isinstance(each, Shown) and not each.wording.images]
        if len(texts) < 2:  # noqa: PLR2004 - nothing to compare with
            continue
        asks += [
            Ask(
                item.id,
                f"{index:03d}",
                Request(model.identity, (Message(Role.USER, (TextPart(text),)),), parameters),
            )
            for index, text in enumerate(texts)
        ]
    if not asks:
        raise ConfigError(
            Finding(
                problem=f"no item of {benchmark.name} has text alone, and choices that may change places and are not "
                "sorted numbers",
                remedy="Name another benchmark, or use sorted choices too with --sorted",
            )
        )
    record = TaskRecord(
        kind=TaskKind.LIKELIHOOD,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=dict(parameters),
        about={"from": str(source), "seed": seed},
    )
    return TaskPlan(record, benchmark, model, tuple(asks), wire=wire)


def likelihood_report(
    store: Store, plans: Sequence[TaskPlan], *, orders: int, seed: int, left_out: int
) -> LikelihoodReport:
    """Rank each item's published order among its others, by the replies so far.

    Args:
        store: Where replies are.
        plans: What each model was asked.
        orders: Number of other orders.
        seed: Seed of the orders.
        left_out: Items that could not be asked.

    Raises:
        ConfigError: A model has no item with a likelihood in both.
    """
    found = [likely_items(store, plan) for plan in plans]
    tests = [_test(items, plan) for items, plan in zip(found, plans, strict=True)]
    adjusted = holm([test.p_value for test in tests]).adjusted
    benchmark = plans[0].benchmark
    return LikelihoodReport(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        orders=orders,
        seed=seed,
        left_out=left_out,
        results=tuple(
            LikelihoodResult(
                model=plan.model.name,
                asked=len(plan.asks),
                items=items,
                most_likely=sum(item.rank == 1.0 for item in items),
                expected_most_likely=sum(1 / (1 + len(item.others)) for item in items),
                mean_percentile=float(np.mean([1 - (item.rank - 1) / len(item.others) for item in items])),
                test=test,
                p_adjusted=float(p),
            )
            for plan, items, test, p in zip(plans, found, tests, adjusted, strict=True)
        ),
    )


def likely_items(store: Store, plan: TaskPlan) -> tuple[LikelyItem, ...]:
    """Return the items with a likelihood in the published order and in at least one other."""
    values: dict[str, dict[str, float]] = {}
    for (item_id, variant), replies in replies_of(store, plan.record).items():
        values.setdefault(item_id, {})[variant] = read_likelihood(replies[0].text).log_likelihood
    items = []
    for item_id, variants in ((item.id, values.get(item.id, {})) for item in plan.benchmark.items):
        wanted = [ask.variant for ask in plan.asks if ask.item_id == item_id and ask.variant in variants]
        if len(wanted) > 1 and wanted[0] == "000":
            every = [variants[variant] for variant in wanted]
            rank = float(rankdata([-value for value in every])[0])
            items.append(LikelyItem(item_id, every[0], tuple(every[1:]), rank))
    return tuple(items)


def _test(items: Sequence[LikelyItem], plan: TaskPlan) -> ExchangeTest:
    if not items:
        raise ConfigError(
            Finding(
                problem=f"{plan.model.name} has no item with a likelihood in the published order and in another",
                remedy="Run the same command again; the messages above say why requests failed",
            )
        )
    # Ranks from below, doubled: ties share a mean rank, which may be a half.
    return exchange_test([[round(2 * rank) for rank in rankdata([item.published, *item.others])] for item in items])


def _order(index: int, seed: int) -> Order:
    return Order(OrderKind.SHUFFLED, index, seed)


def _text(shown: Shown) -> str:
    parts = merged([*shown.stem, TextPart("\n"), *choices_of(shown.wording, CHOICE)])
    return "".join(part.text for part in parts if isinstance(part, TextPart))
