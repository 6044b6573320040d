"""A server's fault never becomes a response, and a response that was given is never taken for a fault."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

import pytest

from exambench.engine.client import LARGEST_REPLY, ChatClient, ImageSource
from exambench.engine.credentials import Credentials
from exambench.engine.limits import RateLimiter
from exambench.engine.loop import Event, LoopResult, run_requests
from exambench.engine.ports import RequestFailed, RequestWithdrawn
from exambench.engine.requests import PreparedImage
from exambench.engine.retries import RetryPolicy
from exambench.errors import ImageError
from exambench.exchange import ImagePart, Message, Request, Response, Role, TextPart, Usage
from exambench.items import Image
from exambench.models import BaselineEndpoint, Limits, ModelConfig, OpenAIEndpoint
from tests.support.chat_server import (
    Call,
    ChatServer,
    Reply,
    Script,
    always,
    completion,
    completion_body,
    cut,
    drip,
    echo_headers,
    empty_choices,
    error_with_success,
    gated,
    giant,
    hang_up,
    html,
    in_turn,
    invalid_json,
    json_reply,
    raw,
    reasoning_only,
    stall,
    status,
    unsupported_by_gemini,
    unsupported_by_openai,
    unsupported_by_vllm,
)
from tests.support.clock import Clock
from tests.support.memory_ledger import MemoryLedger

QUICK = RetryPolicy(max_attempts=3, base=0.0, ceiling=0.0, longest_wait=60.0)
KEY = "sk-proj-AbCd/1234+secret=="


def request(prompt: str = "1 + 1?", parameters: Mapping[str, object] = MappingProxyType({})) -> Request:
    """Return a request of one message."""
    return Request("m@here", (Message(Role.USER, (TextPart(prompt),)),), parameters)


def client(
    server: ChatServer,
    *,
    limits: Limits | None = None,
    policy: RetryPolicy = QUICK,
    key: str | None = None,
    waits: list[float] | None = None,
    images: ImageSource | None = None,
) -> ChatClient:
    """Return a client whose waits take no time; they are noted in ``waits``."""

    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)
        await asyncio.sleep(0)

    return ChatClient(
        ModelConfig(name="m", endpoint=OpenAIEndpoint(base_url=server.base_url), limits=limits or Limits()),
        credentials=Credentials() if key is None else Credentials({"Authorization": f"Bearer {key}"}, [key]),
        image_source=images,
        policy=policy,
        rng=random.Random(1),
        sleep=sleep,
    )


def picture(image: Image) -> PreparedImage:
    """Return a picture whose bytes are its path."""
    data = image.path.encode()
    return PreparedImage(data, "image/png", hashlib.sha256(data).hexdigest(), width=1, height=1)


def picture_request(digest: str) -> Request:
    """Return a request with a picture that is to have this digest."""
    parts = (TextPart("?"), ImagePart(Image("a.png")))
    return Request("m@here", (Message(Role.USER, parts),), image_digests=(digest,))


async def ask(script: Script, *, limits: Limits | None = None, key: str | None = None) -> Response:
    """Return the response to one request to a server with this script."""
    async with ChatServer(script) as server, client(server, limits=limits, key=key) as chat:
        return await chat.respond(request())


FAULTS: dict[str, Callable[[], Reply]] = {
    "429": lambda: status(429),
    "500": lambda: status(500),
    "502 with a web page": lambda: html(502),
    "503": lambda: status(503),
    "529": lambda: status(529),
    "408": lambda: status(408),
    "409": lambda: status(409),
    "425": lambda: status(425),
    "cut in the body": cut,
    "cut in an error's body": lambda: cut(code=500),
    "cut before the body": hang_up,
    "more bytes than JSON": lambda: raw(json.dumps(completion_body("2")).encode() + b"}"),
    "invalid JSON": invalid_json,
    "no HTTP length, no body": lambda: raw(b""),
    "web page with 200": html,
    "no choices": empty_choices,
    "choices null": lambda: json_reply({"choices": None}),
    "choice null": lambda: json_reply({"choices": [None]}),
    "message null": lambda: json_reply({"choices": [{"message": None}]}),
    "content a number": lambda: completion(3),
    "null": lambda: json_reply(None),
    "list": lambda: json_reply([completion_body("2")]),
    "string": lambda: json_reply("2"),
    "error object with 200": error_with_success,
    "error in the choice": lambda: completion("half an ans", finish_reason="error"),
    "nested too deeply": lambda: raw(b"[" * 200_000),
    "a number of 5,000 digits": lambda: raw(b'{"choices": ' + b"9" * 5000 + b"}"),
    "gzip that is none": lambda: raw(b"not gzip", headers={"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_passes_costs_a_try_and_no_more(fault: str) -> None:
    """After each fault the request is sent again, and the healthy reply is the response."""
    response = await ask(in_turn(FAULTS[fault](), completion("2")))
    assert response.text == "2"
    assert [attempt.error is None for attempt in response.attempts] == [False, True]


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_stays_is_a_failure(fault: str) -> None:
    """A fault in every try raises: there is no response, and none is made up."""
    with pytest.raises(RequestFailed) as failed:
        await ask(always(FAULTS[fault]()))
    attempts = failed.value.failure.attempts
    assert len(attempts) == QUICK.max_attempts
    assert all(attempt.error for attempt in attempts)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 422, 301, 307])
async def test_a_refusal_by_status_is_not_tried_again(code: int) -> None:
    """A client's error stays one: it fails at once with the endpoint's words. Redirects are not followed."""
    script = always(status(code, "no such model", headers={"Location": "/elsewhere"}))
    async with ChatServer(script) as server, client(server) as chat:
        with pytest.raises(RequestFailed, match=f"HTTP {code}: no such model"):
            await chat.respond(request())
    assert len(server.calls) == 1


async def test_a_stalled_reply_times_out_and_is_tried_again() -> None:
    """A server that never replies costs the read time-out, and the next try counts."""
    response = await ask(in_turn(stall(), completion("2")), limits=Limits(read_timeout=0.05))
    assert response.text == "2"
    assert response.attempts[0].error is not None
    assert "time-out" in response.attempts[0].error


async def test_a_dripping_reply_ends_at_the_total_time() -> None:
    """Bytes that keep coming do not extend the time that one try may take."""
    limits = Limits(total_timeout=0.2, read_timeout=5.0)
    response = await ask(in_turn(drip(0.01), completion("2")), limits=limits)
    assert response.text == "2"
    assert "time-out" in (response.attempts[0].error or "")


async def test_a_giant_reply_is_cut_off() -> None:
    """A reply beyond the limit is a fault; it is not read to its end."""
    response = await ask(in_turn(giant(LARGEST_REPLY + 1), completion("2")))
    assert response.text == "2"
    assert "longer than" in (response.attempts[0].error or "")


async def test_no_server_is_a_failure() -> None:
    """A refused connection is tried again, and then a failure that says so."""
    async with ChatServer(always(completion("2"))) as server:
        chat = client(server)
    async with chat:
        with pytest.raises(RequestFailed, match="connect"):
            await chat.respond(request())


ANSWERS: dict[str, tuple[Reply, str | None]] = {
    "content null": (completion(None), None),
    "no content": (json_reply({"choices": [{"message": {"role": "assistant"}, "finish_reason": "stop"}]}), None),
    "empty content": (completion(""), ""),
    "white space": (completion(" \n"), " \n"),
    "reasoning only": (reasoning_only("hm"), None),
    "content filter": (completion(None, finish_reason="content_filter"), None),
    "length": (completion("{", finish_reason="length"), "{"),
    "parts": (completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab"),
    "no parts": (completion([]), ""),
    "byte-order mark": (raw(b"\xef\xbb\xbf" + json.dumps(completion_body("2")).encode()), "2"),
    "wrong content type": (raw(json.dumps(completion_body("2")).encode(), content_type="text/plain"), "2"),
    "status 201": (json_reply(completion_body("2"), status=201), "2"),
}


@pytest.mark.parametrize("answer", ANSWERS)
async def test_what_was_answered_is_a_response_at_once(answer: str) -> None:
    """Empty, filtered and cut-off answers were given: they are stored, not asked again."""
    reply, text = ANSWERS[answer]
    response = await ask(always(reply))
    assert response.text == text
    assert len(response.attempts) == 1


async def test_a_response_carries_what_the_endpoint_said() -> None:
    """Text, reasoning, reason to stop, refusal, usage, model and latency are taken from the reply."""
    response = await ask(always(completion("2", reasoning="one and one", refusal="no", finish_reason="content_filter")))
    assert (response.text, response.reasoning, response.refusal) == ("2", "one and one", "no")
    assert response.finish_reason == "content_filter"
    assert response.usage == Usage(input_tokens=11, output_tokens=7, cached_tokens=3, reasoning_tokens=2)
    assert response.served_model == "served-model"
    assert response.seconds == response.attempts[-1].seconds > 0
    assert response.attempts[-1].status == 200
    assert response.attempts[-1].started_at.endswith("Z")


async def test_the_body_is_what_the_request_says() -> None:
    """Parameters and fields of the user's own are passed through; the model is the endpoint's name for it."""
    settings = {"temperature": 0.1, "chat_template_kwargs": {"enable_thinking": False}, "mine": [1]}
    async with ChatServer(always(completion("2"))) as server, client(server) as chat:
        await chat.respond(request("안녕?", settings))
    (call,) = server.calls
    assert call.path == "/v1/chat/completions"
    assert call.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "안녕?"}],
        "temperature": 0.1,
        "chat_template_kwargs": {"enable_thinking": False},
        "mine": [1],
    }


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "9", "retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "86400"}, 60.0),  # the policy's longest wait
        ({"Retry-After": "soon"}, 0.0),
        ({}, 0.0),
    ],
)
async def test_the_wait_is_the_one_that_was_asked_for(headers: dict[str, str], least: float) -> None:
    """The client waits as long as the endpoint asks, up to the bound."""
    waits: list[float] = []
    script = in_turn(status(429, headers=headers), completion("2"))
    async with ChatServer(script) as server, client(server, waits=waits) as chat:
        await chat.respond(request())
    assert waits == [least]


UNSUPPORTED = {
    "OpenAI": (unsupported_by_openai("temperature"), ["dropped:temperature"]),
    "OpenAI, renamed": (
        unsupported_by_openai("max_tokens", "max_completion_tokens"),
        ["renamed:max_tokens:max_completion_tokens"],
    ),
    "vLLM": (unsupported_by_vllm("top_k", "seed"), ["dropped:top_k", "dropped:seed"]),
    "Gemini": (unsupported_by_gemini("seed"), ["dropped:seed"]),
}
SETTINGS = {"temperature": 0.1, "max_tokens": 10, "top_k": 1, "seed": 42}


@pytest.mark.parametrize("style", UNSUPPORTED)
async def test_a_rejected_parameter_is_negotiated_once_and_remembered(style: str) -> None:
    """The first request is sent again without what was rejected; the second one never has it."""
    rejection, adjustments = UNSUPPORTED[style]
    async with ChatServer(in_turn(rejection, completion("2"))) as server, client(server) as chat:
        responses = [await chat.respond(request(prompt, SETTINGS)) for prompt in ("a", "b")]
    assert len(server.calls) == 3
    assert server.calls[1].body | {"messages": 0} == server.calls[2].body | {"messages": 0}
    for response in responses:
        assert sorted(response.adjustments) == sorted(adjustments)
    assert server.calls[1].body.get("max_tokens", server.calls[1].body.get("max_completion_tokens")) == 10


async def test_negotiation_uses_up_no_tries() -> None:
    """An endpoint that rejects one parameter after the other is still answered with a single try allowed."""
    script = in_turn(*map(unsupported_by_openai, SETTINGS), completion("2"))
    async with ChatServer(script) as server, client(server, policy=RetryPolicy(max_attempts=1)) as chat:
        response = await chat.respond(request(parameters=SETTINGS))
    assert response.text == "2"
    assert set(server.calls[-1].body) == {"model", "messages", "max_completion_tokens"}


async def test_an_endpoint_that_rejects_both_names_is_not_asked_for_ever() -> None:
    """When neither name of the token limit is taken, the request fails with the endpoint's words."""

    def reject(call: Call) -> Reply:
        return unsupported_by_openai("max_tokens" if "max_tokens" in call.body else "max_completion_tokens")

    async with ChatServer(reject) as server, client(server) as chat:
        with pytest.raises(RequestFailed, match="max_completion_tokens"):
            await chat.respond(request(parameters=SETTINGS))
    assert len(server.calls) == 2


