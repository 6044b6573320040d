"""Which answers a reader wants to see: from the address of a page, and back into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from exambench.analysis.marks import items_in_dispute, items_nobody_solves
from exambench.items import Benchmark
from exambench.parsing.unicode import normal_form
from exambench.report.view.live import Moment
from exambench.store import RunRecord
from exambench.store.answer_records import AnswerOrder, AnswerState, Selection
from exambench.text import storable

LONGEST_SEARCH: Final = 200
FURTHEST_PAGE: Final = 1_000_000


class Contrast(StrEnum):
    """What is worth a look."""

    MODELS = "models"
    """Some of the models that were asked the same are right, and others are not."""
    TRIALS = "trials"
    """The model answers differently in different trials."""
    READINGS = "readings"
    """The strict and the lenient parser read something else."""
    NOBODY = "nobody"
    """No model that was asked the same is right."""


@dataclass(frozen=True)
class Filters:
    """What a reader chose.

    Attributes:
        states: What has become of the answers; none for anything.
        axis: Name of an axis of the benchmark; empty for all items.
        contrast: What is worth a look; ``None`` for everything.
        text: What to look for.
        order: In which order.
        page: From 1.
    """

    states: tuple[AnswerState, ...] = ()
    axis: str = ""
    contrast: Contrast | None = None
    text: str = ""
    order: AnswerOrder = AnswerOrder.EXAM
    page: int = 1

    @property
    def narrows(self) -> bool:
        """Whether any answer may be left out."""
        return bool(self.states or self.axis or self.contrast or self.text)

    @property
    def query(self) -> str:
        """What stands in the address, without its question mark; the same choice has one address."""
        pairs = [("outcome", str(state)) for state in self.states]
        pairs += [("axis", self.axis)] if self.axis else []
        pairs += [("show", str(self.contrast))] if self.contrast else []
        pairs += [("q", self.text)] if self.text else []
        pairs += [("order", str(self.order))] if self.order is not AnswerOrder.EXAM else []
        pairs += [("page", str(self.page))] if self.page > 1 else []
        return urlencode(pairs)

    def at_page(self, page: int) -> Filters:
        """Return the same choice on another page."""
        return replace(self, page=page)


def read_filters(pairs: Iterable[tuple[str, str]]) -> Filters:
    """Return the choice in an address; what is not known there counts as not chosen."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    chosen = set(values.get("outcome", ()))
    return Filters(
        states=tuple(state for state in AnswerState if state in chosen),
        axis=_clean(_last(values, "axis")),
        contrast=next((each for each in Contrast if each == _last(values, "show")), None),
        text=_clean(_last(values, "q")).strip(),
        order=next((each for each in AnswerOrder if each == _last(values, "order")), AnswerOrder.EXAM),
        page=number_in(_last(values, "page"), 1, FURTHEST_PAGE),
    )


def selection_of(moment: Moment, run: RunRecord, filters: Filters) -> Selection:
    """Return what a choice means for a run.

    Raises:
        StoreError: The store cannot be read.
    """
    benchmark = moment.benchmark(run)
    text = normal_form("NFC", filters.text)
    return Selection(
        states=frozenset(filters.states),
        items=_items(moment, run, benchmark, filters),
        readings_differ=filters.contrast is Contrast.READINGS,
        trials_differ=filters.contrast is Contrast.TRIALS,
        text=text,
        items_with_text=_asking(benchmark, run, text) if text else frozenset(),
        order=filters.order,
    )


def number_in(text: str, low: int, high: int) -> int:
    """Return a number in an address, within bounds; the lower one where it is none."""
    return max(low, min(int(text), high)) if text.isascii() and text.isdecimal() and len(text) <= 9 else low  # noqa: PLR2004 - digits of the largest number that is read


def _items(moment: Moment, run: RunRecord, benchmark: Benchmark, filters: Filters) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    if filters.axis:
        axis = next((axis for axis in benchmark.axes if axis.name == filters.axis), None)
        found.append(frozenset(item.id for item in benchmark.items if axis is not None and axis.selects(item)))
    if filters.contrast in {Contrast.MODELS, Contrast.NOBODY}:
        marks = [moment.marks(other) for other in moment.comparable(run)]
        found.append(items_in_dispute(marks) if filters.contrast is Contrast.MODELS else items_nobody_solves(marks))
    return frozenset.intersection(*found) if found else None


def _asking(benchmark: Benchmark, run: RunRecord, text: str) -> frozenset[str]:
    wording, wanted = str(run.condition["wording"]), text.lower()
    return frozenset(
        item.id for item in benchmark.items if wanted in normal_form("NFC", item.wording(wording).question.text).lower()
    )


def _last(values: Mapping[str, Sequence[str]], name: str) -> str:
    return values[name][-1] if name in values else ""


def _clean(text: str) -> str:
    return storable(text[:LONGEST_SEARCH])
