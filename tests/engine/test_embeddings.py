"""The wire of embeddings: what is sent, and what is taken for a vector."""

from __future__ import annotations

import json
from typing import Any

import pytest

from exambench.engine.embeddings import EMBEDDINGS, read_embedding
from exambench.errors import ReplyError
from exambench.exchange import Message, Request, Role, TextPart


def reply(*vectors: object, **more: object) -> bytes:
    """Return the body of a reply as OpenAI sends it."""
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"object": "list", "data": data, "model": "e5", **more}).encode()


def test_the_text_is_sent_as_input() -> None:
    """The messages of a request are one text; its parameters stand beside it."""
    request = Request("e@x", (Message(Role.USER, (TextPart("기압"),)),), {"dimensions": 3})
    assert EMBEDDINGS.path == "embeddings"
    assert EMBEDDINGS.body(request, "e5", ()) == {"dimensions": 3, "model": "e5", "input": "기압"}


def test_a_vector_comes_back_from_the_stored_text() -> None:
    """To the last digit; an endpoint that counts no output has produced none."""
    found = EMBEDDINGS.read(reply([0.1, -2, 3e-12], usage={"prompt_tokens": 5, "total_tokens": 5}))
    assert read_embedding(found.text) == (0.1, -2.0, 3e-12)
    assert (found.usage.input_tokens, found.usage.output_tokens) == (5, 0)


@pytest.mark.parametrize(
    "payload",
    [
        reply(),
        reply([1.0], [2.0]),
        reply([]),
        reply(["1"]),
        reply([True]),
        reply([float("nan")]),
        reply([10**400]),
        reply([-1e101]),
        reply("base64=="),
        b'{"data": {"embedding": [1]}}',
        b'{"error": {"message": "out of memory"}}',
        b"<html></html>",
    ],
)
def test_anything_else_is_no_reply(payload: bytes) -> None:
    """None, two, empty ones, what is no number or too large a one, another encoding, an error under status 200."""
    with pytest.raises(ReplyError):
        EMBEDDINGS.read(payload)


@pytest.mark.parametrize("text", [None, "", "{}", "3", '["a"]'])
def test_a_text_that_holds_no_vector_is_refused(text: Any) -> None:
    """What another task stored is not taken for a vector."""
    with pytest.raises((TypeError, ValueError)):
        read_embedding(text)
