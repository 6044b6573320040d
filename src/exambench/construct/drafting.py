"""Rationales from a model: drawn again, with a new seed, until the answer that they lead to is right."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.asking.tasks import Ask, TaskPlan
from exambench.configuration import read_table, validate
from exambench.construct.inquiries import Answers
from exambench.construct.key_texts import key_from_text
from exambench.construct.stage import AskingSettings, Context
from exambench.construct.texts import LONGEST, item_as_shown, words_of
from exambench.engine.picture_digests import digests_as_sent
from exambench.exchange import Message, Request, Response, Role, TextPart
from exambench.items import ChoiceKey, Item, digest
from exambench.models import Decoding, ModelConfig
from exambench.parsing.claims import Stated
from exambench.parsing.literals import Group, Literal, Number, dicts_with_key
from exambench.parsing.statements import answer_in_value
from exambench.parsing.vocabulary import options_of
from exambench.protocols import fill, merged, placeholders
from exambench.store import TaskKind, TaskRecord
from exambench.text import is_left_open, strange_in

SHIPPED: Final = Path(__file__).with_name("rationale.toml")
LONGEST_ANSWER: Final = 200
"""Characters of an answer; what is longer names no choices."""

Name = Annotated[str, Field(min_length=1, max_length=100)]


class DraftPrompt(BaseModel):
    """How a model is asked for a rationale; blank lines around templates are not part of them.

    Attributes:
        name: Identifier.
        rationale_key: The key under which it gives its reasons, in a JSON object.
        answer_key: The key under which it gives the answer, in the same.
        instructions: What a rationale should be like: the part of the prompt that is refined.
        system: Template with ``{{instructions}}`` and the two keys.
        user: Template with ``{{question}}`` and ``{{choices}}``.
        decoding: Settings, unless the model file says otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    rationale_key: Name
    answer_key: Name
    instructions: Annotated[str, Field(min_length=1)]
    system: str
    user: str
    decoding: Decoding = Decoding()

    @model_validator(mode="after")
    def _is_sound(self) -> DraftPrompt:
        wanted = {"system": {"instructions", "rationale_key", "answer_key"}, "user": {"question", "choices"}}
        for name, known in wanted.items():
            if placeholders(str(getattr(self, name))) != known:
                raise ValueError(f"{name}: the placeholders are {', '.join(sorted(known))}, each of them")
        return self

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt, name and decoding apart."""
        return digest(self.model_dump(mode="json", exclude={"decoding", "name"}))


@dataclass(frozen=True, slots=True)
class Writer:
    """Who drafts, and how it is asked.

    Attributes:
        role: The model's role.
        prompt: How it is asked.
        draws: How often at most, for each item.
    """

    role: str
    prompt: DraftPrompt
    draws: int


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of one item.

    Attributes:
        item: The item.
        rationale: That of the first draw whose answer is right; ``None`` where none was.
        answers: The answer of each draw, ``None`` where none could be read with reasons; as many as there were draws.
    """

    item: Item
    rationale: str | None = None
    answers: tuple[str | None, ...] = ()


@dataclass
class _Open:
    """An item on its way to a draft."""

    item: Item
    answers: list[str | None] = field(default_factory=list)
    rationale: str | None = None


def read_draft_prompt(path: Path = SHIPPED) -> DraftPrompt:
    """Read how a model is asked for a rationale.

    Raises:
        ConfigError: The file cannot be read, or is something else.
    """
    table = {name: value.strip("\n") if isinstance(value, str) else value for name, value in read_table(path).items()}
    return validate(DraftPrompt, table, str(path))


