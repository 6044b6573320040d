"""What may be a label: a fixed set, the leaves of an outline of topics, or any short phrase, with a map onto fewer."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.errors import ConfigError, Finding, listed, show

LONGEST_LABEL: Final = 60
YES: Final = "yes"
NO: Final = "no"

Phrase = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)]


class Combine(StrEnum):
    """How the labels of two models become one."""

    FIRST = "first"
    """That of the first model, or of the second where the first one's cannot be used."""
    AGREE = "agree"
    """The one that both give; none where they differ."""
    UNION = "union"
    """``yes`` where either says so."""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Which labels there are.

    Attributes:
        allowed: The labels; ``None`` when any short phrase is one.
        listing: What a model is told of them.
    """

    allowed: tuple[str, ...] | None
    listing: str

    def find(self, text: str) -> str | None:
        """Return the label that a text is, in its own spelling; ``None`` if it is none."""
        if self.allowed is None:
            label = " ".join(text.split())
            return label if 0 < len(label) <= LONGEST_LABEL else None
        return {folded(label): label for label in self.allowed}.get(folded(text))

    def problems(self, text: str) -> tuple[str, ...]:
        """Return what keeps a text from being a label."""
        if self.find(text) is not None:
            return ()
        if self.allowed is None:
            return (f"A label is a phrase of 1 to {LONGEST_LABEL} characters.",)
        return (f"{show(text)} is none of the labels {listed(self.allowed)}.",)


def yes_or_no() -> LabelSet:
    """Return the two labels of a property that items have or have not."""
    return LabelSet((YES, NO), f"- {YES}\n- {NO}")


def fixed(labels: Mapping[str, str]) -> LabelSet:
    """Return a fixed set.

    Args:
        labels: What each label means; may be empty.
    """
    lines = (f"- {label}: {meaning}" if meaning else f"- {label}" for label, meaning in labels.items())
    return LabelSet(tuple(labels), "\n".join(lines))


def any_phrase() -> LabelSet:
    """Return the open set."""
    return LabelSet(None, "")


class _Outline(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: Annotated[dict[Phrase, str], Field(min_length=1)]


class _Consolidation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: Annotated[dict[Phrase, list[Phrase]], Field(min_length=1)]


def read_outline(path: Path) -> LabelSet:
    """Read an outline of topics: ``[topics]`` with numbers such as ``"1.2"`` and titles; its leaves are the labels.

    Raises:
        ConfigError: The file is no outline.
    """
    topics = validate(_Outline, read_table(path), str(path)).topics
    leaves = tuple(topic for topic in topics if not any(other.startswith(f"{topic}.") for other in topics))
    lines = (f"{'  ' * topic.count('.')}- {topic} {title}" for topic, title in topics.items())
    return LabelSet(leaves, "\n".join(lines))


def read_consolidation(path: Path) -> Mapping[str, str]:
    """Read which labels of an open set become which: ``[labels]`` with a list of phrases for each.

    Returns:
        The label by the folded phrase; a label stands for itself too.

    Raises:
        ConfigError: The file is no map, or a phrase stands under two labels.
    """
    table = validate(_Consolidation, read_table(path), str(path)).labels
    found: dict[str, str] = {}
    twice = [
        (phrase, label)
        for label, phrases in table.items()
        for phrase in (label, *phrases)
        if found.setdefault(folded(phrase), label) != label
    ]
    if twice:
        raise ConfigError(
            *(
                Finding(
                    problem=f"a phrase becomes two labels, {found[folded(phrase)]} and {label}",
                    file=str(path),
                    field="labels",
                    value=show(phrase),
                    remedy="Take it out of one of the lists",
                )
                for phrase, label in twice
            )
        )
    return found


def folded(text: str) -> str:
    """Return what two spellings of a label have in common: no capitals, no spaces, NFC, no quotes or full stop."""
    return "".join(unicodedata.normalize("NFC", text).casefold().split()).strip("\"'“”‘’.")


def combined(labels: Sequence[str | None], combine: Combine) -> str | None:
    """Return one label for those of several models; ``None`` where there is none.

    Args:
        labels: That of each model; ``None`` where a model's cannot be used.
        combine: How.
    """
    known = [label for label in labels if label is not None]
    complete = len(known) == len(labels)
    match combine:
        case Combine.FIRST:
            return known[0] if known else None
        case Combine.AGREE:
            return known[0] if complete and len(set(known)) == 1 else None
        case Combine.UNION:
            return YES if YES in known else NO if complete else None
