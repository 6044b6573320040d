"""A model continues the beginning of a stem: what it is asked, and what it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.asking.tasks import Ask, TaskPlan
from exambench.engine.picture_digests import digests_as_sent
from exambench.exchange import ImagePart, Message, Part, Request, Response, Role, TextPart
from exambench.items import Image
from exambench.judging.instrument import CONTENT_FILTER
from exambench.models import ModelConfig
from exambench.parsing import visible_text
from exambench.parsing.visible import CUT_AT_LIMIT
from exambench.probing.prompts import PrefixPrompt
from exambench.probing.stems import Stem, Stems
from exambench.protocols import fill, merged
from exambench.store import TaskKind, TaskRecord

LONGEST: Final = 20_000
"""Characters of a continuation that are compared: many times the longest stem."""

TEXT_ONLY: Final = "the stem has a picture, and the model takes text only"


class Arm(StrEnum):
    """What a model is told of where the question comes from."""

    PLAIN = "no hint"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a model wrote.

    Attributes:
        text: The visible text without the prefix, where it begins with that; empty where there is none.
        declined: Whether the endpoint marks it as a refusal.
        cut: Whether the token limit cut it, or it was longer than :data:`LONGEST`.
    """

    text: str
    declined: bool
    cut: bool


def plan_continuations(
    stems: Stems, model: ModelConfig, prompt: PrefixPrompt, arms: Sequence[Arm], *, share: float
) -> TaskPlan:
    """Return what a model is asked to continue.

    Args:
        stems: The stems; their benchmark has the digests of its pictures if the model sees them.
        model: Who is asked.
        prompt: How.
        arms: With what hint.
        share: Share of the tokens that are shown; part of what makes it this task.

    Raises:
        ImageError: A picture that the model is to see is missing or broken.
    """
    benchmark = stems.benchmark
    digests: Mapping[Image, str] = {}
    if model.capabilities.images:
        pictures = [(stem.item.id, image) for stem in stems.stems for image in stem.images]
        digests = digests_as_sent(pictures, benchmark.image_root, model.capabilities)
    decoding = model.decoding.over(prompt.decoding)
    asks: list[Ask] = []
    for stem in stems.stems:
        for arm in arms:
            if stem.images and not model.capabilities.images:
                asks.append(Ask(stem.item.id, arm, None, TEXT_ONLY))
                continue
            messages = _messages(stem, prompt, arm)
            sent = tuple(digests[image] for message in messages for image in message.images)
            asks.append(
                Ask(stem.item.id, arm, Request(model.identity, messages, decoding.parameters(), image_digests=sent))
            )
    record = TaskRecord(
        kind=TaskKind.CONTINUATION,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=decoding.parameters(),
        about={"prompt": prompt.hash, "share": share, "tokenizer": stems.tokenizer.name},
    )
    return TaskPlan(record, benchmark, model, tuple(asks))


def continuation_of(response: Response, prefix: str) -> Continuation:
    """Return what a reply continues with."""
    text = visible_text(response.text or "").strip()
    declined = bool(response.refusal) or response.finish_reason == CONTENT_FILTER
    cut = response.finish_reason == CUT_AT_LIMIT or len(text) > LONGEST
    return Continuation(_without(text[:LONGEST], prefix), declined, cut)


def _without(text: str, prefix: str) -> str:
    """Return the text without the prefix that it begins with, whatever the spaces."""
    wanted = "".join(prefix.split())
    matched = 0
    for place, sign in enumerate(text):
        if matched == len(wanted):
            return text[place:].strip()
        if sign.isspace():
            continue
        if sign != wanted[matched]:
            return text
        matched += 1
    return "" if matched == len(wanted) else text


def _messages(stem: Stem, prompt: PrefixPrompt, arm: Arm) -> tuple[Message, ...]:
    prefix: list[Part] = [TextPart(stem.prefix), *(ImagePart(image) for image in stem.images)]
    values: dict[str, list[Part]] = {
        "prefix": prefix,
        "exam": [TextPart(stem.exam)],
        "year": [TextPart(stem.year or prompt.unknown_year)],
    }
    user = merged(fill(prompt.hinted if arm is Arm.HINT else prompt.user, values))
    return Message(Role.SYSTEM, (TextPart(prompt.system),)), Message(Role.USER, user)
