"""Resamples depend on the seed alone, and sums are those of the drawn scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.stats import draws
from exambench.stats.draws import ItemDesign, design_items, resample_counts, resampled_sums

NAN = np.nan


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(2, 40), st.integers(0, 9), st.integers(1, 50))
def test_the_size_of_a_block_does_not_change_the_draw(sizes: list[int], b: int, seed: int, block: int) -> None:
    """Resamples are the same numbers in blocks of any size."""
    whole = np.concatenate(list(resample_counts(sizes, b, seed, block=b)))
    np.testing.assert_array_equal(np.concatenate(list(resample_counts(sizes, b, seed, block=block))), whole)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(0, 9))
def test_the_size_of_each_stratum_is_fixed(sizes: list[int], seed: int) -> None:
    """Each resample draws as many items from a stratum as it has."""
    for counts in resample_counts(sizes, 20, seed):
        for stratum in np.split(counts, np.cumsum(sizes)[:-1], axis=1):
            assert set(stratum.sum(axis=1)) == {stratum.shape[1]}


def test_counts_follow_the_multinomial_distribution() -> None:
    """Mean and covariance of the counts are those of n draws among n items: 1, 1 − 1/n, −1/n."""
    counts = np.concatenate(list(resample_counts([5], 40_000, 1)))
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.02)
    np.testing.assert_allclose(np.cov(counts.T), np.eye(5) - 0.2, atol=0.03)


def test_empty_strata_are_refused() -> None:
    """There is nothing to draw from an empty stratum."""
    with pytest.raises(ValueError, match="at least 1 item"):
        list(resample_counts([3, 0], 5, 0))


@pytest.mark.parametrize("largest", [1, 2**24 // 30, 2**24 // 30 + 1, 2**40])
def test_sums_of_whole_scores_are_exact(largest: int) -> None:
    """Bit for bit the sums of Python's integers, on both sides of what float32 can hold: 30 items, sums up to 2²⁴."""
    rng = np.random.default_rng(0)
    scores = rng.integers(max(0, largest - 3), largest + 1, (4, 30))
    design = design_items([scores, np.where(np.arange(30) < 11, scores, NAN)])
    counts = np.concatenate(list(resample_counts([30], 50, 1))).astype(int).tolist()
    expected = [
        [[sum(c * s for c, s in zip(row[:n], model[:n], strict=True)) for model in scores.tolist()] for row in counts]
        for n in (30, 11)
    ]
    sums = np.concatenate([block for block, _ in resampled_sums(design, 50, 1)], axis=1)
    assert sums.tolist() == expected


def test_models_without_any_score_add_up_to_nothing() -> None:
    """They may be alone in a pass: every sum and every number of scores is 0."""
    ((sums, scored),) = resampled_sums(ItemDesign((np.full((2, 3), NAN),), (3,)), 4, 0)
    np.testing.assert_array_equal([sums, scored], np.zeros((2, 1, 4, 2)))


@given(st.integers(0, 2**16), st.sampled_from([1, 2**21]))
def test_axes_that_share_some_columns_have_the_sums_of_each(seed: int, room: int) -> None:
    """Axes that overlap, repeat, or hold other scores of an item: counts times scores, one by one, block by block."""
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 0.25, 1.0, NAN], size=(3, 20))
    axes = [np.where(rng.random(20) < 0.6, scores, NAN) for _ in range(3)]
    axes += [axes[0], np.where(rng.random((3, 20)) < 0.2, 0.5, axes[1])]
    strata = rng.integers(0, 2, 20)
    if all(np.isnan(axis).all() for axis in axes):
        return
    design = design_items(axes, strata)
    counts = np.concatenate(list(resample_counts(design.stratum_sizes, 30, seed)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "CELL_VALUES", room)
        blocks = list(resampled_sums(design, 30, seed))
    sums, scored = (np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True))
    for index, axis in enumerate(design.axes):
        np.testing.assert_allclose(sums[index], counts @ np.nan_to_num(axis).T)
        np.testing.assert_allclose(scored[index], counts @ (~np.isnan(axis)).T)
