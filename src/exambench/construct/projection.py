"""Vectors in few dimensions: principal components, and UMAP where it is installed.

References:
    [1] K. Pearson, "On lines and planes of closest fit", Philosophical Magazine 2 (1901), 559-572.
    [2] L. McInnes, J. Healy, J. Melville, "UMAP", arXiv:1802.03426 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Final

import numpy as np
import numpy.typing as npt

from exambench.errors import MissingExtraError

DIMENSIONS: Final = 3
NEIGHBOURS: Final = 15
"""Neighbours of UMAP; with no more rows than that it has no local structure to keep."""
_NOISE: Final = 1e-10
"""Singular values below this part of the largest of them and of the vectors' numbers are rounding errors."""

FloatArray = npt.NDArray[np.float64]


class Method(StrEnum):
    """How the dimensions are made from the principal components."""

    UMAP = "umap"
    COMPONENTS = "components"


@dataclass(frozen=True)
class Components:
    """Principal components.

    Attributes:
        scores: Rows × components, the mean of the rows taken away.
        explained: Share of the variance that each component explains.
    """

    scores: FloatArray
    explained: FloatArray


@dataclass(frozen=True)
class Projected:
    """Rows in few dimensions.

    Attributes:
        rows: Rows × dimensions, at most three.
        how: What was done, for the record.
    """

    rows: FloatArray
    how: str


def principal_components(vectors: FloatArray, most: int) -> Components:
    """Return at most so many principal components [1], the largest loading of each positive.

    Args:
        vectors: Rows × dimensions, finite.
        most: How many at most; directions without variance are none.
    """
    centred = vectors - vectors.mean(axis=0)
    left, singular, loadings = np.linalg.svd(centred, full_matrices=False)
    scale = max(float(np.abs(vectors).max(initial=0.0)), float(singular.max(initial=0.0)))
    real = int((singular > _NOISE * scale).sum())
    kept = min(most, real)
    largest = np.abs(loadings[:kept]).argmax(axis=1)
    signs = np.sign(loadings[np.arange(kept), largest])
    variance = singular**2
    return Components(
        scores=left[:, :kept] * singular[:kept] * signs,
        explained=variance[:kept] / variance.sum() if kept else variance[:0],
    )


def project(components: FloatArray, method: Method | None, seed: int) -> Projected:
    """Bring principal components to three dimensions.

    Args:
        components: Rows × components.
        method: How; where ``None``, UMAP [2] if it is installed and there are rows enough, and otherwise the first
            three components.
        seed: Of UMAP.

    Raises:
        MissingExtraError: UMAP is asked for and not installed.
    """
    rows, width = components.shape
    installed = find_spec("umap") is not None
    if method is Method.UMAP and not installed:
        raise MissingExtraError("umap", "the projection umap")
    first = f"first {min(DIMENSIONS, width)} principal components"
    if method is Method.COMPONENTS:
        return Projected(components[:, :DIMENSIONS], first)
    if not installed:
        return Projected(components[:, :DIMENSIONS], f"{first}; UMAP is not installed")
    if rows <= NEIGHBOURS + 1:
        return Projected(components[:, :DIMENSIONS], f"{first}; UMAP needs more than {NEIGHBOURS + 1} texts")
    return _umap(components, seed)


def _umap(components: FloatArray, seed: int) -> Projected:
    import umap  # noqa: PLC0415 - an optional part, and seconds to import

    found = umap.UMAP(n_components=DIMENSIONS, n_neighbors=NEIGHBOURS, random_state=seed, n_jobs=1)
    rows = np.asarray(found.fit_transform(components), dtype=np.float64)
    return Projected(rows, f"{DIMENSIONS}-D UMAP of {components.shape[1]} principal components, seed {seed}")
