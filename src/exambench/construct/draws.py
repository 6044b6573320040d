"""Draws in which every name has a place of its own, so that one that is added leaves the others in theirs. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from exambench.items import digest


class Circle:
    """Names in a random order around a circle (consistent hashing [1]).

    Where a name stands depends on it, the seed and the purpose alone, not on what else stands there.

    References:
        [1] D. Karger et al., "Consistent hashing and random trees", STOC 1997, section 4.

    Args:
        names: What is drawn from; a name that stands twice is drawn once.
        seed: Of the draw.
        purpose: Tells draws of one seed apart.
    """

    def __init__(self, names: Iterable[str], seed: int, purpose: str) -> None:
        self._seed = seed
        self._purpose = purpose
        self._places = sorted((self._place(name), name) for name in set(names))

    @property
    def names(self) -> list[str]:
        """The names in their order; the first n of them are a simple random sample without replacement."""
        return [name for _, name in self._places]

    def after(self, name: str) -> Iterator[str]:
        """Yield the names from the place of one on, once around, that one left out.

        A name that is added becomes the next of one other in the mean.
        """
        start = bisect_left(self._places, (self._place(name), name))
        for _, other in (*self._places[start:], *self._places[:start]):
            if other != name:
                yield other

    def _place(self, name: str) -> str:
        return digest([self._seed, self._purpose, name])
