"""Whether the first of several exchangeable values is larger than the others, over many items: an exact test.

References:
    [1] E. Pitman, "Significance tests which may be applied to samples from any populations",
        Supplement to the Journal of the Royal Statistical Society 4 (1937), 119-130.
    [2] Y. Oren et al., "Proving Test Set Contamination in Black Box Language Models", arXiv:2310.17623 (2023):
        an order that was published is compared with orders drawn by lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.errors import UndefinedStatisticError

METHOD: Final = "exchange within items, exact, one-sided"


@dataclass(frozen=True, slots=True)
class ExchangeTest:
    """Exact one-sided test that the first value of each item is no larger than the others by more than chance.

    Attributes:
        observed: Sum of the first values.
        expected: Its expectation where the first is any of its item's values with equal probability.
        p_value: Probability of a sum at least as large as the observed one under that hypothesis.
        n: Items.
        informative: Items whose values are not all equal; the others say nothing.
        method: Name of the test.
    """

    observed: float
    expected: float
    p_value: float
    n: int
    informative: int
    method: str = METHOD


def exchange_test(items: Sequence[Sequence[int]]) -> ExchangeTest:
    """Test whether the first values are larger than the others of their items [1, 2].

    Given the values of each item, which of them came first is uniform under the null hypothesis, and independent from
    item to item; the distribution of the sum is the convolution of these uniform distributions, so nothing is drawn.

    Args:
        items: For each item its values, whole numbers, the first one first; at least two.

    Raises:
        ValueError: An item has fewer than two values.
        UndefinedStatisticError: There is no item.
    """
    if not items:
        raise UndefinedStatisticError("needs at least one item")
    if any(len(values) < 2 for values in items):  # noqa: PLR2004 - one value cannot be exchanged
        raise ValueError("an item needs at least two values")
    distribution = np.ones(1)
    for values in items:
        lowest = min(values)
        steps = np.bincount([value - lowest for value in values]) / len(values)
        distribution = np.convolve(distribution, steps)
    excess = sum(values[0] - min(values) for values in items)
    return ExchangeTest(
        observed=float(sum(values[0] for values in items)),
        expected=float(sum(sum(values) / len(values) for values in items)),
        p_value=min(1.0, float(distribution[excess:].sum())),
        n=len(items),
        informative=sum(min(values) < max(values) for values in items),
    )
