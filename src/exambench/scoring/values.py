"""Parsed answers as the indices that keys are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.items import Key
from exambench.outcomes import AnswerValue

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_LONGEST_INDEX: Final = 9


def index_of(value: AnswerValue) -> int | None:
    """Return the 1-based index that an answer names (``2``, ``"2"``, ``"b"``); ``None`` when it names none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not isinstance(value, str) or not value.isascii():
        return None
    if value.isdecimal() and len(value) <= _LONGEST_INDEX:
        return int(value)
    return _LETTERS.index(value.lower()) + 1 if len(value) == 1 and value.isalpha() else None


def indices_of(names: Iterable[str]) -> frozenset[int] | None:
    """Return the 1-based indices that several answers name; ``None`` when one of them names none."""
    indices = [index_of(name) for name in names]
    known = frozenset(index for index in indices if index is not None)
    return None if None in indices else known


def mismatch(value: AnswerValue, key: Key, allowed: str) -> ConfigError:
    """Return the error for an answer that cannot be held against a key of this kind."""
    return ConfigError(
        Finding(
            f"an answer of this type cannot be scored with a {type(key).__name__}",
            field="parser",
            value=show(value),
            allowed=allowed,
            remedy="Choose a parser that fits the benchmark's keys",
        )
    )
