"""Outcomes in a few words, for a line of the terminal."""

from __future__ import annotations

from exambench.errors import show
from exambench.outcomes import Answered, AnswerValue, Failed, Outcome, Refused, Truncated, Unparsed, Unsupported


def describe(outcome: Outcome) -> str:
    """Return an outcome on one line; words of models and endpoints are quoted, escaped and cut."""
    match outcome:
        case Answered(value, flags):
            return " ".join([str(outcome.kind), show_answer(value), *(f"[{flag}]" for flag in flags)])
        case Truncated() | Refused(""):
            return str(outcome.kind)
        case Unparsed(reason) | Unsupported(reason):
            return f"{outcome.kind} ({reason})"
        case Refused(reason) | Failed(reason):
            return f"{outcome.kind} ({show(reason)})"


def show_answer(value: AnswerValue) -> str:
    """Return an answer as text that is safe and short; several parts stand as a list."""
    return show(list(value) if isinstance(value, tuple) else value)
