"""The stage ``filter``: models in sequence; an item that one of them answers correctly leaves the pool.

Items that are settled are not asked about any more: trial by trial within a model, model by model in the cascade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, model_validator

from exambench.asking.tasks import Ask, TaskPlan
from exambench.benchmarks.definition import (
    Definition,
    find_definition,
    read_protocol_file,
    shipped_definitions,
)
from exambench.construct.inquiries import Answers, spending_of
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.engine.picture_digests import digests_as_sent
from exambench.exchange import Request, Response
from exambench.items import EXPLICIT, Item, TextKey, digest
from exambench.models import ModelConfig
from exambench.outcomes import Answered
from exambench.parsing import PARSER_VERSION, parser
from exambench.protocols import Condition, NotShown, Protocol, Shown, render, show_item
from exambench.scoring.choice import score
from exambench.scoring.matching import Match, match
from exambench.store import TaskKind, TaskRecord

TEXT_ONLY: Final = "it has pictures, and the model takes text only"
FREE_ANSWER: Final = "its answer is free text, and the protocol reads choices"
FREE_PARSER: Final = "boxed-free"
"""The parser that reads free answers, of which :mod:`exambench.scoring.matching` decides some."""


class SolvedIn(StrEnum):
    """In how many trials an item has to be answered correctly to leave the pool."""

    ANY = "any"
    ALL = "all"


class FilterSettings(AskingSettings):
    """Settings of ``filter``.

    Attributes:
        models: Roles of the models, in the order of the cascade.
        trials: How often a model is asked at most.
        solved_in: In how many of them it has to be right.
        benchmark: Whose protocols are used: the name of a shipped benchmark, or a path, relative to the project.
        protocol: Name of one of its protocols, its headline protocol when ``None``; or a protocol file of the project.
        wording: Which wording is asked.
    """

    models: Annotated[tuple[str, ...], Field(min_length=1)]
    trials: Annotated[int, Field(ge=1, le=100)] = 1
    solved_in: SolvedIn = SolvedIn.ANY
    benchmark: str = "kmetbench"
    protocol: str | None = None
    wording: str = EXPLICIT

    @model_validator(mode="after")
    def _asks_each_once(self) -> FilterSettings:
        if len(set(self.models)) < len(self.models):
            raise ValueError("models: a model stands twice; asked again it says the same")
        return self

    @property
    def protocol_file(self) -> Path | None:
        """The protocol file of the project, if one is named."""
        named = self.protocol is not None and Path(self.protocol).suffix.lower() in {".toml", ".yaml", ".yml"}
        return Path(self.protocol) if named and self.protocol is not None else None


@dataclass(frozen=True)
class _Cascade:
    """What all models of a cascade have in common."""

    items: tuple[Item, ...]
    protocol: Protocol
    condition: Condition
    settings: FilterSettings
    context: Context


@dataclass
class _Pass:
    """One model's turn.

    Attributes:
        items: The pool that it found.
        asked: In how many trials it was asked about each item.
        right: In how many trials it answered each item correctly.
        unread: Items with a response that holds no answer: no format, cut, or a refusal.
        undecided: Items with a free answer that no rule can tell from the right one.
        not_asked: Why it was not asked about an item.
        answers: What it said, trial by trial.
    """

    items: tuple[Item, ...]
    asked: Counter[str] = field(default_factory=Counter)
    right: dict[str, int] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    undecided: set[str] = field(default_factory=set)
    not_asked: dict[str, str] = field(default_factory=dict)
    answers: list[Answers] = field(default_factory=list)

    def solved(self, settings: FilterSettings) -> frozenset[str]:
        """Return the items that it answered correctly as often as the settings ask for."""
        needed = 1 if settings.solved_in is SolvedIn.ANY else settings.trials
        return frozenset(item for item, right in self.right.items() if right >= needed)


def filter_items(items: tuple[Item, ...], settings: FilterSettings, context: Context) -> StageResult:
    """Ask models in sequence, and drop what one of them answers correctly.

    A response without a readable answer, a refusal among them, is not correct; nor is a free answer, unless it is the
    same string or number as the right one. A request that failed is no response: the stage ends without a record.

    Raises:
        ConfigError: There is no such protocol, or it does not fit the items' keys.
        ImageError: A picture that a model is to see is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    protocol = _protocol(settings, context.folder)
    cascade = _Cascade(items, protocol, Condition(wording=settings.wording), settings, context)
    pool = items
    passes: list[_Pass] = []
    changes: list[Change] = []
    table: list[dict[str, object]] = []
    for stage, role in enumerate(settings.models, start=1):
        model = context.models[role]
        found = _pass(cascade, pool, model)
        passes.append(found)
        solved = found.solved(settings)
        changes += [_dropped(item, stage, model, found) for item in pool if item.id in solved]
        pool = tuple(item for item in pool if item.id not in solved)
        table.append(_row(stage, model, found, solved, len(pool)))
    changes += _not_asked(pool, passes, settings, context)
    return StageResult(
        items=pool,
        changes=tuple(changes),
        facts={"retention": table, "retained": len(pool) / len(items) if items else None},
        spending=spending_of([answers for each in passes for answers in each.answers], {protocol.name: protocol.hash}),
    )


