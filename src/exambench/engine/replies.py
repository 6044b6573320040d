"""From the bytes of a reply to a response, or to the reason why it is none. Pure.

Messages here are whole and raw; whoever shows one removes secrets first and shortens it then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from exambench.errors import ReplyError
from exambench.exchange import Response, Usage
from exambench.text import storable

LARGEST_COUNT: Final = 2**40
"""Far more tokens than any model reads, and so few that sums over millions of responses fit 64 bits."""

_MARKUP: Final = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class ServerError:
    """What an endpoint says when it declines.

    Attributes:
        message: For people; may be long, and may echo what was sent.
        param: Name of the offending parameter, if given.
        code: Short word or number, if given.
    """

    message: str
    param: str | None = None
    code: str | None = None


def decode(payload: bytes) -> str:
    """Return the payload as text; bytes that are no UTF-8 become U+FFFD."""
    return payload.decode("utf-8", "replace").removeprefix("\ufeff")


def read_object(payload: bytes) -> dict[str, Any]:
    """Read the body of a successful reply.

    Raises:
        ReplyError: It is no JSON object, or it is an error.
    """
    data = _load(payload)
    if not isinstance(data, dict):
        raise ReplyError(f"the reply is a JSON {_json_type(data)}, not an object")
    if data.get("error"):
        raise ReplyError(f"the reply is an error: {_read_error_value(data).message}")
    return data


def read_first_choice(payload: bytes) -> tuple[dict[str, Any], Any]:
    """Read the body of a reply that has choices; return it with the first of them, whatever that is.

    Raises:
        ReplyError: It has none, or it is an error.
    """
    data = read_object(payload)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ReplyError("the reply has no choices")
    return data, choices[0]


def read_completion(payload: bytes) -> Response:
    """Read the body of a successful ``/chat/completions`` reply.

    Text may be missing or empty: a model that only reasoned has answered. Several parts are joined.

    Returns:
        The response without latency and attempts, every string storable.

    Raises:
        ReplyError: The body is no chat completion; the message does not quote the body, except for what an
            error object says.
    """
    data, choice = read_first_choice(payload)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise ReplyError("the reply's first choice has no message")
    finish_reason = _text_or_none(choice.get("finish_reason"))
    if choice.get("error") or finish_reason == "error":
        raise ReplyError(f"the reply's first choice is an error: {_read_error_value(choice).message}")
    text, thoughts = _read_content(message.get("content"))
    return Response(
        text=text,
        reasoning=_first_text(message.get("reasoning_content"), message.get("reasoning"), thoughts),
        finish_reason=finish_reason,
        refusal=_text_or_none(message.get("refusal")),
        usage=read_usage(data.get("usage")),
        served_model=_text_or_none(data.get("model")),
    )


def read_error(payload: bytes) -> ServerError:
    """Read the body of a reply whose status is not success; whatever it is, it has a message."""
    text = decode(payload)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(storable(_MARKUP.sub(" ", text)).strip() or "the reply has no body")
    return _read_error_value(data)


def _load(payload: bytes) -> Any:  # noqa: ANN401 - decoded JSON
    text = decode(payload)
    try:
        return json.loads(text)
    except ValueError:
        kind = "HTML" if text.lstrip()[:1] == "<" else "not JSON"
        raise ReplyError("the reply is empty" if not text.strip() else f"the reply is {kind}") from None
    except RecursionError:
        raise ReplyError("the reply's JSON is nested too deeply") from None


def _read_content(content: object) -> tuple[str | None, str | None]:
    """Return the visible text and the reasoning that stands among its parts."""
    match content:
        case None:
            return None, None
        case str():
            return storable(content), None
        case list():
            parts = [part for part in content if isinstance(part, dict)]
            text = "".join(_part_texts(parts, "text"))
            thoughts = "".join(_part_texts(parts, "thinking"))
            return storable(text), storable(thoughts) or None
        case _:
            raise ReplyError(f"the reply's content is a JSON {_json_type(content)}")


def _part_texts(parts: list[dict[str, Any]], field: str) -> Iterator[str]:
    """Yield the strings under a field; a thinking part may hold a list of text parts."""
    for part in parts:
        value = part.get(field)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _part_texts([inner for inner in value if isinstance(inner, dict)], "text")


def read_usage(usage: object) -> Usage:
    """Return the token counts of a reply; none where it does not say."""
    if not isinstance(usage, dict):
        return Usage()
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_member(usage.get("prompt_tokens_details"), "cached_tokens")),
        reasoning_tokens=_count(_member(usage.get("completion_tokens_details"), "reasoning_tokens")),
    )


def _read_error_value(data: object) -> ServerError:
    """Find the message in the forms that are in use: OpenAI's, vLLM's, FastAPI's, and Gemini's list of one."""
    match data[0] if isinstance(data, list) and data else data:
        case {"error": {"message": str(message)} as error}:
            return ServerError(storable(message), _text_or_none(error.get("param")), _word(error.get("code")))
        case {"error": str(message)}:
            return ServerError(storable(message), code=_word(_member(data, "code")))
        case {"message": str(message)}:
            return ServerError(storable(message), _text_or_none(_member(data, "param")), _word(_member(data, "code")))
        case {"detail": str(message)}:
            return ServerError(storable(message))
        case _:
            return ServerError(storable(_as_text(data)))


def _as_text(data: object) -> str:
    try:
        return json.dumps(data, ensure_ascii=False)
    except RecursionError:
        return "an error in JSON that is nested too deep to be shown"


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= LARGEST_COUNT else None


def _text_or_none(value: object) -> str | None:
    return storable(value) if isinstance(value, str) else None


def _word(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) else None


def _first_text(*values: object) -> str | None:
    return next((storable(value) for value in values if isinstance(value, str) and value), None)


def _json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "truth value"
        case list():
            return "list"
        case str():
            return "string"
        case _:
            return "number" if isinstance(value, int | float) else "object"
