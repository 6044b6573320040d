"""Prompts as data: an item under a condition becomes the messages that a model is sent."""

from exambench.protocols.condition import Condition
from exambench.protocols.protocol import Protocol
from exambench.protocols.rendering import choices_of, render
from exambench.protocols.templates import fill, merged, parts_of, placeholders

__all__ = ["Condition", "Protocol", "choices_of", "fill", "merged", "parts_of", "placeholders", "render"]
