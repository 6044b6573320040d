"""What a stage did to each item, and why: the record that a build keeps of every stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType, UnionType
from typing import Any

from exambench.errors import ExambenchError
from exambench.items import Item, digest
from exambench.store.codec import item_to_json

Json = Mapping[str, Any]


class StageError(ExambenchError):
    """A stage lost, added or changed an item without saying why: a fault of the stage, not of the data."""


class Action(StrEnum):
    """What became of an item."""

    ADDED = "added"
    CHANGED = "changed"
    DROPPED = "dropped"
    NOTED = "noted"
    """It stays as it is, and there is something to know about it."""
    REVIEW = "review"
    """A person has to look at it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a stage did to one item.

    Attributes:
        item: Its identifier, or a name for what could not be made an item.
        action: What was done.
        reason: Why, as a short English phrase.
        details: Numbers and names behind the reason, as JSON values.
    """

    item: str
    action: Action
    reason: str
    details: Json = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Spending:
    """What a stage asked of models.

    Attributes:
        models: Names of the models.
        prompts: Digest of each prompt template, by its name.
        requests: Number of responses that the stage rests on.
        input_tokens: Sum over them; ``None`` where a response does not say.
        output_tokens: Likewise.
        cost: In the currency of the model files; ``None`` where a price or a count is missing.
    """

    models: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    requests: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage returns.

    Attributes:
        items: The items that go on, in order.
        changes: What was done to items; those that it does not name went through unchanged.
        facts: Results of the stage as a whole, as JSON values.
        spending: What it asked of models.
    """

    items: tuple[Item, ...]
    changes: tuple[Change, ...] = ()
    facts: Json = field(default_factory=lambda: MappingProxyType({}))
    spending: Spending = Spending()


@dataclass(frozen=True, slots=True)
class StageRecord:
    """What is kept of a stage that has run.

    Attributes:
        name: What the project calls the stage.
        use: The kind of stage.
        fingerprint: Digest of everything that its result depends on; the same fingerprint, the same result.
        n_in: Number of items that went in.
        n_out: Number of items that came out.
        output: Digest of the items that came out.
        changes: See :class:`StageResult`.
        facts: Likewise.
        spending: Likewise.
    """

    name: str
    use: str
    fingerprint: str
    n_in: int
    n_out: int
    output: str
    changes: tuple[Change, ...]
    facts: Json
    spending: Spending

    def count(self, action: Action) -> int:
        """Return how many items something was done to."""
        return len({change.item for change in self.changes if change.action is action})


def digest_of_items(items: Sequence[Item]) -> str:
    """Return a digest of items in their order: of labels, rationale and source too."""
    return digest([item_to_json(item) for item in items])


def check_result(name: str, before: Sequence[Item], result: StageResult) -> None:
    """Make sure that a stage has said what it did.

    Raises:
        StageError: An item vanished, appeared or differs, and no change says why; or two items share an identifier.
    """
    old, new = ({item.id: item_to_json(item) for item in items} for items in (before, result.items))
    if len(new) != len(result.items):
        raise StageError(f"stage {name}: two items of its output have the same identifier")
    said = {
        action: {change.item for change in result.changes if change.action is action}
        for action in (Action.ADDED, Action.CHANGED, Action.DROPPED)
    }
    happened = {
        Action.ADDED: new.keys() - old.keys(),
        Action.CHANGED: {item for item in new.keys() & old.keys() if new[item] != old[item]},
        Action.DROPPED: old.keys() - new.keys(),
    }
    for action, items in happened.items():
        unsaid, untrue = sorted(items - said[action]), sorted(said[action] - items)
        if unsaid or untrue:
            what = f"did not say that it was {action}" if unsaid else f"says that it was {action}, and it was not"
            raise StageError(f"stage {name}: item {(unsaid or untrue)[0]}: the stage {what}")


def record_to_json(record: StageRecord) -> Json:
    """Return a record as JSON values."""
    spending = record.spending
    return {
        "name": record.name,
        "use": record.use,
        "fingerprint": record.fingerprint,
        "in": record.n_in,
        "out": record.n_out,
        "output": record.output,
        "facts": dict(record.facts),
        "spending": {
            "models": list(spending.models),
            "prompts": dict(spending.prompts),
            "requests": spending.requests,
            "input_tokens": spending.input_tokens,
            "output_tokens": spending.output_tokens,
            "cost": spending.cost,
        },
        "changes": [
            {
                "item": change.item,
                "action": str(change.action),
                "reason": change.reason,
                "details": dict(change.details),
            }
            for change in record.changes
        ],
    }


def record_from_json(body: Json) -> StageRecord:
    """Return the record that :func:`record_to_json` wrote.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another type.
        ValueError: An action is not known.
    """
    spending = body["spending"]
    _check_types(
        *((body[name], str) for name in ("name", "use", "fingerprint", "output")),
        *((body[name], int) for name in ("in", "out")),
        *((value, Mapping) for value in (body["facts"], spending["prompts"])),
        *((value, list) for value in (body["changes"], spending["models"])),
        *((change[name], str) for change in body["changes"] for name in ("item", "reason")),
        *((change["details"], Mapping) for change in body["changes"]),
        (spending["requests"], int),
        *((spending[name], int | None) for name in ("input_tokens", "output_tokens")),
        (spending["cost"], float | int | None),
    )
    return StageRecord(
        name=body["name"],
        use=body["use"],
        fingerprint=body["fingerprint"],
        n_in=body["in"],
        n_out=body["out"],
        output=body["output"],
        changes=tuple(
            Change(change["item"], Action(change["action"]), change["reason"], change["details"])
            for change in body["changes"]
        ),
        facts=body["facts"],
        spending=Spending(
            models=tuple(spending["models"]),
            prompts=spending["prompts"],
            requests=spending["requests"],
            input_tokens=spending["input_tokens"],
            output_tokens=spending["output_tokens"],
            cost=spending["cost"],
        ),
    )


def _check_types(*values: tuple[object, type | UnionType]) -> None:
    for value, expected in values:
        if not isinstance(value, expected):
            raise TypeError(f"a field is a {type(value).__name__}, and no {expected}")
