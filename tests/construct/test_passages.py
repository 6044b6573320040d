"""The passage of an item on its way through a build: carried by every stage, shown to whoever has to understand it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.cli.stem_sheets import STEMS
from exambench.cli.translation_sheets import review_sheet
from exambench.construct import translating
from exambench.construct.decisions import PROPOSED, STEM, with_stem
from exambench.construct.drafting import Draft
from exambench.construct.embedding import text_of
from exambench.construct.records import Action, Change, StageError, check_result
from exambench.construct.records import StageResult as Result
from exambench.construct.shuffling import arrange
from exambench.construct.texts import item_as_shown, wording_as_text
from exambench.construct.verification import details_of
from exambench.exchange import TextPart
from exambench.items import Item
from tests.construct.items import item

PASSAGE = "성층권의 오존은 자외선을 흡수한다."
ITEM = item("1", "오존이 흡수하는 것은?", ("적외선", "자외선", "가시광선", "전파"), 2, passage=PASSAGE)
ABOVE = f"{PASSAGE}\n\n오존이 흡수하는 것은?"


def test_stages_that_change_an_item_keep_its_passage() -> None:
    """Choices in another order, a stem in other words."""
    moved = next(found for seed in range(9) for (found,) in [arrange([ITEM], seed)] if found.item != ITEM).item
    assert moved.passage == PASSAGE
    assert with_stem(ITEM, "무엇을 흡수하는가?", "original").passage == PASSAGE


def test_a_lost_passage_is_a_change_that_has_to_be_said() -> None:
    """A stage that drops it without a word ends the build."""
    with pytest.raises(StageError, match="did not say that it was changed"):
        check_result("stage", [ITEM], Result((replace(ITEM, passage=""),)))


def shown(asked: Item) -> str:
    """Return what a model that labels or reasons is shown of a question."""
    return "".join(part.text for part in item_as_shown(asked)["question"] if isinstance(part, TextPart))


def test_whoever_has_to_understand_an_item_sees_its_passage() -> None:
    """Models that label or reason, experts who verify, people who decide about stems and translations."""
    assert shown(ITEM) == ABOVE
    assert details_of(Draft(ITEM))["stem"] == ABOVE
    change = Change("1", Action.REVIEW, "proposed", {STEM: "오존이 흡수하는 것은?", PROPOSED: "무엇을?"})
    row = STEMS.row(change, ITEM)
    assert row is not None
    assert row[STEMS.header.index("question")] == ABOVE
    sheet = review_sheet("review", [translating.Draft(ITEM, None, (), 1)])
    assert sheet.rows[0][1] == ABOVE


def test_whoever_rewrites_a_stem_is_shown_the_stem_alone() -> None:
    """What is not to be rewritten does not stand beside what is."""
    (part,) = wording_as_text(ITEM.wording())["question"]
    assert part == TextPart("오존이 흡수하는 것은?")


def test_a_passage_is_no_part_of_what_is_embedded() -> None:
    """Questions about one passage would lie together for it."""
    assert text_of(ITEM) == text_of(replace(ITEM, passage=""))
