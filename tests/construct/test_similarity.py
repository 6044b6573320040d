"""Near-duplicates are those of difflib: no pair more, no pair less."""

from __future__ import annotations

import difflib
import random
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.construct import similarity
from exambench.construct.similarity import Corpus, alike

WORDS = ("기온", "기압", "바람", "가장", "높은", "낮은", "층은", "대류권", "성층권", "무엇인가", "옳은 것은", "다음 중")


def by_difflib(texts: list[str], threshold: float) -> dict[tuple[int, int], float]:
    """Ask the standard library about every pair."""
    found = {}
    for (i, a), (j, b) in combinations(enumerate(texts), 2):
        ratio = difflib.SequenceMatcher(None, a, b).ratio()
        if ratio >= threshold:
            found[i, j] = ratio
    return found


def found(texts: list[str], threshold: float) -> dict[tuple[int, int], float]:
    """Return what we find, in the form of :func:`by_difflib`."""
    return {(pair.earlier, pair.later): pair.ratio for pair in alike(texts, threshold)}


@given(st.lists(st.text("가나다abc 1", max_size=14), max_size=14), st.sampled_from([0.3, 0.5, 0.6, 2 / 3, 0.75, 1.0]))
@settings(max_examples=150)
def test_short_texts_are_alike_exactly_where_difflib_says_so(texts: list[str], threshold: float) -> None:
    """Texts of few characters have many pairs that are just or just not alike; empty texts are among them."""
    assert found(texts, threshold) == by_difflib(texts, threshold)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=12))
@settings(max_examples=100)
def test_stems_of_the_same_words_are_alike_exactly_where_difflib_says_so(texts: list[str]) -> None:
    """Stems that share their words in another order share their bags, and so pass the first bound."""
    assert found(texts, 0.6) == by_difflib(texts, 0.6)


def test_the_heuristic_for_long_texts_decides_as_in_difflib() -> None:
    """From 200 characters on, difflib leaves characters that are frequent in the later text out of its search."""
    rng = random.Random(7)
    base = "".join(rng.choice("가나다라마바사아자차카타파하 ") for _ in range(260))
    texts = [base, base[::-1], base[130:] + base[:130], base.replace("가", "나"), base[:199], base[:200], base[:201]]
    without = {
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(texts), 2)
        if difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= 0.6
    }
    assert found(texts, 0.6) == by_difflib(texts, 0.6)
    assert found(texts, 0.6).keys() != without  # the heuristic was at work


def test_the_earlier_text_is_the_first_argument() -> None:
    """ratio(a, b) and ratio(b, a) differ: of these texts only one order reaches the threshold."""
    # >>> difflib.SequenceMatcher(None, "tide", "diet").ratio(), difflib.SequenceMatcher(None, "diet", "tide").ratio()
    # (0.25, 0.5)     (the example in difflib's documentation)
    assert found(["diet", "tide"], 0.5) == {(0, 1): 0.5}
    assert found(["tide", "diet"], 0.5) == {}


def test_portions_do_not_change_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With portions of three texts, tiles of two and few columns of characters, the pairs are the same."""
    rng = random.Random(3)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(40)]
    for name, size in {"ROWS": 3, "COLUMNS": 2, "COLUMNS_OF_CHARACTERS": 4, "PAIRS_AT_ONCE": 5}.items():
        monkeypatch.setattr(similarity, name, size)
    assert found(texts, 0.6) == by_difflib(texts, 0.6)


def test_pairs_that_wait_for_difflib_take_little_memory() -> None:
    """Of 700 texts of one template every pair waits, a quarter of a million of them, 16 bytes each.

    That is 30 MB in all; as lists of Python's numbers they would take 14 MB more.
    """
    texts = [f"기온 {number:04} °C일 때의 기압은 얼마인가?" for number in range(700)]
    corpus, everything = Corpus(texts, 0.6), np.ones(len(texts), dtype=np.bool_)
    tracemalloc.start()
    waiting = sum(1 for rows in corpus.portions() for _ in corpus.candidates(rows, everything))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert waiting == 700 * 699 // 2
    assert peak < 38_000_000


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1.01, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    """At 0 every pair would be alike, and above 1 none."""
    with pytest.raises(ValueError, match="threshold"):
        list(alike(["a"], threshold))
