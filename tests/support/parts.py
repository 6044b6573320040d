"""What a test does on a machine that lacks a part."""

from __future__ import annotations

import os

import pytest


def require_part(name: str, remedy: str, *, found: bool) -> None:
    """Go on if a part was found; otherwise skip aloud on a person's machine, and fail in CI.

    Args:
        name: What is needed, as in ``PostgreSQL``.
        remedy: How to get it, as a sentence.
        found: Whether it is there.
    """
    if found:
        return
    message = f"{name} is missing on this machine. {remedy}"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
