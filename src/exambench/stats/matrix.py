"""The score matrix: models × items, float, NaN = no score.

A cell without a score (not run, failed, not supported) is NaN and takes part in nothing: it is never counted as 0,
and each quantity that is computed from a matrix states the number of scores behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exambench.errors import UndefinedStatisticError

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
LabelArray: TypeAlias = NDArray[np.str_]

MATRIX_DIMENSIONS = 2


def score_matrix(scores: ArrayLike) -> FloatArray:
    """Return scores as a checked matrix.

    Args:
        scores: Models × items; NaN where there is no score.

    Returns:
        The same numbers as a new C-contiguous float array, models × items.

    Raises:
        ValueError: The array is not two-dimensional, has no model or no item, or holds an infinite value.
    """
    return checked_scores(scores).copy(order="C")


def checked_scores(scores: ArrayLike) -> FloatArray:
    """Return scores as a checked matrix to read from: no copy is made of one that is a float array already.

    Args:
        scores: Models × items; NaN where there is no score.

    Raises:
        ValueError: As for :func:`score_matrix`.
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != MATRIX_DIMENSIONS or 0 in matrix.shape:
        raise ValueError(f"a score matrix is models × items, at least 1 × 1; found the shape {matrix.shape}")
    if np.isinf(matrix).any():
        raise ValueError("a score matrix holds finite scores, or NaN where there is none; found an infinite value")
    return matrix


def score_vector(scores: ArrayLike) -> FloatArray:
    """Return the scores of one model as a checked vector.

    Args:
        scores: One score per item; NaN where there is none.

    Returns:
        The same numbers as a new float array with one axis.

    Raises:
        ValueError: The array does not have exactly one axis, is empty, or holds an infinite value.
    """
    vector = np.array(scores, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"scores of one model have one axis; found the shape {vector.shape}")
    row: FloatArray = score_matrix(vector[None, :])[0]
    return row


def scored_values(scores: ArrayLike, needed: int = 1) -> FloatArray:
    """Return the scores of one model without the missing ones.

    Args:
        scores: One score per item; NaN where there is none.
        needed: How many scores the caller cannot do without.

    Raises:
        ValueError: The array does not have exactly one axis or holds an infinite value.
        UndefinedStatisticError: Fewer than ``needed`` scores are there.
    """
    vector = score_vector(scores)
    values: FloatArray = vector[~np.isnan(vector)]
    if len(values) < needed:
        raise UndefinedStatisticError(f"needs at least {needed} scores; found {len(values)} in {len(vector)} items")
    return values


def item_mask(mask: ArrayLike, n_items: int) -> BoolArray:
    """Return a subset of items as a checked boolean mask.

    Args:
        mask: One boolean per item.
        n_items: Number of items of the matrix that the mask is for.

    Raises:
        ValueError: The mask is not boolean or does not have one entry per item.
    """
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (n_items,):
        raise ValueError(
            f"a subset is a boolean mask of {n_items} items; found {array.dtype} of the shape {array.shape}"
        )
    return array.astype(np.bool_)


def item_labels(labels: ArrayLike, n_items: int) -> LabelArray:
    """Return one label per item as checked strings.

    Args:
        labels: One string or integer per item, for example its stratum.
        n_items: Number of items of the matrix that the labels are for.

    Raises:
        ValueError: There is not one label per item, or a label is a floating-point number (and so perhaps NaN).
    """
    array = np.asarray(labels)
    if array.shape != (n_items,):
        raise ValueError(f"needs one label for each of {n_items} items; found the shape {array.shape}")
    if array.dtype.kind not in "USiub":
        raise ValueError(f"labels are strings or integers; found {array.dtype}")
    return array.astype(np.str_)


def restrict(scores: ArrayLike, mask: ArrayLike) -> FloatArray:
    """Return a matrix with NaN everywhere outside a subset of items.

    Args:
        scores: Models × items; NaN where there is no score.
        mask: One boolean per item.

    Raises:
        ValueError: Scores or mask break their format.
    """
    matrix = score_matrix(scores)
    matrix[:, ~item_mask(mask, matrix.shape[1])] = np.nan
    return matrix


def axes_of(scores: ArrayLike, subsets: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Return one matrix per named subset of the items; the subsets may overlap.

    Args:
        scores: Models × items; NaN where there is no score.
        subsets: Name → one boolean per item.

    Returns:
        Name → models × items, NaN outside the subset, in the order of ``subsets``.

    Raises:
        ValueError: Scores or a mask break their format.
    """
    matrix = checked_scores(scores)
    return {name: np.where(item_mask(mask, matrix.shape[1]), matrix, np.nan) for name, mask in subsets.items()}


def scored_counts(scores: ArrayLike) -> IntArray:
    """Return n, the number of scores of each model.

    Args:
        scores: Models × items; NaN where there is no score.

    Raises:
        ValueError: The scores break their format.
    """
    counts: IntArray = (~np.isnan(checked_scores(scores))).sum(axis=1, dtype=np.int64)
    return counts


def mean_scores(scores: ArrayLike) -> FloatArray:
    """Return the mean of each model over the items that it has a score for.

    Args:
        scores: Models × items; NaN where there is no score.

    Returns:
        One mean per model, in the unit of the scores; NaN for a model without any score (its n is 0).

    Raises:
        ValueError: The scores break their format.
    """
    matrix = checked_scores(scores)
    scored = ~np.isnan(matrix)
    return ratio(np.where(scored, matrix, 0.0).sum(axis=1), scored.sum(axis=1))


def common_items(scores: ArrayLike) -> BoolArray:
    """Return which items every model has a score for; models without any score are left aside.

    Args:
        scores: Models × items; NaN where there is no score.

    Raises:
        ValueError: The scores break their format.
    """
    scored = ~np.isnan(checked_scores(scores))
    taking_part = scored.any(axis=1)
    if not taking_part.any():
        return np.zeros(scored.shape[1], dtype=np.bool_)
    common: BoolArray = np.logical_and.reduce(scored[taking_part], axis=0)
    return common


def item_set_groups(scores: ArrayLike) -> IntArray:
    """Return which models have scores on exactly the same items, as one group number per model.

    Groups are numbered in the order of their first model. Models of different groups are compared on their common
    items, or shown apart.

    Args:
        scores: Models × items; NaN where there is no score.

    Raises:
        ValueError: The scores break their format.
    """
    known: dict[bytes, int] = {}
    rows = np.packbits(~np.isnan(checked_scores(scores)), axis=1)
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], dtype=np.int64)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with NaN (and no warning) where the denominator is 0.

    Args:
        numerator: Any shape.
        denominator: A shape that broadcasts with it.
    """
    top = np.asarray(numerator, dtype=np.float64)
    bottom = np.asarray(denominator, dtype=np.float64)
    result: FloatArray = np.asarray(top / np.where(bottom == 0.0, np.nan, bottom))
    return result
