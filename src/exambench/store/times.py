"""Points in time as text: UTC, ISO 8601 with microseconds and ``Z``, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """Return an aware moment as text."""
    return moment.astimezone(UTC).strftime(FORMAT)


def from_text(text: str) -> datetime:
    """Return the aware moment that :func:`to_text` wrote.

    Raises:
        ValueError: The text has another form.
    """
    return datetime.strptime(text, FORMAT).replace(tzinfo=UTC)