async def test_requests_in_flight_share_what_one_of_them_learnt() -> None:
    """Of requests that are rejected together each is sent again once, and later ones are right at once."""

    def reject(call: Call) -> Reply:
        return unsupported_by_openai("seed") if "seed" in call.body else completion("2")

    async with ChatServer(reject) as server, client(server) as chat:
        await asyncio.gather(*(chat.respond(request(str(n), SETTINGS)) for n in range(8)))
        assert len(server.calls) <= 16
        before = len(server.calls)
        await asyncio.gather(*(chat.respond(request(str(n), SETTINGS)) for n in range(8)))
        assert len(server.calls) == before + 8


@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_a_key_that_is_echoed_in_an_error_stays_secret(code: int) -> None:
    """Neither the failure nor any attempt carries the key, however the server spells it."""
    with pytest.raises(RequestFailed) as failed:
        await ask(always(echo_headers(code)), key=KEY)
    assert "AbCd" not in repr(failed.value.failure) + str(failed.value)
    assert "[redacted]" in failed.value.failure.reason


async def test_a_key_that_is_echoed_in_an_answer_stays_secret() -> None:
    """A response never brings the key into the store."""
    response = await ask(always(echo_headers(200)), key=KEY)
    assert "AbCd" not in repr(response)
    assert "User-Agent" in (response.text or "")


