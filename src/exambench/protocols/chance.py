"""What a guess is worth that is blind to all but the number of choices."""

from __future__ import annotations

from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, TextKey
from exambench.protocols.showing import Shown


def chance_of(shown: Shown) -> float | None:
    """Return the expected score of a blind guess, in [0, 1]; ``None`` for a free answer.

    It is the share of the shown choices that are right: one of k, all of them where every choice is the right one. Of
    several right choices each non-empty set is guessed alike, as by the baseline ``random``.
    """
    count = len(shown.wording.choices)
    match shown.item.key:
        case ChoiceKey(index):
            return shown.order.count(index) / count if shown.order else 1 / count
        case ChoiceSetKey():
            return 1 / ((1 << count) - 1)
        case BooleanKey():
            return 1 / 2
        case TextKey():
            return None
