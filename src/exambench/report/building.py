"""A build in tables: the funnel of its stages, what a stage did to items, and the history of one item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import RenderableType

from exambench.construct.building import StageState
from exambench.construct.lineage import Station
from exambench.construct.records import Action, Change, StageRecord, record_to_json
from exambench.report import grids
from exambench.report.formatting import csv_text, cut, json_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value

SHOWN_CHANGES: Final = 40
LONGEST_VALUE: Final = 120
UNREAD: Final = frozenset({"version", "draft version", "reading", "pictures"})
"""Details that programs compare and nobody reads: digests of what people were shown, and of pictures."""


@dataclass(frozen=True)
class StatusRendering:
    """The funnel of a project.

    Attributes:
        name: What the benchmark is called.
    """

    name: str

    def terminal(self, found: Sequence[StageState]) -> RenderableType:
        """Return the funnel for a terminal."""
        return grids.terminal(self._sections(found))

    def markdown(self, found: Sequence[StageState]) -> str:
        """Return the funnel as Markdown."""
        return grids.markdown(self._sections(found))

    def as_csv(self, found: Sequence[StageState]) -> str:
        """Return a row for each stage."""
        return csv_text(map(_status_record, found))

    def as_json(self, found: Sequence[StageState]) -> str:
        """Return the stages with their facts."""
        return json_text(
            [_status_record(each) | {"facts": {} if each.record is None else dict(each.record.facts)} for each in found]
        )

    def _sections(self, found: Sequence[StageState]) -> list[Section]:
        grid = Grid(
            title="Items",
            header=("Stage", "State", "in", "added", "changed", "dropped", "out", "for people", "asked", "cost"),
            rows=tuple(map(_status_row, found)),
            labels=2,
        )
        facts = Grid(
            title="Facts",
            header=("Stage", "What", "found"),
            rows=tuple(
                (cell(each.step.name), cell(_spelled(name)), cell(_value(value)))
                for each in found
                if each.record is not None
                for name, value in each.record.facts.items()
                if isinstance(value, str | int | float)
            ),
            labels=2,
        )
        return [Section(f"Build of {self.name}", (grid, facts) if facts.rows else (grid,))]


@dataclass(frozen=True)
class RecordRendering:
    """The record of one stage."""

    def terminal(self, record: StageRecord) -> RenderableType:
        """Return the record for a terminal, the first changes of each kind."""
        return grids.terminal(_record_sections(record, SHOWN_CHANGES))

    def markdown(self, record: StageRecord) -> str:
        """Return the whole record as Markdown."""
        return grids.markdown(_record_sections(record, None))

    def as_csv(self, record: StageRecord) -> str:
        """Return a row for each change."""
        return csv_text(
            head | {f"detail {name}" if name in head else name: _value(value) for name, value in change.details.items()}
            for change in record.changes
            for head in (_change_record(record.name, change),)
        )

    def as_json(self, record: StageRecord) -> str:
        """Return the record."""
        return json_text(record_to_json(record))


@dataclass(frozen=True)
class LineageRendering:
    """The history of an item.

    Attributes:
        item: Its identifier.
    """

    item: str

    def terminal(self, stations: Sequence[Station]) -> RenderableType:
        """Return the history for a terminal."""
        return grids.terminal(self._sections(stations))

    def markdown(self, stations: Sequence[Station]) -> str:
        """Return the history as Markdown."""
        return grids.markdown(self._sections(stations))

    def as_csv(self, stations: Sequence[Station]) -> str:
        """Return a row for each thing that a stage did."""
        return csv_text(
            {"stage": station.stage, "state": str(station.state), "present": station.present, "what": what, "how": how}
            for station in stations
            for what, how in _told(station)
        )

    def as_json(self, stations: Sequence[Station]) -> str:
        """Return the history in full."""
        return json_text([_station_record(station) for station in stations])

    def _sections(self, stations: Sequence[Station]) -> list[Section]:
        rows = [
            (cell(station.stage), cell(what), cell(_shortened(how)))
            for station in stations
            for what, how in _told(station)
        ]
        grid = Grid("Stages", ("Stage", "What", "How"), tuple(rows), labels=3)
        return [Section(f"Item {self.item}", (grid,))]


def _status_row(found: StageState) -> tuple[Cell, ...]:
    record = found.record
    labels = (
        cell(found.step.name, *([] if found.step.name == found.step.use else [found.step.use])),
        cell(found.state),
    )
    if record is None:
        return (*labels, *(cell(NOTHING) for _ in range(8)))
    spending = record.spending
    cost = (
        no_value("a price or a count of tokens is missing") if spending.cost is None else cell(f"{spending.cost:.4f}")
    )
    return (
        *labels,
        cell(str(record.n_in)),
        *(cell(str(record.count(action))) for action in (Action.ADDED, Action.CHANGED, Action.DROPPED)),
        cell(str(record.n_out)),
        cell(str(record.count(Action.REVIEW))),
        cell(str(spending.requests) if spending.requests else NOTHING),
        cost if spending.requests else cell(NOTHING),
    )


def _status_record(found: StageState) -> dict[str, Any]:
    record = found.record
    head = {"stage": found.step.name, "use": found.step.use, "state": str(found.state)}
    if record is None:
        return head
    return head | {
        "in": record.n_in,
        "out": record.n_out,
        **{str(action): record.count(action) for action in Action},
        "models": ", ".join(record.spending.models),
        "requests": record.spending.requests,
        "cost": record.spending.cost,
    }


def _record_sections(record: StageRecord, most: int | None) -> list[Section]:
    shown, note = cut(record.changes, most, "changes")
    reasons = Counter((change.action, change.reason) for change in record.changes)
    summary = Grid(
        title=f"{record.n_in} items in, {record.n_out} out",
        header=("Action", "Reason", "items"),
        rows=tuple((cell(action), cell(reason), cell(str(count))) for (action, reason), count in reasons.items()),
        labels=2,
    )
    longest = None if most is None else LONGEST_VALUE
    rows = tuple((cell(change.item), cell(change.action), cell(_why(change, longest))) for change in shown)
    changes = (Grid("Changes", ("Item", "Action", "Why"), rows, labels=3, notes=note),) if rows else ()
    return [Section(f"Stage {record.name}", (summary, *_tables(record), *changes))]


def _tables(record: StageRecord) -> Iterator[Grid]:
    """Yield the facts that are tables: lists of records with the same fields."""
    for name, value in record.facts.items():
        if isinstance(value, list | tuple) and value and all(isinstance(entry, Mapping) for entry in value):
            rows = tuple(tuple(cell(_value(entry.get(column))) for column in value[0]) for entry in value)
            texts = [place for place, found in enumerate(value[0].values()) if isinstance(found, str)]
            header = tuple(_spelled(column) for column in value[0])
            yield Grid(_spelled(name).capitalize(), header, rows, labels=max(texts, default=-1) + 1)


def _spelled(name: str) -> str:
    """Return the name of a fact as people read it."""
    return name.replace("_", " ")


def _told(station: Station) -> list[tuple[str, str]]:
    lines = [(str(change.action), _why(change)) for change in station.changes]
    lines += [
        (difference.field, f"{_value(difference.before)} → {_value(difference.after)}")
        for difference in station.differences
        if _value(difference.before) != _value(difference.after)
    ]
    return lines or [("unchanged", "went through" if station.present else "was not there")]


def _why(change: Change, longest: int | None = None) -> str:
    """Return why something was done, its details cut to so many characters each."""
    values = {name: _value(value) or NOTHING for name, value in change.details.items() if name not in UNREAD}
    if longest is not None:
        values = {name: _shortened(value, longest) for name, value in values.items()}
    details = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"{change.reason} ({details})" if details else change.reason


def _change_record(stage: str, change: Change) -> dict[str, str]:
    return {"stage": stage, "item": change.item, "action": str(change.action), "reason": change.reason}


def _station_record(station: Station) -> dict[str, Any]:
    return {
        "stage": station.stage,
        "state": str(station.state),
        "present": station.present,
        "changes": [
            {"action": str(change.action), "reason": change.reason, "details": dict(change.details)}
            for change in station.changes
        ],
        "differences": [
            {"field": difference.field, "before": difference.before, "after": difference.after}
            for difference in station.differences
        ],
    }


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_value(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        entries = list(map(_value, value))
        has_phrases = any(" " in entry for entry in entries)  # where one ends has to be seen
        return (" / " if has_phrases else " ").join(entries) or NOTHING
    return NOTHING if value is None else " ".join(str(value).splitlines())


def _shortened(text: str, longest: int = LONGEST_VALUE) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