def _shipped(settings: FilterSettings, folder: Path) -> tuple[str, ...]:
    """Return the version of the parsers, and the digest of a benchmark's protocol if one is used."""
    parsers = f"parsers {PARSER_VERSION}"
    if settings.protocol_file is not None:
        return (parsers,)
    definition = _definition(settings, folder)
    name = definition.protocol(settings.protocol).name
    return parsers, digest(definition.protocols[name].model_dump(mode="json"))


FILTER: Final = StageKind(
    FilterSettings,
    filter_items,
    version=2,
    files=lambda settings: () if settings.protocol_file is None else (settings.protocol_file,),
    shipped=_shipped,
    roles=lambda settings: settings.models,
)


def _protocol(settings: FilterSettings, folder: Path) -> Protocol:
    if settings.protocol_file is not None:
        return read_protocol_file(folder / settings.protocol_file)
    return _definition(settings, folder).protocol(settings.protocol)


def _definition(settings: FilterSettings, folder: Path) -> Definition:
    """Return the benchmark whose protocols are used; a path is relative to the project's folder."""
    beside = folder / settings.benchmark
    of_project = settings.benchmark not in shipped_definitions() and beside.exists()
    return find_definition(str(beside) if of_project else settings.benchmark)


def _pass(cascade: _Cascade, pool: tuple[Item, ...], model: ModelConfig) -> _Pass:
    """Ask a model about the pool, trial by trial, as long as a further trial can decide anything."""
    settings, protocol = cascade.settings, cascade.protocol
    found = _Pass(pool)
    shown: dict[str, Shown] = {}
    for item in pool:
        put = show_item(item, cascade.condition)
        reason = _refusal(put, model, protocol)
        if reason or isinstance(put, NotShown):
            found.not_asked[item.id] = reason
        else:
            shown[item.id] = put
    record = _record(cascade, model)
    requests = _requests(cascade, shown, model)
    benchmark = cascade.context.benchmark_of(cascade.items)
    for trial in range(settings.trials):
        asks = tuple(
            Ask(name, f"trial {trial + 1}", request(trial))
            for name, request in requests.items()
            if _open(found.right.get(name, 0), trial, settings.solved_in)
        )
        if not asks:
            break
        answers = cascade.context.ask(TaskPlan(record, benchmark, model, asks), settings.budget)
        found.answers.append(answers)
        found.asked.update(ask.item_id for ask in asks)
        for ask in asks:
            _read(found, shown[ask.item_id], answers.replies[ask.place][0], protocol)
    return found


