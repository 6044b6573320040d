"""Items, responses and outcomes to JSON values and rows, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from exambench.errors import StoreError, show
from exambench.exchange import Attempt, Failure, Response, Usage
from exambench.items import (
    Axis,
    Benchmark,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    Image,
    Item,
    Key,
    TextKey,
    Wording,
    key_as_pair,
)
from exambench.outcomes import (
    Answered,
    AnswerVerdict,
    Failed,
    Flag,
    Judgement,
    Outcome,
    OutcomeKind,
    Refused,
    Settlement,
    Truncated,
    Unjudged,
    Unparsed,
    Unsupported,
    Verdict,
)

Json = dict[str, Any]

UNJUDGED: Final = "unjudged"
"""Kind of a stored verdict that there is none."""


def item_to_json(item: Item) -> Json:
    """Return everything about an item as JSON values; a passage that there is not is left out."""
    return {
        "id": item.id,
        "wordings": {name: _wording_to_json(wording) for name, wording in item.wordings.items()},
        "key": dict([key_as_pair(item.key)]),
        "facets": dict(item.facets),
        "rationale": item.rationale,
        "source": item.source,
        **({"passage": item.passage} if item.passage else {}),
    }


def item_from_json(body: Mapping[str, Any]) -> Item:
    """Return the item that :func:`item_to_json` wrote.

    Raises:
        StoreError: The body is not of that form.
    """
    try:
        return Item(
            id=body["id"],
            wordings={name: _wording_from_json(wording) for name, wording in body["wordings"].items()},
            key=_key_from_json(body["key"]),
            facets=dict(body["facets"]),
            rationale=body["rationale"],
            source=body["source"],
            passage=body.get("passage", ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"a stored item cannot be read: {error!r} in {show(body)}") from error


def about_to_json(benchmark: Benchmark) -> Json:
    """Return what a benchmark says of itself, its items apart, as JSON values."""
    return {
        "title": benchmark.title,
        "axes": [
            {"name": axis.name, "titles": dict(axis.titles), "where": {k: list(v) for k, v in axis.where.items()}}
            for axis in benchmark.axes
        ],
        "licence": benchmark.licence,
        "pass_mark": benchmark.pass_mark,
        "minutes": benchmark.minutes,
        "exam_items": benchmark.exam_items,
    }


def benchmark_from_json(name: str, about: Mapping[str, Any], items: tuple[Item, ...]) -> Benchmark:
    """Return the benchmark that :func:`about_to_json` wrote about.

    Raises:
        StoreError: The value is not of that form.
    """
    try:
        axes = tuple(
            Axis(axis["name"], dict(axis["titles"]), {k: tuple(v) for k, v in axis["where"].items()})
            for axis in about["axes"]
        )
        return Benchmark(
            name=name,
            title=about["title"],
            items=items,
            axes=axes,
            licence=about["licence"],
            pass_mark=about["pass_mark"],
            minutes=about["minutes"],
            exam_items=about["exam_items"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"a stored benchmark cannot be read: {error!r} in {show(about)}") from error


def _wording_to_json(wording: Wording) -> Json:
    return {
        "question": _content_to_json(wording.question),
        "choices": [_content_to_json(choice) for choice in wording.choices],
    }


def _wording_from_json(body: Mapping[str, Any]) -> Wording:
    return Wording(
        question=_content_from_json(body["question"]),
        choices=tuple(_content_from_json(choice) for choice in body["choices"]),
    )


def _content_to_json(content: Content) -> Json:
    return {"text": content.text, "images": [[image.path, image.sha256] for image in content.images]}


def _content_from_json(body: Mapping[str, Any]) -> Content:
    return Content(text=body["text"], images=tuple(Image(path=path, sha256=sha) for path, sha in body["images"]))


def _key_from_json(body: Mapping[str, Any]) -> Key:
    match body:
        case {"choice": index}:
            return ChoiceKey(index)
        case {"choices": indices}:
            return ChoiceSetKey(frozenset(indices))
        case {"boolean": value}:
            return BooleanKey(value)
        case {"text": text}:
            return TextKey(text)
        case _:
            raise ValueError(f"no key of a known kind in {show(body)}")


def response_to_row(request_key: str, response: Response, created_at: str) -> Json:
    """Return a response as a row of the table ``responses``."""
    return {
        "request_key": request_key,
        "text": response.text,
        "reasoning": response.reasoning,
        "finish_reason": response.finish_reason,
        "refusal": response.refusal,
        "input_tokens": response.usage.input_tokens,
        "output_tokens": response.usage.output_tokens,
        "cached_tokens": response.usage.cached_tokens,
        "reasoning_tokens": response.usage.reasoning_tokens,
        "seconds": response.seconds,
        "attempts": _attempts_to_json(response.attempts),
        "served_model": response.served_model,
        "adjustments": list(response.adjustments),
        "created_at": created_at,
    }


def response_from_row(row: Any) -> Response:  # noqa: ANN401 - a row of columns that the caller chose
    """Return the response in a row that has the columns of the table ``responses``."""
    return Response(
        text=row.text,
        reasoning=row.reasoning,
        finish_reason=row.finish_reason,
        refusal=row.refusal,
        usage=Usage(
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            cached_tokens=row.cached_tokens,
            reasoning_tokens=row.reasoning_tokens,
        ),
        seconds=row.seconds,
        attempts=attempts_from_json(row.attempts),
        served_model=row.served_model,
        adjustments=tuple(row.adjustments),
    )


def failure_to_row(request_key: str, failure: Failure, at: str) -> Json:
    """Return a failure as a row of the table ``failures``."""
    return {
        "request_key": request_key,
        "at": at,
        "reason": failure.reason,
        "attempts": _attempts_to_json(failure.attempts),
    }


def failure_from_row(row: Any) -> Failure:  # noqa: ANN401 - a row of columns that the caller chose
    """Return the failure in a row that has the columns of the table ``failures``."""
    return Failure(reason=row.reason, attempts=attempts_from_json(row.attempts))


def _attempts_to_json(attempts: tuple[Attempt, ...]) -> list[list[Any]]:
    return [[attempt.started_at, attempt.seconds, attempt.error, attempt.status] for attempt in attempts]


def attempts_from_json(attempts: list[list[Any]]) -> tuple[Attempt, ...]:
    """Return the attempts that a row of the tables ``responses`` or ``failures`` keeps."""
    return tuple(
        Attempt(started_at=started_at, seconds=seconds, error=error, status=status)
        for started_at, seconds, error, status in attempts
    )


def outcome_to_row(outcome: Outcome) -> Json:
    """Return an outcome as the columns ``kind``, ``value``, ``reason`` and ``flags`` of the table ``outcomes``."""
    row: Json = {"kind": str(outcome.kind), "value": None, "reason": "", "flags": []}
    match outcome:
        case Answered(value, flags):
            return row | {
                "value": list(value) if isinstance(value, tuple) else value,
                "flags": [str(flag) for flag in flags],
            }
        case Truncated():
            return row
        case Unparsed(reason) | Refused(reason) | Failed(reason) | Unsupported(reason):
            return row | {"reason": reason}


def outcome_from_row(row: Any) -> Outcome:  # noqa: ANN401 - a row of columns that the caller chose
    """Return the outcome in a row that has the columns of the table ``outcomes``.

    Raises:
        StoreError: The row names a kind or a flag that this program does not know.
    """
    try:
        kind = OutcomeKind(row.kind)
        flags = tuple(Flag(flag) for flag in row.flags)
    except ValueError as error:
        raise StoreError(f"a stored outcome of item {show(row.item_id)} cannot be read: {error}") from error
    match kind:
        case OutcomeKind.ANSWERED:
            return Answered(tuple(row.value) if isinstance(row.value, list) else row.value, flags)
        case OutcomeKind.TRUNCATED:
            return Truncated()
        case OutcomeKind.UNPARSED:
            return Unparsed(row.reason)
        case OutcomeKind.REFUSED:
            return Refused(row.reason)
        case OutcomeKind.FAILED:
            return Failed(row.reason)
        case OutcomeKind.UNSUPPORTED:
            return Unsupported(row.reason)


def judgement_to_row(judgement: Judgement) -> Json:
    """Return a judgement as the columns ``kind`` and ``body`` of the table ``verdicts``."""
    match judgement:
        case Verdict(scores, errors, reason):
            # A list of pairs, for the store sorts the keys of objects and the rubric has an order of its own.
            body: Json = {"scores": [list(pair) for pair in scores.items()], "errors": list(errors), "reason": reason}
            return {"kind": "verdict", "body": body}
        case AnswerVerdict(correct, settled):
            return {"kind": "answer", "body": {"correct": correct, "settled": str(settled)}}
        case Unjudged(reason):
            return {"kind": UNJUDGED, "body": {"reason": reason}}


def judgement_from_json(kind: str, body: Mapping[str, Any]) -> Judgement:
    """Return the judgement that :func:`judgement_to_row` wrote.

    Raises:
        StoreError: The row is not of that form.
    """
    try:
        match kind:
            case "verdict":
                return Verdict(dict(body["scores"]), tuple(body["errors"]), body["reason"])
            case "answer":
                return AnswerVerdict(body["correct"], Settlement(body["settled"]))
            case _ if kind == UNJUDGED:
                return Unjudged(body["reason"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"a stored verdict cannot be read: {error!r} in {show(body)}") from error
    raise StoreError(f"a stored verdict is of a kind that this program does not know: {show(kind)}")
