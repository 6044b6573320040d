"""A protocol: the prompt, the form of the answer, and the decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from exambench.errors import ConfigError, Finding
from exambench.exchange import TextPart
from exambench.items import Axis, FacetValue, Item, digest
from exambench.models import Capabilities, Decoding
from exambench.outcomes import AnswerValue
from exambench.protocols.condition import LABELS, Condition
from exambench.protocols.labels import Labels
from exambench.protocols.templates import fill, merged


@dataclass(frozen=True)
class Protocol:
    """How a model is asked, and how its answer is read.

    Templates hold placeholders in double braces: ``{{question}}`` and ``{{choices}}`` in ``user``, ``{{number}}``
    and ``{{content}}`` in ``choice``, ``{{answer}}`` in ``answer``. What takes a placeholder's place is never
    searched for placeholders again. The passage that an item is asked about stands above its question, unless ``user``
    has a place of its own for it, ``{{passage}}``.

    Attributes:
        name: Identifier, as in ``advanced``.
        user: Template of the user's message.
        choice: Template of one choice; the choices stand one a line.
        answer: Template of a response in the required form; what a baseline answers with.
        strict: Name of the parser of the headline score.
        lenient: Name of the parser that tells format from knowledge.
        system: The system message; empty for none.
        decoding: Settings, unless the model file says otherwise.
        thinking: Settings over ``decoding`` for models that reason before they answer.
        where: The items that this protocol is for, by facet, as in :class:`exambench.items.Axis`.
        suffixes: What is said after the item in conditions that the prompt does not foresee, by name. ``labels``: the
            choices are not numbered, with the placeholders ``{{labels}}`` and ``{{example}}``. ``cot``: the model is to
            think before it answers.
        labelled: Template of a response that names a label; ``answer`` when it is empty.
    """

    name: str
    user: str
    choice: str
    answer: str
    strict: str
    lenient: str
    system: str = ""
    decoding: Decoding = field(default_factory=Decoding)
    thinking: Decoding = field(default_factory=Decoding)
    where: Mapping[str, tuple[FacetValue, ...]] = field(default_factory=lambda: MappingProxyType({}))
    suffixes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    labelled: str = ""

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt and of how the answer is read; the decoding is part of each request instead."""
        return digest(
            {
                "system": self.system,
                "user": self.user,
                "choice": self.choice,
                "strict": self.strict,
                "lenient": self.lenient,
            }
        )

    def hash_under(self, condition: Condition) -> str:
        """Return the digest of all that a condition makes the protocol say; under the usual one it is :attr:`hash`.

        Raises:
            ConfigError: The protocol has no words for the condition.
        """
        said = {name: self.suffix(name) for name in condition.suffixes}
        if condition.labels is not Labels.NUMBERS:
            said["labelled"] = self.labelled
        return digest({"protocol": self.hash, **said}) if said else self.hash

    def suffix(self, name: str) -> str:
        """Return what is said after the item in a condition.

        Raises:
            ConfigError: The protocol has no such text.
        """
        if name not in self.suffixes:
            raise ConfigError(
                Finding(
                    problem=f"the protocol {self.name} has no words for this condition",
                    field=f"suffixes.{name}",
                    value="nothing",
                    allowed="a text that is put after the item",
                    remedy=f"Choose another protocol, or add suffixes.{name} to a protocol file of your own",
                )
            )
        return self.suffixes[name]

    def about_labels(self, labels: Sequence[str]) -> str:
        """Return what is said of choices that are not numbered.

        Raises:
            ConfigError: The protocol has no words for it, or they hold a placeholder that does not exist.
        """
        example = self.write_label(labels[min(1, len(labels) - 1)])
        values = {"labels": [TextPart(", ".join(labels))], "example": [TextPart(example)]}
        parts = merged(fill(self.suffix(LABELS), values))
        return "".join(part.text for part in parts if isinstance(part, TextPart))

    def as_json(self) -> Mapping[str, object]:
        """Return the protocol as JSON values for the store."""
        return {
            "name": self.name,
            "system": self.system,
            "user": self.user,
            "choice": self.choice,
            "answer": self.answer,
            "strict": self.strict,
            "lenient": self.lenient,
            "where": {facet: list(values) for facet, values in self.where.items()},
            **({"suffixes": dict(self.suffixes)} if self.suffixes else {}),
            **({"labelled": self.labelled} if self.labelled else {}),
        }

    def selects(self, item: Item) -> bool:
        """Tell whether the item is asked under this protocol."""
        return Axis(name=self.name, titles={}, where=self.where).selects(item)

    def decoding_for(self, own: Decoding, capabilities: Capabilities) -> Decoding:
        """Return the settings for a model: its own file's, over the thinking ones if it thinks, over the general."""
        general = self.thinking.over(self.decoding) if capabilities.thinking else self.decoding
        return own.over(general)

    def write_answer(self, value: AnswerValue) -> str:
        """Return a response in the required form."""
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        return self.answer.replace("{{answer}}", text)

    def write_label(self, label: str) -> str:
        """Return a response in the required form that names a choice by a label other than its number."""
        return (self.labelled or self.answer).replace("{{answer}}", label)
