"""How much of a text another repeats, against rouge-score and plain dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from exambench.scoring.overlap import common_share, longest_common_subsequence, rouge_l, verbatim_share

WORDS = st.lists(st.sampled_from(["기압", "바람", "구름", "비"]), max_size=30)


class _Spaces:
    """A tokenizer for rouge-score that cuts at spaces, as its own drops Hangul."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


SCORER = rouge_scorer.RougeScorer(["rougeL"], tokenizer=_Spaces())


def by_table(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length by the textbook's table."""
    row = [0] * (len(b) + 1)
    for left in a:
        previous = 0
        for place, right in enumerate(b, start=1):
            kept, row[place] = row[place], previous + 1 if left == right else max(row[place], row[place - 1])
            previous = kept
    return row[-1]


@given(WORDS, WORDS)
def test_the_common_subsequence_is_the_longest(a: list[str], b: list[str]) -> None:
    """The bit-parallel recurrence and the table give one length, in either order."""
    assert longest_common_subsequence(a, b) == by_table(a, b) == longest_common_subsequence(b, a)


@given(WORDS, WORDS)
def test_rouge_l_is_that_of_rouge_score(a: list[str], b: list[str]) -> None:
    """The F-measure of the reference implementation on the same tokens."""
    expected = SCORER.score(" ".join(a), " ".join(b))["rougeL"].fmeasure
    assert rouge_l(a, b) == pytest.approx(expected)


def test_the_share_is_of_the_longer_text() -> None:
    """A text that holds everything somewhere gains nothing by its length."""
    assert common_share("abcd", "abcd") == 1.0
    assert common_share("abcd", "xaxbxcxd") == 0.5
    assert common_share("", "") == 1.0
    assert common_share("abc", "") == 0.0


def test_verbatim_runs_count_where_they_are_new() -> None:
    """Two of the three bigrams of a b c d stand in the other text; what was shown before is no memory."""
    assert verbatim_share("abcd", "bcd", "", 2) == pytest.approx(2 / 3)
    assert verbatim_share("abcd", "bcd", "xbc", 2) == 0.5  # bc was shown: of ab and cd one is there
    assert verbatim_share("aaaa", "aa", "", 2) == pytest.approx(1 / 3)  # a run counts as often as it stands
    assert verbatim_share("a", "a", "", 2) is None
    assert verbatim_share("abc", "abc", "abc", 2) is None
