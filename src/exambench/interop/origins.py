"""Where the items of a release come from, by the records of its stages: papers, models and prompts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from exambench.construct.generated_items import LANGUAGE, PAPER
from exambench.construct.records import Action, StageRecord
from exambench.items import Item

COLLECT: Final = "collect"
"""The kind of stage that takes papers from a list."""
OF_A_PAPER: Final = ("title", "journal", "year", "licence")
NOT_TOLD: Final = "–"

Row = tuple[str, ...]


def papers(records: Sequence[StageRecord], items: Sequence[Item]) -> list[Row]:
    """Return the papers that there are items about: identifier, title, journal, year, licence, number of items.

    Of a paper that no stage took from a list, as where its items were read from a file, the first item's source stands
    in place of the title.
    """
    counts = Counter(str(item.facets[PAPER]) for item in items if PAPER in item.facets)
    sources = {str(item.facets[PAPER]): item.source for item in reversed(items) if PAPER in item.facets}
    listed = {
        change.item: tuple(str(change.details.get(name, NOT_TOLD)) for name in OF_A_PAPER)
        for record in records
        if record.use == COLLECT
        for change in record.changes
        if change.action is Action.ADDED
    }
    unknown = (NOT_TOLD,) * (len(OF_A_PAPER) - 1)
    return [
        (name, *listed.get(name, (sources[name] or NOT_TOLD, *unknown)), str(count)) for name, count in counts.items()
    ]


def languages(items: Sequence[Item], usual: str) -> tuple[str, ...]:
    """Return the languages of items, sorted; an item that names none is in the usual one."""
    return tuple(sorted({str(item.facets.get(LANGUAGE, usual)) for item in items}))


def prompts(records: Sequence[StageRecord]) -> list[Row]:
    """Return what models were asked with: stage, kind of stage, models, name of the prompt, its digest (SHA-256)."""
    return [
        (record.name, record.use, ", ".join(record.spending.models), name, digest)
        for record in records
        for name, digest in sorted(record.spending.prompts.items())
    ]
