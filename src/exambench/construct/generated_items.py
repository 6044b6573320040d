"""From papers to paragraphs, and from drafts to items. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exambench.benchmarks.scholarbench_format import CATEGORY, PARAGRAPH, TASK, TOPIC
from exambench.construct.draft_rules import right_choices, truth_of
from exambench.construct.topics import Topics
from exambench.construct.windows import Sliding, windows_of
from exambench.construct.written_drafts import Drafted, Task
from exambench.items import (
    EXPLICIT,
    NEEDS_PASSAGE,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    Item,
    Key,
    TextKey,
    Wording,
)

LANGUAGE: Final = "language"
PAPER: Final = "paper"
"""Facets besides ScholarBench's: the language, and the paper of a paragraph; as a task, an item that asks nothing."""


def paragraphs_of(paper: Item, sliding: Sliding) -> Iterator[Item]:
    """Yield the paragraphs of a paper as items about which nothing is asked yet: passage, category and language."""
    for number, window in enumerate(windows_of(paper.passage, sliding), start=1):
        yield Item(
            id=f"{paper.id}-{number}",
            wordings={EXPLICIT: Wording(Content())},
            key=TextKey(""),
            facets={
                CATEGORY: str(paper.facets.get(CATEGORY, "")),
                LANGUAGE: str(paper.facets.get(LANGUAGE, "")),
                PAPER: paper.id,
            },
            source=paper.source,
            passage=paper.passage[window.start : window.end],
        )


def name_of(paragraph: Item, task: Task) -> str:
    """Return the identifier of the item of a task about a paragraph."""
    return f"{paragraph.id}-{task}"


def item_of(draft: Drafted, paragraph: Item, topics: Topics) -> Item:
    """Return a draft that keeps every rule as an item."""
    category = str(paragraph.facets[CATEGORY])
    facets = {TASK: str(draft.task), CATEGORY: category, PARAGRAPH: paragraph.id}
    if draft.task is Task.SUMMARIZATION:
        facets_of_task: dict[str, str | bool] = {NEEDS_PASSAGE: True}
    else:
        facets_of_task = {TOPIC: topics.find(category, draft.topic) or draft.topic}
    return Item(
        id=name_of(paragraph, draft.task),
        wordings={EXPLICIT: Wording(Content(draft.question), tuple(map(Content, draft.choices)))},
        key=_key(draft),
        facets={**facets, **facets_of_task, LANGUAGE: paragraph.facets[LANGUAGE], PAPER: paragraph.facets[PAPER]},
        rationale=draft.reasoning,
        source=paragraph.source,
        passage=paragraph.passage,
    )


def _key(draft: Drafted) -> Key:
    right = right_choices(draft) or ()
    match draft.task:
        case Task.MULTIPLE_CHOICE:
            return ChoiceKey(right[0])
        case Task.MULTIPLE_SELECT:
            return ChoiceSetKey(frozenset(right))
        case Task.TRUE_FALSE:
            return BooleanKey(truth_of(draft) is True)
        case _:
            return TextKey(draft.text)
