"""The tally of a run while it is on counts what is known, and tells what is not."""

from __future__ import annotations

import pytest

from exambench.cli.progress import describe
from exambench.engine.loop import Answered
from exambench.evaluation.opening import open_benchmark
from exambench.evaluation.planning import plan_run
from exambench.evaluation.progress import Tally
from exambench.exchange import Response, Usage
from exambench.models import ModelConfig, OpenAIEndpoint, Price
from exambench.protocols import Condition


@pytest.fixture(name="tally")
def fixture_tally() -> Tally:
    """Return the tally of a run whose model costs one per token of input, two per token of output."""
    opened = open_benchmark("kmet-mini", None, None)
    model = ModelConfig(
        name="m",
        endpoint=OpenAIEndpoint(base_url="http://localhost/v1"),
        price=Price(input=1_000_000, output=2_000_000),
    )
    plan = plan_run(opened.benchmark, model, opened.definition.protocol(None), Condition(wording="explicit"))
    return Tally(plan, 10)


def answer(tally: Tally, usage: Usage) -> None:
    """Count a response of this usage to some request."""
    key = next(iter(tally._shown))  # noqa: SLF001 - any request of the plan will do
    tally.count(Answered(key, Response(text="?", usage=usage)))


def test_the_cost_is_that_of_the_tokens(tally: Tally) -> None:
    """3 · 1 + 2 · 2 = 7 for each of two responses."""
    for _ in range(2):
        answer(tally, Usage(input_tokens=3, output_tokens=2))
    assert (tally.spent.money, tally.spent.unmetered) == (14.0, 0)
    assert describe(tally) == "2 unparsed, cost 14.0000"


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=3), Usage(output_tokens=2)])
def test_an_unknown_cost_is_not_zero(tally: Tally, usage: Usage) -> None:
    """With one response that does not say its tokens, what is known is a lower bound."""
    answer(tally, Usage(input_tokens=3, output_tokens=2))
    answer(tally, usage)
    assert (tally.spent.money, tally.spent.unmetered) == (7.0, 1)
    assert describe(tally) == "2 unparsed, cost ≥ 7.0000"
