"""Prompts as data: an item under a condition becomes the messages that a model is sent."""

from exambench.protocols.condition import Condition
from exambench.protocols.protocol import Protocol
from exambench.protocols.rendering import render

__all__ = ["Condition", "Protocol", "render"]
