"""From an item to the messages that a model is sent."""

from __future__ import annotations

from typing import Final

from exambench.exchange import Message, Part, Role, TextPart
from exambench.items import ChoiceKey, ChoiceSetKey, Wording
from exambench.outcomes import AnswerValue
from exambench.protocols.condition import LABELS
from exambench.protocols.protocol import Protocol
from exambench.protocols.showing import Shown
from exambench.protocols.templates import fill, merged, parts_of, placeholders

PASSAGE: Final = "passage"
"""Placeholder of a template that says itself where the passage stands."""


def render(shown: Shown, protocol: Protocol) -> tuple[Message, ...]:
    """Return the chat that puts an item to a model: a system message, if there is one, examples, and the item.

    An example is a turn of the user, as the item itself, and a turn with its answer in the protocol's form.

    Pictures stand where the reader of the exam sees them: after the text of the stem, and after each choice's. A
    passage stands above the stem, or where the template has a placeholder for it.

    Raises:
        ConfigError: A template holds a placeholder that does not exist, or the protocol has no words for what is shown.
    """
    messages = [Message(Role.SYSTEM, (TextPart(protocol.system),))] if protocol.system else []
    for example in shown.examples:
        answer = write_answer(example, protocol, example.right)
        messages += [_question(example, protocol), Message(Role.ASSISTANT, (TextPart(answer),))]
    return (*messages, _question(shown, protocol))


def write_answer(shown: Shown, protocol: Protocol, answer: AnswerValue) -> str:
    """Return a response in the required form.

    Args:
        shown: What is answered.
        protocol: Whose form.
        answer: The answer, choices by the places at which they are shown.
    """
    if not shown.wording.labels or not isinstance(shown.item.key, ChoiceKey | ChoiceSetKey):
        return protocol.write_answer(answer)
    places = answer if isinstance(answer, tuple) else (answer,)
    return protocol.write_label(", ".join(shown.called(int(place)) for place in places))


def _question(shown: Shown, protocol: Protocol) -> Message:
    """Return the turn that asks an item, with what is said after it where its prompt does not foresee the condition."""
    wording = shown.wording
    has_place = PASSAGE in placeholders(protocol.user)
    values: dict[str, list[Part]] = {
        "question": parts_of(wording.question) if has_place else shown.stem,
        "choices": choices_of(wording, protocol.choice),
        PASSAGE: [TextPart(shown.passage)],
    }
    parts = list(fill(protocol.user, values))
    for name in shown.suffixes:
        said = protocol.about_labels(wording.labels) if name == LABELS else protocol.suffix(name)
        parts += [TextPart("\n\n"), TextPart(said)]
    return Message(Role.USER, merged(parts))


def choices_of(wording: Wording, template: str) -> list[Part]:
    """Return the choices, one a line.

    Args:
        wording: Whose choices.
        template: Of one choice, with the placeholders ``{{number}}`` and ``{{content}}``.

    Raises:
        ConfigError: The template holds another placeholder.
    """
    choices: list[Part] = []
    labels = wording.labels or tuple(str(number) for number in range(1, len(wording.choices) + 1))
    for label, content in zip(labels, wording.choices, strict=True):
        if choices:
            choices.append(TextPart("\n"))
        choices.extend(fill(template, {"number": [TextPart(label)], "content": parts_of(content)}))
    return choices
