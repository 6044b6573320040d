"""What people say of what was read at a place of a paper; it holds for what they saw."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from exambench.configuration import validate
from exambench.construct.decisions import table_of_decisions
from exambench.construct.formulas import DIGITS
from exambench.construct.ingest_settings import WIDEST
from exambench.construct.key_rows import MOST_CHOICES
from exambench.construct.picture_marks import content_from, marked, problem_of, shows_figures
from exambench.construct.records import Change
from exambench.items import EXPLICIT, ChoiceKey, Content, FacetValue, Image, Item, Wording, digest
from exambench.text import strange_in

READING: Final = "reading"
"""The detail of a record by which something read is for people: its version, and what an item needs besides."""
DECIDED: Final = "decided"
PICTURES: Final = "pictures"
"""The details that tell what people decided, and which pictures there are: path and SHA-256 of each."""
OPTIONS_OF_AN_ITEM: Final = "options of an item"
"""The fact of a record that tells how many choices people have to name."""
FEWEST: Final = 2
"""Choices of an item."""
VERSION_LENGTH: Final = 16
LONGEST_PART: Final = 64
LONGEST: Final = 30_000
"""Characters of a text; a cell of a spreadsheet holds hardly more, and longer ones are cut on sheets."""


class Ruling(StrEnum):
    """What people say of something that was read."""

    RIGHT = "right"
    CORRECTED = "corrected"
    DROP = "drop"


class Checked(BaseModel):
    """A decision.

    Attributes:
        ruling: Whether what was read is right, is what stands here, or is to be left out.
        seen: Version of what was read when it was made.
        question: The stem of a corrected item, with marks of pictures.
        choices: Its choices, likewise.
        key: The right one, counted from 1.
        part: Its part, where it is another one than the stage gives.
        reason: Why it is left out, or what was corrected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruling: Ruling
    seen: str
    question: str = ""
    choices: tuple[str, ...] = ()
    key: Annotated[StrictInt, Field(ge=1, le=MOST_CHOICES)] | None = None
    part: Annotated[StrictInt, Field(ge=-WIDEST, lt=WIDEST)] | str | None = None
    reason: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Checked:
        faults = faults_of(self)
        if faults:
            raise ValueError("; ".join(f"{name}: {problem}" for name, problem in faults.items()))
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, Checked]


@dataclass(frozen=True)
class Place:
    """What was read at one place of a paper, or that nothing was.

    Attributes:
        question: The stem, with marks of pictures.
        choices: The options, likewise.
        answers: Those that are named as right, counted from 1.
        facets: Labels that an item there has.
        source: Where it stands, for people.
        rationale: The reasoning that a table has.
        pictures: What the stem and the options show.
        regions: Pictures of the place itself, each with its page.
        after: The number before a gap.
        is_item: Whether it is an item as it was read, though a doubtful one.
    """

    question: str = ""
    choices: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    facets: Mapping[str, FacetValue] | None = None
    source: str = ""
    rationale: str = ""
    pictures: tuple[Image, ...] = ()
    regions: tuple[tuple[str, int], ...] = ()
    after: int | None = None
    is_item: bool = False

    @property
    def part(self) -> int | str | None:
        """The part that an item there has."""
        found = (self.facets or {}).get("part")
        return None if isinstance(found, bool) else found

    @property
    def version(self) -> str:
        """Name of what was read; where that is nothing, of the picture of the place, or of the gap.

        Pictures of places are no part of it otherwise: a margin that changes makes nobody's work void.
        """
        read = [self.question, list(self.choices)]
        seen = read if any(read) else [[name for name, _ in self.regions], self.after]
        return digest([seen, list(self.answers)])[:VERSION_LENGTH]


def with_contents(place: Place, stem: Content, options: Sequence[Content]) -> Place:
    """Return a place with the stem and the options that stand there."""
    images = (*stem.images, *(image for option in options for image in option.images))
    choices = tuple(map(marked, options))
    return replace(place, question=marked(stem), choices=choices, pictures=tuple(dict.fromkeys(images)))


def details_of(place: Place) -> dict[str, Any]:
    """Return what a record says of a place: enough to make an item of it."""
    is_gap = not (place.question or place.choices or place.regions)
    details: dict[str, Any] = {
        "answer": list(place.answers),
        **({} if is_gap else {"stem": place.question, "options": list(place.choices)}),
        READING: {
            "version": place.version,
            "facets": dict(place.facets or {}),
            "source": place.source,
            "rationale": place.rationale,
            "is item": place.is_item,
        },
    }
    if place.regions:
        details["regions"] = [list(region) for region in place.regions]
    return details | pictures_as_details(place.pictures) | ({} if place.after is None else {"after": place.after})


def pictures_as_details(pictures: Iterable[Image]) -> dict[str, Any]:
    """Return what a record says of the pictures that an item shows; nothing where it shows none."""
    named = [[image.path, image.sha256] for image in pictures]
    return {PICTURES: named} if named else {}


