"""The English side of items by a model: drafted, checked by rule, asked again where it breaks one, then for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.asking.tasks import TRIES, Ask, TaskPlan, replies_of
from exambench.configuration import read_table, validate
from exambench.construct.texts import words_of
from exambench.construct.translation_rules import Translation, violations
from exambench.exchange import Message, Part, Request, Response, Role, TextPart
from exambench.items import Benchmark, Item, digest
from exambench.models import Decoding, ModelConfig
from exambench.parsing import visible_text
from exambench.parsing.literals import Group, dicts_with_key
from exambench.protocols import choices_of, fill, merged, placeholders
from exambench.store import Store, TaskKind, TaskRecord
from exambench.text import strange_in

SHIPPED: Final = Path(__file__).with_name("translation.toml")
CHOICE: Final = "{{number}}. {{content}}"
UNREADABLE: Final = "The reply is no JSON object with a question and a list of choices."

Name = Annotated[str, Field(min_length=1, max_length=100)]


class TranslationPrompt(BaseModel):
    """How a model is asked to translate.

    Attributes:
        question_key: The key under which it gives the stem.
        choices_key: The key under which it gives the list of choices.
        system: Template with the two keys.
        user: Template with ``{{question}}`` and ``{{choices}}``.
        again: Template with ``{{problems}}``, for a further try.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    language: str
    question_key: Name
    choices_key: Name
    system: str
    user: str
    again: str
    decoding: Decoding = Decoding()

    @model_validator(mode="after")
    def _is_sound(self) -> TranslationPrompt:
        wanted = {"system": {"question_key", "choices_key"}, "user": {"question", "choices"}, "again": {"problems"}}
        for name, known in wanted.items():
            if placeholders(str(getattr(self, name))) != known:
                raise ValueError(f"{name}: the placeholders are {', '.join(sorted(known))}, each of them")
        return self

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt, name and decoding apart."""
        return digest(self.model_dump(mode="json", exclude={"decoding", "name"}))


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of one item.

    Attributes:
        item: The item.
        translation: The first translation that keeps every rule, or else the last that could be read; ``None`` where
            none could be.
        problems: What it breaks; empty where it may be used as a draft.
        tries: How often it was asked for.
    """

    item: Item
    translation: Translation | None
    problems: tuple[str, ...]
    tries: int


def read_translation_prompt(path: Path = SHIPPED) -> TranslationPrompt:
    """Read how a model is asked to translate; blank lines around templates are not part of them.

    Raises:
        ConfigError: The file cannot be read, or is something else.
    """
    table = {name: value.strip("\n") if isinstance(value, str) else value for name, value in read_table(path).items()}
    return validate(TranslationPrompt, table, str(path))


def plan_translations(
    benchmark: Benchmark, items: Sequence[Item], model: ModelConfig, prompt: TranslationPrompt
) -> TaskPlan:
    """Return what a model is asked to translate: text alone; a translation that breaks a rule is asked for again.

    Args:
        benchmark: The benchmark.
        items: Those to translate, as they are put explicitly.
        model: Who translates; it sees no picture.
        prompt: How it is asked.
    """
    decoding = model.decoding.over(prompt.decoding)
    by_id = {item.id: item for item in items}

    def again(ask: Ask, attempt: int, reply: Response) -> Request | None:
        found = read_translation(reply, prompt)
        problems = (UNREADABLE,) if found is None else violations(by_id[ask.item_id].wording(), found)
        if ask.request is None or not problems:
            return None
        complaint = fill(prompt.again, {"problems": [TextPart("\n".join(f"- {each}" for each in problems))]})
        said = Message(Role.ASSISTANT, (TextPart(visible_text(reply.text or "").strip() or "…"),))
        return replace(
            ask.request,
            messages=(*ask.request.messages, said, Message(Role.USER, merged(complaint))),
            parameters=decoding.parameters(seed_offset=attempt + 1),
            attempt=attempt + 1,
        )

    asks = tuple(
        Ask(item.id, "", Request(model.identity, _messages(item, prompt), decoding.parameters())) for item in items
    )
    record = TaskRecord(
        kind=TaskKind.TRANSLATION,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=decoding.parameters(),
        about={"prompt": prompt.hash},
    )
    return TaskPlan(record, replace(benchmark, image_root=None), model, asks, again)


def drafts_of(store: Store, plan: TaskPlan, items: Mapping[str, Item], prompt: TranslationPrompt) -> tuple[Draft, ...]:
    """Return what came of each item that the model is done with, in the order of the plan.

    Raises:
        StoreError: The store cannot be read.
    """
    replies = replies_of(store, plan.record)
    found = [_draft(items[ask.item_id], replies.get(ask.place, ()), prompt) for ask in plan.asks]
    return tuple(draft for draft in found if draft is not None)


def read_translation(reply: Response, prompt: TranslationPrompt) -> Translation | None:
    """Read the last closed dict with both keys: a string, and a list of strings."""
    words = words_of(reply)
    questions = {entry.end: entry.values for entry in dicts_with_key(words, prompt.question_key)}
    choices = {entry.end: entry.values for entry in dicts_with_key(words, prompt.choices_key)}
    both = questions.keys() & choices.keys()
    if not both:
        return None
    question, listed = questions[max(both)][-1], choices[max(both)][-1]
    if not isinstance(question, str) or not isinstance(listed, Group):
        return None
    texts = tuple(text for text in listed.items if isinstance(text, str))
    if len(texts) < len(listed.items) or any(map(strange_in, (question, *texts))):
        return None
    return Translation(question.strip(), tuple(text.strip() for text in texts))


def _draft(item: Item, replies: Sequence[Response], prompt: TranslationPrompt) -> Draft | None:
    """Return a sound translation, or the last try; ``None`` where a further try is due."""
    last: Translation | None = None
    for number, reply in enumerate(replies, start=1):
        found = read_translation(reply, prompt)
        if found is not None and not violations(item.wording(), found):
            return Draft(item, found, (), number)
        last = found or last
    if len(replies) < TRIES:
        return None
    return Draft(item, last, (UNREADABLE,) if last is None else violations(item.wording(), last), len(replies))


def _messages(item: Item, prompt: TranslationPrompt) -> tuple[Message, ...]:
    wording = item.wording()
    text_only = replace(wording, choices=tuple(replace(choice, images=()) for choice in wording.choices))
    keys: dict[str, list[Part]] = {
        "question_key": [TextPart(prompt.question_key)],
        "choices_key": [TextPart(prompt.choices_key)],
    }
    values: dict[str, list[Part]] = {
        "question": [TextPart(wording.question.text)],
        "choices": list(choices_of(text_only, CHOICE)),
    }
    return (
        Message(Role.SYSTEM, merged(fill(prompt.system, keys))),
        Message(Role.USER, merged(fill(prompt.user, values))),
    )
