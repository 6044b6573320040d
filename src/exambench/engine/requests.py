"""From a request to the body of ``POST /chat/completions``. Pure."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exambench.exchange import Message, Request, TextPart


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """A picture as it is sent.

    Attributes:
        data: The encoded picture.
        mime: Its true type.
        sha256: Hexadecimal digest of ``data``.
        width: Pixels of what is sent.
        height: Pixels of what is sent.
        changes: What was done to the file's content, in order, such as ``"scaled:4000x3000:2048x1536"``; empty
            when ``data`` is the file's bytes.
    """

    data: bytes
    mime: str
    sha256: str
    width: int
    height: int
    changes: tuple[str, ...] = ()


def chat_body(request: Request, model: str, images: Sequence[PreparedImage] = ()) -> dict[str, object]:
    """Return the JSON object to send.

    A message of text alone has a string as its content, which every server takes; one with pictures has a list
    of parts in their order, each picture as a data URI of its true type.

    Args:
        request: What to ask. Its parameters are fields of the body; they cannot replace model or messages.
        model: The name under which the endpoint knows the model.
        images: The pictures of all messages in order.

    Raises:
        ValueError: The number of pictures is not that of the request.
    """
    remaining = iter(images)
    try:
        messages = [
            {"role": message.role.value, "content": _content(message, remaining)} for message in request.messages
        ]
    except StopIteration:
        raise ValueError(f"the request has {len(request.images)} pictures, {len(images)} were given") from None
    if next(remaining, None) is not None:
        raise ValueError(f"the request has {len(request.images)} pictures, {len(images)} were given")
    return {**request.parameters, "model": model, "messages": messages}


def text_length(request: Request) -> int:
    """Return the number of UTF-8 bytes of all texts of the chat."""
    return sum(
        len(part.text.encode("utf-8", "surrogatepass"))
        for message in request.messages
        for part in message.parts
        if isinstance(part, TextPart)
    )


def _content(message: Message, images: Iterator[PreparedImage]) -> str | list[Mapping[str, object]]:
    if not message.images:
        return "".join(part.text for part in message.parts if isinstance(part, TextPart))
    parts: list[Mapping[str, object]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            parts.append({"type": "text", "text": part.text})
        else:
            parts.append({"type": "image_url", "image_url": {"url": _data_uri(next(images))}})
    return parts


def _data_uri(image: PreparedImage) -> str:
    return f"data:{image.mime};base64,{base64.b64encode(image.data).decode('ascii')}"
