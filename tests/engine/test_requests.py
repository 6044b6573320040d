"""The body is what the chat-completions protocol wants, and nothing of it can be replaced by a parameter."""

from __future__ import annotations

import base64

import pytest

from exambench.engine.images import PreparedImage
from exambench.engine.requests import chat_body, text_length
from exambench.exchange import ImagePart, Message, Request, Role, TextPart
from exambench.items import Image


def picture(data: bytes, mime: str) -> PreparedImage:
    """Return a prepared picture of these bytes."""
    return PreparedImage(data=data, mime=mime, sha256="", width=1, height=1)


CHAT = Request(
    "m@here",
    (
        Message(Role.SYSTEM, (TextPart("기상 전문가"),)),
        Message(
            Role.USER,
            (TextPart("Which?"), ImagePart(Image("a.png")), TextPart("or"), ImagePart(Image("b.jpg"))),
        ),
    ),
    {"temperature": 0.1},
)


def test_text_is_a_string_and_pictures_are_parts_in_their_order() -> None:
    """Messages without pictures have plain content; pictures are data URIs of their true type."""
    body = chat_body(CHAT, "served", [picture(b"one", "image/png"), picture(b"two", "image/jpeg")])
    one, two = base64.b64encode(b"one").decode(), base64.b64encode(b"two").decode()
    assert body == {
        "model": "served",
        "temperature": 0.1,
        "messages": [
            {"role": "system", "content": "기상 전문가"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Which?"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{one}"}},
                    {"type": "text", "text": "or"},
                    {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{two}"}},
                ],
            },
        ],
    }


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_pictures_must_be_right(count: int) -> None:
    """A picture too few or too many is a mistake of the caller."""
    with pytest.raises(ValueError, match="2 pictures"):
        chat_body(CHAT, "served", [picture(b"x", "image/png")] * count)


def test_parameters_cannot_replace_model_or_messages() -> None:
    """A field of the user's own does not change who is asked, nor what."""
    request = Request("m@here", (Message(Role.USER, (TextPart("?"),)),), {"model": "x", "messages": []})
    body = chat_body(request, "served")
    assert body == {"model": "served", "messages": [{"role": "user", "content": "?"}]}


def test_length_is_counted_in_bytes() -> None:
    """Two syllables are 3 bytes each, a letter 1, a lone surrogate 3: the length follows UTF-8."""
    chat = (Message(Role.USER, (TextPart("가나"), TextPart("a\ud800"))),)
    assert text_length(Request("m@here", chat)) == 6 + 1 + 3
