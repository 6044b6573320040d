"""Numbers of a paper that no item was found for: what people have to supply, and where it would stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exambench.construct.answer_keys import KeyTables
from exambench.construct.checked import Place, details_of
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.numbering import Part
from exambench.construct.questions import Draft
from exambench.construct.records import Action, Change
from exambench.items import FacetValue

Number = tuple[Part | None, int]
"""The part, where numbers start anew in each, and the number."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Tells of numbers without an item.

    Attributes:
        drafts: The items that were found.
        keys: The right answers, in the paper or in a file of their own.
        starts_anew: Whether numbers start anew in each part.
        settings: Of the stage.
    """

    drafts: Sequence[Draft]
    keys: KeyTables
    starts_anew: bool
    settings: IngestSettings

    def change(self, missing: Number, reason: str) -> Change:
        """Return what a record says of a number, with what is known of its item: the part, and the key."""
        return Change(
            name_of_number(*missing, self.settings),
            Action.REVIEW,
            reason,
            {"confidence": 0.0, **details_of(self._place(*missing))},
        )

    def _place(self, stream: Part | None, number: int) -> Place:
        """Return the place of a number; between two parts nobody knows which of them it is of."""
        mine = [draft for draft in self.drafts if stream in {None, draft.part}]
        before = max((draft for draft in mine if draft.number < number), key=_number, default=None)
        after = min((draft for draft in mine if draft.number > number), key=_number, default=None)
        parts = {draft.part for draft in (before, after) if draft is not None} or {stream}
        part = parts.pop() if len(parts) == 1 else None
        if part is None and not parts:
            part = self.settings.part
        facets: dict[str, FacetValue] = {} if part is None else {"part": part}
        return Place(
            answers=tuple(self.keys.of(stream, starts_anew=self.starts_anew).answers.get(number, ())),
            facets=facets | {"modality": "text"} | self.settings.facets,
            source=source_of(name_of_number(stream, number, self.settings), 0, self.settings),
            after=None if before is None else before.number,
        )


def with_gaps(found: Sequence[tuple[Number, str]], missing: Sequence[Number], settings: IngestSettings) -> list[str]:
    """Return names in the order of the paper: a gap stands behind the number before it in its part.

    Args:
        found: The items that were found, and their names.
        missing: The numbers that were not.
        settings: Of the stage.
    """
    places = list(found)
    for part, number in missing:
        mine = [at for at, ((of, _), _) in enumerate(places) if of == part]
        before = [at for at in mine if places[at][0][1] < number]
        at = before[-1] + 1 if before else mine[0] if mine else len(places)
        places.insert(at, ((part, number), name_of_number(part, number, settings)))
    return [name for _, name in places]


def name_of_number(part: Part | None, number: int, settings: IngestSettings) -> str:
    """Return the identifier of an item."""
    return f"{settings.prefix}{number}" if part is None else f"{settings.prefix}{part}-{number}"


def source_of(name: str, page: int, settings: IngestSettings) -> str:
    """Return where an item stands, for people; page 0 is none."""
    of = f"{settings.source or settings.paper.name}{f', page {page}' if page else ''}"
    return f"{of}, number {name.removeprefix(settings.prefix)}"


def _number(draft: Draft) -> int:
    return draft.number
