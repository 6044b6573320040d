"""A chat-completions server whose answers are planned: half of the items right, most others wrong, some unreadable.

Each program asks at an address of its own, ``/PROGRAM/v1``, and is answered in the form that it asks for. An item is
known by its text, and only by one who shows its pictures, pixel by pixel and in their order.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from PIL import Image

from exambench.items import ChoiceKey, Item

UNREADABLE_EVERY: Final = 5
"""Of the items that are not answered correctly, one of so many is not answered at all."""
NO_ANSWER: Final = "잘 모르겠습니다."


class Planned(StrEnum):
    """How an item is answered."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"


FORMS: Final[Mapping[str, Callable[[int], str]]] = {
    "exambench": lambda index: f'{{"정답": {index}}}',
    "inspect": lambda index: f"ANSWER: {ascii_uppercase[index - 1]}",
    "lm-eval": lambda index: f"보기를 차례로 살펴보았습니다.\n\n정답: {ascii_uppercase[index - 1]}",
}
"""How a choice, counted from 1, is named to each program."""


class NotAnItemError(Exception):
    """A request shows no item of the exam as it is."""


def plan(items: Sequence[Item]) -> Mapping[str, Planned]:
    """Return how each item is answered; which ones are right depends on their identifiers alone."""
    order = sorted(items, key=lambda item: hashlib.sha256(item.id.encode()).digest())
    half = len(order) // 2
    rest = {
        item.id: Planned.WRONG if place % UNREADABLE_EVERY else Planned.UNREADABLE
        for place, item in enumerate(order[half:])
    }
    return {item.id: Planned.RIGHT for item in order[:half]} | rest


class KnownAnswers:
    """What is said to requests about an exam.

    Args:
        items: The items, each with one right choice.
        image_root: What their image paths are relative to.
    """

    def __init__(self, items: Sequence[Item], image_root: Path) -> None:
        self.planned = plan(items)
        self._pictures = {
            item.id: [_digest((image_root / image.path).read_bytes()) for image in item.wording().images]
            for item in items
        }
        # A stem may begin another one: the longer text is looked for first.
        self._items = sorted(items, key=lambda item: -sum(map(len, _texts(item))))

    def reply(self, program: str, body: Mapping[str, Any]) -> str:
        """Return what is said to a program.

        Raises:
            NotAnItemError: The request is about no item, or does not show the item's pictures.
        """
        text, pictures = _shown(body)
        item = next((item for item in self._items if all(part in text for part in _texts(item))), None)
        if item is None:
            raise NotAnItemError("no item has these texts")
        if pictures != self._pictures[item.id]:
            raise NotAnItemError(f"item {item.id} has {len(self._pictures[item.id])} pictures, and not these")
        assert isinstance(item.key, ChoiceKey)  # noqa: S101 - said above
        right = item.key.index
        match self.planned[item.id]:
            case Planned.RIGHT:
                return FORMS[program](right)
            case Planned.WRONG:
                return FORMS[program](right % len(item.wording().choices) + 1)
            case Planned.UNREADABLE:
                return NO_ANSWER


@contextmanager
def serving(answers: KnownAnswers) -> Iterator[str]:
    """Serve on a free port of the loopback interface, in threads, and lend the address."""
    handler = type("Handler", (_Handler,), {"answers": answers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    answers: KnownAnswers
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat."""
        program = self.path.split("/")[1]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if program not in FORMS or not self.path.endswith("/v1/chat/completions"):
            self._write(HTTPStatus.NOT_FOUND, {"error": {"message": "there is nothing here"}})
            return
        try:
            text = self.answers.reply(program, body)
        except NotAnItemError as error:
            self._write(HTTPStatus.BAD_REQUEST, {"error": {"message": str(error), "type": "invalid_request_error"}})
            return
        message = {"role": "assistant", "content": text}
        reply = {
            "id": "chatcmpl-known",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "known",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 200, "completion_tokens": 8, "total_tokens": 208},
        }
        self._write(HTTPStatus.OK, reply)

    def log_message(self, *_: object) -> None:
        """Keep quiet: the report tells what was asked."""

    def _write(self, status: HTTPStatus, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _texts(item: Item) -> list[str]:
    """Return the texts by which an item is known."""
    wording = item.wording()
    return [text for part in (wording.question, *wording.choices) if (text := part.text.strip())]


def _shown(body: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the text of all messages, and the digests of the pictures in them."""
    texts: list[str] = []
    pictures: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts: Sequence[Mapping[str, Any]] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
        for part in parts:
            if part["type"] == "text":
                texts.append(part["text"])
            else:
                pictures.append(_digest(base64.b64decode(part["image_url"]["url"].partition(",")[2])))
    return "\n".join(texts), pictures


def _digest(content: bytes) -> str:
    """Return a digest of what a picture shows, in whatever format it comes: its pixels on white."""
    with Image.open(io.BytesIO(content)) as picture:
        shown = picture.convert("RGBA")
    white = Image.new("RGBA", shown.size, "white")
    pixels = Image.alpha_composite(white, shown).convert("RGB")
    return hashlib.sha256(f"{pixels.size}".encode() + pixels.tobytes()).hexdigest()
