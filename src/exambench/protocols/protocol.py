"""A protocol: the prompt, the form of the answer, and the decoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from exambench.items import Axis, FacetValue, Item, digest
from exambench.models import Capabilities, Decoding
from exambench.outcomes import AnswerValue


@dataclass(frozen=True)
class Protocol:
    """How a model is asked, and how its answer is read.

    Templates hold placeholders in double braces: ``{{question}}`` and ``{{choices}}`` in ``user``, ``{{number}}``
    and ``{{content}}`` in ``choice``, ``{{answer}}`` in ``answer``. What takes a placeholder's place is never
    searched for placeholders again.

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
