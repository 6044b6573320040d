"""The figure of a model's scores."""

from __future__ import annotations

from exambench.report.site.boards import Score
from exambench.report.site.radar import radar_of


def score(estimate: float) -> Score:
    """Return a score without anything around it."""
    return Score(estimate, None, None, 4)


TITLES = [{"en": name, "ko": name} for name in "abcd"]


def test_the_first_axis_points_up_and_the_others_follow_clockwise() -> None:
    """Four axes stand at right angles; 100 units are a score of 1, and down is positive."""
    radar = radar_of(TITLES, [score(1.0), score(0.5), score(0.25), score(0.0)])
    assert radar is not None
    assert radar.shape == "0.00,-100.00 50.00,0.00 0.00,25.00 0.00,0.00"
    assert [(spoke.x, spoke.y) for spoke in radar.spokes] == [(0.0, -100.0), (100.0, 0.0), (0.0, 100.0), (-100.0, 0.0)]


def test_an_axis_without_a_score_is_not_drawn() -> None:
    """A model without pictures has no axis of pictures, instead of a score of 0."""
    radar = radar_of(TITLES, [score(1.0), None, score(0.5), score(0.5)])
    assert radar is not None
    assert [spoke.metric for spoke in radar.spokes] == [0, 2, 3]


def test_two_axes_make_no_figure() -> None:
    """A polygon has three corners."""
    assert radar_of(TITLES[:2], [score(1.0), score(0.5)]) is None
