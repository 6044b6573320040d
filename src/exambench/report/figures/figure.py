"""A figure: a Vega-Lite specification with its data, and the numbers behind it as records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import altair as alt

from exambench.report.figures.labels import cleaned, wrapped
from exambench.report.figures.style import LIGHT, Theme, config
from exambench.report.formatting import csv_text

TITLE_CELLS: Final = 72
SUBTITLE_CELLS: Final = 96
SIGNED: Final = "datum.value === 0 ? '0' : format(datum.value, '+')"
"""How Vega writes a difference: with its sign, but for none."""

Row: TypeAlias = Mapping[str, str | float | bool | list[int] | list[str] | None]
Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart | alt.ConcatChart


@dataclass(frozen=True, eq=False)
class Figure:
    """One figure.

    Attributes:
        name: Short identifier, also the name of its files.
        title: What it shows, in the language of the figure.
        subtitle: What a reader must know, in sentences: what was asked, how intervals were drawn, what is left out.
        chart: The drawing; its data are named, not in it.
        datasets: Name → the rows that the chart draws. All text is a label (:mod:`exambench.report.figures.labels`).
        records: The numbers behind the figure, with whole names and in full precision.
    """

    name: str
    title: str
    subtitle: tuple[str, ...]
    chart: Chart
    datasets: Mapping[str, Sequence[Row]]
    records: Sequence[Mapping[str, object]]

    def spec(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega-Lite specification with its data inside; the same figure gives the same JSON.

        The title, for readers who hear a page too, is also its ``description``. Nothing in it is fetched or evaluated.
        """
        lines = [line for sentence in self.subtitle for line in wrapped(cleaned(sentence), SUBTITLE_CELLS)]
        found = deepcopy(self._drawing)
        found["title"] = {"text": wrapped(cleaned(self.title), TITLE_CELLS), "subtitle": lines}
        found["description"] = cleaned(" ".join((self.title, *self.subtitle)))
        found["datasets"] = {name: [dict(row) for row in rows] for name, rows in self.datasets.items()}
        found["config"] = config(theme)
        return found

    @cached_property
    def _drawing(self) -> dict[str, Any]:
        """The drawing as Vega-Lite, without data and theme; checking it against the schema is most of the work."""
        found: dict[str, Any] = self.chart.to_dict(validate=True)
        return found

    def table(self) -> list[dict[str, object]]:
        """Return the numbers behind the figure, one record a row."""
        return [dict(record) for record in self.records]

    def csv(self) -> str:
        """Return the numbers behind the figure as CSV, in full precision."""
        return csv_text(self.records)


def number(value: float) -> float | None:
    """Return a number as JSON takes it: ``None`` for NaN."""
    return None if value != value else float(value)  # noqa: PLR0124 - NaN alone differs from itself


def coefficient(value: float, digits: int = 2) -> str:
    """Return a coefficient as text, with a minus sign."""
    return f"{value:z.{digits}f}".replace("-", "−")


def percent(value: float) -> float | None:
    """Return a share in percent, rounded far below what shows, so that rounding errors reach no bytes."""
    found = number(value)
    return None if found is None else round(100 * found, 6)
