"""What a stage rests on is counted from its responses."""

from __future__ import annotations

import pytest

from exambench.asking.tasks import Ask, TaskPlan
from exambench.construct.inquiries import Answers, Budget, nobody, spending_of
from exambench.construct.records import Spending
from exambench.errors import ConfigError
from exambench.exchange import Message, Request, Response, Role, TextPart, Usage
from exambench.items import Benchmark
from exambench.models import ModelConfig
from exambench.store import TaskKind, TaskRecord
from tests.construct.items import item

MODEL = ModelConfig.model_validate(
    {"name": "m", "endpoint": {"base_url": "http://127.0.0.1:9/v1"}, "price": {"input": 10.0, "output": 20.0}}
)


def answers(model: ModelConfig, texts: dict[str, str], usages: dict[str, Usage]) -> Answers:
    """Return one reply to each item; items with the same text share a request."""
    asks = tuple(
        Ask(name, "", Request(model.identity, (Message(Role.USER, (TextPart(text),)),))) for name, text in texts.items()
    )
    benchmark = Benchmark("b", "b", tuple(item(name, name) for name in texts), ())
    record = TaskRecord(TaskKind.LABEL, "b", benchmark.content_hash, model.name, model.identity, {}, {})
    found = {ask.place: (Response("x", usage=usages[texts[ask.item_id]]),) for ask in asks}
    return Answers(TaskPlan(record, benchmark, model, asks), found)


def test_a_response_that_two_items_share_is_counted_once() -> None:
    """2 requests for 3 items: 100 + 300 tokens in, 10 + 30 out; 10 and 20 a million, 0.0048 in all."""
    found = answers(MODEL, {"1": "a", "2": "a", "3": "b"}, {"a": Usage(100, 10), "b": Usage(300, 30)})
    spending = spending_of([found, found], {"p": "h"})
    assert (spending.requests, spending.input_tokens, spending.output_tokens) == (2, 400, 40)
    assert spending.cost == pytest.approx((400 * 10 + 40 * 20) / 1e6)


@pytest.mark.parametrize(
    ("model", "usage"),
    [(MODEL, Usage(100, None)), (MODEL.model_copy(update={"price": None}), Usage(100, 10))],
)
def test_what_is_not_known_is_not_zero(model: ModelConfig, usage: Usage) -> None:
    """A count or a price that is missing makes the sum unknown."""
    spending = spending_of([answers(model, {"1": "a"}, {"a": usage})], {})
    assert (spending.requests, spending.cost) == (1, None)
    assert spending.output_tokens == usage.output_tokens


def test_nothing_asked_costs_nothing() -> None:
    """And that is known."""
    assert spending_of([], {}) == Spending()


def test_a_context_without_a_store_asks_nobody() -> None:
    """It says so, and invents no reply."""
    with pytest.raises(ConfigError, match="this build asks no models"):
        nobody(answers(MODEL, {"1": "a"}, {"a": Usage()}).plan, Budget())