async def test_the_key_is_sent_and_not_shown() -> None:
    """The key goes out as a bearer token; nothing that a client holds shows it."""
    async with ChatServer(always(completion("2"))) as server, client(server, key=KEY) as chat:
        await chat.respond(request())
        assert "AbCd" not in repr(chat.__dict__)
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests go to the address in the model file, whatever proxy the environment names."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert (await ask(always(completion("2")))).text == "2"


async def test_nobody_waits_for_a_further_try_once_stopped() -> None:
    """A request that waits between tries is withdrawn when the run is stopped, however long the wait would be."""
    stop, asleep = asyncio.Event(), asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    async with ChatServer(always(status(503))) as server:
        config = ModelConfig(name="m", endpoint=OpenAIEndpoint(base_url=server.base_url))
        async with ChatClient(config, sleep=sleep, stop=stop) as chat:
            asking = asyncio.create_task(chat.respond(request()))
            await asleep.wait()
            stop.set()
            with pytest.raises(RequestWithdrawn, match="503"):
                await asking


async def test_a_small_reply_that_unpacks_to_a_giant_is_cut_off() -> None:
    """The limit is on what a reply unpacks to: 40 kB of gzip are not 40 MB of memory."""
    bomb = gzip.compress(b" " * (LARGEST_REPLY + 65536), compresslevel=9)
    response = await ask(in_turn(raw(bomb, headers={"Content-Encoding": "gzip"}), completion("2")))
    assert response.text == "2"
    assert "longer than" in (response.attempts[0].error or "")


