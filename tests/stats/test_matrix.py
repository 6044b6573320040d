"""A score matrix keeps "no score" apart from 0."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.errors import UndefinedStatisticError
from exambench.stats.matrix import (
    axes_of,
    common_items,
    item_labels,
    item_mask,
    mean_scores,
    ratio,
    score_matrix,
    score_vector,
    scored_counts,
    scored_values,
)

NAN = np.nan
SCORES = [[1.0, 0.0, NAN, 1.0], [1.0, 1.0, 0.0, NAN], [NAN, NAN, NAN, NAN]]


def test_a_missing_score_is_not_zero() -> None:
    """A mean runs over the scored items only, and a model without scores has no mean and n = 0."""
    np.testing.assert_array_equal(mean_scores(SCORES), [2 / 3, 2 / 3, NAN])
    np.testing.assert_array_equal(scored_counts(SCORES), [3, 3, 0])


def test_common_items_are_scored_by_all_models_that_take_part() -> None:
    """The common items leave a model without any score aside."""
    np.testing.assert_array_equal(common_items(SCORES), [True, True, False, False])
    assert not common_items([[NAN, NAN]]).any()


def test_axes_are_the_matrix_with_nan_outside_the_subset() -> None:
    """Subsets may overlap, and each keeps the shape of the whole."""
    axes = axes_of(SCORES, {"first": np.array([True, False, False, False]), "all": np.ones(4, dtype=bool)})
    assert list(axes) == ["first", "all"]
    np.testing.assert_array_equal(scored_counts(axes["first"]), [1, 1, 0])
    np.testing.assert_array_equal(axes["all"], SCORES)


def test_a_checked_matrix_is_a_copy() -> None:
    """Checking never hands out the caller's own array."""
    given = np.ones((2, 2))
    score_matrix(given)[0, 0] = 5.0
    assert given[0, 0] == 1.0


@pytest.mark.parametrize("scores", [[1.0, 0.0], [[]], [], [[np.inf]], [[[1.0]]]])
def test_a_matrix_of_another_shape_or_with_infinity_is_refused(scores: object) -> None:
    """Only finite scores and NaN, models × items."""
    with pytest.raises(ValueError, match="score matrix"):
        score_matrix(scores)  # type: ignore[arg-type]  # what a caller may hand over by mistake


def test_a_vector_has_one_axis() -> None:
    """A matrix where one model is expected is refused."""
    with pytest.raises(ValueError, match="one axis"):
        score_vector([[1.0]])


def test_too_few_scores_are_named() -> None:
    """The message says how many scores there are."""
    with pytest.raises(UndefinedStatisticError, match="at least 2 scores; found 1 in 2 items"):
        scored_values([1.0, NAN], needed=2)


@pytest.mark.parametrize("mask", [[1, 0], [True], [[True, False]]])
def test_a_mask_is_one_boolean_per_item(mask: object) -> None:
    """Numbers are not a mask, nor is a mask of another length."""
    with pytest.raises(ValueError, match="boolean mask of 2 items"):
        item_mask(mask, 2)  # type: ignore[arg-type]  # what a caller may hand over by mistake


@pytest.mark.parametrize("labels", [["a"], [0.5, 1.0], [[1, 2]]])
def test_a_label_is_one_string_or_integer_per_item(labels: object) -> None:
    """A floating-point label could be NaN, so it is refused."""
    with pytest.raises(ValueError, match="label"):
        item_labels(labels, 2)  # type: ignore[arg-type]  # what a caller may hand over by mistake


def test_a_ratio_to_nothing_is_nan_without_a_warning() -> None:
    """Dividing by an empty count gives NaN."""
    np.testing.assert_array_equal(ratio([1.0, 1.0, 0.0], [2.0, 0.0, 0.0]), [0.5, NAN, NAN])
