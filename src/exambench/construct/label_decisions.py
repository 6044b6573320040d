"""What people say the label of an item is; it holds for the item and the question that they saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import validate
from exambench.construct.decisions import table_of_decisions
from exambench.construct.label_sets import LabelSet
from exambench.errors import ConfigError, Finding, listed, show
from exambench.items import Item, digest

VERSION: Final = "version"
"""Name of what a record says of an item to be labelled: the digest of what people see."""
ASKED: Final = "asked_of_people"
"""Name of the fact that tells what people are asked: ``facet``, ``about``, ``listing``, ``labels`` (``None``: any)."""


class LabelDecision(BaseModel):
    """A label that a person gave.

    Attributes:
        label: The label.
        seen: Digest of what the person saw.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Annotated[str, Field(min_length=1)]
    seen: str


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: dict[str, LabelDecision]


def read_label_decisions(path: Path) -> Mapping[str, LabelDecision]:
    """Read the labels of people by the identifiers of items.

    Raises:
        ConfigError: A decision is none.
        DataError: The file cannot be read, or is something else.
    """
    return validate(_File, {"decisions": table_of_decisions(path)}, str(path)).decisions


def version_of(item: Item, facet: str, about: str) -> str:
    """Return the digest of what people see: the item, and what they are asked about it."""
    return digest([item.content_hash, facet, about])


def label_of(decision: LabelDecision, item: Item, labels: LabelSet) -> str:
    """Return the label that a person gave, in the spelling of the set.

    Raises:
        ConfigError: The set has no such label.
    """
    found = labels.find(decision.label)
    if found is None:
        raise ConfigError(
            Finding(
                problem="people gave a label that is not in the set",
                item=show(item.id),
                field="label",
                value=show(decision.label),
                allowed="a short phrase" if labels.allowed is None else listed(labels.allowed),
                remedy="Correct the decision, or the labels of the stage",
            )
        )
    return found
