"""What became of an item that was put to a model, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

AnswerValue = int | str | bool | tuple[str, ...]
"""A parsed answer: choice index, index or letter or free text, truth value, or several indices or letters."""


class OutcomeKind(StrEnum):
    """The ledger of what may become of a request. The first four score, the last two never do."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"


SCORED_KINDS: Final = frozenset(
    {OutcomeKind.ANSWERED, OutcomeKind.UNPARSED, OutcomeKind.TRUNCATED, OutcomeKind.REFUSED}
)


class Flag(StrEnum):
    """Something worth knowing about an answer that counts."""

    LENGTH_LIMIT = "length_limit"
    """The answer is complete although the response ran into the token limit."""
    EARLIER_ANSWER = "earlier_answer"
    """An earlier, different answer stands in the visible text and was ignored."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer was read from the response.

    Attributes:
        value: The answer.
        flags: What is worth knowing about it, in order of their names.
    """

    value: AnswerValue
    flags: tuple[Flag, ...] = ()

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.ANSWERED


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A response was given, but no answer in the required format stands in it.

    Attributes:
        reason: Short English phrase that names the rule that was broken.
    """

    reason: str

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.UNPARSED


@dataclass(frozen=True, slots=True)
class Truncated:
    """The token limit cut the response before an answer was complete."""

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.TRUNCATED


@dataclass(frozen=True, slots=True)
class Refused:
    """The model, or the endpoint's content filter, declined to answer."""

    reason: str = ""

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.REFUSED


@dataclass(frozen=True, slots=True)
class Failed:
    """Transport or server error: there is no response, and none is invented."""

    reason: str

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.FAILED


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The item asks for something that the model cannot take, such as a picture."""

    reason: str

    @property
    def kind(self) -> OutcomeKind:
        """The ledger's name for this outcome."""
        return OutcomeKind.UNSUPPORTED


ParseResult = Answered | Unparsed | Truncated
"""What a parser may say of a response."""

Outcome = Answered | Unparsed | Truncated | Refused | Failed | Unsupported
"""What may have become of an item."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a rationale.

    Attributes:
        scores: The score on each axis of the rubric, by the axis's key, in the order of the rubric.
        errors: Factual errors that the judge lists.
        reason: Why it scores so; may be empty.
    """

    scores: Mapping[str, int]
    errors: tuple[str, ...] = ()
    reason: str = ""

    @property
    def total(self) -> int:
        """Sum over the axes."""
        return sum(self.scores.values())


class Settlement(StrEnum):
    """How it was found out whether a free answer is right."""

    MATCH = "match"
    """It is the gold answer, as a string or as a number."""
    MISMATCH = "mismatch"
    """It is a number that no rounding and no change of unit makes the gold answer."""
    NO_ANSWER = "no_answer"
    """There is none, or it is empty."""
    JUDGE = "judge"
    """A judge was asked."""


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """Whether a free answer is right.

    Attributes:
        correct: Whether it is.
        settled: How that was found out.
    """

    correct: bool
    settled: Settlement = Settlement.JUDGE


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A judge was asked as often as it may be, and gave no verdict in the required form. It is in no mean.

    Attributes:
        reason: Short English phrase that names the rule that was broken by the last reply.
    """

    reason: str


Judgement = Verdict | AnswerVerdict | Unjudged
"""What has become of something that was put to a judge."""
