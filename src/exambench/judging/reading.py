"""From what a judge said to verdicts: repeatable without the judge, from the store alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from exambench.exchange import Response
from exambench.judging.answers import read_answer_verdict
from exambench.judging.instrument import Reader, judgement_of
from exambench.judging.planning import TRIES
from exambench.judging.rationales import read_verdict
from exambench.judging.rubric import rubric_from_json
from exambench.outcomes import AnswerVerdict, Judgement, Settlement, Unjudged, Verdict
from exambench.store import JudgeReply, JudgeRow, JudgingKind, JudgingRecord, Store, VerdictRow


@dataclass(frozen=True, slots=True)
class Change:
    """A judgement that differs from the one that was stored.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial of the run.
        judge_trial: Repeat of the judgement.
        before: What was stored.
        after: What is read now; ``None`` when the judge must be asked again.
    """

    item_id: str
    trial: int
    judge_trial: int
    before: Judgement
    after: Judgement | None


@dataclass(frozen=True)
class Reading:
    """What the replies of a judge amount to so far.

    Attributes:
        verdicts: What is decided.
        unreadable: The last try of each judgement whose replies so far cannot be read, and which may be tried again.
    """

    verdicts: tuple[VerdictRow, ...]
    unreadable: tuple[JudgeRow, ...]


def reader_of(record: JudgingRecord) -> Reader:
    """Return how the replies of a judging are read.

    Raises:
        ConfigError: The stored rubric cannot be read.
    """
    if record.kind is JudgingKind.ANSWER:
        return read_answer_verdict
    rubric = rubric_from_json(record.rubric)
    return lambda words: read_verdict(words, rubric)


def decide(rows: Iterable[JudgeRow], replies: Mapping[JudgeRow, Response], read: Reader) -> Reading:
    """Return what is decided: by the first reply that can be read, or because the last allowed one cannot.

    Args:
        rows: The plan, tries of one judgement in their order.
        replies: The responses that there are.
        read: Reads the visible words of a reply.
    """
    tries: dict[tuple[str, int, int], list[JudgeRow]] = {}
    for row in rows:
        tries.setdefault(row.place, []).append(row)
    verdicts: list[VerdictRow] = []
    unreadable: list[JudgeRow] = []
    for (item_id, trial, judge_trial), attempts in tries.items():
        if attempts[0].request_key is None:
            verdicts.append(VerdictRow(item_id, trial, judge_trial, 0, _settled(attempts[0])))
            continue
        last = _last_that_counts(attempts, replies, read)
        if last is None:
            continue
        row, judgement = last
        if isinstance(judgement, Unjudged) and row.attempt + 1 < TRIES:
            unreadable.append(row)
        else:
            verdicts.append(VerdictRow(item_id, trial, judge_trial, row.attempt + 1, judgement, row.request_key))
    return Reading(tuple(verdicts), tuple(unreadable))


def read_verdicts(store: Store, record: JudgingRecord) -> tuple[Reading, tuple[Change, ...]]:
    """Read every stored reply of a judging, and store the verdicts.

    Returns:
        What the replies amount to, and what changed against the verdicts that were stored.

    Raises:
        StoreError: The store cannot be read or written.
    """
    before = {row.place: row.judgement for row in store.judgings.verdicts(record.judging_id)}
    replies: Sequence[JudgeReply] = list(store.judgings.replies(record.judging_id))
    reading = decide(
        store.judgings.planned(record.judging_id),
        {reply.row: reply.response for reply in replies},
        reader_of(record),
    )
    store.judgings.save_verdicts(record.judging_id, reading.verdicts, seen={reply.row.request_key for reply in replies})
    after = {row.place: row.judgement for row in reading.verdicts}
    changes = tuple(Change(*place, old, after.get(place)) for place, old in before.items() if after.get(place) != old)
    return reading, changes


def describe(judgement: Judgement | None) -> str:
    """Return a judgement in a few words."""
    match judgement:
        case None:
            return "to be asked again"
        case Verdict(scores, errors):
            return f"{'+'.join(map(str, scores.values()))}={judgement.total}, {len(errors)} factual errors"
        case AnswerVerdict(correct, settled):
            return f"{'TRUE' if correct else 'FALSE'} ({settled})"
        case Unjudged(reason):
            return f"unjudged ({reason})"


def _settled(row: JudgeRow) -> AnswerVerdict:
    settlement = Settlement(row.note)
    return AnswerVerdict(settlement is Settlement.MATCH, settlement)


def _last_that_counts(
    attempts: Sequence[JudgeRow], replies: Mapping[JudgeRow, Response], read: Reader
) -> tuple[JudgeRow, Judgement] | None:
    """Return the first try whose reply can be read, else the last one that has a reply."""
    last: tuple[JudgeRow, Judgement] | None = None
    for row in attempts:
        response = replies.get(row)
        if response is None:
            break
        last = row, judgement_of(response, read)
        if not isinstance(last[1], Unjudged):
            break
    return last
