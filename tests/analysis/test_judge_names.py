"""Judges of one name get numbers, and no number makes two names alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exambench.analysis.judge_names import numbered


def test_names_that_stand_once_stay_as_they_are() -> None:
    """The others get numbers in their order, and a number that is taken is left out."""
    assert numbered(["a", "b", "a"]) == ["a (1)", "b", "a (2)"]
    assert numbered(["a", "a (1)", "a"]) == ["a (2)", "a (1)", "a (3)"]


@given(st.lists(st.sampled_from(["a", "a (1)", "a (1) (1)", "b"]), max_size=6))
def test_no_two_are_alike(names: list[str]) -> None:
    """Whatever judges call themselves."""
    found = numbered(names)
    assert len(set(found)) == len(names)
    assert all(new.startswith(old) for old, new in zip(names, found, strict=True))
