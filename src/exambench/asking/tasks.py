"""A task: one model, one kind of question, and what to do with a reply that cannot be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from exambench.engine.wire import CHAT, Wire
from exambench.exchange import Request, Response
from exambench.items import Benchmark
from exambench.models import ModelConfig
from exambench.store import Store, TaskRecord, TaskRow

TRIES: Final = 3
"""How often one thing is asked for, the first time included."""

Place = tuple[str, str]
"""Item and variant."""


class NextTry(Protocol):
    """Says how to ask again after a reply. Pure."""

    def __call__(self, ask: Ask, attempt: int, reply: Response) -> Request | None:
        """Return the request of the try after this one; ``None`` where the reply can be used."""
        ...


@dataclass(frozen=True)
class Ask:
    """One thing that is asked about an item.

    Attributes:
        item_id: Identifier of the item.
        variant: Tells several requests about one item apart.
        request: The first try; ``None`` when there is nothing to ask.
        note: Why there is nothing to ask.
    """

    item_id: str
    variant: str
    request: Request | None
    note: str = ""

    @property
    def place(self) -> Place:
        """Item and variant."""
        return self.item_id, self.variant


def never_again(ask: Ask, attempt: int, reply: Response) -> Request | None:  # noqa: ARG001 - the signature of NextTry
    """Take every reply as it is."""
    return None


@dataclass(frozen=True)
class TaskPlan:
    """All that a task asks.

    Attributes:
        record: What makes it this task.
        benchmark: The items, with the folder of their pictures if the model sees them.
        model: Who is asked.
        asks: What is asked.
        again: How to ask again.
        wire: The protocol of the endpoint.
    """

    record: TaskRecord
    benchmark: Benchmark
    model: ModelConfig
    asks: tuple[Ask, ...]
    again: NextTry = field(default=never_again)
    wire: Wire = CHAT

    def tries(self, replies: Mapping[Place, tuple[Response, ...]]) -> Iterator[tuple[TaskRow, Request | None]]:
        """Yield every try that is due: the first ones, and those that follow from replies."""
        for ask in self.asks:
            request, note = ask.request, ask.note
            yield TaskRow(*ask.place, 0, None if request is None else request.key(), note), request
            for attempt, reply in enumerate(replies.get(ask.place, ())):
                further = self.again(ask, attempt, reply) if attempt + 1 < TRIES else None
                if further is None:
                    break
                yield TaskRow(*ask.place, attempt + 1, further.key()), further


def replies_of(store: Store, record: TaskRecord) -> dict[Place, tuple[Response, ...]]:
    """Return the replies of a task by item and variant, in the order of the tries, up to the first that is missing."""
    found: defaultdict[Place, list[Response]] = defaultdict(list)
    for row, response in store.tasks.replies(record.task_id).items():
        if response is not None and len(found[row.place]) == row.attempt:
            found[row.place].append(response)
    return {place: tuple(replies) for place, replies in found.items() if replies}