def place_of(details: Mapping[str, Any]) -> Place:
    """Return the place that :func:`details_of` tells of."""
    reading = details[READING]
    return Place(
        question=details.get("stem", ""),
        choices=tuple(details.get("options", ())),
        answers=tuple(details["answer"]),
        facets=reading["facets"],
        source=reading["source"],
        rationale=reading["rationale"],
        pictures=tuple(_pictures_of(details)),
        regions=tuple((name, page) for name, page in details.get("regions", ())),
        after=details.get("after"),
        is_item=reading["is item"],
    )


@dataclass(frozen=True)
class Known:
    """What corrections of a paper may be made of.

    Attributes:
        count: How many choices an item has; ``None`` where the record does not say.
        pictures: Pictures of all its items, by what marks name.
    """

    count: int | None
    pictures: Mapping[str, Image]

    @classmethod
    def of(cls, changes: Iterable[Change], facts: Mapping[str, Any]) -> Known:
        """Return what a record knows."""
        images = (image for change in changes for image in _pictures_of(change.details))
        return cls(facts.get(OPTIONS_OF_AN_ITEM), {image.path[:DIGITS]: image for image in images})


def read_checked(path: Path) -> Mapping[str, Checked]:
    """Read decisions by the identifiers of items.

    Raises:
        ConfigError: A decision is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def faults_of(checked: Checked) -> dict[str, str]:
    """Return what is wrong with a decision by itself, by field."""
    texts = {"question": checked.question, "choices": "\n".join(checked.choices), "reason": checked.reason}
    faults: dict[str, str] = {}
    for name, text in texts.items():
        if strange := strange_in(text):
            faults[name] = f"characters that no text has, {strange!a}"
        elif not unicodedata.is_normalized("NFC", text):
            faults[name] = "its letters are not composed (NFC)"
        elif len(text) > LONGEST:
            faults[name] = f"is longer than {LONGEST:,} characters"
    if isinstance(checked.part, str) and not (0 < len(checked.part) <= LONGEST_PART and checked.part.isprintable()):
        faults["part"] = f"is none: a number, or a name of up to {LONGEST_PART} characters"
    if checked.ruling is Ruling.DROP and not checked.reason.strip():
        faults["reason"] = "it is dropped without a reason"
    return faults


def faults_at(place: Place, checked: Checked, known: Known) -> dict[str, str]:
    """Return what keeps a decision from being carried out at a place, by field."""
    faults = faults_of(checked)
    if checked.ruling is Ruling.DROP or (checked.ruling is Ruling.RIGHT and place.is_item):
        return faults
    found = {**_faults_of_item(as_written(place, checked), known), **faults}
    if checked.ruling is Ruling.RIGHT and found:
        told = ", ".join(f"{name} {problem}" for name, problem in found.items())
        return {"ruling": f"what was read is no item, so it can only be corrected or dropped: {told}"}
    return found


def as_written(place: Place, checked: Checked) -> Checked:
    """Return a decision with all that an item gets: where what was read is right, that."""
    part = place.part if checked.part is None else checked.part
    if checked.ruling is Ruling.CORRECTED:
        return checked.model_copy(update={"part": part})
    key = place.answers[0] if len(place.answers) == 1 else None
    return checked.model_copy(update={"question": place.question, "choices": place.choices, "key": key, "part": part})


def item_of(name: str, place: Place, checked: Checked, known: Known, fixed: Mapping[str, FacetValue]) -> Item:
    """Return the item that people made of a place.

    Args:
        name: Its identifier.
        place: What was read there.
        checked: The decision, without faults.
        known: Its pictures.
        fixed: Labels that all items get, whatever they show.
    """
    written = as_written(place, checked)
    stem = content_from(written.question, known.pictures)
    choices = tuple(content_from(choice, known.pictures) for choice in written.choices)
    shows = any(shows_figures(text) for text in (written.question, *written.choices))
    part: dict[str, FacetValue] = {} if written.part is None else {"part": written.part}
    modality: dict[str, FacetValue] = {"modality": "image" if shows else "text"}
    return Item(
        id=name,
        wordings={EXPLICIT: Wording(stem, choices)},
        key=ChoiceKey(written.key or 0),
        facets=modality | dict(fixed) | part,
        rationale=place.rationale,
        source=place.source,
    )


def _faults_of_item(written: Checked, known: Known) -> dict[str, str]:
    """Return what keeps texts from being an item, by field."""
    faults: dict[str, str] = {}
    if not written.question.strip():
        faults["question"] = "is empty"
    elif problem := problem_of(written.question, known.pictures):
        faults["question"] = problem
    count = known.count or len(written.choices)
    problems = [problem for choice in written.choices if (problem := problem_of(choice, known.pictures))]
    if len(written.choices) != count or count < FEWEST or not all(choice.strip() for choice in written.choices):
        faults["choices"] = f"there are not {known.count or 'several'} choices, each in a line with its number"
    elif len({" ".join(choice.split()) for choice in written.choices}) < count:
        faults["choices"] = "two of them are the same"
    elif problems:
        faults["choices"] = problems[0]
    if written.key is None or written.key > count:
        faults["key"] = f"names no single choice by its number, 1 to {count}"
    return faults


def _pictures_of(details: Mapping[str, Any]) -> Iterable[Image]:
    return (Image(path, sha256) for path, sha256 in details.get(PICTURES, ()))
