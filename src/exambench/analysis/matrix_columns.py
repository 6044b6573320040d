"""Which column of a matrix is what: the item, the key, facets, models; by name, or by what stands in it."""

from __future__ import annotations

import math
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exambench.analysis.odd_picks import OddPicks
from exambench.errors import DataError, Finding, listed, show

ITEM_NAMES: Final = ("item", "item_id", "id", "row")
MOST_VALUES: Final = 100
MOST_CHOICES: Final = len(string.ascii_uppercase)
SCORES: Final = {"0": 0.0, "0.0": 0.0, "1": 1.0, "1.0": 1.0}
BLANKS: Final = frozenset({"", "nan"})


@dataclass(frozen=True, slots=True)
class Layout:
    """What a person says of the columns.

    Attributes:
        item: Column with the items' names; ``None`` for the first of ``item``, ``item_id``, ``id``, ``row``.
        facets: Columns that are facets, whatever stands in them.
        key: Column with the right choices; ``None`` when the cells are scores.
        choices: Number of choices of an item; ``None`` when the cells are scores.
        odd_picks: What becomes of a pick that is no choice.
    """

    item: str | None = None
    facets: tuple[str, ...] = ()
    key: str | None = None
    choices: int | None = None
    odd_picks: OddPicks = OddPicks.REFUSE


@dataclass(frozen=True, slots=True)
class Cells:
    """What may stand in a cell.

    Attributes:
        choices: Number of choices; ``None`` for scores.
        letters: Whether choices go by letters; else by numbers from 1.
    """

    choices: int | None
    letters: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the choices in their order."""
        count = self.choices or 0
        return tuple(string.ascii_uppercase[:count]) if self.letters else tuple(str(n + 1) for n in range(count))

    @property
    def described(self) -> str:
        """What may stand in a cell, in words."""
        return "0 or 1" if self.choices is None else ", ".join(self.labels)

    def holds(self, text: str) -> bool:
        """Tell whether a text is a score, or a choice."""
        return text in SCORES if self.choices is None else text.upper() in self.labels

    def is_blank(self, text: str) -> bool:
        """Tell whether a text says that there is none."""
        return text.lower() in BLANKS

    def value(self, text: str) -> float:
        """Return a score, or the position of a choice from 0; NaN for anything else."""
        if not self.holds(text):
            return math.nan
        return SCORES[text] if self.choices is None else float(self.labels.index(text.upper()))


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of the columns, from 0.

    Attributes:
        item: The items' names.
        key: The right choices; ``None`` for scores.
        letters: Whether choices go by letters.
        facets: Facets.
        models: Models.
        unused: Columns with too many different texts for a facet.
    """

    item: int
    key: int | None
    letters: bool
    facets: tuple[int, ...]
    models: tuple[int, ...]
    unused: tuple[int, ...]

    def taken_for(self, header: Sequence[str]) -> Mapping[str, str]:
        """Return what was taken for what, as column names."""
        return {role: ", ".join(names) for role, names in self._roles(header).items()}

    def described(self, header: Sequence[str]) -> str:
        """Return the same as a sentence, with as many names as a person reads."""
        roles = self._roles(header)
        shown = (f"{role} ({len(self.models)})" if role == "models" else role for role in roles)
        parts = (f"{role}: {listed(names)}" for role, names in zip(shown, roles.values(), strict=True))
        return f"Taken as {'; '.join(parts)}."

    def _roles(self, header: Sequence[str]) -> dict[str, list[str]]:
        roles: dict[str, tuple[int, ...]] = {"item": (self.item,), "key": () if self.key is None else (self.key,)}
        roles |= {"facets": self.facets, "models": self.models, "not used": self.unused}
        return {role: [header[place] for place in places] for role, places in roles.items() if places}


def composed(name: str) -> str:
    """Return a name in NFC without blanks around it."""
    return unicodedata.normalize("NFC", name.strip())


