"""Which items are dropped as near-duplicates, which are spared, and what the record says."""

from __future__ import annotations

import difflib
from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.construct.near_duplicates import (
    ChoiceOrder,
    DedupSettings,
    Pair,
    Verdict,
    compared_text,
    near_duplicates,
)
from exambench.construct.opposites import Opposites, read_opposites
from exambench.items import NEEDS_PASSAGE, Item
from tests.construct.items import item

LEXICON = read_opposites()
CHOICES = ("대류권", "성층권", "중간권", "열권")


def found(items: list[Item], **settings_: object) -> tuple[Pair, ...]:
    """Return the pairs of items without pictures, by the lexicon that ships."""
    return near_duplicates(items, DedupSettings.model_validate(settings_), LEXICON, {})


def test_the_first_of_two_near_duplicates_stays() -> None:
    """The later one is dropped with the earlier one, which stays, and difflib's ratio."""
    one = item("1", "기온이 고도에 따라 올라가는 층은 어디인가?", CHOICES)
    two = item("2", "기온이 고도에 따라 올라가는 층은 어느 것인가?", CHOICES)
    ratio = difflib.SequenceMatcher(None, compared_text(one), compared_text(two)).ratio()
    assert found([one, two]) == (Pair("1", "2", ratio, Verdict.DUPLICATE),)


def test_the_same_choices_in_another_order_are_the_same_item() -> None:
    """Sorted, the texts are equal."""
    one = item("1", "오존층이 있는 층은?", CHOICES)
    two = item("2", "오존층이 있는 층은?", CHOICES[::-1])
    (pair,) = found([one, two])
    assert (pair.verdict, pair.ratio) == (Verdict.DUPLICATE, 1.0)
    assert compared_text(one, ChoiceOrder.GIVEN) != compared_text(two, ChoiceOrder.GIVEN)


def test_a_reversed_condition_is_kept_and_noted() -> None:
    """The highest and the lowest are two items, however alike their texts."""
    (pair,) = found([item("1", "기온이 가장 높은 층은?", CHOICES), item("2", "기온이 가장 낮은 층은?", CHOICES)])
    assert (pair.verdict, pair.word) == (Verdict.REVERSED, "높은 ↔ 낮은")


def test_other_pictures_make_other_items() -> None:
    """The same stem about two charts is two items; about two copies of one chart it is one."""
    items = [item(name, "그림에서 전선의 종류는?", CHOICES) for name in "123"]
    prints = {"1": (0,), "2": (0b111111,), "3": (2**64 - 1,)}
    pairs = near_duplicates(items, DedupSettings(), LEXICON, prints)
    assert [(pair.item, pair.kept, pair.verdict) for pair in pairs] == [
        ("2", "1", Verdict.DUPLICATE),  # 6 of 64 bits differ
        ("3", "1", Verdict.OTHER_PICTURES),
    ]


def test_an_item_with_a_picture_is_not_one_without() -> None:
    """What only one of them shows may be what it asks about."""
    items = [item("1", "전선의 종류는?", CHOICES), item("2", "전선의 종류는?", CHOICES)]
    (pair,) = near_duplicates(items, DedupSettings(), LEXICON, {"2": (5,)})
    assert pair.verdict is Verdict.OTHER_PICTURES


def test_items_about_one_passage_are_not_alike_for_it() -> None:
    """Only stem and choices are compared."""
    passage = "대류권 위에는 성층권이 있다. " * 20
    one = item("1", "오존층이 있는 층은?", CHOICES, passage=passage)
    two = item("2", "비는 왜 내리는가?", ("구름", "바람", "무지개", "서리"), passage=passage)
    assert found([one, two]) == ()


def test_the_same_question_about_another_passage_is_another_item_only_where_it_needs_its_passage() -> None:
    """Summaries are asked in the same words; a question that stands alone was asked twice."""
    alone = [item(name, "오존층이 있는 층은?", CHOICES, passage=f"{name}번 논문의 문단") for name in "12"]
    assert [pair.verdict for pair in found(alone)] == [Verdict.DUPLICATE]
    bound = [replace(each, facets={NEEDS_PASSAGE: True}) for each in alone]
    assert [pair.verdict for pair in found(bound)] == [Verdict.OTHER_PASSAGE]
    same = [replace(each, passage="같은 문단") for each in bound]
    assert [pair.verdict for pair in found(same)] == [Verdict.DUPLICATE]


def test_progress_is_told_item_by_item_where_many_pairs_wait() -> None:
    """Every pair of the four is put to difflib; all of them are one portion."""
    seen: list[tuple[int, int]] = []
    items = [
        item(name, f"기온이 가장 {word} 층은?", CHOICES)
        for name, word in (("1", "높은"), ("2", "낮은"), ("3", "높은"), ("4", "낮은"))
    ]
    near_duplicates(items, DedupSettings(), LEXICON, {}, lambda *progress: seen.append(progress))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


stems = st.lists(st.sampled_from(["기온", "기압", "높은", "낮은", "층은", "바람", "가장", "옳은"]), max_size=6).map(
    " ".join
)


@given(st.lists(stems, max_size=14))
@settings(max_examples=100)
def test_what_stays_is_not_alike_and_what_goes_is_alike_to_what_stays(texts: list[str]) -> None:
    """The two promises of the stage, held against difflib on every pair."""
    items = [item(str(number), text) for number, text in enumerate(texts)]
    pairs = near_duplicates(items, DedupSettings(), Opposites((), ()), {})
    dropped = {pair.item: pair.kept for pair in pairs}
    kept = [each for each in items if each.id not in dropped]

    def ratio(a: Item, b: Item) -> float:
        return difflib.SequenceMatcher(None, compared_text(a), compared_text(b)).ratio()

    assert all(ratio(a, b) < 0.6 for a, b in combinations(kept, 2))
    by_id = {each.id: each for each in items}
    assert all(
        earlier not in dropped and ratio(by_id[earlier], by_id[late]) >= 0.6 for late, earlier in dropped.items()
    )


def test_decomposed_hangul_is_the_same_text() -> None:
    """An item typed on another system is not another item."""
    import unicodedata  # noqa: PLC0415 - used here alone

    text = "기온이 고도에 따라 올라가는 층은?"
    (pair,) = found([item("1", text, CHOICES), item("2", unicodedata.normalize("NFD", text), CHOICES)])
    assert pair.ratio == 1.0
