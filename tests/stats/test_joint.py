"""One draw gives what three draws from the same seed give."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from exambench.stats import resampling
from exambench.stats.gaps import GapTable, bootstrap_gaps
from exambench.stats.joint import bootstrap_axes
from exambench.stats.matrix import FloatArray, axes_of
from exambench.stats.ranking import RankTable, rank_intervals
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means

NAN = np.nan
DRAW = Bootstrap(resamples=700, seed=42)
STRATA = np.arange(90) < 20


def axes() -> dict[str, FloatArray]:
    """Return axes that overlap, one of them with other scores, of models that were not all shown the images."""
    rng = np.random.default_rng(0)
    scores = (rng.random((6, 90)) < 0.5).astype(float)
    scores[:2, :20] = NAN
    scores[3, rng.integers(0, 90, 5)] = NAN
    subsets = {"all": np.ones(90, dtype=bool), "images": STRATA, "text": ~STRATA, "korean": np.arange(90) % 7 == 0}
    reasoning = np.where(np.arange(90) % 5 == 0, rng.integers(4, 21, (6, 90)) / 20, NAN)
    return axes_of(scores, subsets) | {"reasoning": reasoning}


def assert_same(first: MeanTable | GapTable | RankTable, second: MeanTable | GapTable | RankTable) -> None:
    """Compare two tables field by field."""
    assert type(first) is type(second)
    for field in fields(first):
        left, right = getattr(first, field.name), getattr(second, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_allclose(left, right, atol=1e-12, err_msg=field.name)
        else:
            assert left == right


@pytest.mark.parametrize("memory", [resampling.REPLICATE_BYTES, 1])
def test_one_draw_is_three_draws(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Means, gaps and ranks are those of the three functions, however little memory there is."""
    gaps = {"modality": ("images", "text"), "reasoning": ("reasoning", "all")}
    options = {"strata": STRATA, "item_ids": np.arange(90)[::-1]}
    means, differences = bootstrap_means(axes(), DRAW, **options), bootstrap_gaps(axes(), gaps, DRAW, **options)
    ranks = rank_intervals(axes(), DRAW, **options)
    monkeypatch.setattr(resampling, "REPLICATE_BYTES", memory)
    joint = bootstrap_axes(axes(), gaps, DRAW, **options)
    assert_same(joint.means, means)
    assert_same(joint.gaps, differences)
    assert_same(joint.ranks, ranks)


def test_axes_need_no_gaps() -> None:
    """Without gaps there is a table of none."""
    joint = bootstrap_axes(axes(), {}, DRAW)
    assert joint.gaps.names == ()
    assert joint.gaps.estimate.shape == (6, 0)
