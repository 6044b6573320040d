"""Which choices stand in an order that is natural in itself."""

from __future__ import annotations

import pytest

from exambench.items import EXPLICIT, ChoiceKey, Content, Item, Wording
from exambench.probing.orders import is_sorted


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (("10 hPa", "20 hPa", "1,000 hPa"), True),
        (("3", "2", "−1.5"), True),
        (("약 5일", "10일 안팎", "15일 이상"), True),
        (("10", "30", "20"), False),
        (("10", "10", "20"), False),
        (("10", "스무 개", "30"), False),
        (("한랭전선", "온난전선"), False),
        (("10",), False),
        ((), False),
    ],
)
def test_numbers_that_rise_or_fall_are_sorted(choices: tuple[str, ...], expected: bool) -> None:  # noqa: FBT001 - a case
    """By the first number of each choice, and only where each has one."""
    item = Item("1", {EXPLICIT: Wording(Content("?"), tuple(map(Content, choices)))}, ChoiceKey(1))
    assert is_sorted(item) is expected