async def test_tokens_are_paced_by_what_the_endpoint_counted() -> None:
    """At 60 tokens a minute a reply of 11 + 7 tokens holds the next request back by 18 seconds, not by its limit."""
    clock = Clock()
    limiter = RateLimiter(None, 60, clock=clock, sleep=clock.sleep)
    async with ChatServer(always(completion("2"))) as server:
        config = ModelConfig(name="m", endpoint=OpenAIEndpoint(base_url=server.base_url))
        async with ChatClient(config, limiter=limiter) as chat:
            await chat.respond(request("a", {"max_tokens": 1000}))
            assert clock.now == 0.0
            await chat.respond(request("b", {"max_tokens": 1000}))
    assert clock.now == pytest.approx(18.0)


@pytest.mark.parametrize("use", ["no address", "no context", "no source of pictures"])
async def test_a_client_that_is_put_together_wrongly_says_so(use: str) -> None:
    """Mistakes of the calling code are told as such, not as failures of the endpoint."""
    here = ModelConfig(name="m", endpoint=OpenAIEndpoint(base_url="http://127.0.0.1:9/v1"))
    if use == "no address":
        with pytest.raises(ValueError, match="address"):
            ChatClient(ModelConfig(name="m", endpoint=BaselineEndpoint(strategy="first")))
    elif use == "no context":
        with pytest.raises(RuntimeError, match="outside of its context"):
            await ChatClient(here).respond(request())
    else:
        with pytest.raises(ValueError, match="pictures"):
            await ChatClient(here).respond(picture_request("0" * 64))


