"""What goes over the wire to an endpoint and what is read from it: chat completions, or the likelihood of a prompt.

A likelihood is asked for in the two ways in which servers give it: completions that echo their prompt with its
log-probabilities (OpenAI's older API, vLLM, SGLang), and chat completions with ``prompt_logprobs`` (vLLM). Either way
the response's text is what :func:`read_likelihood` reads, so that it is stored as every response is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from exambench.engine.replies import read_completion, read_first_choice, read_usage
from exambench.engine.requests import PreparedImage, chat_body
from exambench.errors import ReplyError
from exambench.exchange import Request, Response, TextPart
from exambench.text import storable


@dataclass(frozen=True, slots=True)
class Wire:
    """A protocol of endpoints.

    Attributes:
        path: What stands after the base address.
        body: From request, model and pictures to the JSON object to send.
        read: From the body of a successful reply to a response; raises :class:`~exambench.errors.ReplyError`.
    """

    path: str
    body: Callable[[Request, str, Sequence[PreparedImage]], dict[str, object]]
    read: Callable[[bytes], Response]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model finds a prompt.

    Attributes:
        log_likelihood: Sum of the natural logarithms of the tokens' probabilities, the first token's left out.
        tokens: Number of tokens in the sum.
    """

    log_likelihood: float
    tokens: int


def read_likelihood(text: str | None) -> Likelihood:
    """Read the text of a response of :data:`COMPLETIONS_ECHO` or :data:`CHAT_PROMPT_LOGPROBS`.

    Raises:
        ValueError: It is not of their form.
    """
    try:
        found = json.loads(text or "")
        return Likelihood(float(found["log_likelihood"]), int(found["tokens"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no likelihood: {error}") from error


def _prompt_body(request: Request, model: str, images: Sequence[PreparedImage]) -> dict[str, object]:
    """Return the body of ``POST /completions``: the texts of the chat, one after the other, as the prompt."""
    if images:
        raise ValueError("a prompt of text takes no pictures")
    parts = [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]
    return {**request.parameters, "model": model, "prompt": "\n".join(parts)}


def _read_echo(payload: bytes) -> Response:
    data, choice = read_first_choice(payload)
    found = choice.get("logprobs") if isinstance(choice, dict) else None
    tokens = found.get("token_logprobs") if isinstance(found, dict) else None
    if not isinstance(tokens, list):
        raise ReplyError("the reply has no log-probabilities: the endpoint does not echo its prompt with them")
    usage = read_usage(data.get("usage"))
    # One token is generated, for some servers refuse to generate none; it is not part of the prompt.
    return _as_response(tokens[: usage.input_tokens or len(tokens) - 1], data)


def _read_prompt_logprobs(payload: bytes) -> Response:
    data, choice = read_first_choice(payload)
    found = data.get("prompt_logprobs")
    if found is None and isinstance(choice, dict):
        found = choice.get("prompt_logprobs")
    if not isinstance(found, list):
        raise ReplyError("the reply has no prompt_logprobs: the endpoint does not give them")
    return _as_response([_of_the_token(entry) for entry in found], data)


def _of_the_token(entry: object) -> object:
    """Return the log-probability of the token that stands in the prompt: with ``prompt_logprobs`` 0 the only one."""
    if isinstance(entry, dict) and len(entry) == 1:
        (only,) = entry.values()
        return only.get("logprob") if isinstance(only, dict) else only
    return entry


def _as_response(tokens: Sequence[object], data: dict[str, Any]) -> Response:
    values = [value for value in tokens[:1] if value is not None] + list(tokens[1:])  # nothing comes before the first
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers or len(numbers) < len(values) or not all(-math.inf < number <= 0.0 for number in numbers):
        raise ReplyError("the reply's log-probabilities are no negative numbers, one for each token")
    served = data.get("model")
    return Response(
        text=json.dumps({"log_likelihood": math.fsum(numbers), "tokens": len(numbers)}),
        finish_reason="stop",
        usage=read_usage(data.get("usage")),
        served_model=storable(served) if isinstance(served, str) else None,
    )


CHAT: Final = Wire("chat/completions", chat_body, read_completion)
COMPLETIONS_ECHO: Final = Wire("completions", _prompt_body, _read_echo)
CHAT_PROMPT_LOGPROBS: Final = Wire("chat/completions", chat_body, _read_prompt_logprobs)
