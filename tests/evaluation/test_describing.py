"""An outcome is told on one line: with its type, its flags, its reason, and nothing that a terminal obeys."""

from __future__ import annotations

import pytest

from exambench.evaluation.describing import describe
from exambench.outcomes import Answered, Failed, Flag, Outcome, Refused, Truncated, Unparsed, Unsupported


@pytest.mark.parametrize(
    ("outcome", "described"),
    [
        (Answered(2), "answered 2"),
        (Answered("2"), "answered '2'"),
        (Answered(("a", "c"), (Flag.LENGTH_LIMIT,)), "answered ['a', 'c'] [length_limit]"),
        (Unparsed("no closed box"), "unparsed (no closed box)"),
        (Truncated(), "truncated"),
        (Refused(), "refused"),
        (Refused("\x1b[2Jno"), r"refused ('\x1b[2Jno')"),
        (Failed("HTTP 500"), "failed ('HTTP 500')"),
        (Unsupported("takes no pictures"), "unsupported (takes no pictures)"),
    ],
)
def test_an_outcome_is_told_on_one_line(outcome: Outcome, described: str) -> None:
    """A person sees the value with its type, and what is worth knowing about it."""
    assert describe(outcome) == described


@pytest.mark.parametrize("outcome", [Answered("x" * 100_000), Refused("x" * 100_000), Failed("x" * 100_000)])
def test_what_others_wrote_is_cut(outcome: Outcome) -> None:
    """A refusal may be as long as a response."""
    assert len(describe(outcome)) < 250
