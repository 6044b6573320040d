"""A stratified bootstrap over items, for many models and many axes at once.

Items are drawn with replacement within each stratum, so that the size of each stratum is fixed. All models and all
axes of one item set see the same resample; a difference of two axes therefore keeps their covariance, even where
they share items. An axis is a score matrix (models × items) that is NaN outside the items of the axis.

A resample is written as the number of times that each item was drawn. The sums of all models over a set of items are
then one matrix product, counts (resamples × items) · scores (items × models), and a mean is a ratio of two such sums:
the drawn scores, and how many of the drawn items have a score. NaN adds nothing to either. Axes that share items share
the product as well: it is taken once for each *cell*, the items that stand in exactly the same axes with the same
scores, and an axis adds up its cells.

**Memory.** Counts are made in blocks of at most :data:`BLOCK` resamples and dropped after use, so that B × items is
never built; blocks are smaller where cells are many. What is kept are replicates, B × axes × models; where these would
exceed :data:`REPLICATE_BYTES`, models are taken in several passes, and each pass draws the same counts again from the
seed.

**Order.** The draw addresses items by their place in a canonical order: first by stratum, then by ``item_ids``
(sorted as strings), or as given by the caller where there are no ids. With ids, therefore, the order of the columns
changes nothing. Items that have no score in any of the given axes are left out before the draw: one draws from the
union of the axes. An axis alone therefore has a fixed n; beside an axis of all items its n varies with the draw.

References:
    [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), sections 8.3 and 13.3.
    [2] S. Kim et al., "K-MetBench" (2026), appendix H.1 (B = 1000, seed 42, 95 %).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.intervals import Interval, check_level
from exambench.stats.matrix import (
    FloatArray,
    IntArray,
    checked_scores,
    item_labels,
    item_set_groups,
    mean_scores,
    ratio,
    scored_counts,
)

BLOCK: Final = 256
CELL_VALUES: Final = 2**21
QUANTILE_VALUES: Final = 2**20
REPLICATE_BYTES: Final = 96 * 2**20
METHOD: Final = "percentile bootstrap over items"

Bounds: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, IntArray]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How often to draw, from which seed, and the level of the intervals.

    Attributes:
        resamples: B, at least 2.
        seed: Seed of the draw, not negative; the same seed gives the same numbers.
        level: Confidence level, in (0, 1).

    Raises:
        ValueError: One of them lies outside its range.
    """

    resamples: int
    seed: int
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 2:  # noqa: PLR2004  # a percentile interval of one resample is a point
            raise ValueError(f"a bootstrap needs at least 2 resamples; found {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"a seed is not negative; found {self.seed}")
        check_level(self.level)


@dataclass(frozen=True, slots=True)
class MeanTable:
    """Mean scores of models on axes, with percentile intervals.

    Every array is models × axes. A model without any score on an axis has n = 0 and NaN for the rest.

    Attributes:
        names: The axes.
        estimate: Mean over the scored items, in the unit of the scores.
        low: Lower bound.
        high: Upper bound.
        standard_error: Standard deviation of the replicates.
        n: Number of scores.
        undefined: Resamples without a single scored item; they are left out of the percentiles.
        bootstrap: How it was drawn.
        method: How the intervals were made.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    n: IntArray
    undefined: IntArray
    bootstrap: Bootstrap
    method: str = METHOD

    def interval(self, model: int, name: str) -> Interval:
        """Return one cell.

        Raises:
            ValueError: There is no axis of that name.
            IndexError: There is no such model.
        """
        cell = (model, self.names.index(name))
        return Interval(
            estimate=float(self.estimate[cell]),
            low=float(self.low[cell]),
            high=float(self.high[cell]),
            n=int(self.n[cell]),
            level=self.bootstrap.level,
            method=self.method,
            standard_error=float(self.standard_error[cell]),
            resamples=self.bootstrap.resamples,
            seed=self.bootstrap.seed,
            undefined_resamples=int(self.undefined[cell]),
        )


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
    columns: FloatArray
    group_of_model: IntArray
    bounds: IntArray
    membership: FloatArray


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
        axes=tuple(np.ascontiguousarray(matrix[:, order]) for matrix in matrices),
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
    generators = [np.random.default_rng([seed, stratum]) for stratum in range(len(stratum_sizes))]
    n_items = sum(stratum_sizes)
    starts = np.cumsum([0, *stratum_sizes[:-1]])
    for first in range(0, resamples, block):
        rows = min(block, resamples - first)
        cell_of_row = np.arange(rows)[:, None] * n_items
        counts = np.zeros(rows * n_items, dtype=np.int64)
        for generator, start, size in zip(generators, starts, stratum_sizes, strict=True):
            drawn = generator.integers(0, size, size=(rows, size))
            drawn += cell_of_row + start
            counts += np.bincount(drawn.ravel(), minlength=rows * n_items)
        yield counts.reshape(rows, n_items).astype(np.float64)


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
    for counts in resample_counts(design.stratum_sizes, resamples, seed, block):
        drawn = counts[:, cells.items]
        parts = np.empty((n_cells, len(counts), width))
        for cell, (start, end) in enumerate(pairwise(cells.bounds)):
            np.matmul(drawn[:, start:end], cells.columns[start:end], out=parts[cell])
        totals = (cells.membership @ parts.reshape(n_cells, len(counts) * width)).reshape(-1, len(counts), width)
        yield totals[:, :, : design.n_models], totals[:, :, design.n_models :][:, :, cells.group_of_model]


def resampled_means(design: ItemDesign, bootstrap: Bootstrap) -> FloatArray:
    """Return the mean of every model on every axis in every resample.

    Args:
        design: Axes in the canonical order.
        bootstrap: How often to draw, and the seed.

    Returns:
        Models × axes × B; NaN where a resample holds no scored item. The whole array is built: a caller with many
        models and many resamples takes the models in :func:`model_passes`.
    """
    replicates = np.empty((design.n_models, len(design.axes), bootstrap.resamples))
    first = 0
    for sums, scored in resampled_sums(design, bootstrap.resamples, bootstrap.seed):
        last = first + sums.shape[1]
        replicates[:, :, first:last] = ratio(sums, scored).transpose(2, 0, 1)
        first = last
    return replicates


def model_passes(design: ItemDesign, kept_per_model: int, resamples: int) -> Iterator[ItemDesign]:
    """Split the models so that the replicates of one pass stay within :data:`REPLICATE_BYTES`.

    Args:
        design: Axes in the canonical order.
        kept_per_model: Replicates that the caller keeps of each model in each resample.
        resamples: Number of resamples, B.

    Yields:
        The design cut to the next models. The items, and so the draw, are those of the whole.
    """
    step = max(1, REPLICATE_BYTES // (8 * kept_per_model * resamples))
    for first in range(0, design.n_models, step):
        yield ItemDesign(tuple(axis[first : first + step] for axis in design.axes), design.stratum_sizes)


def percentile_bounds(replicates: FloatArray, level: float) -> Bounds:
    """Summarise replicates along the last axis.

    Args:
        replicates: … × B; NaN where the quantity does not exist in a resample.
        level: Confidence level.

    Returns:
        Lower and upper percentile bound, standard deviation of the replicates (n − 1), and the number of undefined
        resamples, each without the last axis. All but the last are NaN where fewer than two resamples are defined.
    """
    tail = (1.0 - level) / 2.0
    rows = replicates.reshape(-1, replicates.shape[-1])
    undefined = np.isnan(rows).sum(axis=1, dtype=np.int64)
    low, high, error = np.full((3, len(rows)), np.nan)
    # A few rows at a time: a quantile copies what it sorts.
    step = max(1, QUANTILE_VALUES // rows.shape[1])
    for some in np.split(np.flatnonzero(undefined == 0), range(step, len(rows), step)):
        low[some], high[some] = np.quantile(rows[some], [tail, 1.0 - tail], axis=1)
        error[some] = rows[some].std(axis=1, ddof=1)
    for row in np.flatnonzero((undefined > 0) & (undefined < rows.shape[1] - 1)):
        defined = rows[row][~np.isnan(rows[row])]
        low[row], high[row] = np.quantile(defined, [tail, 1.0 - tail])
        error[row] = defined.std(ddof=1)
    shape = replicates.shape[:-1]
    return low.reshape(shape), high.reshape(shape), error.reshape(shape), undefined.reshape(shape)


def bootstrap_means(
    axes: Mapping[str, ArrayLike],
    bootstrap: Bootstrap,
    *,
    strata: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
) -> MeanTable:
    """Return the mean of every model on every axis with its percentile interval [1, 2].

    Args:
        axes: Name → models × items, in the unit of the scores; NaN outside the axis and where there is no score
            (:func:`exambench.stats.matrix.axes_of` makes them from one matrix and masks).
        bootstrap: How often to draw, the seed, the level.
        strata: One label per item; None for a single stratum.
        item_ids: One unique identifier per item, which makes the order of the columns irrelevant.

    Returns:
        A table, models × axes; a model without a score on an axis has n = 0 and NaN there.

    Raises:
        ValueError: The axes, strata or ids break their format, or no item has a score.
    """
    design = design_items(list(axes.values()), strata, item_ids)
    bounds = [
        percentile_bounds(resampled_means(part, bootstrap), bootstrap.level)
        for part in model_passes(design, len(axes), bootstrap.resamples)
    ]
    return mean_table(tuple(axes), design, bounds, bootstrap)


def mean_table(names: tuple[str, ...], design: ItemDesign, bounds: Sequence[Bounds], bootstrap: Bootstrap) -> MeanTable:
    """Put together a table of means.

    Args:
        names: The axes.
        design: Their matrices.
        bounds: What :func:`percentile_bounds` says of the replicates (models × axes × B), one per pass of models.
        bootstrap: How they were drawn.
    """
    low, high, error, undefined = (np.concatenate(parts) for parts in zip(*bounds, strict=True))
    return MeanTable(
        names=names,
        estimate=np.stack([mean_scores(axis) for axis in design.axes], axis=1),
        low=low,
        high=high,
        standard_error=error,
        n=np.stack([scored_counts(axis) for axis in design.axes], axis=1),
        undefined=undefined,
        bootstrap=bootstrap,
    )


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
        shared[index] = there & ((axis == first) | (np.isnan(axis) & np.isnan(first))).all(axis=0)
        own = np.flatnonzero(there & ~shared[index])
        own_items.append(own)
        own_axes.append(np.repeat(np.eye(n_axes, dtype=np.bool_)[:, [index]], len(own), axis=1))
        own_scores.append(axis[:, own])
    items = np.concatenate([np.flatnonzero(seen), *own_items])
    holding = np.concatenate([shared[:, seen], *own_axes], axis=1)
    scores = np.concatenate([first[:, seen], *own_scores], axis=1)
    known: dict[bytes, int] = {}
    cell = np.array([known.setdefault(column.tobytes(), len(known)) for column in np.packbits(holding.T, axis=1)])
    order = np.argsort(cell, kind="stable")
    bounds = np.searchsorted(cell[order], np.arange(len(known) + 1))
    group_of_model = item_set_groups(scores)
    one_of_each = np.unique(group_of_model, return_index=True)[1]
    columns = np.concatenate([np.nan_to_num(scores), ~np.isnan(scores[one_of_each])])
    return _Cells(
        items=items[order],
        columns=np.ascontiguousarray(columns.T[order]),
        group_of_model=group_of_model,
        bounds=bounds.astype(np.int64),
        membership=holding[:, order][:, bounds[:-1]].astype(np.float64),
    )
