"""Prompts as data: an item under a condition becomes the messages that a model is sent."""
