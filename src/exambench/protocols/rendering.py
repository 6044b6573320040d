"""From an item to the messages that a model is sent."""

from __future__ import annotations

from exambench.exchange import Message, Part, Role, TextPart
from exambench.items import Item, Wording
from exambench.protocols.condition import Condition
from exambench.protocols.protocol import Protocol
from exambench.protocols.templates import fill, merged, parts_of


def render(item: Item, protocol: Protocol, condition: Condition) -> tuple[Message, ...]:
    """Return the chat that puts ``item`` to a model: a system message, if there is one, and the user's.

    Pictures stand where the reader of the exam sees them: after the text of the stem, and after each choice's.

    Raises:
        ConfigError: A template holds a placeholder that does not exist.
    """
    wording = item.wording(condition.wording)
    choices = choices_of(wording, protocol.choice)
    user = merged(fill(protocol.user, {"question": parts_of(wording.question), "choices": choices}))
    messages = [Message(Role.USER, user)]
    if protocol.system:
        messages.insert(0, Message(Role.SYSTEM, (TextPart(protocol.system),)))
    return tuple(messages)


def choices_of(wording: Wording, template: str) -> list[Part]:
    """Return the choices, one a line.

    Args:
        wording: Whose choices.
        template: Of one choice, with the placeholders ``{{number}}`` and ``{{content}}``.

    Raises:
        ConfigError: The template holds another placeholder.
    """
    choices: list[Part] = []
    for number, content in enumerate(wording.choices, start=1):
        if choices:
            choices.append(TextPart("\n"))
        choices.extend(fill(template, {"number": [TextPart(str(number))], "content": parts_of(content)}))
    return choices
