"""What one run will ask: every item under a protocol and a condition, as requests with their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exambench.engine.picture_digests import digests_as_sent
from exambench.errors import ConfigError, Finding
from exambench.exchange import Request
from exambench.items import Benchmark, Image, Item
from exambench.models import Decoding, ModelConfig
from exambench.protocols import (
    Condition,
    NotShown,
    Protocol,
    Shown,
    condition_text,
    render,
    show_item,
    with_examples,
)
from exambench.store.records import PlanRow, RunRecord, planned_row

TEXT_ONLY: Final = "the item has pictures, and the model takes text only"


@dataclass(frozen=True)
class RunPlan:
    """All that one run asks.

    Attributes:
        record: What makes the run this run.
        benchmark: The items.
        model: Who is asked.
        protocol: How.
        condition: In which variant.
        rows: Every item in every trial, with the key of its request.
        requests: The requests by key; two items that read the same share one.
        shown: The items that are asked, by identifier, as the model sees them.
        title: What sets the run apart from the others of its grid, in words; empty where it is the only one.
    """

    record: RunRecord
    benchmark: Benchmark
    model: ModelConfig
    protocol: Protocol
    condition: Condition
    rows: tuple[PlanRow, ...]
    requests: Mapping[str, Request]
    shown: Mapping[str, Shown]
    title: str = ""

    @property
    def name(self) -> str:
        """What to call the run while it is on: the model, and what sets the run apart."""
        return f"{self.model.name} ({self.title})" if self.title else self.model.name


def plan_run(
    benchmark: Benchmark,
    model: ModelConfig,
    protocol: Protocol,
    condition: Condition,
    *,
    trials: int = 1,
    items: Sequence[Item] | None = None,
    title: str = "",
) -> RunPlan:
    """Return what a run asks.

    Args:
        benchmark: The benchmark, with its pictures read if the model sees them.
        model: Who is asked.
        protocol: How; it may be for some of the items only.
        condition: In which variant.
        trials: How often each item is asked; trial ``t`` adds ``t`` to the seed.
        items: Ask these only; the run stays the same run, it is only less complete.
        title: What sets the run apart from the others of its grid.

    Raises:
        ConfigError: No item is left to ask, a template is wrong, or the protocol has no words for the condition.
        ImageError: A picture that the model is to see is missing or broken; every such picture is a finding.
    """
    asked = [item for item in (benchmark.items if items is None else items) if protocol.selects(item)]
    if not asked:
        raise ConfigError(
            Finding(
                problem=f"no item of {benchmark.name} is asked under the protocol {protocol.name}",
                remedy="Choose another protocol or other items",
            )
        )
    pool = [item for item in benchmark.items if protocol.selects(item)]
    put = {item.id: _put(item, pool, condition) for item in asked}
    _require_any(put, benchmark, condition)
    refused = {name: reason for name, found in put.items() if (reason := _refusal(found, model))}
    shown = {name: found for name, found in put.items() if isinstance(found, Shown) and name not in refused}
    pictures = [(name, image) for name, found in shown.items() for image in found.wording.images]
    digests = digests_as_sent(pictures, benchmark.image_root, model.capabilities, condition.images)
    decoding = protocol.decoding_for(model.decoding, model.capabilities)
    rows: list[PlanRow] = []
    requests: dict[str, Request] = {}
    for item in asked:
        if item.id in refused:
            rows.extend(PlanRow(item.id, item.content_hash, trial, None, refused[item.id]) for trial in range(trials))
            continue
        for request in _repeats(
            shown[item.id], model=model, protocol=protocol, decoding=decoding, digests=digests, trials=trials
        ):
            key = request.key()
            requests[key] = request
            rows.append(planned_row(item, request.trial, key, shown[item.id].order))
    record = RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=decoding.parameters(),
        model=model.public(),
        protocol_name=protocol.name,
        protocol_hash=protocol.hash_under(condition),
        protocol=protocol.as_json(),
        condition=condition.as_json(),
    )
    return RunPlan(
        record=record,
        benchmark=benchmark,
        model=model,
        protocol=protocol,
        condition=condition,
        rows=tuple(rows),
        requests=MappingProxyType(requests),
        shown=MappingProxyType(shown),
        title=title,
    )


def _put(item: Item, pool: Sequence[Item], condition: Condition) -> Shown | NotShown:
    found = show_item(item, condition)
    return with_examples(found, pool, condition) if isinstance(found, Shown) else found


def _require_any(put: Mapping[str, Shown | NotShown], benchmark: Benchmark, condition: Condition) -> None:
    """See that the condition can be applied to any item at all.

    Raises:
        ConfigError: It cannot; the most frequent reason is named.
    """
    reasons = Counter(found.reason for found in put.values() if isinstance(found, NotShown))
    if reasons.total() == len(put):
        reason, count = reasons.most_common(1)[0]
        raise ConfigError(
            Finding(
                problem=f"no item of {benchmark.name} can be shown like this: {reason} ({count} of {len(put)} items)",
                field="condition",
                value=condition_text(condition.as_json()),
                remedy="Choose another condition or other items",
            )
        )


def _refusal(found: Shown | NotShown, model: ModelConfig) -> str:
    """Return why an item is not asked; nothing if it is."""
    if isinstance(found, NotShown):
        return found.reason
    return TEXT_ONLY if found.wording.images and not model.capabilities.images else ""


def _repeats(
    shown: Shown,
    *,
    model: ModelConfig,
    protocol: Protocol,
    decoding: Decoding,
    digests: Mapping[Image, str],
    trials: int,
) -> Iterator[Request]:
    messages = render(shown, protocol)
    sent = tuple(digests[image] for message in messages for image in message.images)
    for trial in range(trials):
        yield Request(model.identity, messages, decoding.parameters(seed_offset=trial), trial, sent)
