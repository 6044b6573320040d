"""What was read of a paper as the stage records it: items, what people have to see, what is missing, and facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from exambench.construct.answer_keys import KeyTables
from exambench.construct.checked import OPTIONS_OF_AN_ITEM
from exambench.construct.conventions import Convention
from exambench.construct.cuttings import Source
from exambench.construct.ingest_gaps import Gaps, Number, name_of_number, with_gaps
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.layout import Layout
from exambench.construct.numbering import Part
from exambench.construct.questions import Draft
from exambench.construct.reading_result import Reading
from exambench.construct.records import Action, Change
from exambench.items import Item

MOST_LEFT_OUT: Final = 50


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper as it was read.

    Attributes:
        drafts: Its items.
        convention: How it numbers them and marks their options.
        keys: The right answers that it names.
        layout: How it is laid out.
        source: Where pictures are cut out of.
        scanned: Numbers of pages that are pictures.
    """

    drafts: tuple[Draft, ...]
    convention: Convention
    keys: KeyTables
    layout: Layout
    source: Source
    scanned: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one draft."""

    name: str
    item: Item | None
    reasons: tuple[str, ...]
    confidence: float
    details: Mapping[str, Any] = field(default_factory=dict)


def name_of_draft(draft: Draft, paper: Paper, settings: IngestSettings) -> str:
    """Return an item's identifier; where numbers start anew in each part, the part is in it."""
    return name_of_number(*_number_of(draft, paper), settings)


def _number_of(draft: Draft, paper: Paper) -> Number:
    return (draft.part if paper.convention.starts_anew else None, draft.number)


def reading_of(made: Sequence[tuple[Draft, Made]], paper: Paper, keys: KeyTables, settings: IngestSettings) -> Reading:
    """Return what a paper gives.

    Args:
        made: Its drafts, and what became of each.
        paper: The paper.
        keys: The right answers, in the paper or in a file of their own.
        settings: Of the stage.
    """
    changes = [
        Change(found.name, Action.REVIEW, "; ".join(found.reasons), found.details) for _, found in made if found.reasons
    ]
    numbers: dict[Part | None, list[int]] = {}
    for draft, _ in made:
        numbers.setdefault(draft.part if paper.convention.starts_anew else None, []).append(draft.number)
    missing = [(part, number) for part, found in numbers.items() for number in _missing(found, settings)]
    unused = _without_items(keys, numbers)
    beyond = [each for each in unused if settings.pages is None and each not in missing]
    gaps = Gaps([draft for draft, _ in made], keys, paper.convention.starts_anew, settings)
    changes += [gaps.change(each, "no item of this number was found") for each in missing]
    changes += [gaps.change(each, "the key table names it, and no item of this number was found") for each in beyond]
    changes += [
        Change(f"{settings.prefix}{part}", Action.REVIEW, "no items of a part of this number were found", {})
        for part in _missing_parts(list(numbers), settings)
    ]
    items = tuple(found.item for _, found in made if found.item is not None)
    facts = {
        "read as": "scan" if paper.scanned else "text",
        "columns": paper.layout.columns,
        "option marks": paper.convention.options.style.name,
        OPTIONS_OF_AN_ITEM: paper.convention.options.count,
        "numbers start anew in each part": paper.convention.starts_anew,
        "numbers found": len(made),
        "numbers missing": [_shown(each) for each in missing],
        "held back": sum(found.item is None for _, found in made),
        "answers without an item": [_shown(each) for each in unused],
        "headers and footers left out": list(paper.layout.left_out[:MOST_LEFT_OUT]),
        "parts": dict(sorted(Counter(str(d.part) for d, _ in made if d.part).items())),
    }
    confidence = {found.item.id: found.confidence for _, found in made if found.item is not None}
    order = with_gaps([(_number_of(draft, paper), found.name) for draft, found in made], [*missing, *beyond], settings)
    return Reading(items, tuple(changes), facts, confidence, tuple(order))


def _shown(number: Number) -> int | str:
    part, digits = number
    return digits if part is None else f"{part}-{digits}"


def _without_items(keys: KeyTables, numbers: Mapping[Part | None, Sequence[int]]) -> list[Number]:
    """Return the numbers that a key table names and no item has."""
    if None in numbers or not numbers:
        return [(None, number) for number in sorted(set(keys.whole.answers) - set(numbers.get(None, ())))]
    return [
        (part, number)
        for part, found in keys.parts.items()
        for number in sorted(set(found.answers) - set(numbers.get(part, ())))
    ]


def _missing(numbers: Sequence[int], settings: IngestSettings) -> list[int]:
    last, found = settings.last or max(numbers, default=0), set(numbers)
    return [number for number in range(settings.first, last + 1) if number not in found] if numbers else []


def _missing_parts(parts: Sequence[Part | None], settings: IngestSettings) -> list[int]:
    """Return numbers of parts before the last that was found; of chosen pages, those after the first alone."""
    found = {part for part in parts if isinstance(part, int)}
    first = 1 if settings.pages is None else min(found, default=1)
    return [part for part in range(first, max(found, default=0)) if part not in found]
