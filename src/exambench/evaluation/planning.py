"""What one run will ask: every item under a protocol and a condition, as requests with their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from exambench.engine.images import PreparedImage, prepare, resolve
from exambench.errors import ConfigError, Finding, ImageError
from exambench.exchange import Message, Request
from exambench.items import Benchmark, Image, Item, digest
from exambench.models import Capabilities, ModelConfig
from exambench.protocols import Condition, Protocol, render


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One item in one trial.

    Attributes:
        item: The item.
        trial: Counts repeats from 0.
        request_key: Key of the request that asks it; ``None`` when the model cannot take the item.
        note: Why it cannot.
    """

    item: Item
    trial: int
    request_key: str | None
    note: str = ""


@dataclass(frozen=True)
class RunPlan:
    """All that one run asks.

    Attributes:
        run_id: Digest of benchmark content, model, decoding, protocol and condition: the same command is the same run.
        benchmark: The items.
        model: Who is asked.
        protocol: How.
        condition: In which variant.
        parameters: The decoding that is sent, before the trial's offset of the seed.
        rows: Every item in every trial.
        requests: The requests by key; two items that read the same share one.
    """

    run_id: str
    benchmark: Benchmark
    model: ModelConfig
    protocol: Protocol
    condition: Condition
    parameters: Mapping[str, object]
    rows: tuple[PlannedItem, ...]
    requests: Mapping[str, Request]


def plan_run(
    benchmark: Benchmark,
    model: ModelConfig,
    protocol: Protocol,
    condition: Condition,
    *,
    trials: int = 1,
    items: Sequence[Item] | None = None,
) -> RunPlan:
    """Return what a run asks.

    Args:
        benchmark: The benchmark, with its pictures read if the model sees them.
        model: Who is asked.
        protocol: How; it may be for some of the items only.
        condition: In which variant.
        trials: How often each item is asked; trial ``t`` adds ``t`` to the seed.
        items: Ask these only; the run is the same run, it is only less complete.

    Raises:
        ConfigError: Nothing is left to ask, or a template is wrong.
        ImageError: A picture that the model is to see is missing or broken.
    """
    decoding = protocol.decoding_for(model.decoding, model.capabilities)
    asked = [item for item in (benchmark.items if items is None else items) if protocol.selects(item)]
    if not asked:
        raise ConfigError(
            Finding(
                problem=f"no item of {benchmark.name} is asked under the protocol {protocol.name}",
                remedy="Choose another protocol or other items",
            )
        )
    pictures = _Pictures(benchmark.image_root, model.capabilities)
    rows: list[PlannedItem] = []
    requests: dict[str, Request] = {}
    for item in asked:
        if not model.capabilities.images and item.wording(condition.wording).images:
            note = "the item has pictures, the model takes text only"
            rows.extend(PlannedItem(item, trial, None, note) for trial in range(trials))
            continue
        messages = render(item, protocol, condition)
        digests = pictures.digests(messages, item)
        for trial in range(trials):
            parameters = MappingProxyType(decoding.parameters(seed_offset=trial))
            request = Request(model.identity, messages, parameters, trial, digests)
            key = request.key()
            requests[key] = request
            rows.append(PlannedItem(item, trial, key))
    pictures.raise_if_broken()
    parameters = MappingProxyType(decoding.parameters())
    identity = {
        "benchmark": benchmark.name,
        "content": benchmark.content_hash,
        "model": [model.name, model.identity],
        "parameters": dict(parameters),
        "protocol": [protocol.name, protocol.hash],
        "condition": dict(condition.as_json()),
    }
    return RunPlan(
        run_id=digest(identity)[:16],
        benchmark=benchmark,
        model=model,
        protocol=protocol,
        condition=condition,
        parameters=parameters,
        rows=tuple(rows),
        requests=MappingProxyType(requests),
    )


class _Pictures:
    """Digests of pictures as they are sent, each prepared once; faults are collected, so that all are told at once."""

    def __init__(self, root: Path | None, capabilities: Capabilities) -> None:
        self._root = root
        self._capabilities = capabilities
        self._digests: dict[Image, str] = {}
        self._findings: list[Finding] = []

    def digests(self, messages: tuple[Message, ...], item: Item) -> tuple[str, ...]:
        """Return the digest of the sent bytes of each picture; a broken one is remembered and has none."""
        images = [image for message in messages for image in message.images]
        return tuple(digest for image in images if (digest := self._digest(image, item)))

    def raise_if_broken(self) -> None:
        """Raise every fault that was found.

        Raises:
            ImageError: There was at least one.
        """
        if self._findings:
            raise ImageError(*self._findings)

    def _digest(self, image: Image, item: Item) -> str | None:
        if image not in self._digests:
            if self._root is None:
                self._findings.append(
                    Finding(
                        problem="the item has a picture, and no image folder was named",
                        item=item.id,
                        field="image",
                        value=image.path,
                        remedy="Name the folder: --images DIR; or say in the model file that the model takes text only",
                    )
                )
                return None
            try:
                prepared = prepare(resolve(self._root, image.path), self._capabilities)
            except ImageError as error:
                self._findings.extend(error.findings)
                return None
            self._digests[image] = prepared.sha256
        return self._digests[image]


class ImageFiles:
    """Reads the pictures of a benchmark when a request is sent, as the model takes them.

    Args:
        root: Folder that image paths are relative to.
        capabilities: What the model takes.
    """

    def __init__(self, root: Path | None, capabilities: Capabilities) -> None:
        self._root = root
        self._capabilities = capabilities

    def __call__(self, image: Image) -> PreparedImage:
        """Return a picture, ready to be sent.

        Raises:
            ImageError: It cannot be read (any more).
        """
        if self._root is None:
            raise ImageError(Finding(problem="no image folder was named", value=image.path, remedy="Use --images DIR"))
        return prepare(resolve(self._root, image.path), self._capabilities)
