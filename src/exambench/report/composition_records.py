"""The composition of a benchmark as CSV and as JSON, in full precision."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from exambench.analysis.composition import Composition
from exambench.analysis.counting import Count
from exambench.items import FacetValue, facet_text
from exambench.report.formatting import csv_text, json_text
from exambench.stats.distributions import Summary

FIELDS: Final = ("benchmark", "dataset", "table", "row", "column", "measure", "value")

_Record = tuple[str, object, object, str, object]


def as_csv(composition: Composition) -> str:
    """Return one line for each number."""
    return csv_text(
        dict(zip(FIELDS, (composition.name, composition.content_hash, *record), strict=True))
        for record in _records(composition)
    )


def as_json(composition: Composition, notes: Sequence[str] = ()) -> str:
    """Return a JSON document; notes say which part was left out."""
    document = asdict(composition, dict_factory=_without_nan) | {"notes": list(notes)}
    return json_text(document)


def label(value: FacetValue | None) -> str:
    """Return a value of a facet as it is shown."""
    return "(none)" if value is None else facet_text(value)


def _without_nan(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """NaN, the spread of a single number, has no place in JSON: it is null."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in pairs}


def _records(composition: Composition) -> Iterator[_Record]:
    yield ("benchmark", "", "", "items", composition.n)
    for table, counts in _count_tables(composition):
        for count in counts:
            yield (table, label(count.value), "", "items", count.n)
            yield (table, label(count.value), "", "share", count.share)
    yield from _crosses(composition)
    yield from _lengths(composition)
    yield from _keys(composition)
    yield from _pictures(composition)
    for number, group in enumerate(composition.duplicates, start=1):
        yield ("duplicates", number, group.likeness.value, "items", " ".join(group.items))
        yield ("duplicates", number, group.likeness.value, "same_key", group.same_key)


def _count_tables(composition: Composition) -> Iterator[tuple[str, Sequence[Count]]]:
    yield "axis", composition.axes
    for facet in composition.facets:
        yield f"facet {facet.facet}", facet.counts
    yield "kind of key", composition.key_kinds
    yield "number of choices", composition.choices
    yield "picture format", composition.pictures.kinds
    yield "picture side", composition.pictures.sides


def _crosses(composition: Composition) -> Iterator[_Record]:
    for cross in composition.crosses:
        table = f"{cross.rows} × {cross.columns}"
        for value, row in zip(cross.row_values, cross.counts, strict=True):
            for column, n in zip(cross.column_values, row, strict=True):
                yield (table, label(value), label(column), "items", n)


def _lengths(composition: Composition) -> Iterator[_Record]:
    for lengths in composition.lengths:
        yield ("length", lengths.text, lengths.unit, "total", lengths.total)
        yield from _moments("length", lengths.text, lengths.unit, lengths.summary)
    for wording in composition.wordings:
        yield ("wording", wording.name, "", "n", wording.n)
        yield ("wording", wording.name, "", "other_stem", wording.other_stem)
        yield ("wording", wording.name, "", "other_choices", wording.other_choices)


def _keys(composition: Composition) -> Iterator[_Record]:
    for keys in composition.keys:
        for position, n in enumerate(keys.counts, start=1):
            yield ("key position", keys.choices, position, "items", n)
        yield ("key position", keys.choices, "", "n", keys.n)
        yield ("key position", keys.choices, "", "chi_square", keys.chi_square)
        yield ("key position", keys.choices, "", "df", keys.df)
        yield ("key position", keys.choices, "", "p_value", keys.p_value)
    longest = composition.longest
    yield ("longest choice", "", "", "n", longest.n)
    yield ("longest choice", "", "", "tied", longest.tied)
    yield ("longest choice", "", "", "chance", longest.chance)
    if longest.key_is_longest is not None:
        yield ("longest choice", "", "", "share", longest.key_is_longest.estimate)
        yield ("longest choice", "", "", "low", longest.key_is_longest.low)
        yield ("longest choice", "", "", "high", longest.key_is_longest.high)
        yield ("longest choice", "", "", "level", longest.key_is_longest.level)


def _pictures(composition: Composition) -> Iterator[_Record]:
    pictures = composition.pictures
    yield ("pictures", "", "", "items", pictures.items)
    yield ("pictures", "", "", "in_stem", pictures.in_stem)
    yield ("pictures", "", "", "in_choices", pictures.in_choices)
    yield ("pictures", "", "", "shown", pictures.shown)
    yield ("pictures", "", "", "files", pictures.files)
    for side, of_side in (("width", pictures.width), ("height", pictures.height), ("bytes", pictures.size)):
        yield from _moments("pictures", side, "", of_side)


def _moments(table: str, row: str, column: str, found: Summary | None) -> Iterator[_Record]:
    if found is not None:
        for measure, value in asdict(found, dict_factory=_without_nan).items():
            yield (table, row, column, measure, value)
