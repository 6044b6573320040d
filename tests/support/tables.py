"""Score tables made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from exambench.analysis.score_table import Picks, ScoreTable

NAN = float("nan")


def table_of(
    scores: Sequence[Sequence[float]],
    *,
    facets: Mapping[str, Sequence[str | None]] | None = None,
    axes: Mapping[str, Sequence[bool]] | None = None,
    compared: Sequence[str] | None = None,
    picks: Picks | None = None,
    models: Sequence[str] | None = None,
) -> ScoreTable:
    """Return a table whose models are ``m0``, ``m1``, … and whose items are ``q0``, ``q1``, …, all in one stratum."""
    matrix = np.array(scores, dtype=np.float64)
    n_models, n_items = matrix.shape
    shown = {name: tuple(values) for name, values in (facets or {}).items()}
    masks = {name: np.array(mask, dtype=np.bool_) for name, mask in (axes or {}).items()}
    return ScoreTable(
        title="by hand",
        models=tuple(models or (f"m{row}" for row in range(n_models))),
        items=tuple(f"q{column}" for column in range(n_items)),
        scores=matrix,
        facets=shown,
        axes={"all": np.ones(n_items, dtype=np.bool_), **masks},
        compared_facets=tuple(shown if compared is None else compared),
        ranked=np.ones(n_models, dtype=np.bool_),
        strata=("all",) * n_items,
        picks=picks,
    )


def picks_of(rows: Sequence[Sequence[float]], key: Sequence[int], labels: str = "ABCD") -> Picks:
    """Return picks given as positions from 0, on items with as many choices as there are labels."""
    return Picks(
        positions=np.array(rows, dtype=np.float64),
        key=np.array(key, dtype=np.int64),
        n_choices=np.full(len(key), len(labels), dtype=np.int64),
        labels=tuple(labels),
    )
