"""How many items a paired comparison needs, and what difference it can see.

Two models on the same items differ by δ = (share only A solves) − (share only B solves), and disagree on a share d of
the items. The number of items for a two-sided McNemar test is, by the normal approximation,
n = (z_α·√d + z_β·√(d − δ²))²/δ².

References:
    [1] R. Connor, "Sample size for testing differences in proportions for the paired-sample design",
        Biometrics 43 (1987), 207-211.
    [2] E. Miller, "Adding Error Bars to Evals", arXiv:2411.00640 (2024), section 5.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from exambench.errors import UndefinedStatisticError
from exambench.stats.intervals import normal_quantile


def items_needed(difference: float, discordance: float, level: float = 0.95, power: float = 0.8) -> int:
    """Return the number of common items at which a difference is found with the given power [1].

    Args:
        difference: True difference of the two accuracies, in (0, discordance] in absolute value.
        discordance: Share of items that exactly one of the two solves, in (0, 1].
        level: 1 − size of the two-sided test.
        power: Chance that the test finds the difference, in (0, 1).

    Raises:
        ValueError: Discordance, level or power lies outside its range.
        UndefinedStatisticError: The difference is 0, or larger than the discordance.
    """
    z_size, z_power = _quantiles(discordance, level, power)
    delta = abs(difference)
    if not 0.0 < delta <= discordance:
        raise UndefinedStatisticError(
            f"no number of items shows a difference of {difference} at a discordance of {discordance}: "
            f"it lies between 0 and the discordance"
        )
    root = z_size * math.sqrt(discordance) + z_power * math.sqrt(discordance - delta**2)
    return math.ceil((root / delta) ** 2)


def detectable_difference(n: int, discordance: float, level: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest true difference of two accuracies that n common items show with the given power [1].

    It solves (δ√n − z_α√d)² = z_β²(d − δ²) for the larger δ.

    Args:
        n: Number of common items, at least 1.
        discordance: Share of items that exactly one of the two solves, in (0, 1].
        level: 1 − size of the two-sided test.
        power: Chance that the test finds the difference, in (0, 1).

    Raises:
        ValueError: n, discordance, level or power lies outside its range.
        UndefinedStatisticError: Even the largest possible difference, the discordance itself, stays undetected.
    """
    z_size, z_power = _quantiles(discordance, level, power)
    if n < 1:
        raise ValueError(f"the number of items is at least 1; found {n}")
    square, half_linear = n + z_power**2, z_size * math.sqrt(n * discordance)
    under_root = n - z_size**2 + z_power**2
    delta = (half_linear + z_power * math.sqrt(discordance * max(under_root, 0.0))) / square
    if under_root < 0.0 or delta > discordance:
        raise UndefinedStatisticError(f"{n} items at a discordance of {discordance} show no difference with this power")
    return delta


def _quantiles(discordance: float, level: float, power: float) -> tuple[float, float]:
    for name, value in (("discordance", discordance), ("power", power)):
        if not 0.0 < value <= 1.0 or (name == "power" and value == 1.0):
            raise ValueError(f"the {name} lies between 0 and 1; found {value}")
    return normal_quantile(level), float(ndtri(power))
