"""Where labels stand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.report.figures.placement import Spot, beside, spread, text_width
from exambench.report.figures.points import log_span, log_ticks, span_of

PLACES = st.floats(0, 400)


def test_two_labels_in_one_place_move_apart_alike() -> None:
    """Of least squares: two at 2.5 that must be 0.6 apart stand at 2.2 and 2.8."""
    assert spread([2.5, 2.5], 0.6) == pytest.approx([2.2, 2.8])


def test_labels_that_are_far_apart_stay() -> None:
    """Nothing moves without need, and nothing changes its place in the list."""
    assert spread([3.0, 1.0, 2.0], 0.5) == pytest.approx([3.0, 1.0, 2.0])


@given(st.lists(PLACES, max_size=30), st.floats(0.1, 20))
def test_neighbours_are_a_gap_apart_and_in_order(positions: list[float], gap: float) -> None:
    """The order of the labels is the order of what they name."""
    moved = spread(positions, gap)
    order = sorted(range(len(positions)), key=lambda at: positions[at])
    assert all(moved[right] - moved[left] >= gap - 1e-6 for left, right in pairwise(order))


def test_the_best_place_is_taken_first() -> None:
    """To the right where there is room; to the left at the right edge; nowhere where the plot is too narrow."""
    assert beside([(50, 50)], ["model"], (400, 100)) == [Spot(7.0, 0.0, "left")]
    assert beside([(395, 50)], ["model"], (400, 100)) == [Spot(-7.0, 0.0, "right")]
    assert beside([(10, 50)], ["a long name of a model"], (60, 100)) == [None]


@given(st.lists(st.tuples(PLACES, PLACES), max_size=12), st.integers(1, 20))
def test_labels_cover_neither_labels_nor_points(points: list[tuple[float, float]], length: int) -> None:
    """Every label that has a place stands within the plot, clear of all points and of the other labels."""
    text, size = "x" * length, (400.0, 400.0)
    boxes = []
    for (x, y), spot in zip(points, beside(points, [text] * len(points), size), strict=True):
        if spot is not None:
            width = text_width(text)
            left = x + spot.dx - {"left": 0.0, "right": width, "center": width / 2}[spot.align]
            boxes.append((left, y + spot.dy - 6.5, left + width, y + spot.dy + 6.5))
    dots = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]  # noqa: PT018 - one claim
        others = boxes[number + 1 :] + dots
        assert not any(left < o[2] and o[0] < right and top < o[3] and o[1] < bottom for o in others)


def test_scales_have_round_ends_with_room() -> None:
    """Of 52 to 88 the ends are 45 and 95; a single value gets a scale of the narrowest width around it."""
    assert (span_of([52, 88]).low, span_of([52, 88]).high) == (45, 95)
    assert (span_of([50], narrowest=10.0).low, span_of([50], narrowest=10.0).high) == (44, 56)
    assert (span_of([1, 99], 0.0, 100.0).low, span_of([1, 99], 0.0, 100.0).high) == (0, 100)


def test_logarithmic_ticks_are_round() -> None:
    """1, 2 and 5 times powers of ten, those within the scale."""
    assert log_ticks(log_span([1.0, 70.0])) == [0.5, 1, 2, 5, 10, 20, 50, 100]
