"""What a benchmark is made of: facets, lengths, keys, choices, pictures, wordings, duplicates.

References:
    [1] S. Kim et al., "K-MetBench" (2026), tables of sizes by part, modality and subset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from exambench.analysis.counting import Count, counted, tagged
from exambench.analysis.duplicates import DuplicateGroup, duplicates
from exambench.analysis.keys import KeyPositions, LongestChoice, key_positions, longest_choice
from exambench.analysis.lengths import CHARACTERS, WORDS, LengthUnit, TextLengths, text_lengths
from exambench.analysis.picture_facts import PictureCounts, PictureFacts, picture_counts
from exambench.items import EXPLICIT, Benchmark, BooleanKey, ChoiceKey, ChoiceSetKey, FacetValue, Item, TextKey

MOST_VALUES_CROSSED: Final = 100
"""A facet with more values, such as a source, is counted but not crossed with others."""


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """How the items are spread over the values of a facet.

    Attributes:
        facet: Its name.
        counts: By value: false before true, numbers by size, text by code point, items without the facet last.
    """

    facet: str
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """How the items are spread over the values of two facets.

    Attributes:
        rows: The facet with more values.
        columns: The other facet.
        row_values: Values of the first, in order.
        column_values: Values of the second, in order.
        counts: Rows × columns, numbers of items.
    """

    rows: str
    columns: str
    row_values: tuple[FacetValue | None, ...]
    column_values: tuple[FacetValue | None, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class WordingCounts:
    """How many items have a wording.

    Attributes:
        name: The wording.
        n: Items that have it.
        other_stem: Those whose stem differs from the explicit one.
        other_choices: Those whose choices do.
    """

    name: str
    n: int
    other_stem: int
    other_choices: int


@dataclass(frozen=True, slots=True)
class Composition:
    """The composition of a benchmark.

    Attributes:
        name: The benchmark.
        title: What it is called.
        content_hash: Digest of its content.
        licence: Of its data.
        n: Number of items.
        axes: Items on each axis that the benchmark reports on.
        facets: Every facet, sorted by name.
        crosses: Every pair of facets.
        uncrossed: Facets with too many values for a table.
        lengths: Of stems, choices and rationales in each unit.
        key_kinds: Items by what is right: one choice, several, a truth value, a text.
        choices: Items by number of choices.
        keys: Positions of the key, for each number of choices.
        longest: Whether the key is the longest choice.
        wordings: Every wording, the explicit one first.
        pictures: Where pictures are shown and what they are.
        duplicates: Items that ask the same.
    """

    name: str
    title: str
    content_hash: str
    licence: str
    n: int
    axes: tuple[Count, ...]
    facets: tuple[FacetCounts, ...]
    crosses: tuple[CrossTable, ...]
    uncrossed: tuple[str, ...]
    lengths: tuple[TextLengths, ...]
    key_kinds: tuple[Count, ...]
    choices: tuple[Count, ...]
    keys: tuple[KeyPositions, ...]
    longest: LongestChoice
    wordings: tuple[WordingCounts, ...]
    pictures: PictureCounts
    duplicates: tuple[DuplicateGroup, ...]


def compose(
    benchmark: Benchmark,
    units: Sequence[LengthUnit] = (CHARACTERS, WORDS),
    pictures: Sequence[PictureFacts] | None = None,
) -> Composition:
    """Return the composition of a benchmark.

    Args:
        benchmark: At least one item.
        units: In which to measure texts.
        pictures: What is known of its picture files; ``None`` when nobody looked.

    Raises:
        ValueError: The benchmark has no item.
    """
    if not benchmark.items:
        raise ValueError(f"{benchmark.name} has no item")
    items = benchmark.items
    facets = tuple(
        FacetCounts(facet, counted(item.facets.get(facet) for item in items))
        for facet in sorted({facet for item in items for facet in item.facets})
    )
    crossed = [facet for facet in facets if len(facet.counts) <= MOST_VALUES_CROSSED]
    return Composition(
        name=benchmark.name,
        title=benchmark.title,
        content_hash=benchmark.content_hash,
        licence=benchmark.licence,
        n=len(items),
        axes=tuple(
            Count(axis.name, size, size / len(items))
            for axis in benchmark.axes
            for size in [sum(map(axis.selects, items))]
        ),
        facets=facets,
        crosses=tuple(_crossed(items, *pair) for pair in combinations(crossed, 2)),
        uncrossed=tuple(facet.facet for facet in facets if facet not in crossed),
        lengths=text_lengths(benchmark, units),
        key_kinds=counted(_kind(item) for item in items),
        choices=counted(len(item.wording().choices) for item in items),
        keys=key_positions(items),
        longest=longest_choice(items),
        wordings=_wordings(items),
        pictures=picture_counts(items, pictures),
        duplicates=duplicates(benchmark),
    )


def _crossed(items: Sequence[Item], first: FacetCounts, second: FacetCounts) -> CrossTable:
    rows, columns = (first, second) if len(first.counts) >= len(second.counts) else (second, first)
    row_values, column_values = (tuple(count.value for count in facet.counts) for facet in (rows, columns))
    cells = Counter((tagged(item.facets.get(rows.facet)), tagged(item.facets.get(columns.facet))) for item in items)
    return CrossTable(
        rows=rows.facet,
        columns=columns.facet,
        row_values=row_values,
        column_values=column_values,
        counts=tuple(tuple(cells[tagged(row), tagged(column)] for column in column_values) for row in row_values),
    )


def _kind(item: Item) -> str:
    match item.key:
        case ChoiceKey():
            return "one choice"
        case ChoiceSetKey():
            return "several choices"
        case BooleanKey():
            return "true or false"
        case TextKey():
            return "free text"


def _wordings(items: Sequence[Item]) -> tuple[WordingCounts, ...]:
    names = {name for item in items for name in item.wordings}
    return tuple(
        _wording(name, [item for item in items if name in item.wordings])
        for name in sorted(names, key=lambda name: (name != EXPLICIT, name))
    )


def _wording(name: str, items: Sequence[Item]) -> WordingCounts:
    pairs = [(item.wordings[name], item.wording()) for item in items]
    return WordingCounts(
        name=name,
        n=len(items),
        other_stem=sum(wording.question != explicit.question for wording, explicit in pairs),
        other_choices=sum(wording.choices != explicit.choices for wording, explicit in pairs),
    )
