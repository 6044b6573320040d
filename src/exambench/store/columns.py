"""Column types that hold hostile text and JSON alike on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from exambench.text import is_storable


class CleanText(TypeDecorator[str]):
    """Text that every database can hold, or a refusal.

    PostgreSQL has no NUL in text, and neither database has lone surrogates. A value with either is refused on both,
    so that a store can move from one to the other.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Return the value as it is.

        Raises:
            ValueError: The text has a NUL or a lone surrogate in it.
        """
        if value is not None and not is_storable(value):
            raise ValueError("the text has a NUL or a lone surrogate in it, which a database cannot hold")
        return value

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Return what the database gave."""
        return value


class JsonText(TypeDecorator[Any]):
    """A JSON value as canonical text in ASCII: sorted keys, no spaces, every hostile character as its escape."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Return the text; ``None`` is the database's NULL."""
        return None if value is None else to_canonical_json(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any | None:  # noqa: ANN401, ARG002 - SQLAlchemy's signature
        """Return the value."""
        return None if value is None else json.loads(value)


def to_canonical_json(value: object) -> str:
    """Return a JSON value as canonical text; any mapping counts as an object.

    Raises:
        TypeError: The value is not one of JSON's.
        ValueError: A number is not finite.
    """
    return _CANONICAL.encode(value)


def _mapping_as_object(value: object) -> dict[object, object]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


_CANONICAL: Final = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_mapping_as_object
)
"""Made once: to make an encoder takes as long as to encode a request."""
