"""Replies are read with care: wrong types are unknown, not zero, and errors are found in each form in use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.engine.replies import read_completion, read_error
from exambench.errors import ReplyError
from exambench.exchange import Response, Usage
from tests.support.chat_server import completion_body

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
COMPLETION = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "message": st.dictionaries(st.sampled_from(["content", "refusal", "reasoning"]), JSON) | JSON,
                    "finish_reason": JSON,
                },
            )
            | JSON
        )
        | JSON,
        "usage": st.dictionaries(st.sampled_from(["prompt_tokens", "prompt_tokens_details"]), JSON) | JSON,
        "error": JSON,
        "model": JSON,
    },
)


def read(body: object) -> Response:
    """Read a reply of this JSON value."""
    return read_completion(json.dumps(body).encode())


@given(COMPLETION | JSON)
def test_any_json_is_a_response_or_a_reply_error(body: object) -> None:
    """No JSON value brings anything else about, and every string of a response can be stored."""
    try:
        response = read(body)
    except ReplyError:
        return
    for text in (response.text, response.reasoning, response.refusal, response.finish_reason, response.served_model):
        assert text is None or "\x00" not in text.encode().decode()


@given(st.binary())
def test_bytes_without_sense_are_a_reply_error(payload: bytes) -> None:
    """Bytes of any kind are judged, not stumbled over, and as an error they have a message."""
    with pytest.raises(ReplyError):
        read_completion(payload)
    assert read_error(payload).message


@pytest.mark.parametrize("count", [True, -1, 1.0, "7", None, [], 2**63])
def test_a_count_of_the_wrong_type_is_unknown(count: object) -> None:
    """Tokens are a non-negative integer that a database can hold, or unknown."""
    body = completion_body("2") | {"usage": {"prompt_tokens": count, "completion_tokens": 5}}
    assert read(body).usage == Usage(input_tokens=None, output_tokens=5)


@pytest.mark.parametrize("usage", [None, [], "x", {"prompt_tokens_details": None}, {"completion_tokens_details": [1]}])
def test_usage_of_another_shape_is_unknown(usage: object) -> None:
    """A missing or misshapen usage does not spoil the answer."""
    response = read(completion_body("2") | {"usage": usage})
    assert (response.text, response.usage) == ("2", Usage())


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "a"}, "a"),
        ({"reasoning": "b"}, "b"),
        ({"reasoning_content": "", "reasoning": "b"}, "b"),
        ({"reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"reasoning": {"effort": 1}}, None),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}, {"text": "2"}]}, "c"),
    ],
)
def test_reasoning_is_found_under_its_names(message: dict[str, object], reasoning: str | None) -> None:
    """DeepSeek's and vLLM's ``reasoning_content``, OpenRouter's ``reasoning``, Mistral's parts."""
    response = read(completion_body("2", **message))
    assert (response.text, response.reasoning) == ("2", reasoning)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b'{"error": {"message": "m", "param": "p", "code": 3}}', "m"),
        (b'[{"error": {"message": "m"}}]', "m"),
        (b'{"error": "m"}', "m"),
        (b'{"object": "error", "message": "m", "code": 400}', "m"),
        (b'{"detail": "m"}', "m"),
        (b'{"detail": [{"loc": ["body"]}]}', '{"detail": [{"loc": ["body"]}]}'),
        (b"<html><body>m</body></html>", "m"),
        (b"m", "m"),
        (b"", "the reply has no body"),
        (b"null", "null"),
        (b"[]", "[]"),
    ],
)
def test_an_error_is_read_in_each_form(payload: bytes, message: str) -> None:
    """OpenAI's, Gemini's, llama.cpp's, vLLM's, FastAPI's, a gateway's, and none."""
    assert read_error(payload).message == message


def test_an_error_that_is_nested_to_the_edge_of_the_stack_is_still_an_error_of_the_server() -> None:
    """Whatever the depth of a rejected request's JSON, there is a message, and nothing ends the run."""
    for depth in range(900, 1100):
        assert read_error(("[" * depth + "]" * depth).encode()).message