async def test_a_picture_is_sent_as_it_was_planned() -> None:
    """The bytes that the source gives go out, when their digest is the one in the request."""
    async with ChatServer(always(completion("2"))) as server, client(server, images=picture) as chat:
        await chat.respond(picture_request(picture(Image("a.png")).sha256))
    (_, part) = server.calls[0].body["messages"][0]["content"]
    assert part == {"type": "image_url", "image_url": {"url": "data:image/png;base64,YS5wbmc="}}  # base64 of "a.png"


async def test_a_picture_that_was_changed_meanwhile_is_not_sent() -> None:
    """A file that was replaced after planning is bad input: no request goes out under the old key."""
    async with ChatServer(always(completion("2"))) as server, client(server, images=picture) as chat:
        with pytest.raises(ImageError, match=r"a\.png"):
            await chat.respond(picture_request("0" * 64))
    assert server.calls == []


async def test_a_run_over_a_bad_server_is_completed_on_a_good_one() -> None:
    """After any mix of faults a rerun leaves exactly one response a request, and asks no answered one again."""
    ledger, requests = MemoryLedger(), {f"k{n}": request(f"k{n}") for n in range(40)}
    faults = [make() for make in FAULTS.values()]

    def bad(call: Call) -> Reply:
        return faults[call.number % len(faults)] if int(call.prompt[1:]) % 2 else completion(call.prompt)

    def good(call: Call) -> Reply:
        return completion(call.prompt)

    async with ChatServer(bad) as server, client(server, policy=RetryPolicy(max_attempts=1)) as chat:
        first = await run_requests(requests, chat, ledger, concurrency=8, on_event=list[Event]().append)
        server.script = good
        server.calls.clear()
        second = await run_requests(requests, chat, ledger, concurrency=8, on_event=list[Event]().append)
    assert first == LoopResult(answered=20, failed=20, elsewhere=0, left=0)
    assert second == LoopResult(answered=20, failed=0, elsewhere=20, left=0)
    assert len(server.calls) == 20
    assert {key: [kept.text for kept in stored] for key, stored in ledger.responses.items()} == {
        key: [key] for key in requests
    }


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'{"choices": [{"message": {"content": "a\\ud800b\\u0000c"}}]}', "a\ufffdb\ufffdc"),
        (b'{"choices": [{"message": {"content": "\\ud83d\\ude00"}}]}', "\U0001f600"),
        (b'{"choices": [{"message": {"content": "a\xffb"}}]}', "a\ufffdb"),
    ],
)
async def test_text_can_always_be_stored(payload: bytes, text: str) -> None:
    """Lone surrogates, NUL and bytes that are no UTF-8 become U+FFFD; pairs stay the characters they are."""
    assert (await ask(always(raw(payload)))).text == text


async def test_connections_are_bounded_and_kept() -> None:
    """No more requests are in flight than allowed, whatever is asked at once."""
    gate = asyncio.Event()

    def script(call: Call) -> Reply:
        if call.number == 2:
            gate.set()
        return gated(gate, completion("2"))

    async with ChatServer(script) as server, client(server, limits=Limits(concurrency=3)) as chat:
        await asyncio.gather(*(chat.respond(request(str(n))) for n in range(10)))
    assert server.most_in_flight == 3
