"""The page of one answer: what was asked, what came back, what was made of it, and what others have on the item."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from exambench.analysis.marks import mark
from exambench.items import ChoiceKey, ChoiceSetKey, Item
from exambench.judging.perturbations import AS_WRITTEN
from exambench.outcomes import Answered, AnswerVerdict, Outcome, Unjudged, Verdict
from exambench.parsing import visible_text
from exambench.parsing.unicode import normal_form
from exambench.report.view import addresses
from exambench.report.view.filters import Filters, selection_of
from exambench.report.view.listing import key_shown, shown, state_of
from exambench.report.view.live import Moment
from exambench.report.view.peers import Peer, peers_of
from exambench.scoring.values import index_of, indices_of
from exambench.store import PERTURBATION, RunRecord
from exambench.store.answer_records import Answer, AnswerState, CutText, Place, RunFacts, StoredReading

LONGEST: Final = 20_000
"""Characters of a text that stand on a page; the whole is one click away."""
MOST_ERRORS: Final = 50
RESPONSE_PARTS: Final = frozenset({"text", "reasoning", "refusal"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, or a picture, of a prompt.

    Attributes:
        text: The text; ``None`` for a picture.
        digest: The digest of the picture's file; empty where it is not known.
        path: What the picture is called.
    """

    text: CutText | None = None
    digest: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser made of a response.

    Attributes:
        role: ``strict`` or ``lenient``.
        parser: Its name.
        version: Its version; ``None`` for what was read just now.
        outcome: What came of it; ``None`` while it was not read.
        answer: The answer, for people.
        reason: Why there is none.
        flags: What is worth knowing about it.
        right: Whether it is right; ``None`` without a score.
    """

    role: str
    parser: str
    version: str | None
    outcome: Outcome | None
    answer: str
    reason: str
    flags: tuple[str, ...]
    right: bool | None


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of an item.

    Attributes:
        number: From 1.
        text: What it says.
        pictures: Digests and names of its pictures.
        is_key: Whether it is right.
        is_picked: Whether the model picked it.
        others: Number of answers of other runs that picked it.
    """

    number: int
    text: CutText
    pictures: tuple[Piece, ...]
    is_key: bool
    is_picked: bool
    others: int


def answer_content(moment: Moment, run: RunRecord, place: Place, filters: Filters) -> dict[str, Any] | None:
    """Return what the page of an answer shows; ``None`` where the run has no such item and trial.

    Raises:
        ConfigError: The run's parser and the benchmark's keys don't fit each other.
        StoreError: The store cannot be read.
    """
    answer = moment.store.answers.one(run.run_id, place, most=LONGEST)
    benchmark = moment.benchmark(run)
    if answer is None or place[0] not in benchmark.by_id:
        return None
    item = benchmark.by_id[place[0]]
    facts = moment.facts(run, moment.marks(run) if filters.states else None)
    parsed = [_parsed(role, answer, item, facts) for role in ("strict", "lenient")]
    state = (
        AnswerState.FAILED
        if answer.response is None and answer.failures
        else state_of(
            parsed[0].outcome, item.key, asked=answer.request_key is not None, answered=answer.response is not None
        )
    )
    peers = list(peers_of(moment, run, item, place))
    neighbours = moment.store.answers.neighbours(facts, selection_of(moment, run, filters), place)
    picked = _picked(parsed[0].outcome)
    return {
        "run": run,
        "benchmark": benchmark,
        "item": item,
        "answer": answer,
        "attempts": () if answer.response is None else answer.response.attempts,
        "state": state,
        "filters": filters,
        "neighbours": neighbours,
        "before": _way(run, neighbours.before if neighbours else None, filters),
        "after": _way(run, neighbours.after if neighbours else None, filters),
        "list": addresses.of_run(run.run_id, filters),
        "messages": list(_messages(answer.request)),
        "parameters": _indented((answer.request or {}).get("parameters", {})),
        "visible": _visible(answer),
        "parsed": parsed,
        "key": key_shown(item.key),
        "options": list(_options(item, str(run.condition["wording"]), picked, peers)),
        "peers": peers,
        "rationale": cut(item.rationale),
        "verdicts": [_verdict(judging, row.judgement, row.judge_trial) for judging, row in answer.verdicts],
        "raw": {
            part: addresses.of_raw(run.run_id, place, part)
            for part in (*sorted(RESPONSE_PARTS), "prompt", "rationale", "verdicts")
        },
    }