def columns_of(header: Sequence[str], cells: Sequence[Sequence[str]], layout: Layout, file: str) -> Columns:
    """Decide which column is what.

    A column is a facet if it was named as one, or if no cell of it is a score (or a choice). It is a model if every
    cell is one, or blank. One that mixes both is a model with faults.

    Raises:
        DataError: Names are missing or stand twice, or there is no item, no key, or no model.
    """
    findings = list(_faulty_names(header))
    findings += _unknown_names(header, layout)
    item = _item(header, layout)
    if item is None:
        findings.append(
            Finding(
                problem="no column holds the names of the items",
                value=show(", ".join(header)),
                allowed=f"a column called {', '.join(ITEM_NAMES)}",
                remedy="Give the column one of these names, or name it with --item",
            )
        )
    if findings or item is None:
        raise _in_file(file, findings)
    key = None if layout.key is None else header.index(composed(layout.key))
    letters = key is not None and not _are_numbers(cells[key])
    allowed = Cells(layout.choices, letters)
    named = {header.index(composed(name)) for name in layout.facets}
    rest = [place for place in range(len(header)) if place not in {item, key}]
    texts = {place: {text for text in cells[place] if not allowed.is_blank(text)} for place in rest}
    facets = [place for place in rest if place in named or (texts[place] and not any(map(allowed.holds, texts[place])))]
    models = tuple(place for place in rest if place not in facets)
    crowded = [place for place in facets if len(texts[place]) > MOST_VALUES]
    findings = [_crowded(header[place], len(texts[place])) for place in crowded if place in named]
    if not models:
        findings.append(
            Finding(
                problem="no column holds scores of a model" if key is None else "no column holds picks of a model",
                value=show(", ".join(header)),
                allowed=f"at least one column of {allowed.described}",
                remedy="Name a file with a column for each model; a matrix of picks needs --picks and --key",
            )
        )
    if findings:
        raise _in_file(file, findings)
    return Columns(
        item=item,
        key=key,
        letters=letters,
        facets=tuple(place for place in facets if place not in crowded),
        models=models,
        unused=tuple(crowded),
    )


def _are_numbers(texts: Sequence[str]) -> bool:
    there = [text for text in texts if text]
    return bool(there) and all(text.isdecimal() for text in there)


def _item(header: Sequence[str], layout: Layout) -> int | None:
    if layout.item is not None:
        return header.index(composed(layout.item)) if composed(layout.item) in header else None
    lowered = [name.lower() for name in header]
    return next((lowered.index(name) for name in ITEM_NAMES if name in lowered), None)


def _faulty_names(header: Sequence[str]) -> Iterator[Finding]:
    for place, name in enumerate(header, start=1):
        if not name or not name.isprintable():
            yield Finding(
                problem=f"column {place} has no usable name",
                item="row 1",
                value=show(name),
                allowed="printable characters",
                remedy="Name the column",
            )
        elif name in header[: place - 1]:
            yield Finding(
                problem="two columns have this name",
                item="row 1",
                value=show(name),
                allowed="each name once",
                remedy="Rename one of them",
            )


def _unknown_names(header: Sequence[str], layout: Layout) -> Iterator[Finding]:
    options = [("--item", layout.item), ("--key", layout.key), *(("--facet", name) for name in layout.facets)]
    for option, name in options:
        if name is not None and composed(name) not in header:
            yield Finding(
                problem=f"the column that {option} names is missing",
                value=show(name),
                allowed=listed(header),
                remedy="Name a column of the first row",
            )


def _crowded(name: str, values: int) -> Finding:
    return Finding(
        problem="the facet has too many different values",
        field=name,
        value=str(values),
        allowed=f"at most {MOST_VALUES}",
        remedy="Name a column that groups the items",
    )


def _in_file(file: str, findings: Sequence[Finding]) -> DataError:
    return DataError(*(replace(finding, file=file) for finding in findings))
