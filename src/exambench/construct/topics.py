"""Topics of categories, each with what it covers: what a question may be about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.construct.mentions import folded

LONGEST: Final = 60
"""Characters of a topic that is on no list."""
NOTHING: Final = "–"
OTHER: Final = {
    "ko": "(알맞은 것이 없으면 다른 주제를 짧게)",
    "en": "(another one in a few words, where none of these fits)",
}
"""What a list ends with where other topics are allowed, by language; in English elsewhere."""

Name = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class _Category(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str = ""
    topics: Annotated[dict[Name, str], Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: dict[Name, _Category]


@dataclass(frozen=True)
class Topics:
    """Topics by category.

    Attributes:
        about: What a category is about.
        covers: What each topic of a category covers.
        others: Whether a question may be about another topic.
    """

    about: Mapping[str, str]
    covers: Mapping[str, Mapping[str, str]]
    others: bool = False

    def find(self, category: str, topic: str) -> str | None:
        """Return a topic as its list writes it, or another one where that is allowed; ``None`` where it cannot be used.

        A category without a list has any topic that is short.
        """
        listed = {folded(name): name for name in self.covers.get(category, {})}
        found = listed.get(folded(topic))
        if found is not None:
            return found
        free = " ".join(topic.split())
        return free if (self.others or not listed) and free and len(free) <= LONGEST else None

    def is_listed(self, category: str, topic: str) -> bool:
        """Tell whether a topic is on the list of its category, or the category has none."""
        return category not in self.covers or topic in self.covers[category]

    def listing(self, category: str, language: str) -> str:
        """Return the topics of a category for a model, one a line; a dash where any may be given."""
        if category not in self.covers:
            return NOTHING
        lines = [f"- {name}: {covers}" if covers else f"- {name}" for name, covers in self.covers[category].items()]
        return "\n".join([*lines, *([f"- {OTHER.get(language, OTHER['en'])}"] if self.others else [])])

    def as_json(self) -> list[object]:
        """Return the topics as JSON values, for a digest."""
        return [{name: dict(topics) for name, topics in self.covers.items()}, self.others]


def read_topics(path: Path | None, *, others: bool) -> Topics:
    """Read the topics of categories from a TOML or YAML file; without one every category has any.

    Raises:
        ConfigError: The file is something else.
    """
    if path is None:
        return Topics({}, {}, others)
    table = validate(_Table, read_table(path), str(path))
    return Topics(
        {name: found.about for name, found in table.categories.items()},
        {name: found.topics for name, found in table.categories.items()},
        others,
    )
