"""Which texts are as alike as ``difflib`` says they must be, found without asking ``difflib`` about every pair.

``SequenceMatcher(None, a, b).ratio()`` is 2·M/T, where M is the number of characters in matching blocks and T that of
both texts. The blocks form a common subsequence of the texts, so M is at most the length of their longest common
subsequence, and that is at most the size of the intersection of their characters as multisets. Both bounds are put
into the same formula, so no pair that ``difflib`` accepts is ever lost; what reaches both is decided by ``difflib``'s
own algorithm. The order of the arguments matters to it, and so does its heuristic for texts of 200 characters and more
("autojunk"): ``a`` is always the earlier text, ``b`` the later one, all settings are the defaults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from exambench.errors import MissingExtraError

ROWS: Final = 512
COLUMNS: Final = 8192
COLUMNS_OF_CHARACTERS: Final = 2048
"""Pairs of a character and its occurrence that have a column of their own in the matrix of bags."""
PAIRS_AT_ONCE: Final = 65_536
ROUNDING: Final = 0.5
"""Characters by which a product of single precision may be wrong, and far more: these pairs are looked at again."""

Pairs = NDArray[np.int64]
"""Pairs of positions, shape (n, 2), the earlier text first."""
Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two texts that are alike.

    Attributes:
        earlier: Position of the text that is ``difflib``'s ``a``.
        later: Position of its ``b``.
        ratio: ``SequenceMatcher(None, a, b).ratio()``.
    """

    earlier: int
    later: int
    ratio: float


def alike(texts: Sequence[str], threshold: float) -> Iterator[Likeness]:
    """Yield every pair whose ratio reaches the threshold; the same pairs as asking ``difflib`` about each.

    Args:
        texts: What to compare; an empty text is compared like any other.
        threshold: The least ratio, in (0, 1].

    Raises:
        MissingExtraError: The extra ``construct`` is not installed.
        ValueError: The threshold is not in (0, 1].
    """
    corpus = Corpus(texts, threshold)
    everything = np.ones(len(texts), dtype=np.bool_)
    for rows in corpus.portions():
        for earlier, later in corpus.candidates(rows, everything):
            value = ratio(texts[earlier], texts[later])
            if value >= threshold:
                yield Likeness(earlier, later, value)


class Corpus:
    """Texts that are compared with those before them, portion by portion.

    Memory grows with the number of texts, not of pairs.

    Args:
        texts: What to compare.
        threshold: The least ratio, in (0, 1].

    Raises:
        ValueError: The threshold is not in (0, 1].
    """

    def __init__(self, texts: Sequence[str], threshold: float) -> None:
        if not 0.0 < threshold <= 1.0:
            raise ValueError(f"a threshold lies in (0, 1]; found {threshold}")
        self._texts = texts
        self._bags = _bags(texts, threshold)
        self._needed = _needed(2 * int(self._bags.lengths.max(initial=0)), threshold)

    def portions(self) -> Iterator[range]:
        """Yield the positions of all texts in order, some at a time."""
        for start in range(0, len(self._texts), ROWS):
            yield range(start, min(start + ROWS, len(self._texts)))

    def candidates(self, rows: range, wanted: Booleans) -> Iterator[tuple[int, int]]:
        """Yield the pairs whose longest common subsequence allows a ratio that reaches the threshold.

        They come in ascending order of the later text, then of the earlier one.

        Args:
            rows: The later texts: a portion.
            wanted: Which earlier texts count, shape (n,).

        Raises:
            MissingExtraError: The extra ``construct`` is not installed.
        """
        found = [
            pairs[long_enough]
            for pairs in _by_bags(self._bags, rows, wanted, self._needed)
            if (long_enough := _have_subsequence(self._texts, pairs, self._needed)).any()
        ]
        pairs = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        for at in range(0, len(order), PAIRS_AT_ONCE):  # as Python's numbers they take ten times the memory
            yield from map(tuple, pairs[order[at : at + PAIRS_AT_ONCE]].tolist())


def ratio(a: str, b: str) -> float:
    """Return ``difflib.SequenceMatcher(None, a, b).ratio()``.

    Raises:
        MissingExtraError: The extra ``construct`` is not installed.
    """
    try:
        from cydifflib import SequenceMatcher  # noqa: PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError("construct", "finding near-duplicates") from error
    return float(SequenceMatcher(None, a, b).ratio())


