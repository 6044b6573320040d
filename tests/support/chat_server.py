"""A real chat-completions server on the loopback interface that misbehaves as its script says.

A script is a function from a :class:`Call` to a :class:`Reply`; the functions below make the replies::

    async with ChatServer(lambda call: status(503) if call.number == 0 else completion("2")) as server:
        ...  # server.base_url, server.calls

    with serve(always(completion("2"))) as server:  # in a thread of its own, for tests that are not asynchronous
        ...
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from aiohttp import web

Reply = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Call:
    """One request as the server saw it.

    Attributes:
        number: Order of arrival, from 0.
        path: Path of the URL.
        headers: Request headers, names in lower case.
        raw: The body.
    """

    number: int
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @cached_property
    def body(self) -> dict[str, Any]:
        """The body as a JSON object."""
        decoded: dict[str, Any] = json.loads(self.raw)
        return decoded

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


Script = Callable[[Call], Reply]


class ChatServer:
    """The server, as an asynchronous context manager.

    Args:
        script: Says how to reply. It may be replaced while the server runs.
        port: Port to listen on; 0 for any free one.
    """

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def base_url(self) -> str:
        """The address up to and without ``/chat/completions``."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=256 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = Call(len(self.calls), request.path, headers, await request.read())
        self.calls.append(call)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self.script(call)(request)
        finally:
            self.in_flight -= 1


@contextlib.contextmanager
def serve(script: Script) -> Iterator[ChatServer]:
    """Run a server in a thread of its own while the block runs."""
    server = ChatServer(script)
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def run() -> None:
        async with server:
            started.set()
            await stop.wait()

    def work() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(run())
        finally:
            started.set()
            loop.close()

    thread = threading.Thread(target=work, name="chat-server", daemon=True)
    thread.start()
    started.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def always(reply: Reply) -> Script:
    """Reply to every call alike."""
    return lambda _: reply


def in_turn(*replies: Reply) -> Script:
    """Reply to the first call with the first reply, and so on; the last one is kept."""
    return lambda call: replies[min(call.number, len(replies) - 1)]


def raw(
    payload: bytes,
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Reply with these bytes."""

    async def reply(_: web.Request) -> web.StreamResponse:
        return web.Response(body=payload, status=status, content_type=content_type, headers=headers)

    return reply


def json_reply(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Reply with a JSON value, every character outside of ASCII escaped."""
    return raw(json.dumps(value).encode("ascii"), status=status, headers=headers)


def completion_body(text: object, **message: object) -> dict[str, Any]:
    """Return a chat completion as OpenAI sends it; further fields of the message by name."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "served-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text} | message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    }


def completion(text: object, *, finish_reason: object = "stop", **message: object) -> Reply:
    """Reply with a well-formed chat completion."""
    body = completion_body(text, **message)
    body["choices"][0]["finish_reason"] = finish_reason
    return json_reply(body)


def reasoning_only(thoughts: str) -> Reply:
    """Reply with reasoning and no visible text, stopped in the normal way."""
    return completion(None, reasoning_content=thoughts)


def status(code: int, message: str = "not now", *, headers: Mapping[str, str] | None = None) -> Reply:
    """Reply with an HTTP status and an error object as OpenAI sends it."""
    return json_reply(
        {"error": {"message": message, "type": "error", "param": None, "code": None}}, status=code, headers=headers
    )


def html(code: int = 200) -> Reply:
    """Reply with a web page, as a gateway does."""
    page = b"<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Oops</h1></body></html>"
    return raw(page, status=code, content_type="text/html")


def invalid_json() -> Reply:
    """Reply with JSON that ends too early, in a body that is complete."""
    return raw(b'{"choices": [{"message": {"content": "{\\"')


def empty_choices() -> Reply:
    """Reply with a completion that has no choices."""
    return json_reply(completion_body("") | {"choices": []})


def error_with_success() -> Reply:
    """Reply with an error object under status 200."""
    return json_reply({"error": {"message": "upstream model crashed", "code": 502}})


def unsupported_by_openai(name: str, instead: str | None = None) -> Reply:
    """Reject a parameter in OpenAI's words."""
    hint = f" Use '{instead}' instead." if instead else ""
    message = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
    error = {"message": message, "type": "invalid_request_error", "param": name, "code": "unsupported_parameter"}
    return json_reply({"error": error}, status=400)


def unsupported_by_vllm(*names: str) -> Reply:
    """Reject parameters in vLLM's words: a list of pydantic's complaints, in Python's notation."""
    complaints = [
        {"type": "extra_forbidden", "loc": ("body", name), "msg": "Extra inputs are not permitted", "input": 1}
        for name in names
    ]
    body = {"object": "error", "message": str(complaints), "type": "BadRequestError", "param": None, "code": 400}
    return json_reply(body, status=400)


def unsupported_by_gemini(name: str) -> Reply:
    """Reject a parameter in Gemini's words: a list of one error."""
    message = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
    return json_reply([{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}], status=400)


def echo_headers(code: int = 401) -> Reply:
    """Reply with all request headers, ``Authorization`` included, as a debugging proxy does."""

    async def reply(request: web.Request) -> web.StreamResponse:
        headers = dict(request.headers)
        if code == 200:
            return web.json_response(completion_body(json.dumps(headers)))
        return web.json_response({"error": {"message": f"refused: {headers}", "headers": headers}}, status=code)

    return reply


def stall() -> Reply:
    """Never reply."""

    async def reply(_: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError("an event that nobody sets was set")

    return reply


def cut(payload: bytes = b'{"choices": [', *, promised: int = 1000, code: int = 200) -> Reply:
    """Begin a reply, then cut the connection."""

    async def reply(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=code, headers={"Content-Length": str(promised)})
        await response.prepare(request)
        await response.write(payload)
        _hang_up(request)
        return response

    return reply


def hang_up() -> Reply:
    """Cut the connection without a byte."""

    async def reply(request: web.Request) -> web.StreamResponse:
        _hang_up(request)
        return web.Response()

    return reply


def giant(size: int) -> Reply:
    """Reply with a completion of that many bytes."""

    async def reply(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"choices": [{"message": {"content": "')
        piece = b"x" * 65536
        with contextlib.suppress(ConnectionError):
            for _ in range(size // len(piece) + 1):
                await response.write(piece)
            await response.write(b'"}}]}')
            await response.write_eof()
        return response

    return reply


def drip(interval: float) -> Reply:
    """Send white space, a byte at a time and without end: every read succeeds, the reply never ends."""

    async def reply(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(interval)

    return reply


def after(seconds: float, reply: Reply) -> Reply:
    """Reply later."""

    async def later(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await reply(request)

    return later


def gated(gate: asyncio.Event, reply: Reply) -> Reply:
    """Reply once the gate is open; for a server in the test's own event loop."""

    async def later(request: web.Request) -> web.StreamResponse:
        await gate.wait()
        return await reply(request)

    return later


def by_prompt(answers: Mapping[str, Sequence[Reply]], otherwise: Reply) -> Script:
    """Reply by the prompt: its first reply to its first call, and so on, then ``otherwise``."""
    left = {prompt: list(replies) for prompt, replies in answers.items()}

    def script(call: Call) -> Reply:
        replies = left.get(call.prompt)
        return replies.pop(0) if replies else otherwise

    return script


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
