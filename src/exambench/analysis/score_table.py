"""What every analysis looks at: the scores of models on items, with what is known of the items and where it is from.

A table is made from stored runs (:mod:`exambench.analysis.run_tables`) or from a matrix that somebody else produced
(:mod:`exambench.analysis.matrix_file`). What is computed from it does not depend on which of the two it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from exambench.errors import ConfigError, Finding, listed, show
from exambench.stats.matrix import BoolArray, FloatArray, IntArray, axes_of, score_matrix, scored_counts

NO_KEY: Final = -1
"""Stands for the key of an item that has no single right choice."""


@dataclass(frozen=True, eq=False)
class Picks:
    """Which choice each model picked.

    Attributes:
        positions: Models × items, positions from 0; NaN = no pick.
        key: Position of the right choice, one per item; :data:`NO_KEY` where there is no single one.
        n_choices: Number of choices, one per item.
        labels: What to call each position, as in ``A`` or ``1``.
    """

    positions: FloatArray
    key: IntArray
    n_choices: IntArray
    labels: tuple[str, ...]

    def label(self, position: float) -> str | None:
        """Return the name of a position; ``None`` for no pick and no key."""
        return None if np.isnan(position) or position == NO_KEY else self.labels[int(position)]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of models on items that may be compared.

    Attributes:
        title: What it holds, in one line.
        models: Names, each once.
        items: Identifiers, each once.
        scores: Models × items, in [0, 1]; NaN = no score.
        facets: Name → the value of each item as text, ``None`` where an item has none.
        axes: Name → which items belong to it. The first one holds all items.
        compared_facets: The facets whose values are worth comparing, in order.
        ranked: Which models take part in rankings.
        strata: One label per item: resamples keep the size of each stratum.
        origin: Where it comes from, for provenance: name of the fact → the fact.
        notes: What a reader must know, in sentences.
        picks: What each model answered; ``None`` when that is not known.
    """

    title: str
    models: tuple[str, ...]
    items: tuple[str, ...]
    scores: FloatArray
    facets: Mapping[str, tuple[str | None, ...]]
    axes: Mapping[str, BoolArray]
    compared_facets: tuple[str, ...]
    ranked: BoolArray
    strata: tuple[str, ...]
    origin: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    picks: Picks | None = None

    def __post_init__(self) -> None:
        shape = (len(self.models), len(self.items))
        if score_matrix(self.scores).shape != shape:
            raise ValueError(f"scores of {shape[0]} models on {shape[1]} items; found the shape {self.scores.shape}")
        if len(set(self.models)) < shape[0] or len(set(self.items)) < shape[1]:
            raise ValueError("names of models and identifiers of items stand once each")
        if not next(iter(self.axes.values())).all():
            raise ValueError("the first axis holds all items")

    @property
    def overall(self) -> str:
        """Name of the axis that holds all items."""
        return next(iter(self.axes))

    @property
    def axis_scores(self) -> dict[str, FloatArray]:
        """Name → models × items, NaN outside the axis."""
        return axes_of(self.scores, self.axes)

    def having(self, facet: str, value: str) -> BoolArray:
        """Return which items have a value of a facet."""
        return np.array([found == value for found in self.facets[facet]], dtype=np.bool_)

    def values(self, facet: str) -> tuple[str, ...]:
        """Return the values of a facet among the items with any score: numbers in their order, then other texts."""
        scored = scored_counts(self.scores.T) > 0
        present = {
            value for value, there in zip(self.facets[facet], scored, strict=True) if there and value is not None
        }
        return tuple(sorted(present, key=_natural))

    def on(self, mask: BoolArray, title: str) -> ScoreTable:
        """Return the table of some of the items; axes that lose all their items go."""
        columns = np.flatnonzero(mask)
        picks = self.picks
        return replace(
            self,
            title=title,
            items=tuple(self.items[column] for column in columns),
            scores=self.scores[:, columns],
            facets={name: tuple(values[column] for column in columns) for name, values in self.facets.items()},
            axes={
                name: axis[columns] for name, axis in self.axes.items() if name == self.overall or axis[columns].any()
            },
            strata=tuple(self.strata[column] for column in columns),
            picks=picks
            and Picks(picks.positions[:, columns], picks.key[columns], picks.n_choices[columns], picks.labels),
        )

    def of(self, rows: IntArray) -> ScoreTable:
        """Return the table of some of the models."""
        picks = self.picks
        return replace(
            self,
            models=tuple(self.models[row] for row in rows),
            scores=self.scores[rows],
            ranked=self.ranked[rows],
            picks=picks and replace(picks, positions=picks.positions[rows]),
        )

    def on_axis(self, axis: str) -> ScoreTable:
        """Return the table of the items of one axis.

        Raises:
            ConfigError: There is no such axis.
        """
        if axis not in self.axes:
            raise ConfigError(
                Finding(
                    problem="there is no such axis, or no item on it",
                    field="axis",
                    value=show(axis),
                    allowed=listed(self.axes),
                    remedy="Name one of these",
                )
            )
        return self.on(self.axes[axis], f"{self.title} · axis {axis}")


def _natural(value: str) -> tuple[bool, int, str]:
    is_number = value.isascii() and value.isdigit()
    return (not is_number, int(value) if is_number else 0, value)
