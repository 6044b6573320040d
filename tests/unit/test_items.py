"""What the content hash of an item covers, and which items cannot be asked without their passage."""

from __future__ import annotations

from dataclasses import replace

from exambench.items import EXPLICIT, NEEDS_PASSAGE, ChoiceKey, Content, Image, Item, TextKey, Wording

PASSAGE = "지균풍은 기압 경도력과 전향력이 평형을 이룰 때 분다."
ITEM = Item("7", {EXPLICIT: Wording(Content("구름은?"), (Content("적운"), Content("층운")))}, ChoiceKey(2))


def test_an_item_without_a_passage_has_the_hash_that_it_had_before_there_were_passages() -> None:
    """Runs, responses and verdicts that are stored stay those of the same item."""
    # Printed by the release before items had passages; the text whose SHA-256 it is:
    # {"id":"7","key":["choice",2],"wordings":{"explicit":[["\uad6c\ub984\uc740?",[]],[["\uc801\uc6b4",[]], …]]}}
    assert ITEM.content_hash == "111264bfa19b73ec3ab5e4eacbfae344706eaa750f2fba538c6e9bcb747f9027"


def test_a_passage_is_content_and_the_mark_that_it_is_needed_is_not() -> None:
    """A model sees the passage; the facet is a label, as all facets are."""
    asked = replace(ITEM, passage=PASSAGE)
    assert len({ITEM.content_hash, asked.content_hash, replace(ITEM, passage="x").content_hash}) == 3
    assert replace(asked, facets={NEEDS_PASSAGE: True}).content_hash == asked.content_hash


def test_an_item_needs_its_passage_by_its_facet_or_where_there_is_no_stem() -> None:
    """Without a passage there is nothing to need; a picture is a stem."""
    asked = replace(ITEM, passage=PASSAGE)
    assert not asked.needs_passage
    assert replace(asked, facets={NEEDS_PASSAGE: True}).needs_passage
    assert not replace(ITEM, facets={NEEDS_PASSAGE: True}).needs_passage
    bare = Item("8", {EXPLICIT: Wording(Content(" "))}, TextKey("요약"), passage=PASSAGE)
    assert bare.needs_passage
    assert not replace(bare, wordings={EXPLICIT: Wording(Content("", (Image("x.png"),)))}).needs_passage
