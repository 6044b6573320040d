"""Scores of multiple selection: at least k right picks, the exact set, Jaccard.

Reference: ScholarBench, whose A-k is here as its authors' own scorer computes it.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from exambench.errors import ConfigError, DataError, Finding, show
from exambench.items import ChoiceSetKey
from exambench.outcomes import SCORED_KINDS, Answered, Outcome
from exambench.scoring.values import indices_of, mismatch


def picks(outcome: Outcome, key: ChoiceSetKey) -> frozenset[int] | None:
    """Return the indices that were picked: none of them for what scores 0, ``None`` for what has no score.

    Raises:
        ConfigError: The answer is not a set of indices or letters.
    """
    if outcome.kind not in SCORED_KINDS:
        return None
    if not isinstance(outcome, Answered):
        return frozenset()
    picked = indices_of(outcome.value) if isinstance(outcome.value, tuple) else None
    if picked is None:
        raise mismatch(outcome.value, key, "a tuple of indices or letters")
    return picked


def at_least_k(picked: AbstractSet[int], gold: AbstractSet[int], k: int) -> float:
    """Return A-k: 1.0 when the picks are the gold set, or at least k of it and nothing else; else 0.0.

    Args:
        picked: Indices that the model picked.
        gold: Indices that are right, at least one.
        k: Right picks that are enough, at least 1. A-2 ≥ A-3 ≥ A-4 holds for every item.

    Raises:
        DataError: The gold set is empty.
        ConfigError: ``k`` is below 1.
    """
    _require_gold(gold)
    if k < 1:
        raise ConfigError(Finding("A-k needs a positive k", field="k", value=show(k), allowed="1 or more"))
    return float(picked == gold or (picked <= gold and len(picked) >= k))


def exact_set(picked: AbstractSet[int], gold: AbstractSet[int]) -> float:
    """Return 1.0 when the picks are the gold set, else 0.0.

    Raises:
        DataError: The gold set is empty.
    """
    _require_gold(gold)
    return float(picked == gold)


def jaccard(picked: AbstractSet[int], gold: AbstractSet[int]) -> float:
    """Return the share of right picks among all that were picked or are right, in [0, 1].

    Raises:
        DataError: The gold set is empty.
    """
    _require_gold(gold)
    return len(picked & gold) / len(picked | gold)


def _require_gold(gold: AbstractSet[int]) -> None:
    if not gold:
        raise DataError(Finding("the key holds no right choice", field="answer", allowed="one choice or more"))
