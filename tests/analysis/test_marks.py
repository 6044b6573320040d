"""On which items models disagree, and which nobody solves."""

from __future__ import annotations

from exambench.analysis.marks import Marks, comparable_to, items_in_dispute, items_nobody_solves, mark
from exambench.items import ChoiceKey, TextKey
from exambench.outcomes import Answered, Failed, Truncated
from tests.support import stored_runs as made


def marks(scored: str, solved: str) -> Marks:
    """Return marks about items of one letter."""
    return Marks({}, frozenset(scored), frozenset(solved))


def test_a_dispute_needs_a_model_that_is_right_and_one_that_is_not() -> None:
    """a: both right; b: one; c: nobody; d: right, and not asked of the other; e: scored by one alone, and wrong."""
    found = [marks("abcde", "abd"), marks("abc", "a")]
    assert items_in_dispute(found) == {"b"}
    assert items_nobody_solves(found) == {"c", "e"}


def test_nobody_disputes_nothing() -> None:
    """Without runs there is neither."""
    assert items_in_dispute([]) == items_nobody_solves([]) == frozenset()


def test_a_free_answer_has_no_mark_before_a_judge_gives_it() -> None:
    """What has no score has none either; a truncated answer is wrong."""
    assert mark(Answered("바람"), TextKey("바람")) is None
    assert mark(Failed("cut"), ChoiceKey(1)) is None
    assert mark(None, ChoiceKey(1)) is None
    assert mark(Truncated(), ChoiceKey(1)) is False
    assert mark(Answered(1), ChoiceKey(1)) is True


def test_runs_are_comparable_that_were_asked_the_same() -> None:
    """Not those of another protocol, condition or dataset."""
    exam, other = made.exam(made.item(1)), made.exam(made.item(2))
    run = made.record_of(exam, "a")
    alike = made.record_of(exam, "b")
    apart = [
        made.record_of(exam, "c", protocol_hash="q" * 64),
        made.record_of(exam, "d", condition={"wording": "implicit"}),
        made.record_of(other, "e"),
    ]
    assert comparable_to(run, [run, alike, *apart]) == [run, alike]
