"""Draws in which every name has a place of its own."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.draws import Circle

names = st.sets(st.text(min_size=1, max_size=5), min_size=1, max_size=30)


@given(names, st.integers(0, 5))
def test_every_name_stands_once_and_others_are_met_once_around(found: set[str], seed: int) -> None:
    """The circle holds all names; from one of them, all others are met."""
    circle = Circle(found, seed, "test")
    assert sorted(circle.names) == sorted(found)
    for name in found:
        assert sorted(circle.after(name)) == sorted(found - {name})


@given(names, st.text(min_size=6, max_size=8))
def test_a_name_that_is_added_leaves_the_order_of_the_others(found: set[str], new: str) -> None:
    """Without it, the order is what it was."""
    order = [name for name in Circle({*found, new}, 1, "test").names if name != new]
    assert order == Circle(found, 1, "test").names


def test_each_name_is_drawn_about_equally_often() -> None:
    """Of 10 names the first 3 under 2,000 seeds: 600 times each, give or take 4 SD of √(2000 · .3 · .7) = 20.5."""
    drawn = Counter(name for seed in range(2000) for name in Circle("abcdefghij", seed, "test").names[:3])
    assert all(abs(count - 600) < 82 for count in drawn.values())


def test_a_name_that_is_added_is_the_next_of_few() -> None:
    """Of 200 names, one more becomes one of the next two of 2 names in the mean; of 5 such, 10 of 1,000."""
    old = [f"n{number}" for number in range(200)]
    changed = 0
    for number in range(5):
        before, after = Circle(old, 3, "test"), Circle([*old, f"new{number}"], 3, "test")
        changed += sum([*islice(before.after(name), 2)] != [*islice(after.after(name), 2)] for name in old)
    assert changed == 10
