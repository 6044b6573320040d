"""Items, benchmarks, facets and axes: what a model is shown and what is right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

FacetValue = str | int | bool

EXPLICIT: Final = "explicit"
"""Name of the wording that every item has."""
ENGLISH: Final = "english"
"""Name of the wording that is a translation."""
NEEDS_PASSAGE: Final = "needs_passage"
"""Name of the facet, true of an item whose question cannot stand without its passage, such as a summary."""
SHORT_LENGTH: Final = 8
_CANONICAL: Final = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
"""Made once: to make an encoder takes as long as to encode a request."""


class ReviewState(StrEnum):
    """How far something that a model made has come."""

    DRAFT = "draft"
    CHECKED = "checked"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of an item.

    Attributes:
        path: Path relative to the benchmark's image root, with forward slashes.
        sha256: Hexadecimal digest of the file's bytes; ``None`` when no image root was given.
    """

    path: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """Text with the pictures that belong to it; either may be missing, not both."""

    text: str = ""
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put an item: the stem and the choices in their order.

    Attributes:
        question: The stem.
        choices: The choices.
        labels: What the choices are called where they are not numbered, as shown; no part of an item's content.
    """

    question: Content
    choices: tuple[Content, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def images(self) -> tuple[Image, ...]:
        """The pictures in reading order: the stem's, then each choice's."""
        return self.question.images + tuple(image for choice in self.choices for image in choice.images)


@dataclass(frozen=True, slots=True)
class ChoiceKey:
    """The right choice, counted from 1."""

    index: int


@dataclass(frozen=True, slots=True)
class ChoiceSetKey:
    """All right choices, counted from 1."""

    indices: frozenset[int]


@dataclass(frozen=True, slots=True)
class BooleanKey:
    """Whether the statement is true."""

    value: bool


@dataclass(frozen=True, slots=True)
class TextKey:
    """A free answer."""

    text: str


Key = ChoiceKey | ChoiceSetKey | BooleanKey | TextKey


@dataclass(frozen=True)
class Item:
    """One examination question.

    Attributes:
        id: Identifier, unique within the benchmark.
        wordings: The ways to put it, by name; always has :data:`EXPLICIT`.
        key: What is right.
        facets: Labels to group by, such as ``part`` or ``korean``.
        rationale: An expert's reasoning, empty when there is none.
        source: Where it was taken from, for people.
        passage: The text that it is asked about, such as a paragraph of a paper; empty when there is none. It stands
            above the question in every wording, and items may share it.
    """

    id: str
    wordings: Mapping[str, Wording]
    key: Key
    facets: Mapping[str, FacetValue] = field(default_factory=lambda: MappingProxyType({}))
    rationale: str = ""
    source: str = ""
    passage: str = ""

    def wording(self, name: str = EXPLICIT) -> Wording:
        """Return a wording; an item that has none of that name is put explicitly."""
        return self.wordings.get(name, self.wordings[EXPLICIT])

    @property
    def needs_passage(self) -> bool:
        """Whether its question means nothing without its passage: by the facet, or since there is no stem."""
        question = self.wording().question
        has_stem = bool(question.text.strip() or question.images)
        return bool(self.passage) and (self.facets.get(NEEDS_PASSAGE) is True or not has_stem)

    @cached_property
    def content_hash(self) -> str:
        """Digest (64 hexadecimal digits) of what a model may see of this item, and of its key."""
        seen: dict[str, object] = {
            "id": self.id,
            "key": list(key_as_pair(self.key)),
            "wordings": {name: _wording_as_json(wording) for name, wording in sorted(self.wordings.items())},
        }
        if self.passage:  # an item without one keeps the digest that it had before there were passages
            seen["passage"] = self.passage
        return digest(seen)


@dataclass(frozen=True, slots=True)
class Axis:
    """A set of items to report on, chosen by their facets.

    Attributes:
        name: Short identifier, as in ``multimodal``.
        titles: What to call it, by language code (``en``, ``ko``).
        where: For each facet, the values that select; an item is in when every facet matches. Empty: all items.
    """

    name: str
    titles: Mapping[str, str]
    where: Mapping[str, tuple[FacetValue, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def selects(self, item: Item) -> bool:
        """Tell whether the item belongs to this axis."""
        for facet, values in self.where.items():
            found = item.facets.get(facet)
            if not any(type(found) is type(value) and found == value for value in values):  # part 1 is not True
                return False
        return True


@dataclass(frozen=True)
class Benchmark:
    """A named set of items with the axes to report on.

    Attributes:
        name: Identifier, as in ``kmetbench``.
        title: What to call it.
        items: The items in the order of their file.
        axes: What to report, in order of the columns.
        image_root: Folder that image paths are relative to; ``None`` when none was given.
        licence: Licence of the data, as an SPDX expression or a phrase.
        pass_mark: Share of right answers that passes the examination, in [0, 1].
        minutes: Time that people have for the examination of ``exam_items`` questions.
        exam_items: Number of questions in one sitting.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    axes: tuple[Axis, ...]
    image_root: Path | None = None
    licence: str = ""
    pass_mark: float | None = None
    minutes: float | None = None
    exam_items: int | None = None

    @cached_property
    def content_hash(self) -> str:
        """Digest of all items, whatever their order in the file."""
        return hash_of_items(item.content_hash for item in self.items)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """The items by identifier."""
        return MappingProxyType({item.id: item for item in self.items})


def hash_of_items(hashes: Iterable[str]) -> str:
    """Return the digest of a set of items from the digests of its members."""
    return digest(sorted(hashes))


def digest(value: object) -> str:
    """Return the SHA-256 (hexadecimal) of a JSON value in canonical form.

    Lone surrogates, which JSON text may carry and UTF-8 may not, are hashed as their escapes.
    """
    return hashlib.sha256(_CANONICAL.encode(value).encode("ascii")).hexdigest()


def short(identifier: str) -> str:
    """Return the beginning of a digest or a run's identifier: enough for a person to tell it from its neighbours."""
    return identifier[:SHORT_LENGTH]


def facet_text(value: FacetValue) -> str:
    """Return a value of a facet as definitions, tables and records write it: ``true``, not ``True``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _content_as_json(content: Content) -> list[object]:
    return [content.text, [image.sha256 or f"unread:{image.path}" for image in content.images]]


def _wording_as_json(wording: Wording) -> list[object]:
    return [_content_as_json(wording.question), [_content_as_json(choice) for choice in wording.choices]]


def key_as_pair(key: Key) -> tuple[str, int | list[int] | bool | str]:
    """Return the kind of a key and what is right, as JSON values."""
    match key:
        case ChoiceKey(index):
            return "choice", index
        case ChoiceSetKey(indices):
            return "choices", sorted(indices)
        case BooleanKey(value):
            return "boolean", value
        case TextKey(text):
            return "text", text
