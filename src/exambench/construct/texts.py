"""One text about each item from a model: asked, checked by rule, asked again where it breaks one."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.asking.tasks import Ask, TaskPlan
from exambench.configuration import read_table, validate
from exambench.construct.inquiries import Answers
from exambench.construct.stage import AskingSettings, Context
from exambench.engine.picture_digests import digests_as_sent
from exambench.errors import ConfigError, Finding
from exambench.exchange import ImagePart, Message, Part, Request, Response, Role, TextPart
from exambench.items import Item, Wording, digest
from exambench.models import Decoding, ModelConfig
from exambench.parsing import visible_text
from exambench.parsing.literals import dicts_with_key
from exambench.protocols import choices_of, fill, merged, parts_of, placeholders, stem_of
from exambench.store import TaskKind, TaskRecord
from exambench.text import is_left_open, strange_in

CHOICE: Final = "{{number}}. {{content}}"
LONGEST: Final = 20_000
"""Characters of a text; what is longer is no answer to any of our questions."""
LONGEST_REPLY: Final = 100_000
"""Characters of a reply, thoughts apart, in which a text is looked for; each is read again whenever it is asked what is
due."""
KEY: Final = "key"
PROBLEMS: Final = "problems"

Name = Annotated[str, Field(min_length=1, max_length=100)]


class TextPrompt(BaseModel):
    """How a model is asked for one text about an item; blank lines around templates are not part of them.

    Attributes:
        name: Identifier.
        key: The key under which it gives the text, in a JSON object.
        system: Template with ``{{key}}`` and what the stage has to say once.
        user: Template with what the stage has to say of an item.
        again: Template with ``{{problems}}``, for a further try.
        decoding: Settings, unless the model file says otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    key: Name
    system: str
    user: str
    again: str
    decoding: Decoding = Decoding()

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt, name and decoding apart."""
        return digest(self.model_dump(mode="json", exclude={"decoding", "name"}))


@dataclass(frozen=True)
class TextQuestion:
    """What is asked about items.

    Attributes:
        kind: What the model is asked to do.
        prompt: How.
        problems: Says in sentences what is wrong with a text about an item; nothing where it can be used. Pure.
        once: What takes the place of the system template's placeholders, ``key`` apart.
        shown: Returns what takes the place of the user template's placeholders.
        about: Whatever else makes the question this question, as JSON values.
        read: Returns the text of a reply, by the prompt's key; ``None`` where it has none.
    """

    kind: TaskKind
    prompt: TextPrompt
    problems: Callable[[Item, str], tuple[str, ...]]
    shown: Callable[[Item], Mapping[str, Sequence[Part]]]
    once: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    about: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    read: Callable[[Response, str], str | None] = field(default_factory=lambda: read_text)


@dataclass(frozen=True, slots=True)
class Text:
    """What came of one item.

    Attributes:
        text: The first text that keeps every rule, or else the last that could be read; ``None`` where none could be.
        problems: What is wrong with it; empty where it can be used.
        tries: How often it was asked for.
    """

    text: str | None
    problems: tuple[str, ...]
    tries: int


def read_text_prompt(path: Path, *, once: frozenset[str], shown: frozenset[str]) -> TextPrompt:
    """Read how a model is asked.

    Args:
        path: A TOML or YAML file.
        once: The placeholders of its system template, ``key`` apart.
        shown: Those of its user template.

    Raises:
        ConfigError: The file cannot be read, or has other placeholders.
    """
    table = {name: value.strip("\n") if isinstance(value, str) else value for name, value in read_table(path).items()}
    prompt = validate(TextPrompt, table, str(path))
    wanted = {"system": once | {KEY}, "user": shown, "again": frozenset({PROBLEMS})}
    findings = [
        Finding(
            problem="the template has other placeholders",
            file=str(path),
            field=name,
            value=", ".join(sorted(found)) or "none",
            allowed=f"each of {', '.join(sorted(known))}",
            remedy="Correct the template",
        )
        for name, known in wanted.items()
        if (found := placeholders(str(getattr(prompt, name)))) != known
    ]
    if findings:
        raise ConfigError(*findings)
    return prompt


def item_as_shown(item: Item) -> Mapping[str, Sequence[Part]]:
    """Return passage, stem and choices, pictures in their places, for the placeholders ``question`` and ``choices``."""
    wording = item.wording()
    return {"question": stem_of(wording.question, item.passage), "choices": choices_of(wording, CHOICE)}


def wording_as_text(wording: Wording) -> Mapping[str, Sequence[Part]]:
    """Return stem and choices alone, for whoever is to put the stem into other words: no passage, no pictures."""
    shown = {"question": parts_of(wording.question), "choices": choices_of(wording, CHOICE)}
    return {name: [part for part in parts if not isinstance(part, ImagePart)] for name, parts in shown.items()}


def ask_for_texts(
    question: TextQuestion, items: Sequence[Item], role: str, settings: AskingSettings, context: Context
) -> tuple[Mapping[str, Text], Answers]:
    """Ask a model for a text about each item; one that breaks a rule is asked for again, three times in all.

    A model that takes text only is shown no pictures.

    Args:
        question: What is asked.
        items: About which items.
        role: The model's role.
        settings: The stage's, for its budget.
        context: The stage's.

    Returns:
        What came of each item, and all that the model said.

    Raises:
        ImageError: A picture that the model is to see is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    plan = _plan(question, items, context.models[role], context)
    answers = context.ask(plan, settings.budget)
    by_id = {item.id: item for item in items}
    found = {ask.item_id: _text(question, by_id[ask.item_id], answers.replies[ask.place]) for ask in plan.asks}
    return found, answers


