"""Which models and items people score, so that a judge is tested over the whole range: a stratified, explained draw.

References:
    [1] S. Kim et al., "K-MetBench" (2026), appendix D.2: models in three tiers by their reasoning score; items hard,
        middle and easy, 3, 4 and 3 of them, the best spread between models first, kinds and parts covered.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeVar

from exambench.errors import ConfigError, Finding, show
from exambench.items import FacetValue

DEFAULT_QUOTAS: Final = (3, 4, 3)
COVERED_FACETS: Final = ("modality", "korean", "part")
DIGITS: Final = 9
"""Means that differ beyond this digit differ by the order of a sum only, and tie."""

Label = tuple[str, FacetValue]


class Tier(StrEnum):
    """A third of a ranking, roughly: the shares are those of the quotas."""

    TOP = "top"
    MIDDLE = "middle"
    LOW = "low"


class Difficulty(StrEnum):
    """How hard an item is for the drawn models."""

    HARD = "hard"
    MIDDLE = "middle"
    EASY = "easy"


@dataclass(frozen=True, slots=True)
class ModelCandidate:
    """A model that may be drawn.

    Attributes:
        id: What tells it from the others.
        score: Its mean normalised reasoning score, in [0, 1].
        n: Items behind the score.
    """

    id: str
    score: float
    n: int


@dataclass(frozen=True, slots=True)
class ItemCandidate:
    """An item that may be drawn.

    Attributes:
        id: Identifier of the item.
        mean: Mean normalised score over the drawn models, in [0, 1].
        spread: Standard deviation (n − 1) of these scores between the models.
        facets: Its labels; those of :data:`COVERED_FACETS` are to be covered.
    """

    id: str
    mean: float
    spread: float
    facets: Mapping[str, FacetValue] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def labels(self) -> frozenset[Label]:
        """The labels that a sample is to cover; a truth value never equals a number here."""
        return frozenset((name, _tagged(self.facets[name])) for name in COVERED_FACETS if name in self.facets)


_C = TypeVar("_C", ModelCandidate, ItemCandidate)


@dataclass(frozen=True, slots=True)
class DrawnModel:
    """A model of the sample, with the reason why it is in."""

    candidate: ModelCandidate
    tier: Tier
    why: str


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """An item of the sample, with the reason why it is in."""

    candidate: ItemCandidate
    difficulty: Difficulty
    why: str


@dataclass(frozen=True, slots=True)
class ItemDraw:
    """The items of a sample.

    Attributes:
        items: Hard ones first, within a tier the best spread first.
        uncovered: Labels that candidates have and no exchange could bring in without losing another.
    """

    items: tuple[DrawnItem, ...]
    uncovered: tuple[str, ...]


def draw_models(
    candidates: Sequence[ModelCandidate], quotas: Sequence[int] = DEFAULT_QUOTAS, seed: int = 42
) -> tuple[DrawnModel, ...]:
    """Draw models in three tiers by their score [1]; within a tier by lot.

    Args:
        candidates: All that may be drawn, whatever their order.
        quotas: How many from the top, the middle and the low tier.
        seed: Seed of the lot.

    Raises:
        ConfigError: There are fewer candidates than places, or the quotas are not three counts of 0 or more.
    """
    _check(quotas, len(candidates), "--models", "models with judged rationales")
    rng = random.Random(f"{seed}:models")  # noqa: S311 - a sample, not a secret
    ranked = _shuffled(candidates, rng)
    ranked.sort(key=lambda each: round(each.score, DIGITS), reverse=True)
    place = {each.id: number for number, each in enumerate(ranked, start=1)}
    drawn = []
    for tier, members, quota in zip(Tier, _tiers(ranked, quotas), quotas, strict=True):
        chosen = sorted(rng.sample(members, quota), key=lambda each: place[each.id])
        how = "all of the tier" if quota == len(members) else f"{quota} of {len(members)} drawn by lot"
        drawn += [
            DrawnModel(
                each,
                tier,
                f"place {place[each.id]} of {len(ranked)} by normalised score {each.score:.3f} (n={each.n}); {how}",
            )
            for each in chosen
        ]
    return tuple(drawn)


def draw_items(candidates: Sequence[ItemCandidate], quotas: Sequence[int] = DEFAULT_QUOTAS, seed: int = 42) -> ItemDraw:
    """Draw items in three tiers of difficulty, the highest spread between models first, covering the labels [1].

    First each tier gives its items of the highest spread. Then, for each label that candidates have and the sample
    lacks, the rarest first, an item is exchanged for one of its own tier that has the label: the exchange that costs
    least spread, of those that lose no label that was covered. Ties are broken by lot.

    Args:
        candidates: All that may be drawn, whatever their order.
        quotas: How many hard, middle and easy items.
        seed: Seed of the lot.

    Raises:
        ConfigError: There are fewer candidates than places, or the quotas are not three counts of 0 or more.
    """
    _check(quotas, len(candidates), "--items", "items with a judged rationale of every drawn model")
    ranked = _shuffled(candidates, random.Random(f"{seed}:items"))  # noqa: S311 - a sample, not a secret
    lot = {each.id: place for place, each in enumerate(ranked)}
    ranked.sort(key=lambda each: round(each.mean, DIGITS))
    pools = {
        difficulty: sorted(members, key=lambda each: (-round(each.spread, DIGITS), lot[each.id]))
        for difficulty, members in zip(Difficulty, _tiers(ranked, quotas), strict=True)
    }
    sample = [
        DrawnItem(each, difficulty, f"place {number} of {len(pool)} {difficulty} items by spread {each.spread:.3f}")
        for (difficulty, pool), quota in zip(pools.items(), quotas, strict=True)
        for number, each in enumerate(pool[:quota], start=1)
    ]
    counts = Counter(label for each in candidates for label in each.labels)
    rarest_first = sorted(counts, key=lambda label: (counts[label], label[0], str(label[1])))
    exchanged: list[DrawnItem] | None = sample
    while exchanged is not None:  # each exchange covers one label more, so this ends
        sample = exchanged
        missing = [label for label in rarest_first if label not in _covered(sample)]
        attempts = (_exchanged(sample, pools, label) for label in missing)
        exchanged = next((attempt for attempt in attempts if attempt is not None), None)
    order = list(Difficulty)
    sample.sort(key=lambda each: (order.index(each.difficulty), -round(each.candidate.spread, DIGITS)))
    return ItemDraw(tuple(sample), tuple(map(_label_text, missing)))


def _exchanged(
    sample: Sequence[DrawnItem], pools: Mapping[Difficulty, Sequence[ItemCandidate]], label: Label
) -> list[DrawnItem] | None:
    """Return the sample with one item exchanged so that a label is covered; ``None`` when that would lose another."""
    covered = _covered(sample)
    inside = {each.candidate.id for each in sample}
    best: tuple[float, int, ItemCandidate] | None = None
    for place, out in enumerate(sample):
        kept = frozenset().union(*(each.candidate.labels for each in sample if each is not out))
        for new in pools[out.difficulty]:
            loss = round(out.candidate.spread - new.spread, DIGITS)
            fits = new.id not in inside and label in new.labels and covered <= kept | new.labels
            if fits and (best is None or loss < best[0]):
                best = (loss, place, new)
    if best is None:
        return None
    _, place, new = best
    out = sample[place]
    instead = f"in place of item {out.candidate.id} with {out.candidate.spread:.3f}"
    why = f"covers {_label_text(label)}: spread {new.spread:.3f}, {instead}"
    changed = list(sample)
    changed[place] = replace(out, candidate=new, why=why)
    return changed


def _covered(sample: Iterable[DrawnItem]) -> frozenset[Label]:
    return frozenset().union(*(each.candidate.labels for each in sample))


def _tiers(ranked: Sequence[_C], quotas: Sequence[int]) -> list[Sequence[_C]]:
    """Cut a ranking in three with the shares of the quotas; no tier is smaller than its quota."""
    total = sum(quotas)
    ends: list[int] = [
        (2 * len(ranked) * sum(quotas[: place + 1]) + total) // (2 * total) for place in range(len(quotas))
    ]
    return [ranked[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _shuffled(candidates: Sequence[_C], rng: random.Random) -> list[_C]:
    """Return the candidates in an order by lot that does not depend on the order in which they came."""
    ordered = sorted(candidates, key=lambda each: each.id)
    rng.shuffle(ordered)
    return ordered


def _check(quotas: Sequence[int], available: int, field: str, what: str) -> None:
    if len(quotas) != len(Tier) or min(quotas) < 0 or sum(quotas) == 0:
        raise ConfigError(
            Finding(
                problem="these are no quotas",
                field=field,
                value=show(",".join(map(str, quotas))),
                allowed="three whole numbers of 0 or more, not all 0, as in 3,4,3",
                remedy="Say how many to draw from each tier",
            )
        )
    if sum(quotas) > available:
        raise ConfigError(
            Finding(
                problem=f"there are fewer {what} than places in the sample",
                field=field,
                value=f"{available} for {sum(quotas)} places",
                allowed=f"quotas that sum to {available} at most" if available else None,
                remedy="Judge more rationales" + (f", or draw fewer with {field}" if available else ""),
            )
        )


def _tagged(value: FacetValue) -> FacetValue:
    """Return a value that differs from equal ones of another type: 1 is not true."""
    return str(value).lower() if isinstance(value, bool) else value


def _label_text(label: Label) -> str:
    return f"{label[0]}={label[1]}"
