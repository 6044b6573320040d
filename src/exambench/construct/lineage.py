"""The whole history of one item: what each stage did to it, and what it was before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from exambench.construct.building import State, output_of, states
from exambench.construct.files import read_stage_items
from exambench.construct.project import FILE_NAME, Project
from exambench.construct.records import Change
from exambench.errors import DataError, Finding, show
from exambench.items import Item
from exambench.store.codec import item_to_json


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of an item that a stage changed.

    Attributes:
        field: Its path, as in ``wordings.explicit.question.text``.
        before: The value that went in, as a JSON value; ``None`` when the field was not there.
        after: The value that came out.
    """

    field: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Station:
    """What one stage did to the item.

    Attributes:
        stage: Name of the stage.
        state: Whether the stage is current; of a stale one this is its last run.
        changes: What its record says of the item; empty when it went through.
        differences: Fields that changed.
        present: Whether the item came out.
    """

    stage: str
    state: State
    changes: tuple[Change, ...]
    differences: tuple[Difference, ...]
    present: bool


def lineage(project: Project, item_id: str) -> tuple[Station, ...]:
    """Return what each stage that has run did to an item, as far as it was there.

    Raises:
        DataError: No stage knows the item, or the output of a stage cannot be read.
    """
    stations: list[Station] = []
    before: Item | None = None
    for each in states(project):
        if each.record is None:
            continue
        current = each.state is State.CURRENT
        folder = project.output(each.step)
        items = output_of(project, each.step, each.record) if current else read_stage_items(folder)
        after = next((item for item in items if item.id == item_id), None)
        changes = tuple(change for change in each.record.changes if change.item == item_id)
        if before is not None or after is not None or changes:
            stations.append(
                Station(each.step.name, each.state, changes, _differences(before, after), present=after is not None)
            )
        before = after
    if not stations:
        raise DataError(
            Finding(
                problem="no stage that has run knows this item",
                file=str(project.folder / FILE_NAME),
                item=show(item_id),
                remedy="Check the identifier, or run exambench build first",
            )
        )
    return tuple(stations)


def _differences(before: Item | None, after: Item | None) -> tuple[Difference, ...]:
    if before is None or after is None:
        return ()
    old, new = (dict(_leaves(item_to_json(item))) for item in (before, after))
    fields = [*old, *(field for field in new if field not in old)]
    return tuple(
        Difference(field, old.get(field), new.get(field)) for field in fields if old.get(field) != new.get(field)
    )


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a tree with their paths; places in a list are counted from 1."""
    if isinstance(value, Mapping):
        for name, child in value.items():
            yield from _leaves(child, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and any(isinstance(child, Mapping) for child in value):
        for number, child in enumerate(value, start=1):
            yield from _leaves(child, f"{path}[{number}]")
    else:
        yield path, value
