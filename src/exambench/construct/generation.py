"""What came of papers: their paragraphs, what a model wrote about each in both rounds, and the items. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from exambench.construct.generated_items import PAPER
from exambench.construct.inquiries import Answers
from exambench.construct.mended import Mended
from exambench.construct.rounds import Written
from exambench.items import Item


@dataclass(frozen=True)
class Generated:
    """What came of the papers.

    Attributes:
        papers: The papers.
        paragraphs: Their paragraphs, of those papers that have a text and a language that can be used.
        first: What the first round wrote, by paragraph.
        second: Likewise the second round.
        examples: Of which paragraphs the second round was shown items, by paragraph.
        decided: What people decided about drafts that broke a rule, by the identifiers of their items.
        unused: How many decisions are about others.
        items: The items, by paragraph.
        answers: All that the model said.
    """

    papers: Sequence[Item]
    paragraphs: Sequence[Item]
    first: Mapping[str, Written]
    second: Mapping[str, Written]
    examples: Mapping[str, tuple[str, ...]]
    decided: Mapping[str, Mended]
    unused: int
    items: Mapping[str, tuple[Item, ...]]
    answers: Sequence[Answers]

    def of_paper(self, paper: Item) -> Sequence[Item]:
        """Return the paragraphs of a paper."""
        return self._by_paper.get(paper.id, [])

    @cached_property
    def _by_paper(self) -> Mapping[object, Sequence[Item]]:
        found: dict[object, list[Item]] = {}
        for paragraph in self.paragraphs:
            found.setdefault(paragraph.facets[PAPER], []).append(paragraph)
        return found
