"""What goes over the wire to ask for the likelihood of a prompt, and what is read from it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from exambench.engine.wire import CHAT_PROMPT_LOGPROBS, COMPLETIONS_ECHO, Likelihood, read_likelihood
from exambench.errors import ReplyError
from exambench.exchange import Message, Request, Role, TextPart

REQUEST = Request("m", (Message(Role.USER, (TextPart("문제\n1. 가"),)),), {"echo": True, "logprobs": 1})


def echo(tokens: Any, **more: object) -> bytes:
    """Return a completion that echoes its prompt."""
    return json.dumps({"choices": [{"text": "…", "logprobs": {"token_logprobs": tokens}}], **more}).encode()


def prompt(entries: Any) -> bytes:
    """Return a chat completion with the log-probabilities of its prompt, as vLLM has them."""
    message = {"index": 0, "message": {"role": "assistant", "content": "x"}}
    return json.dumps({"choices": [message], "prompt_logprobs": entries}).encode()


def test_a_prompt_is_the_text_of_the_chat() -> None:
    """No roles, no template: what is measured is the text."""
    assert COMPLETIONS_ECHO.body(REQUEST, "served", ()) == {
        "echo": True,
        "logprobs": 1,
        "model": "served",
        "prompt": "문제\n1. 가",
    }


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (echo([None, -1.5, -0.5, -9.0], usage={"prompt_tokens": 3}), Likelihood(-2.0, 2)),
        (echo([None, -1.5, -0.5, -9.0]), Likelihood(-2.0, 2)),  # one token is generated
        (echo([-0.25, -1.0, -9.0]), Likelihood(-1.25, 2)),  # a server that starts with a token of its own
    ],
)
def test_what_is_generated_is_no_part_of_the_prompt(payload: bytes, expected: Likelihood) -> None:
    """The usage says how long the prompt is; without it the last token is left out."""
    assert read_likelihood(COMPLETIONS_ECHO.read(payload).text) == expected


def test_prompt_logprobs_are_those_of_the_tokens_that_stand_there() -> None:
    """The first has none; each entry names one token."""
    payload = prompt([None, {"12": {"logprob": -0.75, "rank": 1}}, {"7": {"logprob": -1.25, "rank": 3}}])
    assert read_likelihood(CHAT_PROMPT_LOGPROBS.read(payload).text) == Likelihood(-2.0, 2)


@pytest.mark.parametrize(
    "payload",
    [
        echo(None),
        echo([]),
        echo([None]),
        echo([None, "x", -1.0]),
        echo([None, True, -1.0]),
        echo([None, 0.5, -1.0]),
        echo([None, None, -1.0]),
        b'{"choices": [{"text": "no logprobs"}]}',
        b'{"choices": [7]}',
        b'{"error": {"message": "no"}}',
    ],
)
def test_what_is_no_likelihood_is_refused(payload: bytes) -> None:
    """Missing, empty, of another type, positive."""
    with pytest.raises(ReplyError):
        COMPLETIONS_ECHO.read(payload)


@pytest.mark.parametrize("entries", [None, [], [None, {}], [None, {"1": {"logprob": -1}, "2": {"logprob": -2}}]])
def test_prompt_logprobs_in_another_form_are_refused(entries: Any) -> None:
    """Several candidates for one token cannot be told apart."""
    with pytest.raises(ReplyError):
        CHAT_PROMPT_LOGPROBS.read(prompt(entries))


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"log_likelihood": "x", "tokens": 1}'])
def test_another_text_is_no_likelihood(text: str | None) -> None:
    """A response of a chat is not read as a number."""
    with pytest.raises(ValueError, match=r".*"):
        read_likelihood(text)
