"""Many comparisons in one table.

References:
    [1] S. Holm, "A simple sequentially rejective multiple test procedure",
        Scandinavian Journal of Statistics 6 (1979), 65-70.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from exambench.stats.matrix import FloatArray


@dataclass(frozen=True, slots=True)
class HolmAdjustment:
    """P-values adjusted for the number of comparisons in the table.

    Attributes:
        adjusted: Adjusted p-values, in the shape and order of the given ones; NaN stays NaN.
        n: Number of comparisons: the p-values that exist.
        method: Name of the procedure.
    """

    adjusted: FloatArray
    n: int
    method: str = "Holm"


def holm(p_values: ArrayLike) -> HolmAdjustment:
    """Adjust p-values so that the chance of any false rejection in the table stays below the level [1].

    Args:
        p_values: Any shape; NaN = no test, which does not count as a comparison.

    Returns:
        The adjusted p-values: the largest of (m − j + 1)·p_(j) up to each rank, at most 1.

    Raises:
        ValueError: A p-value lies outside [0, 1].
    """
    given = np.array(p_values, dtype=np.float64)
    flat = given.ravel()
    tested = np.flatnonzero(~np.isnan(flat))
    if ((flat[tested] < 0.0) | (flat[tested] > 1.0)).any():
        raise ValueError("p-values lie between 0 and 1")
    order = tested[np.argsort(flat[tested], kind="stable")]
    steps = flat[order] * np.arange(len(order), 0, -1)
    adjusted = flat.copy()
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return HolmAdjustment(adjusted.reshape(given.shape), len(order))
