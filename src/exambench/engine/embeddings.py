"""The wire of embeddings: one text in, one vector out, kept as every response is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exambench.engine.replies import read_object, read_usage
from exambench.engine.requests import PreparedImage
from exambench.engine.wire import Wire
from exambench.errors import ReplyError
from exambench.exchange import Request, Response, TextPart
from exambench.text import storable

LONGEST_VECTOR: Final = 65_536
LARGEST_NUMBER: Final = 1e100
"""Sums and squares of what is larger have no place in a float."""


def read_embedding(text: str | None) -> tuple[float, ...]:
    """Read the text of a response of :data:`EMBEDDINGS`.

    Raises:
        TypeError: It is not of its form.
        ValueError: Likewise.
    """
    found = json.loads(text or "")
    if not isinstance(found, list):
        raise TypeError("an embedding is a list of numbers")
    return tuple(map(float, found))


def _body(request: Request, model: str, images: Sequence[PreparedImage]) -> dict[str, object]:
    """Return the body of ``POST /embeddings``."""
    if images:
        raise ValueError("an encoder of text takes no pictures")
    parts = [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]
    return {**request.parameters, "model": model, "input": "\n".join(parts)}


def _read(payload: bytes) -> Response:
    data = read_object(payload)
    entries = data.get("data")
    if not isinstance(entries, list) or len(entries) != 1 or not isinstance(entries[0], dict):
        raise ReplyError("the reply has not one embedding for the one text that was sent")
    values = entries[0].get("embedding")
    if not isinstance(values, list) or not 0 < len(values) <= LONGEST_VECTOR or not all(map(_is_number, values)):
        raise ReplyError(
            f"the reply's embedding is no list of 1 to {LONGEST_VECTOR} numbers of {LARGEST_NUMBER:g} at most"
        )
    usage = read_usage(data.get("usage"))
    served = data.get("model")
    return Response(
        text=json.dumps(values),
        finish_reason="stop",
        usage=replace(usage, output_tokens=0 if usage.output_tokens is None else usage.output_tokens),
        served_model=storable(served) if isinstance(served, str) else None,
    )


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -LARGEST_NUMBER <= value <= LARGEST_NUMBER


EMBEDDINGS: Final = Wire("embeddings", _body, _read)
