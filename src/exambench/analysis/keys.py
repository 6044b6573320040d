"""Whether the keys of a benchmark give themselves away: by their position, or by the length of the right choice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from exambench.analysis.duplicates import folded
from exambench.items import ChoiceKey, Item
from exambench.stats.forensics import responders
from exambench.stats.intervals import Interval, wilson_interval


@dataclass(frozen=True, slots=True)
class KeyPositions:
    """Where the right choice stands, among items with equally many choices and one right.

    Attributes:
        choices: Number of choices.
        counts: Items by position of the key, the first position first.
        n: Number of items.
        chi_square: Against equally many on each position.
        df: Degrees of freedom.
        p_value: Of χ².
    """

    choices: int
    counts: tuple[int, ...]
    n: int
    chi_square: float
    df: int
    p_value: float


@dataclass(frozen=True, slots=True)
class LongestChoice:
    """Whether the key gives itself away by its length in characters.

    Attributes:
        n: Items with one right choice, whose choices all have text, one of them longer than every other.
        key_is_longest: Those whose longest choice is the key; with a Wilson interval. ``None`` where n is 0.
        chance: Expected share if length told nothing: the mean of 1/(number of choices).
        tied: Items with text in all choices that have several longest ones; they do not count.
    """

    n: int
    key_is_longest: Interval | None
    chance: float | None
    tied: int


def key_positions(items: Iterable[Item]) -> tuple[KeyPositions, ...]:
    """Return where the keys stand, for each number of choices; of items with one right choice."""
    by_choices: defaultdict[int, list[int]] = defaultdict(list)
    for item in items:
        if isinstance(item.key, ChoiceKey):
            by_choices[len(item.wording().choices)].append(item.key.index - 1)
    return tuple(_positions(choices, by_choices[choices]) for choices in sorted(by_choices))


def _positions(choices: int, keys: list[int]) -> KeyPositions:
    # One test-taker who picks every key: χ² of position bias, against equal shares.
    tested = responders([keys], keys, choices, expected=np.full(choices, 1.0 / choices))
    return KeyPositions(
        choices=choices,
        counts=tuple(int(count) for count in tested.counts[0]),
        n=len(keys),
        chi_square=float(tested.chi_square[0]),
        df=choices - 1,
        p_value=float(tested.p_value[0]),
    )


def longest_choice(items: Iterable[Item]) -> LongestChoice:
    """Return how often the key is the longest choice, in characters after folding white space."""
    hits, chances, tied = 0, [], 0
    for item in items:
        lengths = [len(folded(choice.text)) for choice in item.wording().choices]
        if not isinstance(item.key, ChoiceKey) or not all(lengths):
            continue
        if lengths.count(max(lengths)) > 1:
            tied += 1
            continue
        chances.append(1 / len(lengths))
        hits += lengths.index(max(lengths)) == item.key.index - 1
    n = len(chances)
    return LongestChoice(
        n=n,
        key_is_longest=wilson_interval(hits, n) if n else None,
        chance=sum(chances) / n if n else None,
        tied=tied,
    )
