"""The composition of a benchmark as terminal tables and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import RenderableType

from exambench.analysis.composition import Composition, CrossTable
from exambench.analysis.counting import Count
from exambench.analysis.picture_facts import LARGER
from exambench.items import FacetValue
from exambench.report import composition_records, grids
from exambench.report.composition_records import label
from exambench.report.formatting import equals, percent
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.stats.distributions import Summary

MOST_COLUMNS: Final = 8
"""A cross-table with more does not fit a terminal; it stands in CSV and JSON."""
MOST_GROUPS: Final = 20
MOST_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class CompositionRendering:
    """The four forms.

    Attributes:
        notes: What a reader should know besides, such as a part that was left out.
    """

    notes: tuple[str, ...] = ()

    def terminal(self, composition: Composition, /) -> RenderableType:
        """Return the composition as Rich tables that fit 100 columns."""
        return grids.terminal(_sections(composition, self.notes))

    def markdown(self, composition: Composition, /) -> str:
        """Return the composition as Markdown tables."""
        return grids.markdown(_sections(composition, self.notes))

    def as_csv(self, composition: Composition, /) -> str:
        """Return one line for each number; it has no place for notes."""
        return composition_records.as_csv(composition)

    def as_json(self, composition: Composition, /) -> str:
        """Return the composition as a JSON document, in full precision."""
        return composition_records.as_json(composition, self.notes)


def _sections(composition: Composition, notes: Sequence[str]) -> Iterator[Section]:
    licence = f" Licence: {composition.licence}." if composition.licence else ""
    preface = f"{composition.n:,} items. Content {composition.content_hash[:12]}.{licence}"
    yield Section(f"{composition.title}: items", tuple(_item_grids(composition)), (preface, *notes))
    yield Section("Facets crossed", tuple(_cross_grids(composition)), tuple(_cross_notes(composition)))
    yield Section("Texts", (_length_grid(composition), _wording_grid(composition)))
    yield Section("Choices and keys", tuple(_key_grids(composition)))
    yield Section("Pictures", tuple(_picture_grids(composition)))
    yield Section("Duplicates", tuple(_duplicate_grids(composition)), tuple(_duplicate_notes(composition)))


def _item_grids(composition: Composition) -> Iterator[Grid]:
    rows = [(cell(label(count.value)), *_numbers(count)) for count in composition.axes]
    yield Grid("Axes to report on", ("axis", "items", "share"), tuple(rows))
    facets = [
        (cell(facet.facet if place == 0 else ""), cell(label(count.value)), *_numbers(count))
        for facet in composition.facets
        for place, count in enumerate(facet.counts)
    ]
    yield Grid("Facets", ("facet", "value", "items", "share"), tuple(facets), labels=2)


def _cross_grids(composition: Composition) -> Iterator[Grid]:
    for cross in composition.crosses:
        if len(cross.column_values) <= MOST_COLUMNS:
            yield _cross_grid(cross, composition.n)


def _cross_notes(composition: Composition) -> Iterator[str]:
    wide = [
        f"{cross.rows} × {cross.columns}" for cross in composition.crosses if len(cross.column_values) > MOST_COLUMNS
    ]
    if wide:
        yield f"Too wide to show, see --csv or --json: {', '.join(wide)}."
    if composition.uncrossed:
        yield f"Facets with too many values to cross: {', '.join(composition.uncrossed)}."
    if not composition.crosses:
        yield "There are no two facets to cross."


def _cross_grid(cross: CrossTable, n: int) -> Grid:
    rows = [
        (cell(label(value)), *(_crossed(count, n) for count in row), _crossed(sum(row), n))
        for value, row in zip(cross.row_values, cross.counts, strict=True)
    ]
    sums = [sum(column) for column in zip(*cross.counts, strict=True)]
    rows.append((cell("all"), *(_crossed(count, n) for count in sums), _crossed(sum(sums), n)))
    header = (f"{cross.rows} ↓ {cross.columns} →", *(label(value) for value in cross.column_values), "all")
    return Grid(f"{cross.rows} × {cross.columns}", header, tuple(rows))


def _crossed(count: int, n: int) -> Cell:
    return cell(f"{count:,} ({_share(count / n)})")


def _length_grid(composition: Composition) -> Grid:
    rows = []
    before = ""
    for lengths in composition.lengths:
        name = lengths.text if lengths.text != before else ""
        before = lengths.text
        texts = cell(f"{lengths.summary.n:,}") if lengths.summary else cell("0")
        total = cell(f"{lengths.total:,}")
        rows.append((cell(name), cell(lengths.unit), texts, *_spread(lengths.summary, "no text"), total))
    header = ("text", "unit", "texts", "mean", "sd", "min", "median", "max", "total")
    return Grid(
        "Lengths",
        header,
        tuple(rows),
        labels=2,
        notes=("Texts that are not empty. characters: with spaces, a Hangul syllable is one; words: between spaces.",),
    )


def _wording_grid(composition: Composition) -> Grid:
    rows = [
        (
            cell(wording.name),
            cell(f"{wording.n:,}"),
            cell(f"{wording.other_stem:,}"),
            cell(f"{wording.other_choices:,}"),
        )
        for wording in composition.wordings
    ]
    return Grid(
        "Wordings",
        ("wording", "items", "other stem", "other choices"),
        tuple(rows),
        notes=("other: than in the explicit wording.",),
    )


def _key_grids(composition: Composition) -> Iterator[Grid]:
    rows = [(cell(label(count.value)), *_numbers(count)) for count in composition.key_kinds]
    yield Grid("What is right", ("kind of key", "items", "share"), tuple(rows))
    rows = [(cell(label(count.value)), *_numbers(count)) for count in composition.choices]
    yield Grid("Number of choices", ("choices", "items", "share"), tuple(rows))
    for keys in composition.keys:
        positions = tuple(
            (cell(str(position)), cell(f"{n:,}"), cell(_share(n / keys.n)))
            for position, n in enumerate(keys.counts, start=1)
        )
        test = f"Against equally many on each: χ² = {keys.chi_square:.2f}, df = {keys.df}, p {equals(keys.p_value)}."
        title = f"Position of the key, {keys.n:,} items with {keys.choices} choices"
        yield Grid(title, ("position", "items", "share"), positions, notes=(test,))
    yield _longest_grid(composition)


def _longest_grid(composition: Composition) -> Grid:
    longest = composition.longest
    if longest.key_is_longest is None or longest.chance is None:
        found = (no_value("no item with one right choice has one choice longer than all others"), cell(NOTHING))
    else:
        interval = longest.key_is_longest
        bounds = f"[{_share(interval.low)}, {_share(interval.high)}]"
        found = (cell(f"{_share(interval.estimate)} {bounds}"), cell(_share(longest.chance)))
    row = (cell("key is the longest"), cell(f"{longest.n:,}"), *found, cell(f"{longest.tied:,}"))
    return Grid(
        "Is the longest choice the key?",
        ("", "items", "share", "by chance", "ties left out"),
        (row,),
        notes=("Items with text in all choices; by characters. In brackets the 95% interval (Wilson).",),
    )


def _picture_grids(composition: Composition) -> Iterator[Grid]:
    pictures = composition.pictures
    places = (
        ("items with pictures", pictures.items),
        ("in the stem", pictures.in_stem),
        ("in a choice", pictures.in_choices),
        ("pictures shown", pictures.shown),
        ("different files", pictures.files),
    )
    yield Grid("Where", ("", "number"), tuple((cell(name), cell(f"{n:,}")) for name, n in places))
    if not pictures.kinds:
        return
    rows = [(cell("format"), cell(label(count.value)), *_numbers(count)) for count in pictures.kinds]
    rows += [(cell("longer side"), cell(_side(count.value)), *_numbers(count)) for count in pictures.sides]
    yield Grid("Files by format and size", ("", "", "files", "share"), tuple(rows), labels=2)
    sizes = (("width, px", pictures.width), ("height, px", pictures.height), ("bytes", pictures.size))
    measures = tuple((cell(name), *_spread(found, "no file")) for name, found in sizes)
    yield Grid("Files by measure", ("", "mean", "sd", "min", "median", "max"), measures)


def _duplicate_grids(composition: Composition) -> Iterator[Grid]:
    groups = composition.duplicates[:MOST_GROUPS]
    if groups:
        rows = tuple(
            (cell(group.likeness.value), cell(_names(group.items)), cell("yes" if group.same_key else "no"))
            for group in groups
        )
        yield Grid("Items that ask the same", ("the same", "items", "same answer"), rows, labels=2)


def _duplicate_notes(composition: Composition) -> Iterator[str]:
    groups = composition.duplicates
    if not groups:
        yield "No two items have the same stem (Unicode composed, white space folded, the same pictures)."
    if len(groups) > MOST_GROUPS:
        yield f"The first {MOST_GROUPS} of {len(groups)} groups; all stand in --csv and --json."


def _names(items: Sequence[str]) -> str:
    more = len(items) - MOST_NAMES
    return ", ".join(items[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _numbers(count: Count) -> tuple[Cell, Cell]:
    return cell(f"{count.n:,}"), cell(_share(count.share))


def _spread(found: Summary | None, reason: str) -> tuple[Cell, ...]:
    if found is None:
        return (no_value(reason),) * 5
    sd = cell(f"{found.sd:,.1f}") if found.n > 1 else no_value("a single one has no spread")
    whole = (cell(f"{value:,.0f}") for value in (found.minimum, found.median, found.maximum))
    return (cell(f"{found.mean:,.1f}"), sd, *whole)


def _side(value: FacetValue | None) -> str:
    return LARGER if value == LARGER else f"≤ {value} px"


def _share(share: float) -> str:
    return f"{percent(share)}%"
