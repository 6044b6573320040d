"""Prompts as data: an item under a condition becomes the messages that a model is sent."""

from exambench.protocols.chance import chance_of
from exambench.protocols.condition import Condition, condition_from, condition_text
from exambench.protocols.examples import with_examples
from exambench.protocols.protocol import Protocol
from exambench.protocols.rendering import choices_of, render, write_answer
from exambench.protocols.showing import NotShown, Shown, show_in_order, show_item
from exambench.protocols.templates import fill, merged, parts_of, placeholders, stem_of

__all__ = [
    "Condition",
    "NotShown",
    "Protocol",
    "Shown",
    "chance_of",
    "choices_of",
    "condition_from",
    "condition_text",
    "fill",
    "merged",
    "parts_of",
    "placeholders",
    "render",
    "show_in_order",
    "show_item",
    "stem_of",
    "with_examples",
    "write_answer",
]
