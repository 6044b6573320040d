"""A chat-completions server that always says the same after a fixed time, and keeps the time.

A program of its own: ``python -m bench.server --expected N --delay SECONDS``. It prints its address in one line,
and ends when its standard input closes. It speaks just enough HTTP/1.1 to cost little beside the clients that are
measured: requests with a ``Content-Length``, kept-alive connections, no pipelining.

``POST /v1/chat/completions`` answers after the delay. ``POST /measure/PID`` starts a measurement of the process
with that id, ``GET /measure`` returns it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

REPLY: Final = json.dumps(
    {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "bench",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"정답": 2}'}}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 8, "total_tokens": 208},
    },
    ensure_ascii=False,
).encode()
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
CPU_FIELDS: Final = slice(11, 15)
"""utime, stime, cutime, cstime in ``/proc/PID/stat`` after the command's closing parenthesis, see proc(5)."""


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return sum(map(int, fields[CPU_FIELDS])) / TICKS_PER_SECOND


def peak_bytes(pid: int) -> int:
    """Return the largest resident size that a process has had so far."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"process {pid} has no memory")


@dataclass(slots=True)
class Phase:
    """The time between the first request of a process and the last answer to it.

    Attributes:
        requests: How many chats have been asked.
        answers: How many have been answered.
        first: Clock at the first request, in seconds.
        last: Clock at the last answer, in seconds.
        cpu_seconds: Processor time of the process between the two; ``None`` until the last one is answered.
        peak_bytes: The largest resident size of the process by then.
    """

    pid: int
    expected: int
    requests: int = 0
    answers: int = 0
    first: float = 0.0
    last: float = 0.0
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    _cpu_before: float = 0.0

    def asked(self) -> None:
        """Count a request."""
        self.requests += 1
        if self.requests == 1:
            self._cpu_before = cpu_seconds(self.pid)
            self.first = time.monotonic()

    def answered(self) -> None:
        """Count an answer."""
        self.answers += 1
        self.last = time.monotonic()
        if self.answers == self.expected:
            self.cpu_seconds = cpu_seconds(self.pid) - self._cpu_before
            self.peak_bytes = peak_bytes(self.pid)


class Server:
    """Answers chats after ``delay`` seconds, and measures one process at a time."""

    def __init__(self, expected: int, delay: float) -> None:
        self.delay = delay
        self._expected = expected
        self.phase = Phase(os.getpid(), expected)

    def other(self, method: str, path: str) -> tuple[HTTPStatus, bytes]:
        """Answer what is not a chat."""
        if method == "GET" and path == "/measure":
            return HTTPStatus.OK, json.dumps(asdict(self.phase)).encode()
        if method == "POST" and path.startswith("/measure/"):
            self.phase = Phase(int(path.removeprefix("/measure/")), self._expected)
            return HTTPStatus.OK, b"{}"
        return HTTPStatus.NOT_FOUND, b'{"error": {"message": "there is nothing here"}}'


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - it is a TCP connection
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer once a request is complete."""
        self._buffer += data
        head, blank, body = bytes(self._buffer).partition(b"\r\n\r\n")
        if not blank or len(body) < _content_length(head):
            return
        self._buffer.clear()
        method, path, _ = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        if path == "/v1/chat/completions":
            self._server.phase.asked()
            asyncio.get_running_loop().call_later(self._server.delay, self._answer_chat)
        else:
            self._write(*self._server.other(method, path))

    def _answer_chat(self) -> None:
        self._write(HTTPStatus.OK, REPLY)
        self._server.phase.answered()

    def _write(self, status: HTTPStatus, body: bytes) -> None:
        if self._transport is not None:
            self._transport.write(
                b"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (status, status.phrase.encode(), len(body), body)
            )


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def serve(expected: int, delay: float) -> None:
    """Serve on a free port until standard input closes."""
    loop = asyncio.get_running_loop()
    server = Server(expected, delay)
    listener = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0, backlog=1024)
    host, port = listener.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    listener.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expected", type=int, required=True)
    parser.add_argument("--delay", type=float, required=True)
    options = parser.parse_args()
    asyncio.run(serve(options.expected, options.delay))
