"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes that commands share, the worse the greater."""

    COMPLETE = 0
    """All was done."""
    INCOMPLETE = 1
    """Something is left undone, or not as it should be."""
    ERROR = 2
    """What a person gave cannot be used."""
    INTERRUPTED = 130
    """A person interrupted, and work in progress was abandoned."""
