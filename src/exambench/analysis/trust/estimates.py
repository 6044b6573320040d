"""A number about a judge with its interval, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from exambench.errors import UndefinedStatisticError
from exambench.stats.agreement import Agreement
from exambench.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate, or the reason why there is none.

    Attributes:
        n: Answers, or items, behind it.
        value: The estimate; ``None`` where it does not exist.
        low: Lower bound; ``None`` where there is no interval.
        high: Upper bound.
        reason: Why there is no value, or no interval; empty otherwise.
        undefined_resamples: Resamples in which it does not exist; left out of the percentiles.
    """

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    undefined_resamples: int = 0

    @property
    def covers_zero(self) -> bool:
        """Whether the interval leaves the sign open; also where there is no interval."""
        return self.low is None or self.high is None or self.low <= 0.0 <= self.high


def estimate_of(found: Interval | Agreement) -> Estimate:
    """Return a statistic with what it says of itself; a bound that does not exist is none."""
    n = found.n_units if isinstance(found, Agreement) else found.n
    low, high = (None if math.isnan(bound) else bound for bound in (found.low, found.high))
    reason = "" if low is not None else "too few resamples in which it exists"
    return Estimate(n, found.estimate, low, high, reason, found.undefined_resamples)


def attempt(n: int, compute: Callable[[], Interval | Agreement]) -> Estimate:
    """Return what a computation gives, or why it gives nothing.

    Args:
        n: Answers, or items, that it would rest on.
        compute: May raise :class:`~exambench.errors.UndefinedStatisticError`.
    """
    try:
        return estimate_of(compute())
    except UndefinedStatisticError as error:
        return Estimate(n, reason=str(error))
