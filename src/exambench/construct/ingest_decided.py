"""What was read of a paper, with what people decided about it done: each item in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from exambench.construct.checked import (
    DECIDED,
    READING,
    Checked,
    Known,
    Place,
    Ruling,
    details_of,
    faults_at,
    item_of,
    pictures_as_details,
    place_of,
    with_contents,
)
from exambench.construct.reading_result import Reading
from exambench.construct.records import Action, Change
from exambench.errors import ConfigError, Finding, show
from exambench.items import ChoiceKey, FacetValue, Item

OUTDATED: Final = "something else was read since people decided"
UNDOUBTED: Final = "none any more"
_REASONS: Final = {
    Ruling.RIGHT: "checked by people: right as it was read",
    Ruling.CORRECTED: "corrected by people",
    Ruling.DROP: "dropped by people",
}


@dataclass(frozen=True)
class _Desk:
    """What was read, and what counts of the decisions about it."""

    reading: Reading
    seen: Mapping[str, Change]
    checked: Mapping[str, Checked]
    known: Known
    fixed: Mapping[str, FacetValue]
    file: str


def settled(
    reading: Reading, checked: Mapping[str, Checked], fixed: Mapping[str, FacetValue], file: str
) -> tuple[tuple[Item, ...], tuple[Change, ...], Mapping[str, Any]]:
    """Return the items that a paper gives with the decisions about it, what was done, and facts.

    A decision counts where the stage still reads what people saw, though it may have no doubt of it any more.

    Args:
        reading: What was read.
        checked: What people decided, by identifier.
        fixed: Labels that all items get, whatever they show.
        file: Of the decisions, for messages.

    Raises:
        ConfigError: A decision cannot be carried out; every fault is a finding.
    """
    changes = (*_added(reading), *reading.changes)
    left = {change.item: change for change in reading.changes if READING in change.details}
    seen = {**{item.id: _undoubted(item, reading) for item in reading.items if item.id in checked}, **left}
    used = {
        name: each
        for name, each in checked.items()
        if name in seen and place_of(seen[name].details).version == each.seen
    }
    desk = _Desk(reading, seen, used, Known.of(changes, reading.facts), fixed, file)
    found = _items(desk)
    void = checked.keys() & left.keys() - used.keys()
    told = (
        _done(name, desk, found) if name in used else _waiting(left[name], is_void=name in void)
        for name in dict.fromkeys([*reading.order, *left])
        if name in left or name in used
    )
    rest = (change for change in changes if READING not in change.details and change.item not in used)
    facts = dict(reading.facts) | (_facts(checked, used) if checked else {})
    return tuple(found.values()), (*rest, *told), facts


def _undoubted(item: Item, reading: Reading) -> Change:
    """Return what a record would say of an item if it were for people."""
    wording = item.wording()
    answers = (item.key.index,) if isinstance(item.key, ChoiceKey) else ()
    place = Place(answers=answers, facets=item.facets, source=item.source, rationale=item.rationale, is_item=True)
    details = details_of(with_contents(place, wording.question, wording.choices))
    return Change(item.id, Action.ADDED, UNDOUBTED, {"confidence": reading.confidence[item.id], **details})


def _waiting(change: Change, *, is_void: bool) -> Change:
    return replace(change, reason=f"{change.reason}; {OUTDATED}") if is_void else change


def _added(reading: Reading) -> tuple[Change, ...]:
    return tuple(
        Change(
            item.id,
            Action.ADDED,
            "read from the paper",
            {"source": item.source, "confidence": reading.confidence[item.id]}
            | pictures_as_details(dict.fromkeys(item.wording().images)),
        )
        for item in reading.items
    )


def _items(desk: _Desk) -> dict[str, Item]:
    """Return the items as people decided, in the order of the paper."""
    read = {item.id: item for item in desk.reading.items}
    places = {name: place_of(desk.seen[name].details) for name in desk.checked}
    findings = [
        Finding(problem, file=desk.file, item=show(name), field=field, remedy="Take a new sheet, and bring it back")
        for name, place in places.items()
        for field, problem in faults_at(place, desk.checked[name], desk.known).items()
    ]
    if findings:
        raise ConfigError(*findings)
    found: dict[str, Item] = {}
    for name in dict.fromkeys([*desk.reading.order, *read]):
        item = read.get(name) if name not in places else _item(name, places[name], read.get(name), desk)
        if item is not None:
            found[name] = item
    return found


def _item(name: str, place: Place, read: Item | None, desk: _Desk) -> Item | None:
    """Return the item that people made of a place; ``None`` where they dropped it."""
    checked = desk.checked[name]
    if checked.ruling is Ruling.DROP:
        return None
    if checked.ruling is Ruling.RIGHT and read is not None:
        return read
    return item_of(name, place, checked, desk.known, desk.fixed)


def _done(name: str, desk: _Desk, found: Mapping[str, Item]) -> Change:
    """Return what is recorded of a decision: why people had to see it, what was read, and what they said."""
    checked, before = desk.checked[name], desk.seen[name]
    said = {DECIDED: checked.model_dump(mode="json", exclude={"seen"}, exclude_defaults=True)}
    why = {"why": checked.reason} if checked.reason else {}
    source = {"source": found[name].source} if name in found else {}
    details = {**why, **source, "doubts": before.reason, **before.details, **said}
    return Change(name, Action.ADDED if name in found else Action.NOTED, _REASONS[checked.ruling], details)


def _facts(checked: Mapping[str, Checked], used: Mapping[str, Checked]) -> dict[str, Any]:
    counts = Counter(each.ruling for each in used.values())
    return {
        "right_by_people": counts[Ruling.RIGHT],
        "corrected_by_people": counts[Ruling.CORRECTED],
        "dropped_by_people": counts[Ruling.DROP],
        "decisions_not_used": len(checked) - len(used),
    }
