"""Prompts as data: an item under a condition becomes the messages that a model is sent."""

from exambench.protocols.condition import Condition, condition_from, condition_text
from exambench.protocols.protocol import Protocol
from exambench.protocols.rendering import choices_of, render, write_answer
from exambench.protocols.showing import NotShown, Shown, show_in_order, show_item
from exambench.protocols.templates import fill, merged, parts_of, placeholders

__all__ = [
    "Condition",
    "NotShown",
    "Protocol",
    "Shown",
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
    "write_answer",
]
