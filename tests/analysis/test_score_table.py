"""A score table holds together: shapes, names, axes; and any part of it is one again."""

from __future__ import annotations

import re

import numpy as np
import pytest

from exambench.errors import ConfigError
from tests.support.tables import NAN, picks_of, table_of


def test_values_are_those_of_scored_items_in_natural_order() -> None:
    """Numbers come by size, other texts after them; items that nobody has a score for don't count."""
    table = table_of([[1, 0, 1, 1, NAN]], facets={"part": ["10", "나", "2", "가", "9"]})
    assert table.values("part") == ("2", "10", "가", "나")


def test_a_part_of_a_table_keeps_everything_of_its_items() -> None:
    """Scores, facets, picks and axes are cut alike, and an axis without items is gone."""
    table = table_of(
        [[1, 0, 1]],
        facets={"part": ["1", "2", None]},
        axes={"first": [True, False, False], "last": [False, False, True]},
        picks=picks_of([[0, 1, 2]], [0, 2, 2]),
    )
    part = table.on_axis("last")
    assert (part.items, part.scores.tolist(), part.facets["part"]) == (("q2",), [[1.0]], (None,))
    assert list(part.axes) == ["all", "last"]
    assert part.picks is not None
    assert (part.picks.positions.tolist(), part.picks.key.tolist()) == ([[2.0]], [2])


def test_an_unknown_axis_names_the_known_ones() -> None:
    """The error says what there is."""
    with pytest.raises(ConfigError, match=re.escape("allowed: all, first")):
        table_of([[1.0]], axes={"first": [True]}).on_axis("second")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ["m", "m"]}, "once each"),
        ({"models": ["m"]}, "scores of 1 models on 2 items"),
        ({"axes": {"all": [True, False]}}, "first axis holds all items"),
    ],
)
def test_a_table_that_does_not_hold_together_is_refused(change: dict[str, object], message: str) -> None:
    """Names stand once, shapes agree, and the first axis is everything."""
    with pytest.raises(ValueError, match=message):
        table_of([[1, 0], [0, 1]], **change)  # type: ignore[arg-type]  # one case at a time


def test_no_pick_has_no_label() -> None:
    """A missing pick is not the last choice."""
    picks = picks_of([[NAN, 1]], [-1, 0])
    assert [picks.label(position) for position in picks.positions[0]] == [None, "B"]
    assert picks.label(picks.key[0]) is None
    assert np.isnan(picks.positions[0, 0])
