"""Samples drawn stratum by stratum: how many of each, which ones, and what leaves them as they are."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as some

from exambench.construct.strata import draw_strata
from exambench.items import Item
from tests.construct.items import item


def items_of(*sizes: int) -> list[Item]:
    """Return items of part 1, of part 2, and so on."""
    return [
        replace(item(f"{part}-{number}", "물음"), facets={"part": part})
        for part, size in enumerate(sizes, start=1)
        for number in range(size)
    ]


def test_a_sample_is_allocated_in_proportion_by_largest_remainder() -> None:
    """Of 5, 3 and 2 items 4 are drawn.

    Quotas 4 × (5, 3, 2) / 10 = 2.0, 1.2, 0.8: whole parts 2, 1, 0, and the one left over to the largest remainder.
    """
    strata = draw_strata(items_of(5, 3, 2), ["part"], 42, size=4)
    assert [(each.labels, each.size, len(each.drawn)) for each in strata] == [((1,), 5, 2), ((2,), 3, 1), ((3,), 2, 1)]


def test_a_stratum_that_is_too_small_is_taken_whole() -> None:
    """Three of each: the one of two items gives two."""
    assert [len(each.drawn) for each in draw_strata(items_of(5, 3, 2), ["part"], 42, per_stratum=3)] == [3, 3, 2]


def test_another_stratum_leaves_a_draw_as_it_is() -> None:
    """What is drawn of part 1 does not depend on how much there is of part 2."""
    alone, beside = (draw_strata(items_of(20, size), ["part"], 42, per_stratum=5)[0] for size in (0, 9))
    assert alone.drawn == beside.drawn


@given(some.integers(1, 30), some.integers(0, 29), some.integers(0, 9))
def test_an_item_that_goes_takes_one_place_at_most(size: int, gone: int, seed: int) -> None:
    """Of ten that were drawn, those that are left stay drawn: what experts did about them is not lost."""
    items = items_of(size)
    before, after = (
        {each.id for each in draw_strata(left, ["part"], seed, per_stratum=10)[0].drawn}
        for left in (items, [each for each in items if each.id != f"1-{gone}"] or items)
    )
    assert before - {f"1-{gone}"} <= after


def test_another_seed_is_another_sample() -> None:
    """Five of fifty."""
    first, second = (draw_strata(items_of(50), ["part"], seed, size=5)[0].drawn for seed in (1, 2))
    assert first != second


def test_an_item_that_lacks_a_facet_is_in_a_stratum_of_its_own() -> None:
    """It is neither lost nor counted elsewhere."""
    strata = draw_strata(items_of(2), ["part", "korean"], 42, size=2)
    assert [each.labels for each in strata] == [(1, None)]


@given(some.lists(some.integers(0, 12), max_size=6), some.integers(1, 80), some.integers(0, 9))
def test_every_share_is_its_quota_but_for_less_than_one(sizes: list[int], size: int, seed: int) -> None:
    """The shares add up, no item is drawn twice, and no stratum is further from proportion than rounding explains."""
    strata = draw_strata(items_of(*sizes), ["part"], seed, size=size)
    drawn = [each.id for stratum in strata for each in stratum.drawn]
    total = sum(sizes)
    assert len(drawn) == len(set(drawn)) == min(size, total)
    assert all(abs(len(each.drawn) - len(drawn) * each.size / total) < 1 for each in strata)
