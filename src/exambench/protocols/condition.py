"""A condition changes one thing about how an item is shown, or several.

Each dimension has a usual value, which is left out of what the store keeps: the identifiers of runs under the usual
condition do not depend on which further dimensions there are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.items import EXPLICIT
from exambench.protocols.labels import Labels
from exambench.protocols.ordering import SEED, Order, order_from

LABELS: Final = "labels"
"""Name of what a protocol says of choices that are not numbered."""
CHAIN_OF_THOUGHT: Final = "cot"
"""Name of what a protocol says to have a model think before it answers."""
MOST_SHOTS: Final = 32
_SHOTS: Final = re.compile(r"([0-9]{1,2})(?:@([0-9]{1,9}))?")
WRITTEN: Final = Order()
"""The order in which the choices are written."""


class Passage(StrEnum):
    """What is shown of the text that an item is asked about."""

    SHOWN = "shown"
    """Open book."""
    HIDDEN = "hidden"
    """Closed book."""


class Question(StrEnum):
    """What is shown of the stem."""

    SHOWN = "shown"
    HIDDEN = "hidden"


class Choices(StrEnum):
    """What is shown of the choices; hidden ones keep their labels, so that the answer has the same form."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    GOLD = "gold"
    """Every choice is the right one."""


class Images(StrEnum):
    """What is shown of the pictures."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    ONLY = "only"
    """The stem's picture without its text."""
    GRAYSCALE = "grayscale"
    HALF = "half"
    """Half the pixels in each direction."""
    JPEG30 = "jpeg30"
    """JPEG of quality 30."""


class ChainOfThought(StrEnum):
    """Whether the model is asked to think before it answers."""

    OFF = "off"
    """The protocol's own prompt, nothing added."""
    ON = "on"


@dataclass(frozen=True, slots=True)
class Shots:
    """Examples before the question.

    Attributes:
        count: How many.
        seed: Seed of the draw.
    """

    count: int = 0
    seed: int = SEED

    def __str__(self) -> str:
        """Return the number with its seed: ``5@42``; ``0`` for none."""
        return f"{self.count}@{self.seed}" if self.count else "0"


NO_SHOTS: Final = Shots()