def draft_rationales(
    items: Sequence[Item], writer: Writer, settings: AskingSettings, context: Context
) -> tuple[tuple[Draft, ...], list[Answers]]:
    """Ask a model for the rationale of each item until its answer is right, with a seed of its own for each draw.

    Args:
        items: About which items; pictures are shown.
        writer: Who drafts.
        settings: The stage's, for its budget.
        context: The stage's.

    Returns:
        What came of each item in their order, and all that the model said, draw by draw.

    Raises:
        ImageError: A picture is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    model, prompt = context.models[writer.role], writer.prompt
    found = [_Open(item) for item in items]
    messages = _all_messages(items, model, prompt, context)
    record = _record(items, model, prompt, context)
    decoding = model.decoding.over(prompt.decoding)
    said: list[Answers] = []
    for draw in range(writer.draws):
        due = [each for each in found if each.rationale is None]
        if not due:
            break
        parameters = decoding.parameters(seed_offset=draw)
        asks = {
            name: Ask(name, f"draw {draw + 1}", Request(model.identity, chat, parameters, draw, sent))
            for name, (chat, sent) in ((each.item.id, messages[each.item.id]) for each in due)
        }
        plan = TaskPlan(record, context.benchmark_of(tuple(items)), model, tuple(asks.values()))
        answers = context.ask(plan, settings.budget)
        said.append(answers)
        for each in due:
            _take(each, answers.replies[asks[each.item.id].place][0], prompt)
    return tuple(Draft(each.item, each.rationale, tuple(each.answers)) for each in found), said


def read_draft(reply: Response, prompt: DraftPrompt) -> tuple[str, str] | None:
    """Read rationale (NFC) and answer from the last closed dict that has both.

    Returns:
        ``None`` where one is missing, empty, left open, or holds characters that no text has.
    """
    words = words_of(reply)
    rationales = {entry.end: entry.values[-1] for entry in dicts_with_key(words, prompt.rationale_key)}
    answers = {entry.end: entry.values[-1] for entry in dicts_with_key(words, prompt.answer_key)}
    both = rationales.keys() & answers.keys()
    if not both:
        return None
    rationale, answer = rationales[max(both)], _answer(answers[max(both)])
    if not isinstance(rationale, str) or not rationale.strip() or len(rationale) > LONGEST or not answer:
        return None
    if any(strange_in(text) or is_left_open(text) for text in (rationale, answer)):
        return None
    return unicodedata.normalize("NFC", rationale).strip(), answer


def _take(each: _Open, reply: Response, prompt: DraftPrompt) -> None:
    found = read_draft(reply, prompt)
    each.answers.append(None if found is None else found[1])
    if found is not None and is_right(found[1], each.item):
        each.rationale = found[0]


def is_right(answer: str, item: Item) -> bool:
    """Tell whether an answer names an item's key: by itself, or one choice as models name it, with its text behind."""
    if key_from_text(answer, item) == item.key:
        return True
    stated = answer_in_value(answer, options_of(item.wording()))
    return isinstance(item.key, ChoiceKey) and isinstance(stated, Stated) and stated.values == (item.key.index,)


def _answer(value: Literal) -> str:
    """Return an answer as text: a number, a text of reasonable length, or several of them with commas between."""
    match value:
        case Number(text) | str(text):
            return text.strip() if len(text) <= LONGEST_ANSWER else ""
        case Group(items):
            return ", ".join(_answer(each) for each in items if isinstance(each, str | Number))[:LONGEST_ANSWER]
    return ""


def _record(items: Sequence[Item], model: ModelConfig, prompt: DraftPrompt, context: Context) -> TaskRecord:
    benchmark = context.benchmark_of(tuple(items))
    return TaskRecord(
        kind=TaskKind.RATIONALE,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=model.decoding.over(prompt.decoding).parameters(),
        about={"prompt": prompt.hash},
    )


def _all_messages(
    items: Sequence[Item], model: ModelConfig, prompt: DraftPrompt, context: Context
) -> dict[str, tuple[tuple[Message, ...], tuple[str, ...]]]:
    """Return the messages about each item, and the digests of their pictures as they are sent."""
    messages = {item.id: _messages(item, prompt) for item in items}
    pictures = [(name, image) for name, chat in messages.items() for turn in chat for image in turn.images]
    digests = digests_as_sent(pictures, context.pictures, model.capabilities)
    return {
        name: (chat, tuple(digests[image] for turn in chat for image in turn.images)) for name, chat in messages.items()
    }


def _messages(item: Item, prompt: DraftPrompt) -> tuple[Message, ...]:
    once = {name: [TextPart(str(getattr(prompt, name)))] for name in ("instructions", "rationale_key", "answer_key")}
    return (
        Message(Role.SYSTEM, merged(fill(prompt.system, once))),
        Message(Role.USER, merged(fill(prompt.user, item_as_shown(item)))),
    )