def _record(cascade: _Cascade, model: ModelConfig) -> TaskRecord:
    benchmark = cascade.context.benchmark_of(cascade.items)
    condition = cascade.condition
    return TaskRecord(
        kind=TaskKind.FILTER,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=cascade.protocol.decoding_for(model.decoding, model.capabilities).parameters(),
        about={"protocol": cascade.protocol.hash_under(condition), "condition": dict(condition.as_json())},
    )


def _requests(
    cascade: _Cascade, shown: Mapping[str, Shown], model: ModelConfig
) -> Mapping[str, Callable[[int], Request]]:
    """Return what makes the request of a trial, by item."""
    pictures = [(name, image) for name, each in shown.items() for image in each.wording.images]
    digests = digests_as_sent(pictures, cascade.context.pictures, model.capabilities, cascade.condition.images)
    decoding = cascade.protocol.decoding_for(model.decoding, model.capabilities)

    def requests_of(each: Shown) -> Callable[[int], Request]:
        messages = render(each, cascade.protocol)
        sent = tuple(digests[image] for message in messages for image in message.images)
        return lambda trial: Request(model.identity, messages, decoding.parameters(seed_offset=trial), trial, sent)

    return {name: requests_of(each) for name, each in shown.items()}


def _open(right: int, trial: int, solved_in: SolvedIn) -> bool:
    """Tell whether a further trial can still decide anything."""
    return right == 0 if solved_in is SolvedIn.ANY else right == trial


def _read(found: _Pass, shown: Shown, reply: Response, protocol: Protocol) -> None:
    outcome = shown.outcome(parser(protocol.strict)(reply.text, reply.finish_reason, shown.wording))
    name = shown.item.id
    if not isinstance(outcome, Answered):
        found.unread.add(name)
        return
    if isinstance(shown.item.key, TextKey):
        settled = match(str(outcome.value), shown.item.key.text)
        right = settled is Match.MATCH
        if settled is Match.UNDECIDED:
            found.undecided.add(name)
    else:
        right = score(outcome, shown.item.key) == 1.0
    found.right[name] = found.right.get(name, 0) + right


def _refusal(put: Shown | NotShown, model: ModelConfig, protocol: Protocol) -> str:
    """Return why a model is not asked about an item; nothing if it is."""
    if isinstance(put, NotShown):
        return put.reason
    if isinstance(put.item.key, TextKey) and protocol.strict != FREE_PARSER:
        return FREE_ANSWER
    if not protocol.selects(put.item):
        return f"the protocol {protocol.name} is not for it"
    return TEXT_ONLY if put.wording.images and not model.capabilities.images else ""


def _dropped(item: Item, stage: int, model: ModelConfig, found: _Pass) -> Change:
    details = {"stage": stage, "model": model.name, "right": found.right[item.id], "trials": found.asked[item.id]}
    return Change(item.id, Action.DROPPED, "a model answers it correctly", details)


def _row(stage: int, model: ModelConfig, found: _Pass, solved: frozenset[str], left: int) -> dict[str, object]:
    return {
        "stage": stage,
        "model": model.name,
        "in": len(found.items),
        "not asked": len(found.not_asked),
        "solved": len(solved),
        "no answer read": len(found.unread - solved),
        "undecided": len(found.undecided - solved),
        "out": left,
    }


def _not_asked(
    pool: Sequence[Item], passes: Sequence[_Pass], settings: FilterSettings, context: Context
) -> Iterator[Change]:
    """Yield what stays although not every model was asked about it, or no rule could tell whether it was right."""
    names = [context.models[role].name for role in settings.models]
    for item in pool:
        reasons: Mapping[str, str] = {
            name: each.not_asked[item.id] for name, each in zip(names, passes, strict=True) if item.id in each.not_asked
        }
        if reasons:
            yield Change(item.id, Action.NOTED, "not every model was asked about it", {"not_asked": dict(reasons)})
        undecided = [name for name, each in zip(names, passes, strict=True) if item.id in each.undecided]
        if undecided:
            yield Change(item.id, Action.NOTED, "no rule tells whether its free answer is right", {"of": undecided})
