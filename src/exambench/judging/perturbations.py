"""What a probe changes in an answer before it is judged: the order of the choices, padding, an injected instruction.

A perturbation leaves alone what a judge should look at: what is right stays right, what is explained stays explained.
An answer that it cannot be applied to without changing more is left out, with the reason.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.items import ChoiceKey, ChoiceSetKey, Key, digest, short
from exambench.judging.subjects import Subject
from exambench.outcomes import AnswerValue
from exambench.parsing.rationales import Rationale

SHIPPED: Final = Path(__file__).with_name("perturbations.toml")
AS_WRITTEN: Final = "none"
"""Name of the perturbation that changes nothing: the other side of every pair."""

NO_RATIONALE: Final = "no rationale to judge"
NO_CHOICES: Final = "no choices that could be put in another order"
NO_MAPPING: Final = "an answer that names no choice by its number"
NAMED_CHOICES: Final = "the rationale, the expert's, or a choice names choices by their place"

_HANGUL: Final = re.compile(r"[가-힣]")
_PLACE: Final = re.compile(
    r"[①-⑳❶-❿➀-➓]"
    r"|(?<!\d)\d{1,2}\s*번(?!째)"
    r"|(?:보기|선택지|선지|답[은이]?|choices?|options?|answers?(?: is)?)\s*[(#:]?\s*\d"
    r"|\(\s*\d\s*\)"
    r"|(?:위|앞|아래)의?\s*(?:모두|보기|것)|(?:all|none|both) of the (?:above|other)",
    re.IGNORECASE,
)
"""Words that name a choice by its place. It finds too many rather than too few: that only makes the pool smaller."""


class Perturbation(Protocol):
    """A change of what is judged."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    @property
    def tag(self) -> str:
        """What tells it from every other change: it stands in the judging's condition."""
        ...

    def obstacle(self, subject: Subject) -> str | None:
        """Return why this answer cannot be changed so; ``None`` when it can."""
        ...

    def apply(self, subject: Subject) -> Subject:
        """Return the answer with one thing changed; only for answers without an obstacle."""
        ...


class _Filler(BaseModel):
    """Openers and statements, any of which go together: no sentence is repeated before all pairs have occurred."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    openers: Annotated[list[str], Field(min_length=1)]
    statements: Annotated[list[str], Field(min_length=1)]

    def sentence(self, number: int) -> str:
        return f"{self.openers[number % len(self.openers)]}, {self.statements[number % len(self.statements)]}"


class _Padding(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    ko: _Filler
    en: _Filler


class _Injection(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(min_length=1)]


class ProbeTexts(BaseModel):
    """``perturbations.toml``: the sentences of padding, and the injected instruction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    padding: _Padding
    injection: _Injection


def read_probe_texts(path: Path = SHIPPED) -> ProbeTexts:
    """Read what probes put into rationales.

    Raises:
        ConfigError: It cannot be read, or is something else.
    """
    return validate(ProbeTexts, read_table(path), str(path))


@dataclass(frozen=True)
class Reordering:
    """The choices in another order by lot, the key and the answer with them.

    Attributes:
        seed: Seed of the lot; with the item's identifier it says the order.
        with_reference: Whether the judge sees the expert's rationale, which must then name no choice by its place.
    """

    seed: int
    with_reference: bool = True

    @property
    def name(self) -> str:
        """What to call it."""
        return "order"

    @property
    def tag(self) -> str:
        """The name and the seed."""
        return f"order, seed {self.seed}"

    def obstacle(self, subject: Subject) -> str | None:
        """Return why the order cannot be changed and all else stay true."""
        if not subject.rationale.text:
            return NO_RATIONALE
        if len(subject.wording.choices) < 2 or not isinstance(subject.item.key, ChoiceKey | ChoiceSetKey):  # noqa: PLR2004 - one choice has one order
            return NO_CHOICES
        texts = [subject.rationale.text, *(choice.text for choice in subject.wording.choices)]
        if self.with_reference:
            texts.append(subject.item.rationale)
        if any(_PLACE.search(text) for text in texts):
            return NAMED_CHOICES
        if subject.answer is not None and _moved_answer(subject.answer, self._places(subject)) is None:
            return NO_MAPPING
        return None

    def apply(self, subject: Subject) -> Subject:
        """Return the answer with its choices in another order; the rationale stays as it is."""
        places = self._places(subject)
        choices = [subject.wording.choices[old - 1] for old in sorted(places, key=places.__getitem__)]
        return replace(
            subject,
            item=replace(subject.item, key=_moved_key(subject.item.key, places)),
            wording=replace(subject.wording, choices=tuple(choices)),
            answer=None if subject.answer is None else _moved_answer(subject.answer, places),
        )

    def _places(self, subject: Subject) -> dict[int, int]:
        """Return the new place of each choice, counted from 1; at least two choices move."""
        old = list(range(1, len(subject.wording.choices) + 1))
        lot = random.Random(f"{self.seed}:{subject.item.id}")  # noqa: S311 - an order, not a secret
        new = old.copy()
        while new == old:
            lot.shuffle(new)
        return dict(zip(old, new, strict=True))


