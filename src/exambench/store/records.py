"""What goes into a store and what comes out, free of any database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from exambench.exchange import Failure, Response, Usage
from exambench.items import Item, digest
from exambench.outcomes import Judgement, Outcome, OutcomeKind

RUN_ID_LENGTH: Final = 16
"""Hexadecimal digits: 64 bits, so that a thousand runs collide with a probability below 1e-13."""
PERTURBATION: Final = "perturbation"
"""Key of a judging's condition that only probes of the judge have."""


@dataclass(frozen=True)
class RunRecord:
    """One model that sits one dataset under one protocol and condition.

    Attributes:
        benchmark: Name of the benchmark.
        dataset_hash: Content hash of its items.
        model_name: What to call the model.
        identity: Who answers, see :attr:`exambench.models.ModelConfig.identity`.
        decoding: The decoding settings of the model.
        model: The model's whole configuration as JSON values, without credentials.
        protocol_name: What to call the protocol.
        protocol_hash: Digest of the protocol.
        protocol: The protocol as JSON values.
        condition: Wording, language, images on or off, as JSON values.
    """

    benchmark: str
    dataset_hash: str
    model_name: str
    identity: str
    decoding: Mapping[str, object]
    model: Mapping[str, object]
    protocol_name: str
    protocol_hash: str
    protocol: Mapping[str, object]
    condition: Mapping[str, object] = field(default_factory=dict)

    @property
    def run_id(self) -> str:
        """Digest of what makes the run this run. Names, prices and limits may change without starting another."""
        return digest(
            [
                self.benchmark,
                self.dataset_hash,
                self.identity,
                dict(self.decoding),
                self.protocol_hash,
                dict(self.condition),
            ]
        )[:RUN_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One item and trial of a run, and the request that it leads to.

    Attributes:
        item_id: Identifier of the item.
        item_hash: Content hash of the item.
        trial: Counts repeats of the same item from 0.
        request_key: Key of the request; ``None`` when the model cannot take the item.
        note: Why there is no request. Where there is one, the order of the choices as :func:`planned_row` writes it;
            empty where they stand in the item's own.
    """

    item_id: str
    item_hash: str
    trial: int
    request_key: str | None
    note: str = ""

    @property
    def order(self) -> tuple[int, ...]:
        """For each choice as it is shown its index, from 1, among the item's own; empty for the item's own order."""
        return tuple(map(int, self.note.split())) if self.request_key is not None else ()


def planned_row(item: Item, trial: int, request_key: str, order: tuple[int, ...]) -> PlanRow:
    """Return the row of an item that is asked, with the order in which its choices are shown."""
    return PlanRow(item.id, item.content_hash, trial, request_key, " ".join(map(str, order)))


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response with its place in a run; ``created_at`` is when it was stored."""

    item_id: str
    trial: int
    request_key: str
    response: Response
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredFailure:
    """The last failure of a request that has no response yet, with its place in a run."""

    item_id: str
    trial: int
    request_key: str
    failure: Failure
    at: str


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """What a parser made of one item and trial."""

    item_id: str
    trial: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """An outcome with the parser that found it."""

    item_id: str
    trial: int
    parser: str
    parser_version: str
    outcome: Outcome


@dataclass(frozen=True)
class RunSummary:
    """How far a run has come and what it took.

    Attributes:
        run: The run.
        created_at: When it was first registered.
        updated_at: When something last happened to it.
        planned: Items times trials.
        answered: Those that have a response.
        failed: Those without a response whose request has failed at least once.
        unsupported: Those that the model cannot take.
        outcomes: For each parser, the number of outcomes of each kind.
        reasons: Why those that failed did, the last time, with their number; the most frequent reason first.
        usage: Sums over the run's responses; ``None`` where no response says. Responses that
            the run shares with others count in each of them.
        unmetered: Responses that do not say how many tokens went in, or how many came out.
        received: Responses that arrived while somebody worked on this run; the others were there before.
        seconds: Sum of the latencies of the run's responses.
        wall_seconds: Time during which at least one process worked on the run.
    """

    run: RunRecord
    created_at: str
    updated_at: str
    planned: int = 0
    answered: int = 0
    failed: int = 0
    unsupported: int = 0
    outcomes: Mapping[str, Mapping[OutcomeKind, int]] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    unmetered: int = 0
    received: int = 0
    seconds: float = 0.0
    wall_seconds: float = 0.0

    @property
    def run_id(self) -> str:
        """The run's identifier."""
        return self.run.run_id

    @property
    def open(self) -> int:
        """Items times trials that wait for a response, failed ones included."""
        return self.planned - self.answered - self.unsupported

    @property
    def complete(self) -> bool:
        """Whether every planned request has its response."""
        return self.planned > 0 and self.open == 0


class JudgingKind(StrEnum):
    """What a judge is asked about."""

    RUBRIC = "rubric"
    """How good a rationale is, by a rubric."""
    ANSWER = "answer"
    """Whether a free answer is right."""


@dataclass(frozen=True)
class JudgingRecord:
    """One judge that looks at one run, by one rubric and in one condition.

    Attributes:
        run_id: The run that is judged.
        kind: What the judge is asked about.
        judge_name: What to call the judge.
        identity: Who answers, see :attr:`exambench.models.ModelConfig.identity`.
        decoding: The decoding settings of the judge.
        judge: The judge's whole configuration as JSON values, without credentials.
        rubric_name: What to call the rubric.
        rubric_hash: Digest of the rubric, the judge's prompt included.
        rubric: The rubric as JSON values. A rubric of rationales has ``axes``, a list of objects with ``key`` and
            ``titles``, and the bounds of the scale, ``low`` and ``high``.
        condition: ``reference``, whether the judge sees the expert's rationale, and ``images``, whether it sees the
            pictures. ``perturbation``, where it is there, says what was changed in the answers before they were judged:
            such verdicts are about the judge, and no scores of the run.
    """

    run_id: str
    kind: JudgingKind
    judge_name: str
    identity: str
    decoding: Mapping[str, object]
    judge: Mapping[str, object]
    rubric_name: str
    rubric_hash: str
    rubric: Mapping[str, object]
    condition: Mapping[str, bool | str]

    @property
    def judging_id(self) -> str:
        """Digest of what makes the judging this judging; judge trials may be added without starting another."""
        return digest(
            [
                self.run_id,
                str(self.kind),
                self.identity,
                dict(self.decoding),
                self.rubric_hash,
                dict(self.condition),
            ]
        )[:RUN_ID_LENGTH]

    @property
    def with_reference(self) -> bool:
        """Whether the judge sees the expert's rationale."""
        return self.condition["reference"] is True

    @property
    def sees_images(self) -> bool:
        """Whether the judge sees the pictures."""
        return self.condition["images"] is True

    @property
    def is_perturbed(self) -> bool:
        """Whether this is a probe of the judge, whose verdicts are no scores of the run."""
        return PERTURBATION in self.condition


@dataclass(frozen=True, slots=True)
class JudgingTally:
    """How far a judging has come.

    Attributes:
        asked: Judgements that were asked for: answers times the judge's trials.
        judged: Those that have a verdict.
        unjudged: Those that have none that can be read, however often the judge was asked.
    """

    asked: int
    judged: int
    unjudged: int

    @property
    def open(self) -> int:
        """Those that wait for a reply, or for being read."""
        return self.asked - self.judged - self.unjudged


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One try to have one answer judged, and the request that it leads to.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial of the run that is judged.
        judge_trial: Counts repeats of the same judgement from 0.
        attempt: Counts tries at one judgement from 0; a further one follows a reply that cannot be read.
        request_key: Key of the request; ``None`` for what is settled without asking.
        note: What is worth knowing about what is judged: where the rationale was found, or how it is settled.
    """

    item_id: str
    trial: int
    judge_trial: int
    attempt: int
    request_key: str | None
    note: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """Item, trial, and judge trial: what one verdict is about."""
        return self.item_id, self.trial, self.judge_trial


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A response of a judge with its place in the judging."""

    row: JudgeRow
    response: Response


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """What was read from the replies of a judge to one answer.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial of the run that is judged.
        judge_trial: Repeat of the judgement, from 0.
        tries: How often the judge has replied.
        judgement: What came of it.
        request_key: Request whose response was read last; :meth:`Store.request` and the table ``responses`` have both
            texts. ``None`` for what was settled without asking.
    """

    item_id: str
    trial: int
    judge_trial: int
    tries: int
    judgement: Judgement
    request_key: str | None = None

    @property
    def place(self) -> tuple[str, int, int]:
        """Item, trial, and judge trial."""
        return self.item_id, self.trial, self.judge_trial
