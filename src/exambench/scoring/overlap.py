"""How much of a text another one repeats: longest common subsequence, ROUGE-L, verbatim n-grams.

References:
    [1] C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004), section 3.1: ROUGE-L with β = 1.
    [2] H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): the recurrence that is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def longest_common_subsequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, in one step over ``b`` of a machine word a token of ``a``.

    Args:
        a: Tokens.
        b: Tokens.
    """
    places: dict[Hashable, int] = {}
    for place, token in enumerate(a):
        places[token] = places.get(token, 0) | (1 << place)
    everything = (1 << len(a)) - 1
    row = everything
    for token in b:  # [2], figure 2: a zero bit in the row is a token of the subsequence
        matches = row & places.get(token, 0)
        row = ((row + matches) | (row - matches)) & everything
    return len(a) - row.bit_count()


def common_share(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return the longest common subsequence over the longer of the two, in [0, 1]; 1 where both are empty.

    Over the longer one, so that a long text does not score by holding every token somewhere.
    """
    longer = max(len(reference), len(candidate))
    return longest_common_subsequence(reference, candidate) / longer if longer else 1.0


def rouge_l(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return the F-measure of ROUGE-L: the harmonic mean of the shares of both texts that are common [1].

    Returns:
        In [0, 1]; 0 where nothing is common.
    """
    common = longest_common_subsequence(reference, candidate)
    return 2.0 * common / (len(reference) + len(candidate)) if common else 0.0


def verbatim_share(
    reference: Sequence[Hashable], candidate: Sequence[Hashable], known: Sequence[Hashable], n: int
) -> float | None:
    """Return the share of the reference's n-grams that stand in the candidate, in [0, 1].

    Args:
        reference: Tokens of the original.
        candidate: Tokens of what is compared with it.
        known: Tokens that whoever wrote the candidate had before; their n-grams do not count.
        n: Tokens in a row.

    Returns:
        The share; ``None`` where the original has no n-gram that was not known.
    """
    wanted = _ngrams(reference, n)
    for gram in _ngrams(known, n):
        wanted.pop(gram, None)
    found = _ngrams(candidate, n)
    total = wanted.total()
    return sum(min(count, found[gram]) for gram, count in wanted.items()) / total if total else None


def _ngrams(tokens: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[first : first + n]) for first in range(len(tokens) - n + 1))
