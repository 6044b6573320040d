"""The stratified draw of models and items: by hand, and as properties of every draw."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.analysis.meta_sampling import (
    Difficulty,
    DrawnItem,
    ItemCandidate,
    ItemDraw,
    ModelCandidate,
    Tier,
    draw_items,
    draw_models,
)
from exambench.errors import ConfigError


def ladder(size: int) -> list[ModelCandidate]:
    """Return models m0, m1, …, the first the best."""
    return [ModelCandidate(f"m{number}", 1.0 - number / size, 20) for number in range(size)]


def ids(draw: ItemDraw) -> list[str]:
    """Return the drawn items' identifiers."""
    return [each.candidate.id for each in draw.items]


def test_models_come_from_thirty_forty_and_thirty_percent_of_the_ranking() -> None:
    """Of 20 models the first 6 are top, 8 in the middle, the last 6 low; 3, 4 and 3 are drawn from them."""
    drawn = draw_models(ladder(20))
    tiers = {tier: [int(each.candidate.id[1:]) for each in drawn if each.tier is tier] for tier in Tier}
    assert [len(tiers[tier]) for tier in Tier] == [3, 4, 3]
    assert set(tiers[Tier.TOP]) <= set(range(6))
    assert set(tiers[Tier.MIDDLE]) <= set(range(6, 14))
    assert set(tiers[Tier.LOW]) <= set(range(14, 20))


def test_where_every_model_is_needed_all_are_drawn_in_order() -> None:
    """Ten models leave the lot nothing to decide, and each says so."""
    drawn = draw_models(ladder(10))
    assert [each.candidate.id for each in drawn] == [f"m{number}" for number in range(10)]
    assert drawn[3].why == "place 4 of 10 by normalised score 0.700 (n=20); all of the tier"


def test_of_nothing_nothing_can_be_drawn() -> None:
    """The message does not offer quotas that sum to nothing."""
    with pytest.raises(ConfigError) as error:
        draw_models([])
    assert "found 0 for 10 places). Judge more rationales." in str(error.value)


def test_another_seed_draws_other_models() -> None:
    """The lot is seeded: forty models give more than one sample over ten seeds, and one seed gives one."""
    samples = {tuple(each.candidate.id for each in draw_models(ladder(40), seed=seed)) for seed in range(10)}
    assert len(samples) > 1
    assert draw_models(ladder(40), seed=3) == draw_models(ladder(40)[::-1], seed=3)


# Nine items in three tiers of three by mean; the spread says which of a tier is taken first.
NINE = [
    ItemCandidate(name, mean, spread)
    for name, mean, spread in [
        ("h1", 0.10, 0.1),
        ("h2", 0.11, 0.3),
        ("h3", 0.12, 0.2),
        ("m1", 0.50, 0.2),
        ("m2", 0.51, 0.1),
        ("m3", 0.52, 0.3),
        ("e1", 0.90, 0.3),
        ("e2", 0.91, 0.2),
        ("e3", 0.92, 0.1),
    ]
]


def labelled(**facets: dict[str, str | int | bool]) -> list[ItemCandidate]:
    """Return the nine items with facets; the others are text."""
    return [
        ItemCandidate(each.id, each.mean, each.spread, {"modality": "text"} | facets.get(each.id, {})) for each in NINE
    ]


def test_each_tier_gives_its_items_of_the_highest_spread() -> None:
    """One of three: h2, m3 and e1 have the spread 0.3 of their tiers."""
    draw = draw_items(NINE, (1, 1, 1))
    assert ids(draw) == ["h2", "m3", "e1"]
    assert [each.difficulty for each in draw.items] == list(Difficulty)
    assert draw.items[0].why == "place 1 of 3 hard items by spread 0.300"


def test_a_label_that_is_missing_is_exchanged_in_where_it_costs_least_spread() -> None:
    """Pictures have h1 (costs 0.2 for h2) and e2 (costs 0.1 for e1): e2 comes in."""
    draw = draw_items(labelled(h1={"modality": "image"}, e2={"modality": "image"}), (1, 1, 1))
    assert ids(draw) == ["h2", "m3", "e2"]
    assert draw.items[2].why == "covers modality=image: spread 0.200, in place of item e1 with 0.300"
    assert draw.uncovered == ()


def test_an_exchange_never_loses_a_label_that_was_covered() -> None:
    """e1 is the only Korean-specific item, so the picture of e2 has to wait for h1, which costs more."""
    draw = draw_items(labelled(h1={"modality": "image"}, e2={"modality": "image"}, e1={"korean": True}), (1, 1, 1))
    assert ids(draw) == ["h1", "m3", "e1"]


def test_what_no_exchange_can_cover_is_named() -> None:
    """Five parts do not fit on three places."""
    parts: dict[str, dict[str, str | int | bool]] = {each.id: {"part": n % 5 + 1} for n, each in enumerate(NINE)}
    draw = draw_items(labelled(**parts), (1, 1, 1))
    assert len(draw.uncovered) == 2
    assert all(label.startswith("part=") for label in draw.uncovered)


def test_a_part_numbered_one_is_not_a_truth_value() -> None:
    """Facets of another type are other labels: Korean-specific is not part 1."""
    assert ItemCandidate("a", 0.5, 0.1, {"part": 1, "korean": True}).labels == {("part", 1), ("korean", "true")}


