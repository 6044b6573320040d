"""One answer of a run with everything that is known of it, and which answers of a run are meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from exambench.exchange import Attempt, Usage
from exambench.outcomes import Outcome
from exambench.store.records import JudgingRecord, VerdictRow

MOST_FAILURES: Final = 20
MOST_VERDICTS: Final = 100

Place = tuple[str, int]
"""Item and trial."""


class AnswerState(StrEnum):
    """What has become of an item in a trial: the ledger of outcomes, with answers told apart and what is not yet."""

    RIGHT = "right"
    WRONG = "wrong"
    ANSWERED = "answered"
    """A free answer, which a judge decides about."""
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    UNREAD = "unread"
    """There is a response, and no parser could be asked about it."""
    WAITING = "waiting"


class AnswerOrder(StrEnum):
    """In which order answers stand; those that are equal in it follow the examination."""

    EXAM = "exam"
    SLOWEST = "slowest"
    LONGEST = "longest"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class FreshReading:
    """What the two parsers of a run make of a response that has no stored outcome yet."""

    item_id: str
    trial: int
    strict: Outcome
    lenient: Outcome

    @property
    def place(self) -> Place:
        """Item and trial."""
        return self.item_id, self.trial


@dataclass(frozen=True)
class RunFacts:
    """What queries about the answers of a run need to know.

    Attributes:
        run_id: The run.
        benchmark: Its benchmark.
        dataset_hash: Content hash of its dataset.
        strict: Name of its strict parser.
        lenient: Name of its lenient parser.
        fresh: What has become of responses that have no stored outcome yet, by item and trial.
        marks: Which answers are right, by item and canonical JSON of the parsed value; only those that are looked for
            by right and wrong need it.
    """

    run_id: str
    benchmark: str
    dataset_hash: str
    strict: str
    lenient: str
    fresh: Mapping[Place, FreshReading] = field(default_factory=lambda: MappingProxyType({}))
    marks: Mapping[tuple[str, str], bool] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Selection:
    """Which answers of a run, and in which order; by default all, in the order of the examination.

    Attributes:
        states: What has become of them; empty for anything.
        items: To these items only; ``None`` for all.
        readings_differ: Only where the strict and the lenient parser read something else.
        trials_differ: Only to items that are answered differently in different trials.
        text: Only where this stands in the answer, in its reasoning or in the item's identifier.
        items_with_text: Items that count as having the text as well, since it stands in the question.
        order: In which order.
    """

    states: frozenset[AnswerState] = frozenset()
    items: frozenset[str] | None = None
    readings_differ: bool = False
    trials_differ: bool = False
    text: str = ""
    items_with_text: frozenset[str] = frozenset()
    order: AnswerOrder = AnswerOrder.EXAM


@dataclass(frozen=True)
class AnswerRow:
    """A line about an answer in a list.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial, from 0.
        request_key: Key of the request; ``None`` when the model cannot take the item.
        note: Why there is no request.
        strict: What the strict parser read; ``None`` while nothing was read.
        lenient: Likewise.
        beginning: The first characters of the answer; ``None`` where there is no text.
        seconds: Latency; ``None`` without a response.
        output_tokens: As the endpoint counted them.
        failure: The last failure of a request without a response.
    """

    item_id: str
    trial: int
    request_key: str | None
    note: str
    strict: Outcome | None
    lenient: Outcome | None
    beginning: str | None
    seconds: float | None
    output_tokens: int | None
    failure: str | None

    @property
    def place(self) -> Place:
        """Item and trial."""
        return self.item_id, self.trial

    @property
    def has_response(self) -> bool:
        """Whether the request was answered."""
        return self.seconds is not None


@dataclass(frozen=True)
class CutText:
    """The beginning of a text.

    Attributes:
        text: As much as was asked for.
        length: Characters of the whole.
    """

    text: str
    length: int

    @property
    def is_cut(self) -> bool:
        """Whether something is missing."""
        return self.length > len(self.text)


@dataclass(frozen=True)
class CutResponse:
    """A response whose texts may be cut; see :class:`exambench.exchange.Response`."""

    text: CutText | None
    reasoning: CutText | None
    refusal: CutText | None
    finish_reason: str | None
    usage: Usage
    seconds: float
    attempts: tuple[Attempt, ...]
    served_model: str | None
    adjustments: tuple[str, ...]
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredReading:
    """An outcome with the version of the parser that found it; ``None`` for what was read just now."""

    outcome: Outcome
    version: str | None


@dataclass(frozen=True)
class Answer:
    """Everything that is known of one answer.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial, from 0.
        request_key: Key of the request; ``None`` when the model cannot take the item.
        note: Why there is no request.
        request: What was asked, as JSON values: ``messages`` and ``parameters``; ``None`` without a request.
        response: What was answered; ``None`` where nothing was yet.
        readings: What each parser made of it, by name.
        failures: When and why requests failed, with the attempts; the last one first, at most :data:`MOST_FAILURES`.
        verdicts: What judges say of it, the first judging first; at most :data:`MOST_VERDICTS`.
    """

    item_id: str
    trial: int
    request_key: str | None
    note: str
    request: Mapping[str, Any] | None
    response: CutResponse | None
    readings: Mapping[str, StoredReading]
    failures: tuple[StoredMishap, ...]
    verdicts: tuple[tuple[JudgingRecord, VerdictRow], ...]


@dataclass(frozen=True, slots=True)
class StoredMishap:
    """One failure of a request."""

    at: str
    reason: str
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """What another run has on the same item."""

    run_id: str
    trial: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an answer stands in a selection.

    Attributes:
        number: Its number, from 1.
        total: Answers of the selection.
        before: The answer before it.
        after: The answer after it.
    """

    number: int
    total: int
    before: Place | None
    after: Place | None
