"""The leaderboard's percentages are counts, and counts are enough for gaps and intervals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.analysis.published.leaderboard import (
    Share,
    denominators,
    difference_interval,
    geo_cultural_gap,
    judged_items,
    leaderboard_row,
    modality_gap,
    non_korean,
    normalised_reasoning,
    reasoning_gap,
    share,
)
from exambench.benchmarks.published import KMetBench, load_published
from exambench.errors import DataError


@pytest.fixture(scope="module")
def data() -> KMetBench:
    """Return the figures of K-MetBench."""
    return load_published().kmetbench


def test_a_text_only_model_is_asked_no_item_with_an_image(data: KMetBench) -> None:
    """Table 3's column of text items, and 71 Korean-specific ones."""
    assert denominators(data, leaderboard_row(data, "A.X-4.0")) == {
        "accuracy": 1692, "korean": 71, "text": 1692, "multimodal": 82,
        "part1": 364, "part2": 318, "part3": 340, "part4": 363, "part5": 307,
    }  # fmt: skip


def test_a_vision_model_is_asked_everything(data: KMetBench) -> None:
    """Table 3's column of all items, and 73 Korean-specific ones."""
    assert denominators(data, leaderboard_row(data, "gpt-5.2")) == {
        "accuracy": 1774, "korean": 73, "text": 1692, "multimodal": 82,
        "part1": 373, "part2": 332, "part3": 359, "part4": 376, "part5": 334,
    }  # fmt: skip


def test_percentages_become_counts(data: KMetBench) -> None:
    """62 of 82 items with an image, 56 of 71 Korean-specific ones, as in appendix H.1 (.756 and .789)."""
    assert share(data, leaderboard_row(data, "gemini-3-pro-preview (Thinking)"), "multimodal") == Share(62, 82)
    assert share(data, leaderboard_row(data, "A.X-4.0"), "korean") == Share(56, 71)


def test_the_rest_is_what_is_not_korean_specific(data: KMetBench) -> None:
    """A.X-4.0: 1,288 of 1,692 right less 56 of 71."""
    assert non_korean(data, leaderboard_row(data, "A.X-4.0")) == Share(1232, 1621)


def test_a_percentage_that_is_no_count_is_an_error(data: KMetBench) -> None:
    """No whole number of 71 items is 78.9 %; the error names model, field and what is allowed."""
    row = replace(leaderboard_row(data, "A.X-4.0"), korean_pct=78.9)
    with pytest.raises(DataError, match=r"A\.X-4\.0, field korean_pct.*k × 100 / 71"):
        share(data, row, "korean")


def test_a_blank_cell_has_no_count(data: KMetBench) -> None:
    """A text-only model has no multimodal accuracy, which is not 0."""
    with pytest.raises(DataError, match="multimodal_pct"):
        share(data, leaderboard_row(data, "A.X-4.0"), "multimodal")


def test_an_unknown_model_is_an_error(data: KMetBench) -> None:
    """A name that the leaderboard lacks is named."""
    with pytest.raises(DataError, match="no-such-model"):
        leaderboard_row(data, "no-such-model")


def test_gaps_are_differences_of_shares(data: KMetBench) -> None:
    """By hand from the counts: 40/82 − 864/1692; 26/71 − 492/1621; (18.0144 − 4)/16 − 1663/1774."""
    assert modality_gap(data, leaderboard_row(data, "Qwen3-VL-4B-Instruct")) == pytest.approx(40 / 82 - 864 / 1692)
    local = leaderboard_row(data, "HyperCLOVAX-SEED-Text-Instruct-1.5B")
    assert geo_cultural_gap(data, local) == pytest.approx(26 / 71 - 492 / 1621)
    best = leaderboard_row(data, "gemini-3-pro-preview (Thinking)")
    assert normalised_reasoning(best) == pytest.approx(0.8759, abs=5e-5)
    assert reasoning_gap(best) == pytest.approx(0.8759 - 1663 / 1774, abs=5e-5)


@pytest.mark.parametrize(
    ("model", "items"),
    [
        ("gemini-3-pro-preview (Thinking)", 139),  # 2,504 / 139 = 18.014388…
        ("InternVL3.5-4B-Instruct", 139),  # 668 / 139 = 4.805755…
        ("Qwen2.5-VL-3B-Instruct", 121),  # 590 / 121 = 4.876033…
        ("Qwen3-14B", 121),  # 1,845 / 121 = 15.247933…
    ],
)
def test_the_number_of_judged_items_shows_in_the_mean(data: KMetBench, model: str, items: int) -> None:
    """A mean of whole totals over n items is a whole number over n."""
    assert judged_items(data, leaderboard_row(data, model)) == items


def test_a_score_that_is_no_mean_of_totals_is_an_error(data: KMetBench) -> None:
    """π is a mean of whole numbers over no number of items."""
    with pytest.raises(DataError, match="reasoning_4_20"):
        judged_items(data, replace(data.leaderboard[0], reasoning_4_20=np.pi * 4))


def brute_force(first: Share, second: Share, level: float) -> tuple[float, float]:
    """Enumerate every resample of both subsets, all equally likely, and take the smallest value at each quantile."""
    means = [
        sorted(sum(drawn) / part.n for drawn in product(part.scores().tolist(), repeat=part.n))
        for part in (first, second)
    ]
    differences = sorted(a - b for a, b in product(*means))
    tail = (1 - level) / 2
    low, high = (differences[int(np.ceil(q * len(differences) - 1e-9)) - 1] for q in (tail, 1 - tail))
    return low, high


@pytest.mark.parametrize(
    ("first", "second"), [(Share(2, 3), Share(1, 4)), (Share(1, 2), Share(3, 5)), (Share(4, 5), Share(2, 3))]
)
def test_the_interval_of_a_difference_is_that_of_all_resamples(first: Share, second: Share) -> None:
    """The exact quantiles are those of the enumerated bootstrap distribution; 0.83 hits no probability exactly."""
    assert difference_interval(first, second, 0.83) == pytest.approx(brute_force(first, second, 0.83))


@settings(max_examples=30)
@given(st.integers(1, 30), st.integers(1, 60), st.data())
def test_the_interval_turns_with_its_sides(n: int, m: int, draw: st.DataObject) -> None:
    """The interval holds the difference, and exchanging the sides changes its sign up to one step of the quantile."""
    first = Share(draw.draw(st.integers(0, n)), n)
    second = Share(draw.draw(st.integers(0, m)), m)
    low, high = difference_interval(first, second)
    assert low - 1e-9 <= first.mean - second.mean <= high + 1e-9
    turned_low, turned_high = difference_interval(second, first)
    step = 1 / n + 1 / m
    assert [-turned_high, -turned_low] == pytest.approx([low, high], abs=step)


def test_a_share_without_variation_has_no_width() -> None:
    """All right against all wrong is certain: 1 on both sides."""
    assert difference_interval(Share(5, 5), Share(0, 7)) == (1.0, 1.0)
