"""The score of an outcome whose answer is right or wrong by comparison with the key."""

from __future__ import annotations

from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Key, TextKey
from exambench.outcomes import SCORED_KINDS, Answered, AnswerValue, Outcome
from exambench.scoring.values import index_of, indices_of, mismatch


def score(outcome: Outcome, key: Key) -> float | None:
    """Return what an outcome is worth: 1.0 right, 0.0 not right, ``None`` no score.

    Format violations, truncated responses and refusals score 0; a failed request and an item that the model cannot
    take have no score, which is not the same.

    Args:
        outcome: What became of the item.
        key: What is right. A choice is met by its index (``2``, ``"2"``) or letter (``"b"``), a set of choices by a
            tuple of these, a truth value by a truth value.

    Raises:
        ConfigError: The answer is of a type that this key cannot be compared with, so that parser and benchmark don't
            fit each other. Free answers (:class:`~exambench.items.TextKey`) are for :mod:`exambench.scoring.matching`.
    """
    if outcome.kind not in SCORED_KINDS:
        return None
    return float(_is_right(outcome.value, key)) if isinstance(outcome, Answered) else 0.0


def _is_right(value: AnswerValue, key: Key) -> bool:
    match key:
        case ChoiceKey(index):
            named = index_of(value)
            if named is None:
                raise mismatch(value, key, "an index or a letter")
            return named == index
        case ChoiceSetKey(indices):
            picks = indices_of(value) if isinstance(value, tuple) else None
            if picks is None:
                raise mismatch(value, key, "a tuple of indices or letters")
            return picks == indices
        case BooleanKey(truth):
            if not isinstance(value, bool):
                raise mismatch(value, key, "true or false")
            return value is truth
        case TextKey():
            raise mismatch(value, key, "nothing here: free answers are matched, then judged")