@pytest.mark.parametrize(
    ("quotas", "told"),
    [((3, 4), "three whole numbers"), ((0, 0, 0), "not all 0"), ((-1, 2, 2), "0 or more"), ((9, 9, 9), "9 for 27")],
)
def test_quotas_that_cannot_be_met_are_refused(quotas: tuple[int, ...], told: str) -> None:
    """The message says what is there and what is asked."""
    with pytest.raises(ConfigError, match=told):
        draw_items(NINE, quotas)
    with pytest.raises(ConfigError, match=told):
        draw_models(ladder(9), quotas)


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[ItemCandidate], tuple[int, int, int]]:
    """Return candidates with few distinct scores, so that there are ties, and quotas that fit."""
    size = draw(st.integers(3, 40))
    scores = st.integers(0, 6).map(lambda score: score / 6)
    candidates = [
        ItemCandidate(
            f"i{number}",
            draw(scores),
            draw(scores),
            {
                "modality": draw(st.sampled_from(["text", "image"])),
                "korean": draw(st.booleans()),
                "part": draw(st.integers(1, 5)),
            },
        )
        for number in range(size)
    ]
    quotas = st.integers(1, max(1, size // 3))
    return candidates, (draw(quotas), draw(quotas), draw(quotas))


@given(pools(), st.integers(0, 5), st.randoms(use_true_random=False))
def test_every_draw_keeps_its_counts_covers_what_it_can_and_depends_on_the_seed_alone(
    pool: tuple[list[ItemCandidate], tuple[int, int, int]], seed: int, shuffler: random.Random
) -> None:
    """Counts by tier; tiers in order of difficulty; a label not covered cannot be had by one loss-free exchange."""
    candidates, quotas = pool
    draw = draw_items(candidates, quotas, seed)
    counts = Counter(each.difficulty for each in draw.items)
    assert [counts[difficulty] for difficulty in Difficulty] == list(quotas)
    assert len(set(ids(draw))) == sum(quotas)
    means = {each: [one.candidate.mean for one in draw.items if one.difficulty is each] for each in Difficulty}
    assert max(means[Difficulty.HARD]) <= min(means[Difficulty.MIDDLE])
    assert max(means[Difficulty.MIDDLE]) <= min(means[Difficulty.EASY])
    sampled = [each.candidate for each in draw.items]
    covered = labels_of(sampled)
    missing = {f"{name}={value}" for name, value in labels_of(candidates) - covered}
    assert missing == set(draw.uncovered)
    assert not any(is_free_gain(draw, out, new, covered) for out in draw.items for new in tier_of(out, pool))
    mixed = list(candidates)
    shuffler.shuffle(mixed)
    assert draw_items(mixed, quotas, seed) == draw


@given(st.integers(3, 60), st.integers(0, 5), st.data())
def test_every_draw_of_models_keeps_its_counts_and_its_tiers_apart(size: int, seed: int, data: st.DataObject) -> None:
    """As many of each tier as asked for, no model twice, and no low model above a top one."""
    quotas = tuple(data.draw(st.integers(1, size // 3)) for _ in range(3))
    scores = data.draw(st.lists(st.integers(0, 10), min_size=size, max_size=size))
    drawn = draw_models([ModelCandidate(f"m{n}", score / 10, 5) for n, score in enumerate(scores)], quotas, seed)
    counts = Counter(each.tier for each in drawn)
    assert tuple(counts[tier] for tier in Tier) == quotas
    assert len({each.candidate.id for each in drawn}) == sum(quotas)
    by_tier = {tier: [each.candidate.score for each in drawn if each.tier is tier] for tier in Tier}
    assert min(by_tier[Tier.TOP]) >= max(by_tier[Tier.MIDDLE])
    assert min(by_tier[Tier.MIDDLE]) >= max(by_tier[Tier.LOW])


def tier_of(out: DrawnItem, pool: tuple[list[ItemCandidate], tuple[int, int, int]]) -> list[ItemCandidate]:
    """Return the items that surely are of the tier of a drawn one: those with a mean strictly inside its tier."""
    candidates, quotas = pool
    ordered = sorted(each.mean for each in candidates)
    total = sum(quotas)
    ends = [0, *(int(len(ordered) * sum(quotas[: n + 1]) / total + 0.5) for n in range(3))]
    place = list(Difficulty).index(out.difficulty)
    below = ordered[ends[place] - 1] if ends[place] else -1.0
    above = ordered[ends[place + 1]] if ends[place + 1] < len(ordered) else 2.0
    return [each for each in candidates if below < each.mean < above]


def is_free_gain(draw: ItemDraw, out: DrawnItem, new: ItemCandidate, covered: frozenset[object]) -> bool:
    """Tell whether an exchange would cover more and lose nothing."""
    kept = [each.candidate for each in draw.items if each is not out]
    return new.id not in ids(draw) and covered < labels_of([*kept, new])


def labels_of(candidates: Sequence[ItemCandidate]) -> frozenset[tuple[str, object]]:
    """Return all labels that candidates have."""
    return frozenset().union(*(each.labels for each in candidates))
