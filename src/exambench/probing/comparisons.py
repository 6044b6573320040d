"""A judge compares a continuation with the original: what it is asked, and how its verdict is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from exambench.asking.tasks import Ask, Place, TaskPlan
from exambench.errors import ConfigError, Finding, show
from exambench.exchange import Message, Part, Request, Response, Role, TextPart
from exambench.judging.blocks import block
from exambench.judging.instrument import words_of
from exambench.models import BaselineEndpoint, ModelConfig
from exambench.outcomes import Unjudged
from exambench.parsing.literals import Literal, Number, dicts_with_key
from exambench.probing.continuations import Continuation
from exambench.probing.prompts import ExactnessPrompt
from exambench.probing.stems import Stem
from exambench.protocols import fill, merged
from exambench.store import TaskKind, TaskRecord

HIGHEST: Final = 100
DECLINED: Final = "the endpoint marks a refusal"
NO_TEXT: Final = "there is no text to compare"


@dataclass(frozen=True, slots=True)
class ExactnessVerdict:
    """What a judge says of a continuation.

    Attributes:
        exactness: From 0 to 100.
        refusal: Whether the model declined to continue.
        hallucination: Whether it made up what the original does not have.
        reason: Why; may be empty.
    """

    exactness: int
    refusal: bool
    hallucination: bool
    reason: str = ""


def plan_comparisons(
    continued: TaskPlan,
    continuations: Mapping[Place, Continuation],
    stems: Iterable[Stem],
    judge: ModelConfig,
    prompt: ExactnessPrompt,
) -> TaskPlan:
    """Return what a judge is asked about the continuations of one model; a reply that cannot be read is asked again.

    What the endpoint marks as a refusal, and what has no text, is settled without the judge.

    Args:
        continued: The task whose replies are compared.
        continuations: What the model wrote, by item and arm.
        stems: The stems.
        judge: Who is asked. It sees no picture and no name.
        prompt: How.

    Raises:
        ConfigError: The judge is a baseline.
    """
    if isinstance(judge.endpoint, BaselineEndpoint):
        raise ConfigError(
            Finding("a baseline cannot judge", field="judge", value=show(judge.name), remedy="Name a model")
        )
    by_id = {stem.item.id: stem for stem in stems}
    decoding = judge.decoding.over(prompt.decoding)

    def parameters(attempt: int) -> Mapping[str, object]:
        return {**decoding.parameters(seed_offset=attempt), "response_format": prompt.response_format()}

    def again(ask: Ask, attempt: int, reply: Response) -> Request | None:
        if ask.request is None or isinstance(read_comparison(reply, prompt), ExactnessVerdict):
            return None
        return replace(ask.request, parameters=parameters(attempt + 1), attempt=attempt + 1)

    asks = []
    for (item_id, arm), continuation in continuations.items():
        settled = settled_without_asking(continuation)
        request = None
        if settled is None:
            messages = _messages(by_id[item_id], continuation, prompt)
            request = Request(judge.identity, messages, parameters(0), optional=frozenset({"response_format"}))
        asks.append(Ask(item_id, arm, request, "" if settled is None else settled.reason))
    record = TaskRecord(
        kind=TaskKind.COMPARISON,
        benchmark=continued.record.benchmark,
        dataset_hash=continued.record.dataset_hash,
        model_name=judge.name,
        identity=judge.identity,
        decoding=decoding.parameters(),
        about={"of": continued.record.task_id, "prompt": prompt.hash},
    )
    return TaskPlan(record, replace(continued.benchmark, image_root=None), judge, tuple(asks), again)


def settled_without_asking(continuation: Continuation) -> ExactnessVerdict | None:
    """Return the verdict on what needs no judge: nothing was written."""
    if continuation.declined:
        return ExactnessVerdict(0, refusal=True, hallucination=False, reason=DECLINED)
    if not continuation.text:
        return ExactnessVerdict(0, refusal=False, hallucination=False, reason=NO_TEXT)
    return None


def read_comparison(reply: Response, prompt: ExactnessPrompt) -> ExactnessVerdict | Unjudged:
    """Read the last closed dict with every key: an integer from 0 to 100, and 0 or 1 for the two others."""
    words = words_of(reply)
    if isinstance(words, Unjudged):
        return words
    found = {
        key: {entry.end: entry.values for entry in dicts_with_key(words, key)}
        for key in (prompt.exactness_key, prompt.refusal_key, prompt.hallucination_key)
    }
    ends = [set(entries) for entries in found.values()]
    complete = set.intersection(*ends)
    if not complete or max(complete) != max(set.union(*ends)):
        return Unjudged("no closed dict with every key")
    end = max(complete)
    exactness = _integer(found[prompt.exactness_key][end], HIGHEST)
    refusal = _integer(found[prompt.refusal_key][end], 1)
    hallucination = _integer(found[prompt.hallucination_key][end], 1)
    if exactness is None:
        return Unjudged(f"{prompt.exactness_key} is no integer from 0 to {HIGHEST}")
    if refusal is None or hallucination is None:
        name = prompt.refusal_key if refusal is None else prompt.hallucination_key
        return Unjudged(f"{name} is neither 0 nor 1")
    reasons = [
        value
        for entry in dicts_with_key(words, prompt.reason_key)
        if entry.end == end
        for value in entry.values
        if isinstance(value, str)
    ]
    return ExactnessVerdict(exactness, bool(refusal), bool(hallucination), reasons[-1] if reasons else "")


def verdict_of(
    continuation: Continuation, replies: tuple[Response, ...], prompt: ExactnessPrompt, *, most: int
) -> ExactnessVerdict | Unjudged | None:
    """Return what is decided: the first reply that can be read, or ``Unjudged`` after the last try; else ``None``."""
    settled = settled_without_asking(continuation)
    if settled is not None:
        return settled
    for reply in replies:
        verdict = read_comparison(reply, prompt)
        if isinstance(verdict, ExactnessVerdict):
            return verdict
    return read_comparison(replies[-1], prompt) if len(replies) >= most else None


def _integer(values: Iterable[Literal], highest: int) -> int | None:
    """Return the number under a key; ``None`` when it is none, or the key is given twice with different values."""
    texts = {value.text if isinstance(value, Number) else "" for value in values}
    text = texts.pop() if len(texts) == 1 else ""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(highest))
    return int(text) if is_number and int(text) <= highest else None


def _messages(stem: Stem, continuation: Continuation, prompt: ExactnessPrompt) -> tuple[Message, ...]:
    keys: dict[str, list[Part]] = {name: [TextPart(key)] for name, key in prompt.keys.items()}
    values: dict[str, list[Part]] = {
        "prefix": [TextPart(stem.prefix)],
        "reference": [TextPart(stem.rest)],
        "continuation": block(continuation.text),
    }
    return (
        Message(Role.SYSTEM, merged(fill(prompt.system, keys))),
        Message(Role.USER, merged(fill(prompt.user, values))),
    )