@dataclass(frozen=True, slots=True)
class Condition:
    """How the items of a run are shown.

    Attributes:
        wording: Name of the wording, a translation being one.
        passage: What is shown of the text that an item is asked about.
        question: What is shown of the stem.
        choices: What is shown of the choices.
        images: What is shown of the pictures.
        order: In which order the choices stand.
        labels: What the choices are called.
        cot: Whether the model is asked to think before it answers.
        shots: Examples before the question.
    """

    wording: str = EXPLICIT
    passage: Passage = Passage.SHOWN
    question: Question = Question.SHOWN
    choices: Choices = Choices.SHOWN
    images: Images = Images.SHOWN
    order: Order = WRITTEN
    labels: Labels = Labels.NUMBERS
    cot: ChainOfThought = ChainOfThought.OFF
    shots: Shots = NO_SHOTS

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Names of what the protocol has to say after the item, see :attr:`exambench.protocols.Protocol.suffixes`."""
        labelled = (LABELS,) if self.labels is not Labels.NUMBERS else ()
        return (*labelled, CHAIN_OF_THOUGHT) if self.cot is ChainOfThought.ON else labelled

    @property
    def unusual(self) -> Mapping[str, str]:
        """The dimensions that are not as usual, with their values as they are written."""
        return MappingProxyType({name: self.value(name) for name in DIMENSIONS if self.value(name) != USUAL[name]})

    def value(self, dimension: str) -> str:
        """Return the value of a dimension as it is written."""
        return str(getattr(self, dimension))

    def having(self, dimension: str, text: str) -> Condition:
        """Return this condition with another value of one dimension.

        Raises:
            ConfigError: There is no such dimension, or no such value.
        """
        if dimension not in DIMENSIONS:
            raise ConfigError(
                Finding(
                    "a condition has no such dimension",
                    field="condition",
                    value=show(dimension),
                    allowed="; ".join(f"{name}={allowed}" for name, allowed in DIMENSIONS.items()),
                    remedy="Name one of these",
                )
            )
        value = _read(dimension, text)
        if value is None:
            raise ConfigError(
                Finding(
                    "a condition has no such value",
                    field=dimension,
                    value=show(text),
                    allowed=DIMENSIONS[dimension],
                    remedy="Name one of these",
                )
            )
        return replace(self, **{dimension: value})  # type: ignore[arg-type] # each reader returns its field's type

    def as_json(self) -> Mapping[str, str]:
        """Return the condition as JSON values for the store; what is as usual is left out, but for the wording."""
        return {"wording": self.wording, **self.unusual}


DIMENSIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "wording": "a wording of the benchmark's items, such as explicit, implicit, original, english",
        "passage": ", ".join(Passage),
        "question": ", ".join(Question),
        "choices": ", ".join(Choices),
        "images": ", ".join(Images),
        "order": "original, reversed, shuffled-1 to shuffled-999 (a permutation each), shuffled-1@SEED",
        "labels": ", ".join(Labels),
        "cot": ", ".join(ChainOfThought),
        "shots": f"0 to {MOST_SHOTS}, 5@SEED",
    }
)
"""The dimensions of a condition, with the values that each may have, in words."""

USUAL: Final[Mapping[str, str]] = MappingProxyType(
    {field.name: str(getattr(Condition(), field.name)) for field in fields(Condition)}
)
"""The usual value of each dimension, as it is written."""


def condition_from(stored: Mapping[str, object]) -> Condition:
    """Return the condition that the store keeps.

    Raises:
        ConfigError: It is none that this version knows.
    """
    condition = Condition()
    for dimension, value in stored.items():
        condition = condition.having(dimension, str(value))
    return condition


_WORDS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("passage", "hidden"): "closed book",
        ("question", "hidden"): "no question",
        ("choices", "hidden"): "no choices",
        ("choices", "gold"): "every choice the right one",
        ("images", "hidden"): "no pictures",
        ("images", "only"): "picture without the question's text",
        ("images", "grayscale"): "pictures in grey",
        ("images", "half"): "pictures at half resolution",
        ("images", "jpeg30"): "pictures as JPEG of quality 30",
        ("order", "reversed"): "choices reversed",
        ("labels", "letters"): "choices called A, B, C",
        ("labels", "jamo"): "choices called ㄱ, ㄴ, ㄷ",
        ("cot", "on"): "chain of thought",
    }
)


def condition_text(condition: Mapping[str, object]) -> str:
    """Return a condition, given as the store keeps it, in words: ``wording explicit, no question``."""
    named = [name for name in DIMENSIONS if name in condition]
    return ", ".join(setting_text(name, str(condition[name])) for name in named)


def setting_text(dimension: str, value: str) -> str:
    """Return the value of one dimension in words."""
    match dimension:
        case "order" if value.startswith("shuffled-"):
            return f"choices shuffled, order {value.removeprefix('shuffled-').replace('@', ' of seed ')}"
        case "shots":
            count, _, seed = value.partition("@")
            return f"{count} examples" + (f" of seed {seed}" if seed else "")
    return _WORDS.get((dimension, value), f"{dimension} {value}")


def _read(dimension: str, text: str) -> object | None:
    """Return the value that a text names; ``None`` for none."""
    match dimension:
        case "wording":
            return text or None
        case "order":
            return order_from(text)
        case "shots":
            return _shots_from(text)
    values: Mapping[str, type[StrEnum]] = {
        "passage": Passage,
        "question": Question,
        "choices": Choices,
        "images": Images,
        "labels": Labels,
        "cot": ChainOfThought,
    }
    return next((value for value in values[dimension] if value == text), None)


def _shots_from(text: str) -> Shots | None:
    match = _SHOTS.fullmatch(text)
    if match is None or int(match[1]) > MOST_SHOTS:
        return None
    return Shots(int(match[1]), int(match[2] or SEED)) if int(match[1]) else NO_SHOTS