def words_of(reply: Response) -> str:
    """Return what a reply says, thoughts apart; nothing where it is endless."""
    words = visible_text(reply.text or "")
    return words if len(words) <= LONGEST_REPLY else ""


def read_text(reply: Response, key: str) -> str | None:
    """Read what stands under a key in the last closed dict that has it: one text (NFC), and not an endless one.

    The form that the prompt shows, given back as it stands there, holds no text.
    """
    entries = dicts_with_key(words_of(reply), key)
    value = entries[-1].values[-1] if entries else None
    if not isinstance(value, str) or len(value) > LONGEST or is_left_open(value):
        return None
    return unicodedata.normalize("NFC", value).strip()


def _plan(question: TextQuestion, items: Sequence[Item], model: ModelConfig, context: Context) -> TaskPlan:
    prompt = question.prompt
    decoding = model.decoding.over(prompt.decoding)
    by_id = {item.id: item for item in items}
    messages = {item.id: _messages(question, item, model) for item in items}
    pictures = [(name, image) for name, chat in messages.items() for turn in chat for image in turn.images]
    digests = digests_as_sent(pictures, context.pictures, model.capabilities)

    def again(ask: Ask, attempt: int, reply: Response) -> Request | None:
        problems = _problems(question, by_id[ask.item_id], question.read(reply, prompt.key))
        if ask.request is None or not problems:
            return None
        complaint = fill(prompt.again, {PROBLEMS: [TextPart("\n".join(f"- {each}" for each in problems))]})
        said = Message(Role.ASSISTANT, (TextPart(visible_text(reply.text or "").strip()[:LONGEST] or "…"),))
        return replace(
            ask.request,
            messages=(*ask.request.messages, said, Message(Role.USER, merged(complaint))),
            parameters=decoding.parameters(seed_offset=attempt + 1),
            attempt=attempt + 1,
        )

    asks = tuple(
        Ask(
            name,
            "",
            Request(
                model.identity,
                chat,
                decoding.parameters(),
                image_digests=tuple(digests[image] for turn in chat for image in turn.images),
            ),
        )
        for name, chat in messages.items()
    )
    benchmark = context.benchmark_of(tuple(items))
    record = TaskRecord(
        kind=question.kind,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=decoding.parameters(),
        about={"prompt": prompt.hash, "once": dict(question.once), **question.about},
    )
    return TaskPlan(record, benchmark, model, asks, again)


def _messages(question: TextQuestion, item: Item, model: ModelConfig) -> tuple[Message, ...]:
    prompt = question.prompt
    once = {name: [TextPart(text)] for name, text in {KEY: prompt.key, **question.once}.items()}
    seen = {
        name: [part for part in parts if model.capabilities.images or not isinstance(part, ImagePart)]
        for name, parts in question.shown(item).items()
    }
    return (
        Message(Role.SYSTEM, merged(fill(prompt.system, once))),
        Message(Role.USER, merged(fill(prompt.user, seen))),
    )


def _problems(question: TextQuestion, item: Item, text: str | None) -> tuple[str, ...]:
    if text is None:
        return (f"The reply is no JSON object with a text under the key {question.prompt.key}.",)
    if strange := strange_in(text):
        return (f"The text has characters that no text has: {strange!a}.",)
    return question.problems(item, text)


def _text(question: TextQuestion, item: Item, replies: Sequence[Response]) -> Text:
    last: str | None = None
    for number, reply in enumerate(replies, start=1):
        found = question.read(reply, question.prompt.key)
        if not _problems(question, item, found):
            return Text(found, (), number)
        last = last if found is None else found
    return Text(last, _problems(question, item, last), len(replies))
