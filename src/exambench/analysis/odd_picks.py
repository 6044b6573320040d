"""What a person says of picks that are no choice; a module of its own, since the command line needs it at once."""

from __future__ import annotations

from enum import StrEnum


class OddPicks(StrEnum):
    """What becomes of a pick that is no choice, such as a word that somebody's parser took for an answer."""

    REFUSE = "refuse"
    WRONG = "wrong"
    BLANK = "blank"
