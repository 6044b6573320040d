"""Differences of all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.comparison import compare
from exambench.analysis.pair_differences import MOST_ON_AXES, pair_differences
from exambench.errors import UndefinedStatisticError
from exambench.stats.resampling import Bootstrap
from tests.support.tables import table_of

BOOTSTRAP = Bootstrap(300, 7)
RNG = np.random.default_rng(1)
SCORES = (RNG.random((5, 40)) < [[0.2], [0.4], [0.5], [0.6], [0.9]]).astype(float)
AXES = {"few": [number % 5 == 0 for number in range(40)], "rest": [number % 5 != 0 for number in range(40)]}


def test_every_pair_has_the_interval_of_comparing_the_two_alone() -> None:
    """The oracle is the comparison of two models, which draws their difference item by item."""
    table = table_of(SCORES.tolist(), axes=AXES)
    found = pair_differences(table, BOOTSTRAP)
    for place, (a, b) in enumerate(zip(found.pairs.first, found.pairs.second, strict=True)):
        alone = compare(table, int(a), int(b), BOOTSTRAP)
        for axis, expected in enumerate((alone.overall, *alone.axes)):
            assert found.axes[axis] == expected.axis
            assert found.n[axis] == expected.difference.n
            got = (found.estimate[place, axis], found.low[place, axis], found.high[place, axis])
            assert got == pytest.approx(
                (expected.difference.estimate, expected.difference.low, expected.difference.high)
            )


def test_a_model_without_a_score_for_every_item_is_left_out() -> None:
    """Its items are not those of the others; comparing it takes the common items of two."""
    scores = SCORES.copy()
    scores[1, 3] = np.nan
    assert pair_differences(table_of(scores.tolist()), BOOTSTRAP).models == (0, 2, 3, 4)


def test_many_models_have_intervals_on_all_items_alone() -> None:
    """The number of pairs grows with the square of the models."""
    scores = (RNG.random((MOST_ON_AXES + 1, 40)) < 0.5).astype(float)
    found = pair_differences(table_of(scores.tolist(), axes=AXES), BOOTSTRAP)
    assert found.axes == ("all",)
    assert len(found.low) == (MOST_ON_AXES + 1) * MOST_ON_AXES / 2


def test_one_model_makes_no_pair() -> None:
    """There is no difference to speak of."""
    with pytest.raises(UndefinedStatisticError):
        pair_differences(table_of(SCORES[:1].tolist()), BOOTSTRAP)
