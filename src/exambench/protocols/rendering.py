"""From an item to the messages that a model is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.exchange import ImagePart, Message, Part, Role, TextPart
from exambench.items import Content, Item
from exambench.protocols.condition import Condition
from exambench.protocols.protocol import Protocol

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


def render(item: Item, protocol: Protocol, condition: Condition) -> tuple[Message, ...]:
    """Return the chat that puts ``item`` to a model: a system message, if there is one, and the user's.

    Pictures stand where the reader of the exam sees them: after the text of the stem, and after each choice's.

    Raises:
        ConfigError: A template holds a placeholder that does not exist.
    """
    wording = item.wording(condition.wording)
    choices: list[Part] = []
    for number, content in enumerate(wording.choices, start=1):
        if choices:
            choices.append(TextPart("\n"))
        choices.extend(_fill(protocol.choice, {"number": [TextPart(str(number))], "content": _parts(content)}))
    user = _merge(_fill(protocol.user, {"question": _parts(wording.question), "choices": choices}))
    messages = [Message(Role.USER, user)]
    if protocol.system:
        messages.insert(0, Message(Role.SYSTEM, (TextPart(protocol.system),)))
    return tuple(messages)


def _parts(content: Content) -> list[Part]:
    parts: list[Part] = [TextPart(content.text)] if content.text else []
    parts.extend(ImagePart(image) for image in content.images)
    return parts


def _fill(template: str, values: Mapping[str, Sequence[Part]]) -> Iterator[Part]:
    for index, piece in enumerate(_PLACEHOLDER.split(template)):
        if index % 2 == 0:
            yield TextPart(piece)
        elif piece in values:
            yield from values[piece]
        else:
            raise ConfigError(
                Finding(
                    problem="the template has an unknown placeholder",
                    value=show(f"{{{{{piece}}}}}"),
                    allowed=", ".join(f"{{{{{name}}}}}" for name in values),
                    remedy="Correct the protocol's template",
                )
            )


def _merge(parts: Iterator[Part]) -> tuple[Part, ...]:
    """Join neighbouring texts, so that a chat without pictures is one string."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, TextPart) and isinstance(last, TextPart):
            merged[-1] = TextPart(last.text + part.text)
        else:
            merged.append(part)
    return tuple(part for part in merged if not (isinstance(part, TextPart) and not part.text))
