"""Drawing items with replacement, and what the drawn scores of all models on all axes add up to.

An axis is a score matrix (models × items) that is NaN outside the items of the axis. Items are drawn within each
stratum, so that the size of each stratum is fixed, and all models and axes see the same resample.

A resample is written as the number of times that each item was drawn. The sums of all models over a set of items are
then one matrix product, counts (resamples × items) · scores (items × models). NaN adds nothing. Axes that share items
share the product as well: it is taken once for each *cell*, the items that stand in exactly the same axes with the
same scores, and an axis adds up its cells.

Scores that are whole numbers, such as 0 and 1, are added in float32, which is exact as long as no sum can exceed
:data:`EXACT_IN_FLOAT32`; all others are added in float64.

**Memory.** Counts are made in blocks of at most :data:`BLOCK` resamples and dropped after use, so that B × items is
never built; blocks are smaller where cells are many.

**Order.** The draw addresses items by their place in a canonical order: first by stratum, then by ``item_ids``
(sorted as strings), or as given by the caller where there are no ids. With ids, therefore, the order of the columns
changes nothing. Items that have no score in any of the given axes are left out before the draw: one draws from the
union of the axes. An axis alone therefore has a fixed n; beside an axis of all items its n varies with the draw.

References:
    [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), section 8.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exambench.stats.matrix import FloatArray, IntArray, checked_scores, item_labels, item_set_groups

BLOCK: Final = 128
CELL_VALUES: Final = 2**21
EXACT_IN_FLOAT32: Final = 2**24


@dataclass(frozen=True, slots=True)
class ItemDesign:
    """Axes whose items stand in the canonical order, ready to be drawn.

    Attributes:
        axes: One matrix per axis, models × items, NaN = no score; items that nobody has a score for are gone.
        stratum_sizes: Number of items of each stratum; the items of a stratum stand side by side.
    """

    axes: tuple[FloatArray, ...]
    stratum_sizes: tuple[int, ...]

    @property
    def n_models(self) -> int:
        """Number of models."""
        return int(self.axes[0].shape[0])


@dataclass(frozen=True, slots=True)
class _Cells:
    """The columns of all axes, each taken once, sorted by the axes that they stand in.

    Attributes:
        items: Item of each column.
        columns: Columns × (models + groups): scores with 0 for NaN, then whether the models of a group have a score.
        group_of_model: Models with scores in the same columns are one group.
        bounds: Start of each cell in ``items``, and the end of the last.
        membership: Axes × cells, 1 where the axis holds the cell.
    """

    items: IntArray
    columns: NDArray[np.float32 | np.float64]
    group_of_model: IntArray
    bounds: IntArray
    membership: NDArray[np.float32 | np.float64]


def design_items(
    axes: Sequence[ArrayLike], strata: ArrayLike | None = None, item_ids: ArrayLike | None = None
) -> ItemDesign:
    """Bring the items of all axes into the canonical order of the draw (see the module's text).

    Args:
        axes: At least one matrix, all of the same shape, models × items; NaN = not in the axis, or no score.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item; None to draw in the order of the columns.

    Raises:
        ValueError: Shapes differ, an identifier occurs twice, or no item has a score.
    """
    matrices = [checked_scores(axis) for axis in axes]
    if not matrices:
        raise ValueError("needs at least one axis")
    if len({matrix.shape for matrix in matrices}) > 1:
        raise ValueError(f"axes have one shape, models × items; found {[matrix.shape for matrix in matrices]}")
    n_items = matrices[0].shape[1]
    stratum = np.zeros(n_items, dtype=np.int64)
    if strata is not None:
        stratum = np.unique(item_labels(strata, n_items), return_inverse=True)[1].astype(np.int64)
    position = np.arange(n_items)
    if item_ids is not None:
        names, position = np.unique(item_labels(item_ids, n_items), return_inverse=True)
        if len(names) < n_items:
            raise ValueError(f"item identifiers are unique; found {len(names)} different ones for {n_items} items")
    scored = np.logical_or.reduce([~np.isnan(matrix).all(axis=0) for matrix in matrices])
    if not scored.any():
        raise ValueError("no item has a score")
    order = np.lexsort((position, stratum))
    order = order[scored[order]]
    sizes = np.bincount(stratum[order])
    return ItemDesign(
        axes=tuple(matrix.take(order, axis=1) for matrix in matrices),
        stratum_sizes=tuple(int(size) for size in sizes if size > 0),
    )


def resample_counts(
    stratum_sizes: Sequence[int], resamples: int, seed: int, block: int = BLOCK
) -> Iterator[FloatArray]:
    """Draw resamples, block by block, as the number of times that each item was drawn.

    Each stratum has a generator of its own that draws its items resample after resample, so the numbers do not
    depend on the size of a block, and B resamples are the first B of any longer draw.

    Args:
        stratum_sizes: Number of items of each stratum, each at least 1.
        resamples: Number of resamples, B.
        seed: Seed of the draw.
        block: Resamples per block.

    Yields:
        At most ``block`` rows × items; each row sums, within each stratum, to the size of the stratum.

    Raises:
        ValueError: A stratum is empty, or a block holds no resample.
    """
    if not stratum_sizes or min(stratum_sizes) < 1 or block < 1:
        raise ValueError(f"needs strata of at least 1 item and blocks of at least 1; found {stratum_sizes}, {block}")
    for counts in _whole_counts(stratum_sizes, resamples, seed, block):
        yield counts.astype(np.float64)


def _whole_counts(stratum_sizes: Sequence[int], resamples: int, seed: int, block: int) -> Iterator[IntArray]:
    """Draw what :func:`resample_counts` yields, as integers."""
    generators = [np.random.default_rng([seed, stratum]) for stratum in range(len(stratum_sizes))]
    bounds = np.cumsum([0, *stratum_sizes])
    n_items = int(bounds[-1])
    for first in range(0, resamples, block):
        rows = min(block, resamples - first)
        drawn = np.empty((rows, n_items), dtype=np.int64)
        for generator, (start, end) in zip(generators, pairwise(bounds), strict=True):
            drawn[:, start:end] = generator.integers(start, end, size=(rows, end - start))
        drawn += np.arange(rows)[:, None] * n_items
        yield np.bincount(drawn.ravel(), minlength=rows * n_items).reshape(rows, n_items)


def resampled_sums(design: ItemDesign, resamples: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Draw resamples and yield, block by block, what the drawn scores add up to.

    Args:
        design: Axes in the canonical order.
        resamples: Number of resamples, B.
        seed: Seed of the draw.

    Yields:
        Two arrays, axes × rows × models: the sum of the drawn scores, and the number of drawn items with a score.
    """
    cells = _cells(design)
    n_cells, width = cells.membership.shape[1], cells.columns.shape[1]
    block = int(np.clip(CELL_VALUES // (n_cells * width), 1, BLOCK))
    for counts in _whole_counts(design.stratum_sizes, resamples, seed, block):
        drawn = counts.astype(cells.columns.dtype).take(cells.items, axis=1)
        parts = np.empty((n_cells, len(counts), width), dtype=cells.columns.dtype)
        for cell, (start, end) in enumerate(pairwise(cells.bounds)):
            np.matmul(drawn[:, start:end], cells.columns[start:end], out=parts[cell])
        totals = (cells.membership @ parts.reshape(n_cells, -1)).astype(np.float64).reshape(-1, len(counts), width)
        sums, scored = totals[:, :, : design.n_models], totals[:, :, design.n_models :]
        yield sums, scored[:, :, cells.group_of_model] if scored.shape[2] > 1 else np.broadcast_to(scored, sums.shape)


def _cells(design: ItemDesign) -> _Cells:
    """Group the columns of all axes into cells.

    An item's column is taken from the first axis that holds the item, and shared by all axes that have the same
    scores there; an axis with other scores of an item brings a column of its own.
    """
    n_axes, n_items = len(design.axes), design.axes[0].shape[1]
    first = np.full((design.n_models, n_items), np.nan)
    seen = np.zeros(n_items, dtype=np.bool_)
    shared = np.zeros((n_axes, n_items), dtype=np.bool_)
    own_items, own_axes, own_scores = [], [], []
    for index, axis in enumerate(design.axes):
        there = ~np.isnan(axis).all(axis=0)
        fresh = there & ~seen
        first[:, fresh] = axis[:, fresh]
        seen |= fresh
        # Bits are compared, so that NaN equals NaN. Equal scores of other bits (0 and −0) get a column of their own.
        shared[index] = there & (axis.view(np.int64) == first.view(np.int64)).all(axis=0)
        own = np.flatnonzero(there & ~shared[index])
        own_items.append(own)
        own_axes.append(np.repeat(np.eye(n_axes, dtype=np.bool_)[:, [index]], len(own), axis=1))
        own_scores.append(axis[:, own])
    if not seen.any():  # models of which none has a score: one item that no axis holds
        seen[0] = True
    items = np.concatenate([np.flatnonzero(seen), *own_items])
    holding = np.concatenate([shared[:, seen], *own_axes], axis=1)
    scores = np.concatenate([first[:, seen], *own_scores], axis=1)
    kinds, cell = np.unique(np.packbits(holding, axis=0).T, axis=0, return_inverse=True)
    order = np.argsort(cell, kind="stable")
    bounds = np.searchsorted(cell[order], np.arange(len(kinds) + 1))
    group_of_model = item_set_groups(scores)
    one_of_each = np.unique(group_of_model, return_index=True)[1]
    columns = np.concatenate([np.nan_to_num(scores), ~np.isnan(scores[one_of_each])])
    precision = _precision(columns, n_items)
    return _Cells(
        items=items[order],
        columns=np.ascontiguousarray(columns.T[order], dtype=precision),
        group_of_model=group_of_model,
        bounds=bounds.astype(np.int64),
        membership=holding[:, order][:, bounds[:-1]].astype(precision),
    )


def _precision(columns: FloatArray, n_items: int) -> type[np.float32 | np.float64]:
    """Return the narrowest type in which what n drawn items add up to is exact, or float64 where none is.

    Scores such as 0 and 1 are whole, and so is every sum on the way; float32 holds all whole numbers up to 2²⁴.
    """
    whole = np.array_equal(columns, np.rint(columns)) and np.abs(columns).max() * n_items <= EXACT_IN_FLOAT32
    return np.float32 if whole else np.float64