@dataclass(frozen=True, slots=True)
class _Bags:
    """Texts as multisets of characters.

    The size of the intersection of two bags is the product of their rows, and at most the smaller ``rest`` more. For
    half of both rests in place of the smaller one, what is missing to the size that is needed is a sum of a term of
    either text, and so the product of two more columns: one matrix product leaves few pairs to look at.

    Attributes:
        lengths: Numbers of characters, shape (n,).
        rest: How many characters of the text have no column, shape (n,).
        rows: 1 where the text holds the character so often, then the text's own term, then 1; shape (n, columns + 2).
    """

    lengths: Integers
    rest: Integers
    rows: Floats

    def shared(self, pairs: Pairs) -> Integers:
        """Return the most that the bags of pairs can share, shape (n,)."""
        first, second = pairs[:, 0], pairs[:, 1]
        counted = np.einsum("ij,ij->i", self.rows[first, :-2], self.rows[second, :-2]).astype(np.int64)
        return np.asarray(counted + np.minimum(self.rest[first], self.rest[second]))


def _bags(texts: Sequence[str], threshold: float) -> _Bags:
    """Return the bags of texts: the second "a" of a text is another element than its first."""
    elements = [_elements(text) for text in texts]
    frequency = Counter(element for found in elements for element in found)
    column = {element: at for at, (element, _) in enumerate(frequency.most_common(COLUMNS_OF_CHARACTERS))}
    rows = np.zeros((len(texts), len(column) + 2), dtype=np.float32)
    for row, found in enumerate(elements):
        rows[row, [column[element] for element in found if element in column]] = 1.0
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    rest = lengths - rows.sum(axis=1).astype(np.int64)
    rows[:, -2] = (rest - threshold * lengths) / 2
    rows[:, -1] = 1.0
    return _Bags(lengths, rest, rows)


def _elements(text: str) -> list[tuple[str, int]]:
    seen: Counter[str] = Counter()
    found = []
    for character in text:
        seen[character] += 1
        found.append((character, seen[character]))
    return found


def _needed(most: int, threshold: float) -> Integers:
    """Return, for each total length up to ``most``, the least number of matches whose ratio reaches the threshold.

    It is found with ``difflib``'s own formula, so that rounding decides alike; two empty texts have the ratio 1.
    """
    totals = np.arange(most + 1, dtype=np.int64)
    least = np.maximum(np.floor(threshold * totals / 2).astype(np.int64) - 1, 0)
    for _ in range(3):
        with np.errstate(invalid="ignore", divide="ignore"):
            reached = 2.0 * least / totals >= threshold
        least = np.where(reached | (totals == 0), least, least + 1)
    return least


def _by_bags(bags: _Bags, rows: range, wanted: Booleans, needed: Integers) -> Iterator[Pairs]:
    """Yield pairs of a wanted text and a later one of ``rows`` whose bags share enough."""
    later = bags.rows[rows.start : rows.stop].copy()
    later[:, [-2, -1]] = later[:, [-1, -2]]
    for start in range(0, rows.stop, COLUMNS):
        stop = min(start + COLUMNS, rows.stop)
        if not wanted[start:stop].any():
            continue
        found = np.argwhere(later @ bags.rows[start:stop].T >= -ROUNDING)[:, ::-1] + (start, rows.start)
        found = found[(found[:, 0] < found[:, 1]) & wanted[found[:, 0]]]
        for at in range(0, len(found), PAIRS_AT_ONCE):
            pairs = found[at : at + PAIRS_AT_ONCE]
            pairs = pairs[bags.shared(pairs) >= needed[bags.lengths[pairs].sum(axis=1)]]
            if len(pairs):
                yield pairs


def _have_subsequence(texts: Sequence[str], pairs: Pairs, needed: Integers) -> Booleans:
    """Tell of each pair whether its longest common subsequence is long enough."""
    try:
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - an optional part
        from rapidfuzz.process import cpdist  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("construct", "finding near-duplicates") from error
    first, second = ([texts[place] for place in pairs[:, side]] for side in (0, 1))
    least = needed[[len(a) + len(b) for a, b in zip(first, second, strict=True)]]
    cutoff = int(least.min())
    common = cpdist(first, second, scorer=LCSseq.similarity, dtype=np.int64, score_cutoff=cutoff, workers=-1)
    return np.asarray(common >= least)
