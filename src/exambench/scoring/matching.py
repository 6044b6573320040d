r"""Whether a free answer is the gold answer, as far as that can be told without a judge.

An answer matches when it is the same string, or the same number (:mod:`exambench.scoring.quantities`). Everything else
is left to the judge, but for numbers so far apart that no rounding and no change of unit makes them equal.
"""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Final

from exambench.scoring.quantities import Quantity, plain, quantity

RELATIVE_TOLERANCE: Final = Fraction(1, 1_000_000)
_ROUNDING: Final = Fraction(1, 10)


class Match(StrEnum):
    """What can be said of a free answer without a judge."""

    MATCH = "match"
    MISMATCH = "mismatch"
    UNDECIDED = "undecided"


def match(answer: str, gold: str) -> Match:
    """Compare a free answer with the gold answer.

    Args:
        answer: The parsed answer, such as the peeled content of a box.
        gold: The key.

    Returns:
        ``MATCH`` for equal strings (but for typesetting and spaces) and for numbers that agree within a relative
        1e-6, units and thousands separators aside, unless both name a unit and not the same one. ``MISMATCH`` for an
        empty answer, and for two numbers in the same unit of which neither is a rounding, the opposite, or a power of
        ten of the other. ``UNDECIDED`` for all else.
    """
    said, wanted = plain(answer), plain(gold)
    if not said:
        return Match.MISMATCH
    if _without_space(said) == _without_space(wanted):
        return Match.MATCH
    left, right = quantity(answer), quantity(gold)
    if left is None or right is None:
        return Match.UNDECIDED
    return _match_numbers(left, right)


def _match_numbers(left: Quantity, right: Quantity) -> Match:
    if left.unit and right.unit and left.unit != right.unit:
        return Match.UNDECIDED
    readings = product(left.readings_beside(right), right.readings_beside(left))
    if any(_close(one, other, RELATIVE_TOLERANCE) for one, other in readings):
        return Match.MATCH
    if left.unit != right.unit or _perhaps_the_same(left.value, right.value):
        return Match.UNDECIDED
    return Match.MISMATCH


def _close(left: Fraction, right: Fraction, tolerance: Fraction) -> bool:
    return abs(left - right) <= tolerance * max(abs(left), abs(right))


def _perhaps_the_same(left: Fraction, right: Fraction) -> bool:
    """Tell whether rounding, a sign convention or a power of ten may explain the difference."""
    if not left or not right:
        return False
    ratio = abs(left / right)
    while ratio >= 10 * (1 - _ROUNDING):
        ratio /= 10
    while ratio < 1 - _ROUNDING:
        ratio *= 10
    return _close(ratio, Fraction(1), _ROUNDING)


def _without_space(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