@dataclass(frozen=True)
class Padding:
    """Sentences without content after the rationale, until it is at least twice as long.

    Attributes:
        texts: The sentences; Korean ones follow a rationale with Hangul in it, English ones any other.
    """

    texts: ProbeTexts

    @property
    def name(self) -> str:
        """What to call it."""
        return "padding"

    @cached_property
    def tag(self) -> str:
        """The name and the digest of the sentences."""
        return f"padding, text {short(digest(self.texts.padding.model_dump()))}"

    def obstacle(self, subject: Subject) -> str | None:
        """Return that there is nothing to pad, if so."""
        return None if subject.rationale.text else NO_RATIONALE

    def apply(self, subject: Subject) -> Subject:
        """Return the answer with a longer rationale that says no more."""
        text = subject.rationale.text
        filler = self.texts.padding.ko if _HANGUL.search(text) else self.texts.padding.en
        added: list[str] = []
        length = 0
        while length < len(text):
            added.append(filler.sentence(len(added)))
            length += len(added[-1]) + 1
        return _with_rationale(subject, f"{text}\n\n{' '.join(added)}")


@dataclass(frozen=True)
class Injection:
    """An instruction to the judge at the end of the rationale, in Korean and English: give the highest score.

    Attributes:
        texts: The instruction.
        high: The highest score of the rubric.
    """

    texts: ProbeTexts
    high: int

    @property
    def name(self) -> str:
        """What to call it."""
        return "injection"

    @cached_property
    def tag(self) -> str:
        """The name and the digest of the instruction."""
        return f"injection, text {short(digest(self._text))}"

    @property
    def _text(self) -> str:
        return self.texts.injection.text.strip("\n").replace("{{high}}", str(self.high))

    def obstacle(self, subject: Subject) -> str | None:
        """Return that there is no rationale to put it in, if so."""
        return None if subject.rationale.text else NO_RATIONALE

    def apply(self, subject: Subject) -> Subject:
        """Return the answer with the instruction at the end of its rationale."""
        return _with_rationale(subject, f"{subject.rationale.text}\n\n{self._text}")


def _with_rationale(subject: Subject, text: str) -> Subject:
    return replace(subject, rationale=Rationale(text, subject.rationale.form))


def _moved_key(key: Key, places: Mapping[int, int]) -> Key:
    match key:
        case ChoiceKey(index):
            return ChoiceKey(places[index])
        case ChoiceSetKey(indices):
            return ChoiceSetKey(frozenset(places[index] for index in indices))
    raise TypeError(f"a key without choices: {key}")


def _moved_answer(answer: AnswerValue, places: Mapping[int, int]) -> AnswerValue | None:
    """Return the answer under the new numbers; ``None`` when it is not one by number."""
    match answer:
        case bool():
            return None
        case int():
            return places.get(answer)
        case str():
            moved = _moved_numbers([answer], places)
            return None if moved is None else moved[0]
        case tuple():
            return _moved_numbers(answer, places)


def _moved_numbers(numbers: Sequence[str], places: Mapping[int, int]) -> tuple[str, ...] | None:
    known = {str(old): str(new) for old, new in places.items()}
    if any(number not in known for number in numbers):
        return None
    return tuple(sorted((known[number] for number in numbers), key=int))
