"""Paragraphs of a document by a sliding window that is cut where sentences end. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.construct.sentences import Span, sentences_of

WINDOW: Final = 0.33
OVERLAP: Final = 0.2
SHORTEST: Final = 400
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Sliding:
    """How a window slides over a document, after ScholarBench, appendix F.1.

    Attributes:
        window: Its length as a share of the document, in (0, 1].
        overlap: The share of a window that the next one repeats, in [0, 1).
        shortest: Least length in characters: windows of a short document are larger shares of it, and a last one that
            would be shorter becomes part of the one before.
    """

    window: float = WINDOW
    overlap: float = OVERLAP
    shortest: int = SHORTEST


def windows_of(text: str, sliding: Sliding = Sliding()) -> tuple[Span, ...]:
    """Return the windows of a document from its beginning to its end.

    Each begins where a sentence begins, ends where one ends, and is as near as that allows to the length and overlap
    that are asked for. A sentence longer than a window is cut between words, into pieces as long as the overlap, so
    that windows of a text without full stops overlap too. Together they hold every sentence. The last one ends with the
    document, and may be shorter.
    """
    length = len(text.strip())
    size = max(sliding.window * length, float(sliding.shortest))
    units = [
        piece
        for sentence in sentences_of(text)
        for piece in (
            [sentence] if sentence.length <= size else _pieces(text, sentence, sliding.overlap * size or size)
        )
    ]
    if not units:
        return ()
    return tuple(Span(units[first].start, units[last].end) for first, last in _runs(units, size, sliding))


def _runs(units: Sequence[Span], size: float, sliding: Sliding) -> Iterator[tuple[int, int]]:
    """Yield first and last sentence of each window."""
    starts, ends = [unit.start for unit in units], [unit.end for unit in units]
    repeated = sliding.overlap * size
    first, last = 0, -1
    while last < len(units) - 1:
        last = max(_nearest(ends, starts[first] + size), first, last + 1)
        if ends[-1] - ends[last] + repeated < sliding.shortest:
            last = len(units) - 1
        yield first, last
        first = min(max(_nearest(starts, ends[last] - repeated), first + 1), last + 1)


def _nearest(places: Sequence[int], wanted: float) -> int:
    """Return the index of the place that is nearest to another, of two the first."""
    after = bisect_left(places, wanted)
    around = [index for index in (after - 1, after) if 0 <= index < len(places)]
    return min(around, key=lambda index: abs(places[index] - wanted))


def _pieces(text: str, sentence: Span, size: float) -> Iterator[Span]:
    """Yield a sentence in pieces of whole words."""
    start = end = sentence.start
    for word in _WORD.finditer(text, sentence.start, sentence.end):
        if word.end() - start > size and end > start:
            yield Span(start, end)
            start = word.start()
        end = word.end()
    yield Span(start, end)