def raw_text(moment: Moment, run: RunRecord, place: Place, part: str) -> str | None:
    """Return a whole text; ``None`` where there is none.

    Args:
        moment: The store.
        run: The run.
        place: Item and trial.
        part: ``text``, ``reasoning``, ``refusal``, ``prompt``, ``rationale`` or ``verdicts``.

    Raises:
        StoreError: The store cannot be read.
    """
    if part in RESPONSE_PARTS:
        return moment.store.answers.text(run.run_id, place, part)
    answer = moment.store.answers.one(run.run_id, place, most=0)
    if answer is None:
        return None
    match part:
        case "prompt":
            return None if answer.request is None else _indented(answer.request)
        case "rationale":
            item = moment.benchmark(run).by_id.get(place[0])
            return None if item is None else item.rationale
        case "verdicts":
            said = [_verdict(judging, row.judgement, row.judge_trial, None) for judging, row in answer.verdicts]
            return _indented([{**each, "reason": each["reason"].text} for each in said])
    return None


def cut(text: str, most: int = LONGEST) -> CutText:
    """Return the beginning of a text."""
    return CutText(text[:most], len(text))


def _parsed(role: str, answer: Answer, item: Item, facts: RunFacts) -> Parsed:
    name = facts.strict if role == "strict" else facts.lenient
    fresh = facts.fresh.get((answer.item_id, answer.trial))
    just_read = None if fresh is None else StoredReading(fresh.strict if role == "strict" else fresh.lenient, None)
    reading = answer.readings.get(name, just_read)
    outcome = None if reading is None else reading.outcome
    return Parsed(
        role=role,
        parser=name,
        version=None if reading is None else reading.version,
        outcome=outcome,
        answer=shown(outcome),
        reason=str(getattr(outcome, "reason", "")),
        flags=tuple(map(str, outcome.flags)) if isinstance(outcome, Answered) else (),
        right=mark(outcome, item.key),
    )


def _messages(request: Mapping[str, Any] | None) -> Iterator[tuple[str, list[Piece]]]:
    for message in (request or {}).get("messages", []):
        yield (
            str(message.get("role", "")),
            [
                Piece(text=cut(str(part["text"])))
                if "text" in part
                else Piece(digest=str(part.get("sha256") or ""), path=str(part.get("image", "")))
                for part in message.get("parts", [])
            ],
        )


def _visible(answer: Answer) -> CutText | None:
    """Return what the parsers look at, where that is not the whole text; ``None`` where it is, or cannot be told."""
    text = None if answer.response is None else answer.response.text
    if text is None or text.is_cut:
        return None
    visible = visible_text(text.text)
    return None if visible == normal_form("NFC", text.text) else cut(visible)


def _picked(outcome: Outcome | None) -> frozenset[int]:
    if not isinstance(outcome, Answered):
        return frozenset()
    if isinstance(outcome.value, tuple):
        return indices_of(outcome.value) or frozenset()
    index = index_of(outcome.value)
    return frozenset() if index is None else frozenset({index})


def _options(item: Item, wording: str, picked: frozenset[int], peers: list[Peer]) -> Iterator[Option]:
    keys = (
        frozenset({item.key.index})
        if isinstance(item.key, ChoiceKey)
        else item.key.indices
        if isinstance(item.key, ChoiceSetKey)
        else frozenset()
    )
    for number, choice in enumerate(item.wording(wording).choices, start=1):
        pictures = tuple(Piece(digest=image.sha256 or "", path=image.path) for image in choice.images)
        others = sum(peer.answer == str(number) for peer in peers)
        yield Option(number, cut(choice.text, 2_000), pictures, number in keys, number in picked, others)


def _verdict(judging: Any, judgement: Any, judge_trial: int, most: int | None = LONGEST) -> dict[str, Any]:  # noqa: ANN401 - records of the store
    said: dict[str, Any] = {
        "judge": judging.judge_name,
        "rubric": judging.rubric_name,
        "with_reference": judging.with_reference,
        "probe": judging.condition.get(PERTURBATION),
        "is_control": judging.condition.get(PERTURBATION) == AS_WRITTEN,
        "judge_trial": judge_trial,
        "scores": {},
        "total": None,
        "errors": (),
        "correct": None,
        "unjudged": isinstance(judgement, Unjudged),
        "reason": CutText("", 0),
    }
    match judgement:
        case Verdict(scores, errors, reason):
            said |= {"scores": dict(scores), "total": judgement.total, "errors": errors[:MOST_ERRORS]}
            said["reason"] = CutText(reason[:most], len(reason))
        case AnswerVerdict(correct, settled):
            said |= {"correct": correct, "settled": str(settled)}
        case Unjudged(reason):
            said["reason"] = CutText(reason[:most], len(reason))
    return said


def _way(run: RunRecord, place: Place | None, filters: Filters) -> str | None:
    return None if place is None else addresses.of_answer(run.run_id, place, filters)


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
